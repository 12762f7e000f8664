//! What SQLite does not report of a CREATE statement, read from its text.

use crate::schema::{Check, Relation};

/// A word, a name or a symbol.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let bytes = sql.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = bytes.get(at) {
        let start = at;
        at += match first {
            b'\'' | b'"' | b'`' => quoted(&bytes[at..], *first),
            b'[' => 1 + run(&bytes[at + 1..], |byte| byte != b']') + 1,
            b'-' if bytes.get(at + 1) == Some(&b'-') => run(&bytes[at..], |byte| byte != b'\n'),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                sql[at + 2..].find("*/").map_or(bytes.len() - at, |end| end + 4)
            }
            byte if is_word(*byte) => run(&bytes[at..], is_word),
            _ => 1,
        };
        at = at.min(bytes.len());
        let is_space = first.is_ascii_whitespace()
            || sql[start..].starts_with("--")
            || sql[start..].starts_with("/*");
        if let (false, Some(text)) = (is_space, sql.get(start..at)) {
            found.push(Token { text, start });
        }
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] != quote {
            at += 1;
        } else if bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    bytes.len()
}

/// A name without its quotes.
fn unquoted(name: &str) -> String {
    let inner = |close: char| {
        name.get(1..name.len() - 1)
            .unwrap_or_default()
            .replace(&format!("{close}{close}"), &close.to_string())
    };
    match name.as_bytes().first() {
        Some(b'"') => inner('"'),
        Some(b'`') => inner('`'),
        Some(b'[') => name.trim_start_matches('[').trim_end_matches(']').to_owned(),
        _ => name.to_owned(),
    }
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
        let expression =
            relation.sql[tokens[at + 1].start + 1..tokens[end].start].trim().to_owned();
        let name = match at.checked_sub(2).map(|before| (&tokens[before], &tokens[before + 1])) {
            Some((word, name)) if word.text.eq_ignore_ascii_case("constraint") => {
                unquoted(name.text)
            }
            _ => free(&default_name(relation, inner), &checks),
        };
        checks.push(Check { name, expression });
    }
    checks
}

/// The place of the parenthesis that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
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
        |name: &str| tokens.iter().any(|token| unquoted(token.text).eq_ignore_ascii_case(name));
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

/// The query of a view: what follows its AS.
pub fn view_query(sql: &str) -> &str {
    let tokens = tokens(sql);
    let after = tokens
        .iter()
        .position(|token| token.text.eq_ignore_ascii_case("as"))
        .and_then(|at| tokens.get(at + 1));
    after.map_or(sql, |token| &sql[token.start..])
}

/// The columns of an index as they are written: what is in its first parentheses; and its WHERE.
pub fn index_parts(sql: &str) -> Option<(&str, Option<&str>)> {
    let tokens = tokens(sql);
    let open = tokens.iter().position(|token| token.text == "(")?;
    let close = closing(&tokens, open)?;
    let columns = &sql[tokens[open].start + 1..tokens[close].start];
    let condition =
        tokens.get(close + 2).filter(|_| tokens[close + 1].text.eq_ignore_ascii_case("where"));
    Some((columns, condition.map(|token| &sql[token.start..])))
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
    fn parts_of_definitions_are_found() {
        assert_eq!(view_query("CREATE VIEW v(a) AS SELECT 1 AS x"), "SELECT 1 AS x");
        let sql = "CREATE INDEX i ON t(a, lower(b) DESC) WHERE a > 0";
        assert_eq!(index_parts(sql), Some(("a, lower(b) DESC", Some("a > 0"))));
    }

    #[test]
    fn any_text_is_read() {
        arbtest::arbtest(|u| {
            let sql: String = u.arbitrary()?;
            let relation = Relation { sql: format!("CHECK ({sql}"), ..Relation::default() };
            checks(&relation);
            view_query(&sql);
            index_parts(&sql);
            Ok(())
        });
    }
}
