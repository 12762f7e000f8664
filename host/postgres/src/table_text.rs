//! The text of a table in SQLite's schema: where its columns and constraints are, and how they are changed.
//!
//! Only the bytes of what changes are replaced, so comments and all that SQLite alone knows remain. A text
//! whose grammar is not understood as a whole is not changed.

mod clauses;
mod edit;

use std::ops::Range;

use sql_tokens::{Dialect, Kind as TokenKind, Token, Tokens};

pub use clauses::{Clause, ClauseKind};

use crate::error::{Error, Result};

/// The text of a table.
#[derive(Clone, Debug)]
pub struct TableText<'a> {
    sql: &'a str,
    /// Its columns.
    pub columns: Vec<ColumnText>,
    /// Its own constraints.
    pub constraints: Vec<Clause>,
    /// What is in its parentheses.
    inside: Range<usize>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct ColumnText {
    /// The name.
    pub name: String,
    /// The bytes of its type with the comments behind it; empty, behind the name, for one without.
    pub data_type: Range<usize>,
    /// Its constraints, its default and its collation.
    pub clauses: Vec<Clause>,
    /// The end of its last word.
    end: usize,
}

/// The words of a text.
type Words<'t, 'a> = &'t [Token<'a>];

impl<'a> TableText<'a> {
    /// Read a text.
    ///
    /// # Errors
    ///
    /// 0A000 for one that is not understood.
    pub fn read(sql: &'a str) -> Result<Self> {
        Self::parts(sql).ok_or_else(|| {
            let hint = "make another table, and copy the rows";
            Error::unsupported("a change of a table with this definition").hint(hint)
        })
    }

    fn parts(sql: &'a str) -> Option<Self> {
        let words: Vec<_> = Tokens::new(sql, Dialect::Sqlite)
            .filter(|token| token.kind != TokenKind::Space)
            .collect();
        if words.iter().any(|word| word.kind == TokenKind::Illegal) {
            return None;
        }
        let mut head = words.iter();
        let is_table = head.next()?.is("create") && head.next()?.is("table");
        let open = words.iter().position(|word| word.is("(")).filter(|_| is_table)?;
        let close = closing(&words, open)?;
        let inside = words[open].start + 1..words[close].start;
        let mut text = Self { sql, columns: Vec::new(), constraints: Vec::new(), inside };
        for element in elements(&words[open + 1..close]) {
            match element.first() {
                Some(first) if begins_constraint(first) => {
                    text.constraints.extend(clauses::of_table(element)?);
                }
                _ if !text.constraints.is_empty() => return None,
                _ => text.columns.push(column(sql, element)?),
            }
        }
        Some(text)
    }

    /// All of it.
    pub fn sql(&self) -> &'a str {
        self.sql
    }

    /// The column with this name.
    pub fn column(&self, name: &str) -> Option<&ColumnText> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// All constraints; those of a column with its name.
    pub fn all(&self) -> impl Iterator<Item = (Option<&str>, &Clause)> {
        let of_columns = self
            .columns
            .iter()
            .flat_map(|column| column.clauses.iter().map(|one| (Some(column.name.as_str()), one)));
        of_columns.chain(self.constraints.iter().map(|one| (None, one)))
    }

    /// The text that stands for a clause without its name.
    pub fn written(&self, clause: &Clause) -> &'a str {
        self.sql.get(clause.body.clone()).unwrap_or_default()
    }

    /// The type of a column, with the comments behind it.
    pub fn declared(&self, column: &ColumnText) -> &'a str {
        self.sql.get(column.data_type.clone()).unwrap_or_default()
    }

    /// Whether a clause of this kind names a column.
    pub fn names_in(&self, kind: ClauseKind, column: &str) -> bool {
        self.all().any(|(_, clause)| clause.kind == kind && names(self.written(clause), column))
    }

    /// The same text as that of another table, in the schema `temp`.
    pub fn as_temporary(&self, quoted_name: &str) -> String {
        let rest = &self.sql[self.inside.start - 1..];
        format!("CREATE TEMP TABLE {quoted_name} {rest}")
    }
}

/// Whether a text of SQLite's has this name anywhere.
pub fn names(sql: &str, wanted: &str) -> bool {
    let mut words = Tokens::new(sql, Dialect::Sqlite);
    words.any(|word| word.name().is_some_and(|name| name.eq_ignore_ascii_case(wanted)))
}

/// Whether a text of SQLite's has this name of a column: what is called is a function.
pub fn uses(sql: &str, wanted: &str) -> bool {
    let words = Tokens::new(sql, Dialect::Sqlite).filter(|word| word.kind != TokenKind::Space);
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let is_called = words.peek().is_some_and(|next| next.is("("));
        if !is_called && word.name().is_some_and(|name| name.eq_ignore_ascii_case(wanted)) {
            return true;
        }
    }
    false
}

/// Whether an element is a constraint of the table.
fn begins_constraint(word: &Token<'_>) -> bool {
    ["constraint", "primary", "unique", "check", "foreign"].iter().any(|one| word.is(one))
}

/// The elements that commas separate.
fn elements<'t, 'a>(words: Words<'t, 'a>) -> Vec<Words<'t, 'a>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, word) in words.iter().enumerate() {
        match word.kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') => depth = depth.saturating_sub(1),
            TokenKind::Symbol(b',') if depth == 0 => {
                found.push(&words[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&words[start..]);
    found
}

/// The position of the parenthesis that closes the one at `open`.
fn closing(words: Words<'_, '_>, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') if depth == 1 => return Some(at),
            TokenKind::Symbol(b')') => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn end(word: &Token<'_>) -> usize {
    word.start + word.text.len()
}

fn column(sql: &str, words: Words<'_, '_>) -> Option<ColumnText> {
    let (first, rest) = words.split_first()?;
    if !matches!(first.kind, TokenKind::Word | TokenKind::Name | TokenKind::Text) {
        return None;
    }
    let types = clauses::type_length(rest)?;
    let (written, after) = rest.split_at(types);
    let data_type = match (written.first(), written.last()) {
        (Some(from), Some(to)) => from.start..behind_comments(sql, end(to)),
        _ => end(first)..end(first),
    };
    let clauses = clauses::of_column(after)?;
    let end = end(words.last()?).max(data_type.end);
    Some(ColumnText { name: first.unquoted().into_owned(), data_type, clauses, end })
}

/// The end of the comments in `/* */` behind a type, which belong to it: they say what SQLite does not.
fn behind_comments(sql: &str, from: usize) -> usize {
    let rest = sql.get(from..).unwrap_or_default();
    let mut found = from;
    for token in Tokens::new(rest, Dialect::Sqlite).take_while(|one| one.kind == TokenKind::Space) {
        if token.text.starts_with("/*") && token.text.ends_with("*/") {
            found = from + end(&token);
        }
    }
    found
}

#[cfg(test)]
mod tests;
