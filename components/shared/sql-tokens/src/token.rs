//! Tokens and their kinds.

use alloc::borrow::Cow;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// White space, or a comment.
    Space,
    /// A keyword, or a name without quotes.
    Word,
    /// A name in double quotes; for SQLite also in backticks or brackets.
    Name,
    /// A string: in quotes, for PostgreSQL also `E'…'` and `$tag$…$tag$`.
    Text,
    /// A blob: SQLite's `x'…'`.
    Blob,
    /// An integer or a real.
    Number,
    /// A parameter: SQLite's `?`, `?1`, `:name`, `@name`, `#name` and `$name`, PostgreSQL's `$1`.
    Parameter,
    /// Any other character. An operator of several characters is several tokens.
    Symbol(u8),
    /// Not a token of SQL: quotes without an end, digits followed by letters, a character that
    /// begins no token.
    Illegal,
}

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The kind.
    pub kind: Kind,
    /// The token as it is written.
    pub text: &'a str,
    /// The offset of its first byte.
    pub start: usize,
}

impl<'a> Token<'a> {
    /// Whether it is this keyword or symbol.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol(_)) && self.text.eq_ignore_ascii_case(text)
    }

    /// The name, if it is one, with or without quotes.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        matches!(self.kind, Kind::Word | Kind::Name).then(|| self.unquoted())
    }

    /// The text without its quotes, where a doubled quote is one; also of quotes that have no end.
    /// `E'…'`, `$tag$…$tag$` and blobs remain as they are written.
    pub fn unquoted(&self) -> Cow<'a, str> {
        let has_quotes = matches!(self.kind, Kind::Name | Kind::Text | Kind::Illegal);
        let close = match self.text.chars().next() {
            Some(quote @ ('\'' | '"' | '`')) if has_quotes => quote,
            Some('[') if has_quotes => ']',
            _ => return Cow::Borrowed(self.text),
        };
        let inner = &self.text[1..];
        let inner = match self.kind {
            Kind::Illegal => inner,
            _ => inner.strip_suffix(close).unwrap_or(inner),
        };
        if close != ']' && inner.contains(close) {
            Cow::Owned(undoubled(inner, close))
        } else {
            Cow::Borrowed(inner)
        }
    }
}

fn undoubled(text: &str, quote: char) -> alloc::string::String {
    let mut is_second = false;
    let keep = |letter: &char| {
        is_second = *letter == quote && !is_second;
        *letter != quote || is_second
    };
    text.chars().filter(keep).collect()
}
