//! Tokens of SQL: where a statement ends, how deep it is, and where its parameters are.
//!
//! It knows no grammar, so it also reads what only SQLite can parse.

use crate::error::{Error, Result, sqlstate};

/// Operators that may lie in each other: SQLite's own limit of depth, which would refuse more of them
/// anyway. How much stack a statement takes here is counted by `translate/stack.rs`.
const MAX_DEPTH: u32 = 1000;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// White space or a comment.
    Space,
    /// A keyword or a name without quotes.
    Word,
    /// A name in double quotes.
    Quoted,
    /// A string, in quotes or dollars.
    Text,
    /// `$1`.
    Parameter,
    /// Anything else, a single character.
    Symbol(u8),
}

/// A token and the bytes that it takes.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: &'a str,
    /// The offset of its first byte.
    pub start: usize,
}

/// The tokens of a text.
pub struct Tokens<'a> {
    sql: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens of `sql`.
    pub fn of(sql: &'a str) -> Self {
        Self { sql, at: 0 }
    }

    fn kind_and_length(&self) -> Option<(Kind, usize)> {
        let rest = &self.sql.as_bytes()[self.at..];
        let next = |index: usize| rest.get(index).copied().unwrap_or(0);
        let first = *rest.first()?;
        Some(match first {
            b'-' if next(1) == b'-' => (Kind::Space, find(rest, b'\n')),
            b'/' if next(1) == b'*' => (Kind::Space, comment(rest)),
            b'\'' => (Kind::Text, quoted(rest, 1, b'\'', false)),
            b'e' | b'E' if next(1) == b'\'' => (Kind::Text, quoted(rest, 2, b'\'', true)),
            b'"' => (Kind::Quoted, quoted(rest, 1, b'"', false)),
            b'$' if next(1).is_ascii_digit() => {
                (Kind::Parameter, 1 + run(&rest[1..], |byte| byte.is_ascii_digit()))
            }
            b'$' => dollars(rest).map_or((Kind::Symbol(b'$'), 1), |end| (Kind::Text, end)),
            _ if first.is_ascii_whitespace() => {
                (Kind::Space, run(rest, |byte| byte.is_ascii_whitespace()))
            }
            _ if is_name(first) => (Kind::Word, run(rest, is_name)),
            _ => (Kind::Symbol(first), 1),
        })
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (kind, length) = self.kind_and_length()?;
        let start = self.at;
        self.at += length;
        Some(Token { kind, text: self.sql.get(start..self.at)?, start })
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

fn find(bytes: &[u8], end: u8) -> usize {
    run(bytes, |byte| byte != end)
}

/// The length of a comment, with the comments inside it.
fn comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (2, 1_usize);
    while depth > 0 && at + 1 < bytes.len() {
        let step = match &bytes[at..at + 2] {
            b"/*" => (1, 2),
            b"*/" => (-1, 2),
            _ => (0, 1),
        };
        depth = depth.saturating_add_signed(step.0);
        at += step.1;
    }
    if depth > 0 { bytes.len() } else { at }
}

/// The length of what is in quotes; a doubled quote is one of its characters.
fn quoted(bytes: &[u8], from: usize, quote: u8, has_escapes: bool) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'\\' if has_escapes => 2,
            byte if *byte != quote => 1,
            _ if bytes.get(at + 1) == Some(&quote) => 2,
            _ => return at + 1,
        };
    }
    bytes.len()
}

/// The length of `$tag$…$tag$`.
fn dollars(bytes: &[u8]) -> Option<usize> {
    let tag = 1 + run(&bytes[1..], |byte| is_name(byte) && byte != b'$');
    if bytes.get(tag) != Some(&b'$') {
        return None;
    }
    let delimiter = &bytes[..=tag];
    let body = &bytes[tag + 1..];
    let end = body.windows(delimiter.len()).position(|window| window == delimiter);
    Some(end.map_or(bytes.len(), |end| tag + 1 + end + delimiter.len()))
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
    for token in Tokens::of(sql) {
        if token.kind == Kind::Symbol(b';') && !scan.is_inside() {
            scan.finish(sql, token.start, &mut pieces)?;
        } else {
            scan.add(token);
        }
    }
    scan.finish(sql, sql.len(), &mut pieces)?;
    Ok(pieces)
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
            Kind::Space | Kind::Text => {}
            Kind::Quoted => {
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
    for token in Tokens::of(sql) {
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
    for token in Tokens::of(sql) {
        let name = token.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match name {
            Some(name) if token.kind == Kind::Quoted => {
                out.push('`');
                out.push_str(&name.replace("\"\"", "\"").replace('`', "``"));
                out.push('`');
            }
            _ => out.push_str(token.text),
        }
    }
    out
}

/// The highest parameter of a text.
pub fn parameters(sql: &str) -> usize {
    let numbers = Tokens::of(sql).filter(|token| token.kind == Kind::Parameter);
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
            let tokens: String = Tokens::of(sql).map(|token| token.text).collect();
            assert_eq!(tokens, sql);
            let length: usize =
                split(sql).map_or(0, |pieces| pieces.iter().map(|p| p.text.len()).sum());
            assert!(length <= sql.len());
            numbered(sql);
            Ok(())
        });
    }
}
