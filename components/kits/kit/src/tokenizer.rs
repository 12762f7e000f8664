//! Tokenizers of FTS5.

use crate::arguments::Arguments;
use crate::{ANY_NUMBER, Error, Output, Result, Value, bindings, code};

/// A tokenizer of the extension's table, for `CREATE VIRTUAL TABLE … USING fts5(…, tokenize = 'name word …')`.
#[derive(Clone, Copy, Debug)]
pub struct Tokenizer {
    name: &'static str,
    check: fn(&[&str]) -> Result<()>,
    tokenize: fn(&Text<'_>, &mut Tokens) -> Result<()>,
}

/// What is tokenized.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The text. Its bytes need not be UTF-8.
    pub bytes: &'a [u8],
    /// What its tokens are for.
    pub purpose: Purpose,
    /// Its locale (`fts5_locale`).
    pub locale: Option<&'a str>,
    /// The words behind the tokenizer's name.
    pub words: &'a [&'a str],
}

/// What tokens are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A document, to be put into the index or removed.
    Document,
    /// A query.
    Query,
    /// The last word of a query, which is a prefix.
    Prefix,
    /// A text that an auxiliary function tokenizes.
    Auxiliary,
}

impl Purpose {
    /// From `FTS5_TOKENIZE_*`.
    fn new(flags: i64) -> Self {
        match flags {
            1 => Self::Query,
            3 => Self::Prefix,
            8 => Self::Auxiliary,
            _ => Self::Document,
        }
    }
}

/// The tokens of a text, in its order.
#[derive(Debug, Default)]
pub struct Tokens(Vec<u8>);

impl Tokens {
    /// Add a token, usually in UTF-8, which the text has from `start` to `end`, in bytes.
    ///
    /// # Errors
    ///
    /// Without memory for it.
    pub fn add(&mut self, token: impl AsRef<[u8]>, start: usize, end: usize) -> Result<()> {
        self.write(token.as_ref(), start, end, false)
    }

    /// Add a token that shares the position of the one before: a synonym of it.
    ///
    /// # Errors
    ///
    /// Without memory for it.
    pub fn add_synonym(&mut self, token: impl AsRef<[u8]>, start: usize, end: usize) -> Result<()> {
        self.write(token.as_ref(), start, end, true)
    }

    fn write(&mut self, bytes: &[u8], start: usize, end: usize, is_colocated: bool) -> Result<()> {
        let offset = |at| u32::try_from(at).map_err(|_| no_memory());
        let (start, end) = (offset(start)?, offset(end)?);
        let token = wire::Token { start, end, bytes, is_colocated };
        token.write(&mut self.0).map_err(|_| no_memory())
    }
}

fn no_memory() -> Error {
    Error::new(code::NOMEM, "there is no memory for the tokens")
}

impl Tokenizer {
    /// A tokenizer with this name. `check` is called with the words behind the name when a table is
    /// created or opened, and refuses those that it does not know.
    pub const fn new(
        name: &'static str,
        check: fn(&[&str]) -> Result<()>,
        tokenize: fn(&Text<'_>, &mut Tokens) -> Result<()>,
    ) -> Self {
        Self { name, check, tokenize }
    }

    /// The tokens of a document, each with where it begins and ends; for tests.
    ///
    /// # Errors
    ///
    /// Those of the tokenizer.
    pub fn tokens(&self, text: &str, words: &[&str]) -> Result<Vec<(String, usize, usize)>> {
        (self.check)(words)?;
        let mut tokens = Tokens::default();
        let text = Text { bytes: text.as_bytes(), purpose: Purpose::Document, locale: None, words };
        (self.tokenize)(&text, &mut tokens)?;
        let read = |token: Result<wire::Token<'_>, _>| {
            let token =
                token.map_err(|_| Error::from("a token is not in the text, or too early"))?;
            let bytes = String::from_utf8_lossy(token.bytes).into_owned();
            Ok((bytes, token.start as usize, token.end as usize))
        };
        wire::tokens(&tokens.0, text.bytes.len()).map(read).collect()
    }

    pub(crate) fn call(&self, values: &mut [Value]) -> Result<Output> {
        answer(self.name, values, self.check, self.tokenize)
    }

    pub(crate) fn declare(&self) -> bindings::types::Function {
        declaration(self.name)
    }
}

/// A tokenizer in the manifest.
#[doc(hidden)]
pub fn declaration(name: &str) -> bindings::types::Function {
    use bindings::types::{Function, FunctionFlags, FunctionKind, Risk, TextEncoding};
    Function {
        name: name.into(),
        arguments: ANY_NUMBER,
        kind: FunctionKind::Tokenizer,
        encoding: TextEncoding::Utf8,
        flags: FunctionFlags::empty(),
        risk: Risk::Innocuous,
    }
}

/// Answer a call of the tokenizer `name`: check its words, or find the tokens of the text.
#[doc(hidden)]
pub fn answer(
    name: &'static str,
    values: &mut [Value],
    check: impl FnOnce(&[&str]) -> Result<()>,
    tokenize: impl FnOnce(&Text<'_>, &mut Tokens) -> Result<()>,
) -> Result<Output> {
    let mut arguments = Arguments::new(name, values, &[]);
    let text = arguments.get::<Vec<u8>>(0)?;
    let purpose = Purpose::new(arguments.get::<i64>(1)?.unwrap_or_default());
    let locale = arguments.get::<String>(2)?;
    let words = (3..arguments.len()).map(|at| arguments.get::<String>(at));
    let words: Vec<_> =
        words.map(|word| word.map(Option::unwrap_or_default)).collect::<Result<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(bytes) = text else {
        check(&words)?;
        return Ok(Output::default());
    };
    let mut tokens = Tokens::default();
    tokenize(
        &Text { bytes: &bytes, purpose, locale: locale.as_deref(), words: &words },
        &mut tokens,
    )?;
    Ok(Value::Blob(tokens.0).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words between spaces, and `ab` as a synonym of `a`.
    const SPACES: Tokenizer = Tokenizer::new(
        "spaces",
        |words| if words.is_empty() { Ok(()) } else { Err("it takes no words".into()) },
        |text, tokens| {
            let mut start = 0;
            for word in text.bytes.split(|byte| *byte == b' ') {
                let end = start + word.len();
                tokens.add(word, start, end)?;
                if word == b"a" {
                    tokens.add_synonym("ab", start, end)?;
                }
                start = end + 1;
            }
            Ok(())
        },
    );

    #[test]
    fn tokens_have_their_places() {
        let tokens = SPACES.tokens("a bc", &[]).unwrap();
        let owned = |token: &str, start, end| (token.to_owned(), start, end);
        assert_eq!(tokens, [owned("a", 0, 1), owned("ab", 0, 1), owned("bc", 2, 4)]);
        assert!(SPACES.tokens("a", &["word"]).is_err());
    }

    #[test]
    fn a_call_without_text_checks_the_words() {
        let call = |values: &[Value]| SPACES.call(&mut values.to_vec()).map(|it| it.value);
        let opened = [Value::Null, Value::Integer(0), Value::Null];
        assert_eq!(call(&opened).unwrap(), Value::Null);
        assert!(call(&[&opened[..], &[Value::text("word")]].concat()).is_err());
        let document = [Value::text("bc"), Value::Integer(4), Value::text("de")];
        let tokens = [0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, b'b', b'c'];
        assert_eq!(call(&document).unwrap(), Value::Blob(tokens.to_vec()));
    }
}
