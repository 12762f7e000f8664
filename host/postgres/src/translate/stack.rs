//! How much stack a statement takes: it is counted over the tokens that the parser itself reads,
//! before there is a tree.

use std::cell::Cell;

use sqlparser::ast;
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::spelling;
use crate::error::{Error, Result, sqlstate};
use crate::types::infer::budget;

/// Tokens in each other that are handled on the stack of the caller. A session has 4 MiB; the tests
/// do it with 1 MiB.
const SHALLOW: usize = 400;

/// Tokens in each other at most.
const DEEPEST: usize = 8000;

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

/// The tree of a single statement, and whether SQLite would not read it as it was written; none for what the dialect
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

#[cfg(test)]
mod tests {
    use sqlparser::dialect::PostgreSqlDialect;

    use super::super::{Context, translate};
    use super::*;
    use crate::types::infer::{Column, Schema, outputs};
    use crate::types::origins::origins;
    use crate::types::parameters::infer;
    use crate::types::{Scalar, Type};

    /// The beginnings, links and ends of statements that grow to the left.
    const CHAINS: &[(&str, &str, &str)] = &[
        ("select '{}'::int", "[]", ""),
        ("create table zz(a int", "[]", ")"),
        ("select 1", " xor 1", ""),
        ("select 1", "\u{a0}xor\u{a0}1", ""),
        ("select 1", " operator(pg_catalog.+) 1", ""),
        ("select 1", " overlaps 1", ""),
        ("select 'a'", " rlike 'a'", ""),
        ("select 'a'", " similar to 'a'", ""),
        ("select 'a'", " collate \"C\"", ""),
        ("select a", " at time zone 'utc'", ""),
        ("select 1", "::int", ""),
        ("select a", " is null", ""),
        ("select a", " isnull", ""),
        ("select a", " is distinct from a", ""),
        ("select a", " between 1 and 2", ""),
        ("select a", "[1]", ""),
        ("select (a)", ".b", ""),
        ("select a", "->'b'", ""),
        ("select a", " in (1, 2)", ""),
        ("select a", " = any(array[1, 2])", ""),
        ("select 1, 2", " union select 1, 2", ""),
        ("select 1, 2", " except all select 1, 2", ""),
        ("values (1), (2)", " intersect values (1), (2)", ""),
        ("select * from t", " join t on true", ""),
        ("select * from t", " pivot(sum(a) for b in (1, 2))", ""),
        ("select case", " when 1 then 2", " end"),
        ("select ", "not ", "1"),
        ("select ", "- ", "1"),
        ("select ", "case when 1 then ", "1"),
        ("select ", "(", "1"),
        ("select ", "f(1, ", "1"),
        ("select ", "interval ", "'1'"),
        ("select 1::", "setof ", "int"),
        ("select 1::", "table(a ", "int"),
        ("select * from ", "(", "t"),
        ("", "explain ", "select 1"),
        ("", "with a as (", "select 1"),
        // What hides the rest from another reader of tokens.
        ("select $a\u{a0}as\u{a0}b$, 1", " xor 1", ""),
    ];

    struct NoTables;

    impl Schema for NoTables {
        fn columns(&self, _: &str) -> Option<Vec<Column>> {
            None
        }
    }

    /// All that is done for a statement.
    fn typed(sql: &str) -> Result<()> {
        for mut statement in translate(sql, &Context::default())? {
            let copy = statement.clone();
            infer(&mut statement, &[], &NoTables, &Context::default())?;
            outputs(&copy, &[("a", None)], &NoTables).unwrap();
            origins(&statement, 1, &NoTables).unwrap();
        }
        Ok(())
    }

    #[test]
    fn a_deep_statement_has_types() {
        let sql = format!("SELECT {}1::numeric/3", "0+".repeat(900));
        let mut statement = translate(&sql, &Context::default()).unwrap().remove(0);
        infer(&mut statement, &[], &NoTables, &Context::default()).unwrap();
        assert!(statement.sql.contains("pg_numeric_add(pg_int4_add("), "{}", statement.sql);
        let typed = outputs(&statement, &[("a", None)], &NoTables).unwrap()[0].typed;
        assert_eq!(typed.ty, Type::One(Scalar::Numeric));
    }

    fn with_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
            thread.unwrap().join().unwrap()
        })
    }

    #[test]
    fn long_chains_are_translated_or_refused() {
        for (start, link, end) in CHAINS {
            let sql = format!("{start}{}{end}", link.repeat((1 << 20) / link.len()));
            with_stack(1 << 20, || drop(typed(&sql)));
        }
    }

    #[test]
    fn chains_at_the_limits_fit_the_stacks() {
        for (start, link, end) in CHAINS {
            let of = |room: usize| {
                let sql = |count: usize| format!("{start}{}{end}", link.repeat(count));
                let deep = |sql: &str| {
                    let mut tokens = Tokenizer::new(&PostgreSqlDialect {}, sql);
                    depth(&tokens.tokenize_with_location().unwrap())
                };
                let step = deep(&sql(11)).saturating_sub(deep(&sql(1))).div_ceil(10).max(1);
                sql(room.saturating_sub(20) / step)
            };
            with_stack(1 << 20, || drop(typed(&of(SHALLOW))));
            with_stack(1 << 20, || drop(typed(&of(DEEPEST))));
        }
    }
}
