//! How much stack a statement takes: it is counted over the tokens that the parser itself reads,
//! before there is a tree.

use std::cell::Cell;

use sqlparser::ast;
use sqlparser::dialect::{Dialect, PostgreSqlDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::spelling;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::budget;

/// Tokens in each other that are handled on the stack of the caller. A session has 4 MiB; the tests
/// (`tests/limits.rs`) do it with 1 MiB.
pub const SHALLOW: usize = 400;

/// Tokens in each other at most.
pub const DEEPEST: usize = 8000;

/// What a compound query and PIVOT count: their level of the tree takes 4 KiB of stack and more. SQLite has
/// 500 compounds at most.
const COMPOUND: usize = 12;

/// Stack for deeper statements: 8 KiB for each token, of which the tree takes 3 at
/// most. Only what is used takes memory.
const DEEP_STACK: usize = 64 << 20;

thread_local! {
    /// Tokens in each other that the stack of this thread has room for.
    static ROOM: Cell<usize> = const { Cell::new(SHALLOW) };
}

/// Whether this thread has the larger stack.
pub fn is_deep() -> bool {
    ROOM.get() > SHALLOW
}

/// The result of `work`; on a larger stack, where there is too little.
pub fn with_room<T: Send>(work: impl Fn() -> Result<T> + Sync) -> Result<T> {
    match work() {
        Err(error) if error.code == sqlstate::STATEMENT_TOO_COMPLEX && !is_deep() => {
            on_deep_stack(&work, || ())
        }
        done => done,
    }
}

/// The result of `work` on a larger stack, while this thread does something else.
pub fn on_deep_stack<T: Send>(
    work: impl FnOnce() -> Result<T> + Send,
    meanwhile: impl FnOnce(),
) -> Result<T> {
    let ends = budget::ends();
    std::thread::scope(|scope| {
        let thread = deep().spawn_scoped(scope, || {
            ROOM.set(DEEPEST);
            budget::ending(ends, work)
        });
        let ended = thread.map_err(|error| error.to_string()).and_then(|thread| {
            meanwhile();
            thread.join().map_err(|_| "the statement could not be translated".to_owned())
        });
        ended.unwrap_or_else(|message| Err(Error::new(sqlstate::OUT_OF_MEMORY, message)))
    })
}

/// Drop what is too deep for the stack of this thread. Without memory for another one it stays.
pub fn drop_deep(statement: ast::Statement) {
    let place = std::sync::Mutex::new(Some(statement));
    std::thread::scope(|scope| {
        let thread = deep().spawn_scoped(scope, || drop(place.lock().map(|mut one| one.take())));
        let is_done = thread.is_ok_and(|thread| thread.join().is_ok());
        if let (false, Ok(mut left)) = (is_done, place.lock()) {
            std::mem::forget(left.take());
        }
    });
}

fn deep() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(DEEP_STACK)
}

/// The tree of a single statement, and whether SQLite would not read it as it was written; `None` for what the dialect
/// does not know.
///
/// # Errors
///
/// 54001 where the stack of this thread has no room for it.
pub fn parse(dialect: &dyn Dialect, sql: &str) -> Result<Option<(ast::Statement, bool)>> {
    let Ok(mut tokens) = Tokenizer::new(dialect, sql).tokenize_with_location() else {
        return Ok(None);
    };
    let mut is_spelled = spelling::tokens(&mut tokens);
    if depth(&tokens) > ROOM.get() {
        return Err(too_deep());
    }
    let mut parser = Parser::new(dialect).with_tokens_with_locations(tokens);
    match parser.parse_statements() {
        Ok(mut parsed) if parsed.len() == 1 => {
            let statement = parsed.pop();
            Ok(statement.map(|mut statement| {
                is_spelled |= spelling::tree(&mut statement);
                (statement, is_spelled)
            }))
        }
        Err(ParserError::RecursionLimitExceeded) => Err(too_deep()),
        _ => Ok(None),
    }
}

fn too_deep() -> Error {
    Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "the statement is nested too deeply")
}

/// How many tokens of a text lie in each other, as [`SHALLOW`] and [`DEEPEST`] count them; `None` if it
/// cannot be tokenized.
pub fn nesting(sql: &str) -> Option<usize> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().ok()?;
    Some(depth(&tokens))
}

/// How many tokens may lie in each other: any may, but for what commas separate. Only a compound
/// query goes on after a list.
fn depth(tokens: &[TokenWithSpan]) -> usize {
    let (mut outer, mut base, mut here, mut deepest) = (Vec::new(), 0, 0, 0);
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::Comma | Token::SemiColon => here = base,
            Token::LParen | Token::LBracket | Token::LBrace => {
                outer.push((base, here));
                here += 1;
                base = here;
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                (base, here) = outer.pop().unwrap_or((base, here));
                here += 1;
            }
            Token::Word(word) if is_compound(word.keyword) => {
                base += COMPOUND;
                here = base;
            }
            Token::Word(word) if is_of_tables(word.keyword) => here += COMPOUND,
            _ => here += 1,
        }
        deepest = deepest.max(here);
    }
    deepest
}

/// What has a table in it, to its left.
fn is_of_tables(word: Keyword) -> bool {
    matches!(word, Keyword::PIVOT | Keyword::UNPIVOT | Keyword::MATCH_RECOGNIZE)
}

fn is_compound(word: Keyword) -> bool {
    matches!(word, Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS)
}
