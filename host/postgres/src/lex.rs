//! What the tokens of SQL tell: where a statement ends, how deep it is, and where its parameters are.
//!
//! It knows no grammar, so it also reads what only SQLite can parse.

use sql_tokens::{Dialect, Kind, Token, Tokens};

use crate::error::{Error, Result, sqlstate};

/// Operators that may lie in each other: SQLite's own limit of depth, which would refuse more of them
/// anyway. How much stack a statement takes here is counted by `translate/stack.rs`.
const MAX_DEPTH: u32 = 1000;

/// The tokens of a text by PostgreSQL's rules.
pub fn tokens(sql: &str) -> Tokens<'_> {
    Tokens::new(sql, Dialect::Postgres)
}

/// A statement of a text.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Its text, without the semicolon.
    pub text: &'a str,
    /// The offset of its first byte.
    pub start: usize,
    /// Whether it has `$1` or another parameter.
    pub has_parameters: bool,
    /// Whether a name in quotes contains a quote or a backslash, which the parser's own
    /// writer does not repeat faithfully.
    pub has_odd_names: bool,
}

/// The statements of a text; empty ones are left out.
///
/// # Errors
///
/// 54001 where one is too deep.
pub fn split(sql: &str) -> Result<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut scan = Scan::default();
    for token in tokens(sql) {
        if token.kind == Kind::Symbol(b';') && !scan.is_inside() {
            scan.finish(sql, token.start, &mut pieces)?;
        } else {
            check_end(&token, sql)?;
            scan.add(token);
        }
    }
    scan.finish(sql, sql.len(), &mut pieces)?;
    Ok(pieces)
}

/// A comment or a string between dollars that has no end takes what follows it.
fn check_end(token: &Token<'_>, sql: &str) -> Result<()> {
    if token.start + token.text.len() < sql.len() {
        return Ok(());
    }
    let what = match token.kind {
        Kind::Space if token.text.starts_with("/*") && depth_of_comment(token.text) > 0 => {
            "/* comment"
        }
        Kind::Illegal if token.text.starts_with('$') => "dollar-quoted string",
        _ => return Ok(()),
    };
    let near: String = token.text.chars().take(64).collect();
    let message = format!("unterminated {what} at or near \"{near}\"");
    Err(Error::new(sqlstate::SYNTAX_ERROR, message))
}

/// Comments that begin in a text without an end: they may lie in each other.
fn depth_of_comment(text: &str) -> u32 {
    let (mut depth, mut rest) = (0_u32, text.as_bytes());
    loop {
        rest = match rest {
            [b'/', b'*', rest @ ..] => {
                depth += 1;
                rest
            }
            [b'*', b'/', rest @ ..] => {
                depth = depth.saturating_sub(1);
                rest
            }
            [_, rest @ ..] => rest,
            [] => return depth,
        };
    }
}

/// The characters of operators.
const OPERATORS: &[u8] = b"+-*/<>=~!@#%^&|";

/// Those without which an operator does not end with a sign.
const STRONG: &[u8] = b"~!@#%^&|";

/// PostgreSQL's operators that end with a sign.
const SIGNED: &[&str] = &["#-", "-|-", "@-@", "?-"];

/// An operator that there is not, since a sign is a part of it: `7 %-3`.
///
/// # Errors
///
/// 42883 with its name.
pub fn check_operators(sql: &str) -> Result<()> {
    let is_signed = |pair: &[u8]| OPERATORS.contains(&pair[0]) && matches!(pair[1], b'+' | b'-');
    if !sql.as_bytes().windows(2).any(is_signed) {
        return Ok(());
    }
    let mut run = 0..0;
    for token in tokens(sql) {
        match token.kind {
            Kind::Symbol(symbol) if OPERATORS.contains(&symbol) => {
                if run.end != token.start {
                    check_operator(&sql[run])?;
                    run = token.start..token.start;
                }
                run.end = token.start + 1;
            }
            _ => check_operator(&sql[std::mem::take(&mut run)])?,
        }
    }
    check_operator(&sql[run])
}

fn check_operator(name: &str) -> Result<()> {
    let is_signed = name.len() > 1 && name.ends_with(['+', '-']);
    let is_strong = name.bytes().any(|character| STRONG.contains(&character));
    if is_signed && is_strong && !SIGNED.contains(&name) {
        let message = format!("operator does not exist: {name}");
        let hint = "A sign is a part of the operator before it. Put a space between them.";
        return Err(Error::new(sqlstate::UNDEFINED_FUNCTION, message).hint(hint));
    }
    Ok(())
}

/// A statement that is being read.
#[derive(Default)]
struct Scan {
    first: Option<usize>,
    words: u32,
    is_create: bool,
    /// In a trigger: its BEGIN, and the CASEs that are open.
    is_trigger: bool,
    body: u32,
    parentheses: Vec<u32>,
    chain: u32,
    depth: u32,
    has_parameters: bool,
    has_odd_names: bool,
}

impl Scan {
    /// Whether a semicolon does not end the statement.
    fn is_inside(&self) -> bool {
        self.body > 0
    }

    fn add(&mut self, token: Token<'_>) {
        if token.kind != Kind::Space {
            self.first.get_or_insert(token.start);
        }
        match token.kind {
            Kind::Space | Kind::Text | Kind::Blob | Kind::Number | Kind::Illegal => {}
            Kind::Name => {
                let inner = token.text.get(1..token.text.len().saturating_sub(1));
                self.has_odd_names |= inner.unwrap_or_default().contains(['"', '\\']);
            }
            Kind::Parameter => self.has_parameters = true,
            Kind::Word => self.word(&token.text.to_ascii_lowercase()),
            Kind::Symbol(symbol) => self.symbol(symbol),
        }
    }

    fn word(&mut self, word: &str) {
        self.words += 1;
        match word {
            "create" if self.words == 1 => self.is_create = true,
            "trigger" if self.is_create && self.words <= 3 => self.is_trigger = true,
            "begin" | "case" if self.is_trigger && (self.body > 0 || word == "begin") => {
                self.body += 1;
            }
            "end" if self.is_trigger => self.body = self.body.saturating_sub(1),
            "and" | "or" | "not" | "is" | "in" | "like" | "ilike" | "glob" | "between"
            | "collate" | "at" | "isnull" | "notnull" | "union" | "except" | "intersect"
            | "similar" | "regexp" | "match" | "escape" | "xor" | "overlaps" | "rlike"
            | "operator" => self.link(),
            _ => {}
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'(' | b'[' => self.parentheses.push(self.chain),
            b')' | b']' => {
                // What follows has this in it: `a[1][1]`.
                self.chain = self.parentheses.pop().unwrap_or(0);
                self.link();
            }
            b',' => self.chain = self.parentheses.last().copied().unwrap_or(0),
            b'.' | b'{' | b'}' | b'\\' => {}
            _ => self.link(),
        }
    }

    fn link(&mut self) {
        self.chain += 1;
        self.depth = self.depth.max(self.chain);
    }

    fn finish<'a>(&mut self, sql: &'a str, end: usize, pieces: &mut Vec<Piece<'a>>) -> Result<()> {
        let scan = std::mem::take(self);
        let Some(start) = scan.first else { return Ok(()) };
        if scan.depth > MAX_DEPTH {
            let message = format!("a statement has more than {MAX_DEPTH} operators in each other");
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, message));
        }
        pieces.push(Piece {
            text: sql[start..end].trim_end(),
            start,
            has_parameters: scan.has_parameters,
            has_odd_names: scan.has_odd_names,
        });
        Ok(())
    }
}

/// The same text with SQLite's numbered parameters: its own `$1` is a name.
pub fn numbered(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    for token in tokens(sql) {
        match token.kind {
            Kind::Parameter => out.push_str(&token.text.replacen('$', "?", 1)),
            _ => out.push_str(token.text),
        }
    }
    out
}

/// The same text with names between backticks: SQLite takes one between double quotes that
/// nothing has for a string.
pub fn without_double_quotes(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    for token in tokens(sql) {
        match token.kind {
            Kind::Name => {
                out.push('`');
                out.push_str(&token.unquoted().replace('`', "``"));
                out.push('`');
            }
            _ => out.push_str(token.text),
        }
    }
    out
}

/// The highest parameter of a text.
pub fn parameters(sql: &str) -> usize {
    let numbers = tokens(sql).filter(|token| token.kind == Kind::Parameter);
    numbers.filter_map(|token| token.text[1..].parse().ok()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sql: &str) -> Vec<&str> {
        split(sql).unwrap().iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn statements_end_at_semicolons_outside_of_strings_comments_and_triggers() {
        assert_eq!(texts("SELECT 1; ;-- a;b\n SELECT ';' "), ["SELECT 1", "SELECT ';'"]);
        assert_eq!(
            texts("SELECT $a$;$b$;$a$; SELECT E'\\';'"),
            ["SELECT $a$;$b$;$a$", "SELECT E'\\';'"]
        );
        assert_eq!(texts("/* a; /* b; */ ; */ SELECT \";\";"), ["SELECT \";\""]);
        assert_eq!(texts("SELECT 'a''b;'; x").len(), 2);
        let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; \
                       DELETE FROM b; END";
        assert_eq!(texts(&format!("{trigger}; SELECT 1")), [trigger, "SELECT 1"]);
        assert!(texts(" ; -- nothing").is_empty());
    }

    #[test]
    fn parameters_are_numbered_outside_of_strings() {
        assert_eq!(numbered("SELECT $2, '$1', $1 -- $3"), "SELECT ?2, '$1', ?1 -- $3");
        assert_eq!(parameters("SELECT $2, '$5', $1"), 2);
        assert_eq!(parameters("SELECT $99999999999999999999999"), 0);
    }

    #[test]
    fn quoted_names_are_never_strings() {
        let sql = "SELECT \"a\"\"b`\", 'it''s \"x\"' AS \"c\" -- \"d\"";
        let expected = "SELECT `a\"b```, 'it''s \"x\"' AS `c` -- \"d\"";
        assert_eq!(without_double_quotes(sql), expected);
        assert_eq!(without_double_quotes("SELECT \"a"), "SELECT \"a");
    }

    #[test]
    fn what_is_too_deep_is_refused_before_it_is_parsed() {
        let flat = format!("SELECT {}", "1+1,".repeat(100_000));
        assert_eq!(split(&flat).unwrap().len(), 1);
        let deep = format!("SELECT 1{}", "+1".repeat(1001));
        assert_eq!(split(&deep).unwrap_err().code, "54001");
        for link in ["1+(", "a[1]", "[]", "f()", " xor 1", " overlaps 1", " rlike 1"] {
            let deep = format!("SELECT {}", link.repeat(1001));
            assert_eq!(split(&deep).unwrap_err().code, "54001", "{link}");
        }
    }

    #[test]
    fn any_text_is_split_and_numbered() {
        arbtest::arbtest(|u| {
            let sql: &str = u.arbitrary()?;
            let length: usize =
                split(sql).map_or(0, |pieces| pieces.iter().map(|p| p.text.len()).sum());
            assert!(length <= sql.len());
            numbered(sql);
            Ok(())
        });
    }
}
