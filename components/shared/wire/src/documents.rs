//! The table of operations in the documents: `sql-work.operation` of the contract, and
//! `OPERATIONS.md`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::opcode::{Capability, Group, Opcode, Row};

/// The columns of a line in the contract.
const COLUMNS: usize = 92;

/// `OpenBlobs` as `open-blobs`, or with another separator.
pub(crate) fn words(name: &str, separator: char) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(separator);
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

impl Row {
    /// Its description, its parameters and its reply, as sentences.
    pub(crate) fn text(&self) -> String {
        let mut text = joined(self.description);
        if !self.parameters.is_empty() {
            text += &format!(" Parameters: {}.", self.parameter_list());
        }
        match self.reply {
            Some(reply) => text + &format!(" Reply: {reply}."),
            None => text + " -",
        }
    }

    fn parameter_list(&self) -> String {
        let parameters = self.parameters.iter();
        let named = parameters.map(|(name, kind)| format!("{} ({kind})", name.replace('_', " ")));
        named.collect::<Vec<_>>().join(", ")
    }
}

/// Lines of a description as one.
pub(crate) fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// The lines of a text, each after a prefix.
pub(crate) fn wrapped(text: &str, prefix: &str, columns: usize) -> String {
    let mut lines = String::new();
    let mut line = String::from(prefix);
    for word in text.split(' ') {
        let is_first = line.len() == prefix.len();
        if !is_first && line.len() + 1 + word.len() > columns {
            lines += &line;
            lines.push('\n');
            line = String::from(prefix);
        }
        line.push(' ');
        line += word;
    }
    lines + &line + "\n"
}

/// The cases of the enum `operation`.
pub fn wit_operation() -> String {
    let rows = Opcode::ROWS.iter().filter(|row| row.group == Group::Everyone);
    let case = |row: &Row| {
        wrapped(&row.text(), "    ///", COLUMNS) + &format!("    {},\n", words(row.name, '-'))
    };
    rows.map(case).collect()
}

/// A table of all operations in Markdown.
pub fn table_of_operations() -> String {
    let mut text = String::from(INTRODUCTION);
    let mut rows: Vec<&Row> = Opcode::ROWS.iter().collect();
    rows.sort_by_key(|row| row.opcode as u8);
    for row in rows {
        let sender = match row.group {
            Group::Everyone => "extension, program",
            Group::Program | Group::Objects | Group::Calls => "program",
            Group::Host => "host",
        };
        let capability = match row.capability {
            Capability::Nothing | Capability::Program => "",
            Capability::Sql => "`sql:ro`",
            Capability::SqlWrite => "`sql`",
        };
        text += &format!(
            "| {} | `{}` | {} | {} | {} | {sender} | {capability} |\n",
            row.opcode as u8,
            words(row.name, '-'),
            joined(row.description),
            row.parameter_list(),
            row.reply.unwrap_or_default(),
        );
    }
    text
}

const INTRODUCTION: &str = "\
# Operations

Generated from `src/table.rs`; `BLESS=1 cargo test -p sqlite-wasm-wire` writes it anew.

An operation is its code in one byte and its parameters. `wit/extension/sql.wit` documents the types,
and the operations that extensions may send. An operation that its sender may not send is refused
like one that does not exist. A *text or null* is a null pointer if its length is 4294967295.
Operations from 160 on are SQLite's functions on SQLite's objects, which are u32: their addresses in
the sandbox. The grant is what an extension needs.

| code | operation | description | parameters | reply | sender | grant |
| --- | --- | --- | --- | --- | --- | --- |
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_divided_at_capital_letters() {
        assert_eq!(words("SetLastInsertRowId", '-'), "set-last-insert-row-id");
        assert_eq!(words("Run", '_'), "run");
    }

    #[test]
    fn lines_are_not_too_long() {
        assert_eq!(wrapped("a bc def", " *", 6), " * a\n * bc\n * def\n");
        assert_eq!(wrapped("a bc def", " *", 7), " * a bc\n * def\n");
    }
}
