//! What the text of a definition says about hidden columns. It is read as tokens, not as a grammar:
//! where that does not suffice, more is hidden than need be.

use std::collections::BTreeSet;

use sql_tokens::{Dialect, Kind as TokenKind, Token, Tokens};

use super::Table;

/// Words after which a constraint refuses rows by their values.
const CONSTRAINTS: [&str; 3] = ["CHECK", "UNIQUE", "PRIMARY"];

/// The name, in lower case, that a token may be; SQLite takes a string for one too.
fn name(token: &Token<'_>) -> Option<String> {
    let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Name | TokenKind::Text);
    is_name.then(|| token.unquoted().to_ascii_lowercase())
}

fn words(sql: &str) -> impl Iterator<Item = Token<'_>> {
    Tokens::new(sql, Dialect::Sqlite).filter(|token| token.kind != TokenKind::Space)
}

/// Whether a text has one of these names, which are in lower case.
pub fn mentions<'a>(sql: &str, names: impl IntoIterator<Item = &'a String>) -> bool {
    let names: Vec<&String> = names.into_iter().collect();
    !names.is_empty()
        && words(sql).filter_map(|token| name(&token)).any(|found| names.contains(&&found))
}

/// The module of a virtual table, in lower case, and the arguments behind it.
pub fn module(sql: &str) -> Option<(String, Vec<Vec<Token<'_>>>)> {
    let mut tokens = words(sql);
    tokens.find(|token| token.is("USING"))?;
    let module = name(&tokens.next()?)?;
    let parts = parts(sql).into_iter().map(|part| part.0).collect();
    Some((module, parts))
}

/// A column or constraint of CREATE TABLE, or an argument of a module.
struct Part<'a>(Vec<Token<'a>>);

impl Part<'_> {
    fn name(&self) -> Option<String> {
        name(self.0.first()?)
    }

    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|token| token.is(word))
    }

    fn mentions(&self, names: &[String]) -> bool {
        self.0.iter().filter_map(name).any(|found| names.contains(&found))
    }
}

/// What stands between the outermost parentheses, divided at its commas.
fn parts(sql: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part(Vec::new())];
    let mut depth = 0_usize;
    for token in words(sql) {
        if token.is(")") {
            depth = depth.saturating_sub(1);
        }
        match depth {
            0 => {}
            1 if token.is(",") => parts.push(Part(Vec::new())),
            _ => parts.last_mut().into_iter().for_each(|part| part.0.push(token)),
        }
        if token.is("(") {
            depth += 1;
        }
    }
    parts
}

/// Hide generated columns that are computed from hidden ones.
pub fn hide_generated(table: &mut Table) {
    let sql = table.sql.clone();
    let parts = parts(&sql);
    loop {
        let secrets = table.secrets();
        let is_computed = |column: &super::Column| {
            let own = column.name.to_ascii_lowercase();
            let part = parts.iter().find(|part| part.name().as_ref() == Some(&own));
            // Without its text nobody knows from what it is computed.
            part.is_none_or(|part| part.mentions(&secrets))
        };
        let open = |column: &&mut super::Column| column.is_generated && !column.is_hidden;
        let found = if secrets.is_empty() {
            None
        } else {
            table.columns.iter_mut().filter(open).find(|column| is_computed(column))
        };
        match found {
            Some(column) => column.is_hidden = true,
            None => return,
        }
    }
}

/// Whether a constraint of a table refuses rows by values that are hidden, or an index has their
/// order, so that writes would find them by comparison.
pub fn tells(table: &Table) -> bool {
    let secrets = table.secrets();
    if secrets.is_empty() {
        return false;
    }
    let constrains =
        |part: &Part<'_>| CONSTRAINTS.iter().any(|word| part.has(word)) && part.mentions(&secrets);
    let parts = parts(&table.sql);
    parts.iter().any(constrains)
        || computes(table, &parts)
        || table.indexes.iter().any(|sql| mentions(sql, &secrets))
}

/// Whether a write computes a hidden generated column, and so fails by its value: by NOT NULL, by
/// the type in a STRICT table, or by an error of the expression.
fn computes(table: &Table, parts: &[Part<'_>]) -> bool {
    let is_strict = words(&table.sql).any(|token| token.is("STRICT"));
    let mut hidden = table.columns.iter().filter(|column| column.is_generated && column.is_hidden);
    hidden.any(|column| {
        let own = column.name.to_ascii_lowercase();
        let part = parts.iter().find(|part| part.name().as_ref() == Some(&own));
        is_strict || part.is_none_or(|part| part.has("NOT") || part.has("STORED"))
    })
}

/// The join of a text that compares columns of these names without naming them in an expression.
pub fn unseen_join(sql: &str, names: &BTreeSet<String>) -> Option<String> {
    let mut tokens = words(sql).peekable();
    while let Some(token) = tokens.next() {
        if token.is("NATURAL") {
            return Some("NATURAL JOIN".to_owned());
        }
        if token.is("USING") && tokens.next_if(|next| next.is("(")).is_some() {
            while let Some(column) = tokens.next_if(|next| !next.is(")")) {
                if let Some(found) = name(&column).filter(|found| names.contains(found)) {
                    return Some(format!("USING ({found})"));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Kind};
    use super::*;

    fn column(name: &str, is_generated: bool) -> Column {
        let (name, declared) = (name.to_owned(), String::new());
        let (is_not_null, is_key, is_implicit) = (false, false, false);
        let is_hidden = name == "pw";
        Column { name, declared, is_not_null, is_key, is_generated, is_implicit, is_hidden }
    }

    fn table(sql: &str, columns: &[(&str, bool)], indexes: &[&str]) -> Table {
        let columns =
            columns.iter().map(|(name, is_generated)| column(name, *is_generated)).collect();
        let indexes = indexes.iter().map(|sql| (*sql).to_owned()).collect();
        let (name, sql, kind) = ("t".to_owned(), sql.to_owned(), Kind::Table);
        Table {
            name,
            kind,
            sql,
            columns,
            is_hidden: false,
            is_refused: false,
            is_frozen: false,
            owner: None,
            indexes,
        }
    }

    #[test]
    fn what_is_computed_from_a_hidden_column_is_hidden() {
        let sql = "CREATE TABLE t(a, pw, up AS (upper(pw)), twice AS (up || up), sum AS (a + 1), \"odd\"\" \" AS (pw))";
        let columns = [
            ("a", false),
            ("pw", false),
            ("up", true),
            ("twice", true),
            ("sum", true),
            ("odd\" ", true),
        ];
        let mut table = table(sql, &columns, &[]);
        hide_generated(&mut table);
        let visible: Vec<_> = table.visible().map(|column| column.name.as_str()).collect();
        assert_eq!(visible, ["a", "sum"]);
    }

    #[test]
    fn a_generated_column_without_its_text_is_hidden() {
        let mut table =
            table("CREATE TABLE t(a, pw)", &[("a", false), ("pw", false), ("g", true)], &[]);
        hide_generated(&mut table);
        assert_eq!(table.visible().count(), 1);
    }

    #[test]
    fn constraints_of_hidden_columns_tell_their_values() {
        let columns = [("a", false), ("pw", false)];
        for sql in [
            "CREATE TABLE t(a, pw UNIQUE)",
            "CREATE TABLE t(a CHECK (a <> pw), pw)",
            "CREATE TABLE t(a, pw, CHECK (length([PW]) > 3))",
            "CREATE TABLE t(a, pw, UNIQUE (a, 'pw'))",
            "CREATE TABLE t(a, pw PRIMARY KEY) WITHOUT ROWID",
        ] {
            assert!(tells(&table(sql, &columns, &[])), "{sql}");
        }
        let derived = |sql| {
            let mut table = table(sql, &[("a", false), ("pw", false), ("g", true)], &[]);
            hide_generated(&mut table);
            tells(&table)
        };
        for sql in [
            "CREATE TABLE t(a, pw, g AS (nullif(a, pw)) NOT NULL)",
            "CREATE TABLE t(a, pw, g AS (abs(a - pw)) STORED)",
            "CREATE TABLE t(a INT, pw INT, g INT AS (iif(a = pw, 'x', 1))) STRICT",
        ] {
            assert!(derived(sql), "{sql}");
        }
        assert!(!derived("CREATE TABLE t(a, pw, g AS (upper(pw)))"));
        assert!(!derived("CREATE TABLE t(a, pw, g AS (upper(a)) NOT NULL)"));
        let plain = "CREATE TABLE t(a UNIQUE CHECK (a > 0), pw NOT NULL, b DEFAULT (1, 2))";
        assert!(!tells(&table(plain, &columns, &["CREATE UNIQUE INDEX i ON t(a)"])));
        assert!(tells(&table(
            plain,
            &columns,
            &["CREATE UNIQUE INDEX i ON t(a) WHERE lower(pw) = 'x'"]
        )));
    }

    #[test]
    fn joins_without_expressions_are_found() {
        let names = BTreeSet::from(["pw".to_owned()]);
        let found = |sql| unseen_join(sql, &names);
        for sql in [
            "SELECT 1 FROM t JOIN u USING (a, PW)",
            "SELECT 1 FROM t JOIN u USING/**/(\"pw\")",
            "SELECT 1 FROM t JOIN u USING('pw')",
            "SELECT 1 FROM t NATURAL LEFT JOIN u",
        ] {
            assert!(found(sql).is_some(), "{sql}");
        }
        assert_eq!(found("SELECT 'NATURAL', \"natural\" FROM t JOIN u USING (a) WHERE pw"), None);
        assert_eq!(found("CREATE VIRTUAL TABLE x USING fts5(pw)"), None);
    }

    #[test]
    fn modules_have_arguments() {
        let (module, arguments) =
            module("CREATE VIRTUAL TABLE v USING Vec0(e float[4], +t text)").unwrap();
        assert_eq!((module.as_str(), arguments.len()), ("vec0", 2));
        assert_eq!(super::module("CREATE TABLE t(a)").map(|found| found.0), None);
    }
}
