//! What SQLite does not report of a CREATE statement, read from its text.

use postgres_types::{comments, view};
use sql_tokens::{Dialect, Kind, Token, Tokens};

use crate::clauses;
use crate::portable;
use crate::schema::{Check, Relation};

/// An expression as the client has written it, and as PostgreSQL can read it.
pub fn source(text: &str) -> String {
    portable::expression(&comments::source(text))
}

/// The tokens of a text without white space and comments.
pub fn tokens(sql: &str) -> Vec<Token<'_>> {
    Tokens::new(sql, Dialect::Sqlite).filter(|token| token.kind != Kind::Space).collect()
}

/// What the server writes into the text of an index that stands for a UNIQUE constraint, which ALTER TABLE
/// has added: `host/serve/src/pg/alter/constraints.rs`.
const MARK: &str = "/* CONSTRAINT */";

/// Whether an index stands for a UNIQUE constraint.
pub fn stands_for_constraint(sql: &str) -> bool {
    Tokens::new(sql, Dialect::Sqlite)
        .take_while(|token| !token.is("on"))
        .any(|token| token.kind == Kind::Space && token.text == MARK)
}

/// The type with which a key that SQLite numbers was declared: as a comment, since SQLite numbers no other
/// type than `INTEGER` (`translate/definitions.rs` of `host/postgres`). `None` for `INTEGER` itself.
pub fn key_width(sql: &str) -> Option<&'static str> {
    const WIDTHS: [&str; 2] = ["BIGINT", "SMALLINT"];
    let (mut depth, mut is_integer) = (0_usize, false);
    for token in Tokens::new(sql, Dialect::Sqlite) {
        match token.kind {
            Kind::Symbol(b'(') => depth += 1,
            Kind::Symbol(b')') => depth = depth.saturating_sub(1),
            Kind::Space if depth == 1 && is_integer => {
                let inner =
                    token.text.strip_prefix("/* ").and_then(|text| text.strip_suffix(" */"));
                let width = WIDTHS.into_iter().find(|width| inner == Some(*width));
                if width.is_some() {
                    return width;
                }
                continue;
            }
            Kind::Space => continue,
            _ => {}
        }
        is_integer = token.is("integer");
    }
    None
}

/// The CHECKs of a table, with the names that Postgres gives those without.
pub fn checks(relation: &Relation) -> Vec<Check> {
    let tokens = tokens(&relation.sql);
    let mut checks: Vec<Check> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_check = token.text.eq_ignore_ascii_case("check");
        if !is_check || tokens.get(at + 1).is_none_or(|next| next.text != "(") {
            continue;
        }
        let Some(end) = closing(&tokens, at + 1) else { break };
        let inner = &tokens[at + 2..end];
        let expression = source(&relation.sql[tokens[at + 1].start + 1..tokens[end].start]);
        let name = match at.checked_sub(2).map(|before| (&tokens[before], &tokens[before + 1])) {
            Some((word, name)) if word.text.eq_ignore_ascii_case("constraint") => {
                name.unquoted().into_owned()
            }
            _ => free(&default_name(relation, inner), &checks),
        };
        // Those of generated columns belong to their types.
        if !postgres_types::bounds::is_own(&name) {
            checks.push(Check { name, expression });
        }
    }
    checks
}

/// The columns that an expression names, each once: what is called is a function.
pub fn columns_in(relation: &Relation, expression: &str) -> Vec<String> {
    let tokens = tokens(expression);
    let mut found: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_called = tokens.get(at + 1).is_some_and(|next| next.text == "(");
        let Some(name) = token.name().filter(|_| !is_called) else { continue };
        let column = relation.columns.iter().find(|known| known.name.eq_ignore_ascii_case(&name));
        if let Some(column) = column.filter(|column| !found.contains(&column.name)) {
            found.push(column.name.clone());
        }
    }
    found
}

/// A key that CREATE TABLE declares.
#[derive(Debug, PartialEq)]
pub struct Declared {
    /// `p`, `u` or `f`.
    pub kind: &'static str,
    /// What follows CONSTRAINT.
    pub name: Option<String>,
    /// The columns, each with its COLLATE.
    pub columns: Vec<(String, Option<String>)>,
    /// Of a foreign key: the other table and its columns, if it names any.
    pub references: Option<(String, Vec<String>)>,
    /// Of a foreign key: whether it is DEFERRABLE, and whether INITIALLY DEFERRED.
    pub deferral: (bool, bool),
}

/// The keys that CREATE TABLE declares, in their order.
pub fn declared(sql: &str) -> Vec<Declared> {
    let tokens = tokens(sql);
    let mut found = Vec::new();
    // Within FOREIGN KEY, before its REFERENCES.
    let mut is_foreign = false;
    for (at, column) in outermost(&tokens) {
        let token = &tokens[at];
        let (kind, list) = match token.text.to_ascii_lowercase().as_str() {
            "primary" => ("p", 2),
            "unique" => ("u", 1),
            "foreign" => ("f", 2),
            "references" if !is_foreign => ("f", usize::MAX),
            "references" => {
                is_foreign = false;
                continue;
            }
            _ => continue,
        };
        is_foreign = kind == "f" && list == 2;
        let rest = &tokens[at..];
        let columns = rest.get(list..).and_then(listed);
        found.push(Declared {
            kind,
            name: name_before(&tokens[..at]),
            columns: columns.unwrap_or_else(|| vec![(column.unquoted().into_owned(), None)]),
            references: if kind == "f" { referenced(rest) } else { None },
            deferral: if kind == "f" { clauses::deferral(rest) } else { (false, false) },
        });
    }
    found
}

/// The tokens of CREATE TABLE in no parentheses but those around its columns, by their indexes; each with the first word of
/// the column or constraint that it belongs to.
pub fn outermost<'a>(tokens: &'a [Token<'a>]) -> impl Iterator<Item = (usize, &'a Token<'a>)> + 'a {
    let (mut depth, mut first) = (0_usize, None);
    let outermost = tokens.iter().enumerate().map(move |(at, token)| {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 1 && matches!(token.text, "(" | ",") {
            first = tokens.get(at + 1).or(first);
        }
        first.filter(|_| depth == 1).map(|first| (at, first))
    });
    outermost.flatten()
}

fn name_before(tokens: &[Token<'_>]) -> Option<String> {
    let [.., word, name] = tokens else { return None };
    word.text.eq_ignore_ascii_case("constraint").then(|| name.unquoted().into_owned())
}

/// The table behind the next REFERENCES, and its columns.
fn referenced(tokens: &[Token<'_>]) -> Option<(String, Vec<String>)> {
    let at = tokens.iter().position(|token| token.text.eq_ignore_ascii_case("references"))?;
    let columns = tokens.get(at + 2..).and_then(listed).unwrap_or_default();
    let columns = columns.into_iter().map(|(name, _)| name).collect();
    Some((tokens.get(at + 1)?.unquoted().into_owned(), columns))
}

/// The names in parentheses at the beginning, each with its COLLATE.
fn listed(tokens: &[Token<'_>]) -> Option<Vec<(String, Option<String>)>> {
    tokens.first().filter(|token| token.text == "(")?;
    let end = closing(tokens, 0)?;
    let element = |part: &[Token<'_>]| {
        let collation = match part {
            [_, word, name, ..] if word.text.eq_ignore_ascii_case("collate") => {
                Some(name.unquoted().into_owned())
            }
            _ => None,
        };
        Some((part.first()?.unquoted().into_owned(), collation))
    };
    Some(tokens[1..end].split(|token| token.text == ",").filter_map(element).collect())
}

/// The index of the parenthesis that closes the one at `open`.
pub fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `t_a_check` for a check of one column, `t_check` for others.
fn default_name(relation: &Relation, tokens: &[Token<'_>]) -> String {
    let is_named =
        |name: &str| tokens.iter().any(|token| token.unquoted().eq_ignore_ascii_case(name));
    let mut named = relation.columns.iter().filter(|column| is_named(&column.name));
    match (named.next(), named.next()) {
        (Some(column), None) => format!("{}_{}_check", relation.name, column.name),
        _ => format!("{}_check", relation.name),
    }
}

fn free(name: &str, checks: &[Check]) -> String {
    let is_taken = |name: &str| checks.iter().any(|check| check.name == name);
    let numbered = (1..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}

/// The query of a view: what follows its AS, as the client has written it.
pub fn view_query(sql: &str) -> String {
    let Some(after) = tokens(sql).iter().find(|token| token.is("as")).map(end) else {
        return portable::query(sql);
    };
    let after = sql[after..].trim();
    let without_types = after.strip_prefix(view::BEGIN).and_then(|rest| rest.split_once(" */"));
    portable::query(&comments::source(without_types.map_or(after, |(_, query)| query)))
}

fn end(token: &Token<'_>) -> usize {
    token.start + token.text.len()
}

/// The columns of an index as SQLite has them: what is in its first parentheses; and its WHERE as it was written.
pub fn index_parts(sql: &str) -> Option<(&str, Option<String>)> {
    let tokens = tokens(sql);
    let open = tokens.iter().position(|token| token.text == "(")?;
    let close = closing(&tokens, open)?;
    let columns = &sql[tokens[open].start + 1..tokens[close].start];
    let condition = tokens.get(close + 1).filter(|token| token.is("where")).map(end);
    Some((columns, condition.map(|start| source(&sql[start..]))))
}

/// The column at a position of an index as it was written, of those that [`index_parts`] finds, without its order.
pub fn index_element(columns: &str, place: usize) -> Option<String> {
    let tokens = tokens(columns);
    let mut depth = 0_usize;
    // The begin of each, and its tokens.
    let mut parts = vec![(0, Vec::new())];
    for token in tokens {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (token.text, depth) {
            (",", 0) => parts.push((end(&token), Vec::new())),
            _ => parts.last_mut()?.1.push(token),
        }
    }
    let is_order = |token: &Token| {
        ["asc", "desc", "nulls", "first", "last"]
            .iter()
            .any(|word| token.text.eq_ignore_ascii_case(word))
    };
    let (start, part) = parts.get(place)?;
    let last = part.iter().rposition(|token| !is_order(token))?;
    Some(source(&columns[*start..end(&part[last])]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Column;

    #[test]
    fn checks_have_the_names_of_postgres() {
        let column = |name: &str| Column { name: name.into(), ..Column::default() };
        let relation = Relation {
            name: "t".into(),
            sql: "CREATE TABLE t(a INT CHECK (a > 0) CHECK(a<9), b /* CHECK (x) */ TEXT, \
                  CONSTRAINT \"c d\" CHECK (b <> ')'), CHECK (a > length(b)))"
                .into(),
            columns: vec![column("a"), column("b")],
            ..Relation::default()
        };
        let found: Vec<_> =
            checks(&relation).into_iter().map(|check| (check.name, check.expression)).collect();
        let expected = [
            ("t_a_check", "a > 0"),
            ("t_a_check1", "a<9"),
            ("c d", "b <> ')'"),
            ("t_check", "a > length(b)"),
        ];
        assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn names_of_constraints_are_found() {
        let sql = "CREATE TABLE \"t\"(a INT CONSTRAINT one REFERENCES b(c), \"d e\" CONSTRAINT two UNIQUE, \
                   CONSTRAINT \"3\" PRIMARY KEY (a, \"d e\"), \
                   UNIQUE (a COLLATE nocase), CONSTRAINT four FOREIGN KEY (x) REFERENCES b, CONSTRAINT five CHECK (a > 0))";
        let column = |name: &&str| ((*name).to_owned(), None);
        let declared = |kind, name: &str, columns: &[&str], references: Option<(&str, &[&str])>| {
            let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
            Declared {
                kind,
                name: (!name.is_empty()).then(|| name.to_owned()),
                columns: columns.iter().map(column).collect(),
                references: references.map(|(table, to)| (table.to_owned(), texts(to))),
                deferral: (false, false),
            }
        };
        let mut nocase = declared("u", "", &["a"], None);
        nocase.columns[0].1 = Some("nocase".to_owned());
        let expected = [
            declared("f", "one", &["a"], Some(("b", &["c"]))),
            declared("u", "two", &["d e"], None),
            declared("p", "3", &["a", "d e"], None),
            nocase,
            declared("f", "four", &["x"], Some(("b", &[]))),
        ];
        assert_eq!(super::declared(sql), expected);
    }

    #[test]
    fn parts_of_definitions_are_found() {
        assert_eq!(view_query("CREATE VIEW v(a) AS SELECT 1 AS x"), "SELECT 1 AS x");
        let sql = "CREATE INDEX i ON t(a, lower(b) DESC) WHERE a > 0";
        assert_eq!(index_parts(sql), Some(("a, lower(b) DESC", Some("a > 0".to_owned()))));
        let columns = "a, max(b, ',') DESC NULLS LAST, c";
        let elements = [0, 1, 2, 3].map(|place| index_element(columns, place));
        assert_eq!(
            elements,
            [Some("a"), Some("max(b, ',')"), Some("c"), None].map(|one| one.map(str::to_owned))
        );
    }

    #[test]
    fn comments_say_what_sqlite_does_not() {
        assert!(stands_for_constraint(
            "CREATE UNIQUE INDEX \"u\" /* CONSTRAINT */ ON \"t\" (\"n\")"
        ));
        for sql in [
            "CREATE UNIQUE INDEX \"/* CONSTRAINT */\" ON t(n)",
            "CREATE UNIQUE INDEX u ON t(n) /* CONSTRAINT */",
            "CREATE UNIQUE INDEX u -- /* CONSTRAINT */\n ON t(n)",
        ] {
            assert!(!stands_for_constraint(sql), "{sql}");
        }
        for (column, width) in [
            ("INTEGER /* BIGINT */ PRIMARY KEY", Some("BIGINT")),
            (
                "INTEGER /* SMALLINT */ /* GENERATED ALWAYS AS IDENTITY */ PRIMARY KEY",
                Some("SMALLINT"),
            ),
            ("INTEGER PRIMARY KEY /* BIGINT */", None),
            ("INTEGER PRIMARY KEY DEFAULT (1 /* BIGINT */)", None),
            ("INTEGER /* BIGINT) */ PRIMARY KEY", None),
            ("\"INTEGER /* BIGINT */\" PRIMARY KEY", None),
        ] {
            assert_eq!(
                key_width(&format!("CREATE TABLE t(id {column}, a INT)")),
                width,
                "{column}"
            );
        }
    }

    #[test]
    fn any_text_is_read() {
        arbtest::arbtest(|u| {
            let sql: String = u.arbitrary()?;
            let relation = Relation { sql: format!("CHECK ({sql}"), ..Relation::default() };
            checks(&relation);
            view_query(&sql);
            index_parts(&sql);
            index_element(&sql, 0);
            declared(&sql);
            key_width(&sql);
            stands_for_constraint(&sql);
            Ok(())
        });
    }
}
