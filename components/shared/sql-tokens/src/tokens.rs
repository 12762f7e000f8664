//! The tokens of a text, one after another.

use crate::token::{Kind, Token};
use crate::{Dialect, scan};

/// The tokens of a text. Each byte of the text belongs to one of them.
///
/// SQLite ends a text at its first NUL; here a NUL is a character like any other, and outside quotes
/// and comments an illegal token.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    sql: &'a str,
    at: usize,
    dialect: Dialect,
}

impl<'a> Tokens<'a> {
    /// The tokens of `sql`.
    pub fn new(sql: &'a str, dialect: Dialect) -> Self {
        Self { sql, at: 0, dialect }
    }

    /// The text that follows the tokens so far.
    pub fn rest(&self) -> &'a str {
        &self.sql[self.at..]
    }

    /// The next token that is neither white space nor a comment.
    pub fn next_word(&mut self) -> Option<Token<'a>> {
        self.find(|token| token.kind != Kind::Space)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (kind, length) = scan::first(self.rest().as_bytes(), self.dialect)?;
        let start = self.at;
        self.at += length;
        Some(Token { kind, text: &self.sql[start..self.at], start })
    }
}

/// `sql` from its first word on, by SQLite's rules: without white space, comments and semicolons before
/// it.
pub fn from_first_word(sql: &str) -> &str {
    let mut tokens = Tokens::new(sql, Dialect::Sqlite);
    loop {
        let rest = tokens.rest();
        match tokens.next().map(|token| token.kind) {
            Some(Kind::Space | Kind::Symbol(b';')) => {}
            _ => return rest,
        }
    }
}

/// The first word of a statement, by SQLite's rules; empty if it begins with anything else.
pub fn first_word(sql: &str) -> &str {
    let first = Tokens::new(from_first_word(sql), Dialect::Sqlite).next();
    first.filter(|token| token.kind == Kind::Word).map_or("", |token| token.text)
}
