//! Who may do what with a database that is offered to others: what `sqlite-wasm-serve` and
//! `sqlite-wasm-mcp` have in common.
//!
//! - [`policy`]: the statements that each role may run
//! - [`token`]: secrets that nobody guesses, and their hashes
//! - [`files`]: databases by their names
//! - [`units`]: sizes and times of options

#![forbid(unsafe_code)]

pub mod files;
pub mod policy;
pub mod token;
pub mod units;
