//! Tokenizers of FTS5.

use std::ffi::c_int;
use std::rc::Rc;

use wire::{Value as Content, code};

use super::attached;
use super::calls::call;
use super::scalar::Function;
use crate::ffi::imports::scalar_call;
use crate::ffi::layout::{Argument, HostValue, List};
use crate::host::dispatch::SqlError;
use crate::sqlite::connection::Connection;
use crate::sqlite::error::failure;
use crate::sqlite::tokenizer::{self, Text};

/// A tokenizer that an extension registered: a function that is called with the text and what FTS5
/// says about it, and returns tokens.
pub struct Tokenizer(pub Rc<Function>);

impl Tokenizer {
    fn call(
        &self,
        db: &Connection,
        text: Option<&Text>,
        words: &[Vec<u8>],
    ) -> Result<HostValue, SqlError> {
        let bytes = |text| Content::Text(List::new(text));
        let mut arguments: Vec<Argument> = Vec::with_capacity(3 + words.len());
        arguments.push(text.map_or(Content::Null, |text| bytes(text.bytes)));
        arguments.push(Content::Integer(text.map_or(0, |text| text.purpose.into())));
        arguments.push(text.and_then(|text| text.locale).map_or(Content::Null, bytes));
        arguments.extend(words.iter().map(|word| bytes(word)));
        let Function { extension, index, .. } = *self.0;
        call(db, extension, scalar_call(extension, index, &arguments, &[])).map(|it| it.value)
    }

    fn broke(&self, db: &Connection) -> SqlError {
        let name = attached::name(db, self.0.extension).unwrap_or_default();
        let what = "its tokens are not those of the text, in its order";
        failure(code::ERROR, &format!("the extension `{name}` broke the contract: {what}"))
    }
}

impl tokenizer::Tokenizer for Tokenizer {
    fn check(&self, db: &Connection, words: &[Vec<u8>]) -> Result<(), SqlError> {
        self.call(db, None, words).map(drop)
    }

    fn tokenize(
        &self,
        db: &Connection,
        text: &Text,
        words: &[Vec<u8>],
        mut token: impl FnMut(wire::Token) -> c_int,
    ) -> Result<c_int, SqlError> {
        let Content::Blob(tokens) = self.call(db, Some(text), words)? else {
            return Err(self.broke(db));
        };
        for found in wire::tokens(&tokens, text.bytes.len()) {
            let code = token(found.map_err(|_| self.broke(db))?);
            if code != code::OK {
                return Ok(code);
            }
        }
        Ok(code::OK)
    }
}
