//! The text of SQL: tokens, quoting, reserved words and PRAGMAs.
//!
//! - [`Tokens`]: the tokens of a text by the rules of SQLite or PostgreSQL; [`from_first_word`]
//!   and [`first_word`] find the beginning of a statement
//! - [`quoted_name`], [`quoted_text`]: names and texts as SQL
//! - [`is_reserved`]: words that are no names without quotes
//! - [`pragmas`]: what each PRAGMA does, and who may run it
//!
//! The engine, extensions and the host read SQL with this crate, and the server's policy decides by
//! it: what it takes for a word must be what SQLite takes for one. It knows no grammar.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod keywords;
pub mod pragmas;
mod quote;
mod scan;
mod token;
mod tokens;

#[cfg(test)]
mod tests;

pub use keywords::is_reserved;
pub use quote::{quoted_name, quoted_text};
pub use token::{Kind, Token};
pub use tokens::{Tokens, first_word, from_first_word};

/// The database whose rules decide where a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite: `[name]`, `` `name` ``, `x'00'`, `?1`, `:name`.
    Sqlite,
    /// PostgreSQL: `E'\n'`, `$$text$$`, `$1`, comments in comments.
    Postgres,
}
