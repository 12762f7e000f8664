//! The words of a statement, one after another.

use sql_tokens::{Kind, Token, Tokens};

use super::super::names::folded;
use crate::error::{Error, Result, sqlstate};
use crate::lex::{Piece, tokens};

/// Characters of a word that a message has.
const SHOWN: usize = 64;

/// The words of a statement that are not read yet.
pub struct Words<'a> {
    piece: &'a Piece<'a>,
    tokens: Tokens<'a>,
}

impl<'a> Words<'a> {
    /// The words of a statement.
    pub fn of(piece: &'a Piece<'a>) -> Self {
        Self { piece, tokens: tokens(piece.text) }
    }

    /// The next token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        self.tokens.next_word()
    }

    /// The next token, which remains.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.tokens.clone().next_word()
    }

    /// The next word in lower case, which remains; empty for anything else.
    pub fn word(&mut self) -> String {
        let token = self.peek().filter(|token| token.kind == Kind::Word);
        token.map(|token| token.text.to_ascii_lowercase()).unwrap_or_default()
    }

    /// Whether the next word is this one, which is read then.
    pub fn accept(&mut self, word: &str) -> bool {
        let is_it = self.word() == word;
        if is_it {
            self.next();
        }
        is_it
    }

    /// The first of these words that comes next, which is read.
    pub fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.accept(word))
    }

    /// Read this word.
    pub fn expect(&mut self, word: &str) -> Result<()> {
        if self.accept(word) { Ok(()) } else { Err(self.wrong()) }
    }

    /// Whether the next token is this character, which is read then.
    pub fn symbol(&mut self, symbol: u8) -> bool {
        let is_it = self.peek().is_some_and(|token| token.kind == Kind::Symbol(symbol));
        if is_it {
            self.next();
        }
        is_it
    }

    /// Read a name.
    pub fn name(&mut self) -> Result<String> {
        match self.peek().and_then(|token| name(&token)) {
            Some(name) => {
                self.next();
                Ok(name)
            }
            None => Err(self.wrong()),
        }
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<()> {
        if self.peek().is_none() { Ok(()) } else { Err(self.wrong()) }
    }

    /// What is wrong is the next token.
    pub fn wrong(&mut self) -> Error {
        let Some(token) = self.peek() else {
            return Error::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input");
        };
        let near: String = token.text.chars().take(SHOWN).collect();
        let error =
            Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{near}\""));
        // Of a later statement the client's whole text would be needed.
        if self.piece.start == 0 { error.at(self.piece.text, token.start) } else { error }
    }
}

/// The name that a token is.
pub fn name(token: &Token<'_>) -> Option<String> {
    match token.kind {
        Kind::Name => Some(token.unquoted().into_owned()).filter(|name| !name.is_empty()),
        Kind::Word => Some(folded(&sqlparser::ast::Ident::new(token.text))),
        _ => None,
    }
}

/// The text of a string.
pub fn string(token: &Token<'_>) -> Option<String> {
    if token.kind != Kind::Text {
        return None;
    }
    if token.text.starts_with('\'') {
        Some(token.unquoted().into_owned())
    } else {
        escaped(token.text)
    }
}

/// `E'…'` and `$$…$$`, which the parser reads.
fn escaped(text: &str) -> Option<String> {
    let parsed = super::super::parse(&format!("SELECT {text}")).ok()??;
    let sqlparser::ast::Statement::Query(query) = parsed else { return None };
    let sqlparser::ast::SetExpr::Select(select) = &*query.body else { return None };
    match &select.projection[..] {
        [sqlparser::ast::SelectItem::UnnamedExpr(expr)] => super::super::string_of(expr),
        _ => None,
    }
}
