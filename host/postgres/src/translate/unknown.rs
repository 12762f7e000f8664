//! What PostgreSQL has, and neither the parser nor SQLite knows: it is refused by its name, with 0A000.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use sqlparser::ast::{self, TableFactor, Visitor};

use super::{Statement, folded, table_name};
use crate::error::{Error, sqlstate};
use crate::lex::tokens;
use crate::walk::Walk;
use sql_tokens::{Kind, Token};

/// The functions of PostgreSQL 15: the names in `pg_proc` that SQL can call by name, without those behind operators and
/// casts. With `!` nothing here replaces a function: it is refused before SQLite sees it, which would keep it in a definition.
static FUNCTIONS: LazyLock<HashMap<&str, bool>> = LazyLock::new(|| {
    let lines = include_str!("unknown/functions.txt").lines();
    lines.map(|line| line.strip_suffix(" !").map_or((line, false), |name| (name, true))).collect()
});

/// Words after CREATE, ALTER or DROP that no statement of SQLite has.
const OBJECTS: &[&str] = &[
    "ACCESS",
    "AGGREGATE",
    "CAST",
    "COLLATION",
    "CONSTRAINT",
    "CONVERSION",
    "DATABASE",
    "DEFAULT",
    "DOMAIN",
    "EVENT",
    "EXTENSION",
    "FOREIGN",
    "FUNCTION",
    "GROUP",
    "LANGUAGE",
    "LARGE",
    "MATERIALIZED",
    "OPERATOR",
    "OR",
    "OWNED",
    "POLICY",
    "PROCEDURAL",
    "PROCEDURE",
    "PUBLICATION",
    "RECURSIVE",
    "ROLE",
    "ROUTINE",
    "RULE",
    "SCHEMA",
    "SEQUENCE",
    "SERVER",
    "STATISTICS",
    "SUBSCRIPTION",
    "SYSTEM",
    "TABLESPACE",
    "TEXT",
    "TRANSFORM",
    "TRUSTED",
    "TYPE",
    "UNLOGGED",
    "USER",
];

/// Tokens that follow each other: words, `'` for a string, `"` for a name in quotes, `_` for anything, and `^` for the
/// beginning. What is refused has these words.
const FEATURES: &[&str] = &[
    "^ DO",
    "^ CALL",
    "^ CLUSTER",
    "^ SECURITY LABEL",
    "^ REASSIGN OWNED",
    "^ IMPORT FOREIGN SCHEMA",
    "^ REFRESH MATERIALIZED VIEW",
    "^ LOAD",
    "^ COMMENT ON",
    "^ GRANT",
    "^ REVOKE",
    "^ MERGE",
    "^ ALTER VIEW",
    "^ ALTER INDEX",
    "^ ALTER TRIGGER",
    "BETWEEN SYMMETRIC",
    "BETWEEN ASYMMETRIC",
    "SEARCH BREADTH FIRST",
    "SEARCH DEPTH FIRST",
    "CYCLE _ SET",
    "ROWS FROM",
    "GROUP BY DISTINCT",
    "GROUP BY ALL",
    "GROUP BY ( )",
    "GROUPING SETS",
    "IS DOCUMENT",
    "IS NOT DOCUMENT",
    "IS NORMALIZED",
    "IS NOT NORMALIZED",
    "IS NFC",
    "IS NFD",
    "IS NFKC",
    "IS NFKD",
    "XMLELEMENT (",
    "XMLPARSE (",
    "XMLROOT (",
    "XMLPI (",
    "XMLFOREST (",
    "XMLSERIALIZE (",
    "XMLEXISTS (",
    "XMLTABLE (",
    "TREAT (",
    "COLLATION FOR",
    "OPERATOR (",
    "USING OPERATOR",
    "ROW (",
    "TABLESAMPLE _ (",
    "WITHIN GROUP",
    "LATERAL (",
    "CURRENT OF",
    "CHECK OPTION",
    "VIEW _ WITH",
    "NULLS NOT DISTINCT",
    "USING INDEX TABLESPACE",
    "EXCLUDE USING",
    "AS EXECUTE",
    "( LIKE _ INCLUDING",
    "( LIKE _ EXCLUDING",
    "TABLE _ OF",
    "PARTITION OF",
    "INHERITS (",
    "DROP COLUMN _ CASCADE",
    "DROP _ CASCADE",
    "SET SCHEMA",
    "CLUSTER ON",
    "EXECUTE FUNCTION",
    "EXECUTE PROCEDURE",
    "INTO _ TABLE",
    "TABLE _ ( )",
    "FORCE QUOTE *",
    "HEADER MATCH",
    "FOR UPDATE",
    "FOR SHARE",
];

/// The same with another name.
const NAMED: &[(&str, &str)] = &[
    (": : _ COLLATE", "COLLATE after ::"),
    (". * IS", "a whole row as a value"),
    (". * =", "a whole row as a value"),
    (". * <", "a whole row as a value"),
    (". * >", "a whole row as a value"),
    (". * :", "a whole row as a value"),
    (". * IN", "a whole row as a value"),
    (". * NOT", "a whole row as a value"),
    (". * BETWEEN", "a whole row as a value"),
    (". * ||", "a whole row as a value"),
    (". * )", "a whole row as a value"),
    ("FORCE_QUOTE *", "FORCE_QUOTE *"),
    (") . *", "a field of a row"),
    (") . _", "a field of a row"),
    ("U & \"", "a name with escapes"),
    ("UESCAPE '", "UESCAPE"),
    ("SIMILAR ' ESCAPE", "SUBSTRING … SIMILAR"),
    ("RANGE BETWEEN '", "RANGE of an interval"),
    ("RANGE BETWEEN INTERVAL", "RANGE of an interval"),
    ("RANGE '", "RANGE of an interval"),
    ("RANGE INTERVAL", "RANGE of an interval"),
];

/// What SQLite reads but the parser does not, so that a statement would not have PostgreSQL's types.
const SILENT: &[&str] =
    &["EXCLUDE CURRENT ROW", "EXCLUDE GROUP", "EXCLUDE TIES", "EXCLUDE NO OTHERS"];

/// What may not pass on to SQLite as it is, although SQLite can run it.
pub fn in_silence(text: &str) -> Option<String> {
    let all = words(text);
    SILENT.iter().find(|pattern| is_in(&all, pattern)).map(|pattern| shown(pattern))
}

impl Statement {
    /// SQLite's error about this statement of the client: what is wrong may only be missing here.
    #[must_use]
    pub fn blamed(&self, text: &str, error: Error) -> Error {
        let position = error.position;
        let unsupported = |what: String| Error { position, ..Error::unsupported(what) };
        match error.code {
            sqlstate::UNDEFINED_FUNCTION => {
                let name =
                    error.message.strip_prefix("function ").and_then(|rest| rest.split(' ').next());
                match name.filter(|name| is_function(name)) {
                    Some(name) => unsupported(format!("the function {name}")),
                    None => error,
                }
            }
            sqlstate::UNDEFINED_TABLE => {
                let Some(name) = error.message.split('"').nth(1) else { return error };
                if !self.calls_in_from(name) {
                    return error;
                }
                if is_function(name) {
                    return unsupported(format!("the function {name} in FROM for these types"));
                }
                let message = format!("function {name} does not exist");
                Error { position, ..Error::new(sqlstate::UNDEFINED_FUNCTION, message) }
            }
            sqlstate::UNDEFINED_COLUMN => {
                let Some(name) = error.message.split('"').nth(1) else { return error };
                if self.names_table(name) {
                    return unsupported(format!("the row {name} as a value"));
                }
                // A word of a clause was taken for a column.
                let has_name =
                    |pattern: &str| pattern.split(' ').any(|word| word.eq_ignore_ascii_case(name));
                self.feature(text, has_name).map_or(error, unsupported)
            }
            sqlstate::SYNTAX_ERROR if is_of_parser(&error.message) => {
                self.feature(text, |_| true).map_or(error, unsupported)
            }
            _ => error,
        }
    }

    /// The first feature that the statement has, of those with such a pattern.
    fn feature(&self, text: &str, is_such: impl Fn(&str) -> bool) -> Option<String> {
        let all = words(text.get(self.start..).unwrap_or_default());
        let is_there = |pattern: &str| is_such(pattern) && is_in(&all, pattern);
        let named = NAMED.iter().find(|(pattern, _)| is_there(pattern));
        let own = || FEATURES.iter().find(|pattern| is_there(pattern));
        object(&all)
            .or_else(|| named.map(|(_, name)| (*name).to_owned()))
            .or_else(|| own().map(|pattern| shown(pattern)))
    }

    /// Whether FROM has a call of this function.
    fn calls_in_from(&self, name: &str) -> bool {
        let tree = self.parsed.as_ref().and_then(|tree| tree.shallow());
        tree.is_some_and(|tree| tree.walk(&mut Called(name)).is_break())
    }

    /// Whether a table of the statement has this name.
    fn names_table(&self, name: &str) -> bool {
        let tree = self.parsed.as_ref().and_then(|tree| tree.shallow());
        tree.is_some_and(|tree| tree.walk(&mut Named(name)).is_break())
    }
}

struct Named<'a>(&'a str);

impl Visitor for Named<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let own = match factor {
            TableFactor::Table { name, alias: None, .. } => Some(table_name(name)),
            TableFactor::Table { alias, .. } | TableFactor::Derived { alias, .. } => {
                alias.as_ref().map(|alias: &ast::TableAlias| folded(&alias.name))
            }
            _ => None,
        };
        if own.is_some_and(|own| own.eq_ignore_ascii_case(self.0)) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

struct Called<'a>(&'a str);

impl Visitor for Called<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, args: Some(_), .. } if table_name(name) == self.0 => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Whether PostgreSQL has a function with this name.
pub fn is_function(name: &str) -> bool {
    FUNCTIONS.contains_key(name)
}

/// Whether PostgreSQL has it, and nothing here replaces it.
pub fn is_refused(name: &str) -> bool {
    FUNCTIONS.get(name) == Some(&true)
}

/// The tokens of the first statement.
fn words(text: &str) -> Vec<Token<'_>> {
    let all = tokens(text).filter(|token| token.kind != Kind::Space);
    all.take_while(|token| token.kind != Kind::Symbol(b';')).collect()
}

/// `CREATE AGGREGATE`: of an object that SQLite has not.
fn object(all: &[Token<'_>]) -> Option<String> {
    let [verb, rest @ ..] = all else { return None };
    let verb = ["CREATE", "ALTER", "DROP"].into_iter().find(|word| is(verb, word))?;
    let kind = rest.first()?;
    let object = OBJECTS.iter().find(|word| is(kind, word))?;
    Some(match *object {
        "OR" => format!("{verb} OR REPLACE"),
        other => format!("{verb} {other}"),
    })
}

/// Whether SQLite's parser says so, and not one of its other checks.
fn is_of_parser(message: &str) -> bool {
    message.ends_with("syntax error")
        || message.starts_with("unrecognized token")
        || message == "incomplete input"
}

fn shown(pattern: &str) -> String {
    pattern.trim_start_matches("^ ").replace('_', "…")
}

fn is_in(all: &[Token<'_>], pattern: &str) -> bool {
    let pattern: Vec<&str> = pattern.split(' ').collect();
    match &pattern[..] {
        ["^", pattern @ ..] => is_at(all, pattern),
        pattern => (0..all.len()).any(|at| is_at(&all[at..], pattern)),
    }
}

fn is_at(all: &[Token<'_>], pattern: &[&str]) -> bool {
    all.len() >= pattern.len() && pattern.iter().zip(all).all(|(word, token)| is(token, word))
}

fn is(token: &Token<'_>, word: &str) -> bool {
    match word {
        "_" => true,
        "'" => token.kind == Kind::Text,
        "\"" => token.kind == Kind::Name,
        word => {
            matches!(token.kind, Kind::Word | Kind::Symbol(_))
                && token.text.eq_ignore_ascii_case(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blamed(text: &str, error: Error) -> Error {
        let piece = crate::lex::split(text).unwrap()[0];
        Statement::untouched(&piece).blamed(text, error)
    }

    #[test]
    fn features_are_found_by_their_tokens() {
        for (text, feature) in [
            ("SELECT 1 between symmetric 2 AND 1", Some("BETWEEN SYMMETRIC")),
            ("ALTER TABLE t DROP COLUMN b cascade", Some("DROP COLUMN … CASCADE")),
            ("SELECT b::text /* c */ COLLATE \"C\" FROM t", Some("COLLATE after ::")),
            ("DO $$ BEGIN END $$", Some("DO")),
            ("create aggregate a(int) (sfunc = f)", Some("CREATE AGGREGATE")),
            ("DROP OWNED BY x", Some("DROP OWNED")),
            ("CREATE TABLE aggregate(a", None),
            ("SELECT 1; DO 'x'", None),
            ("SELECT 'BETWEEN SYMMETRIC', \"between\" symmetric", None),
        ] {
            let error = Error::new(sqlstate::SYNTAX_ERROR, "near \"x\": syntax error");
            let found = blamed(text, error.clone());
            match feature {
                Some(feature) => assert_eq!(found, Error::unsupported(feature), "{text}"),
                None => assert_eq!(found, error, "{text}"),
            }
        }
    }

    #[test]
    fn other_errors_stay() {
        let text = "SELECT nosuch, 1 BETWEEN SYMMETRIC 2 AND 1, nosuch(1)";
        for (code, message) in [
            (sqlstate::UNDEFINED_COLUMN, "column \"nosuch\" does not exist"),
            (sqlstate::UNDEFINED_TABLE, "relation \"t\" does not exist"),
            (sqlstate::UNDEFINED_FUNCTION, "function nosuch does not exist"),
            (sqlstate::SYNTAX_ERROR, "3 values for 2 columns"),
        ] {
            let error = Error::new(code, message);
            assert_eq!(blamed(text, error.clone()), error);
        }
        let error = Error::new(sqlstate::UNDEFINED_COLUMN, "column \"NORMALIZED\" does not exist");
        let found = blamed("SELECT 'a' IS NORMALIZED", error);
        assert_eq!(found, Error::unsupported("IS NORMALIZED"));
    }

    #[test]
    fn functions_are_known_by_their_names() {
        assert!(is_function("hashtext") && is_function("regexp_split_to_table"));
        assert!(!is_function("nosuch") && !is_function(""));
    }
}
