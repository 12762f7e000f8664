//! `json` and `jsonb` by PostgreSQL's rules. Both are text: `json` as it was given, `jsonb` in one canonical form, whose
//! keys are sorted and unique. What a column holds may have any form, so each function reads it anew.
//!
//! Names and errors are those of [`crate::numbers`].

mod aggregates;
mod build;
mod change;
mod read;
mod search;
mod tree;

use sqlite_wasm_kit::Collation;

pub use aggregates::AGGREGATES;
pub use build::SCALARS as BUILD;
pub use build::{element_of, string};
pub use change::SCALARS as CHANGE;
pub use read::SCALARS as READ;
pub use search::{SCALARS as SEARCH, compare_texts};
pub use tree::{Json, Mode, parse};

/// The order of `jsonb`.
pub const COLLATIONS: &[Collation] = &[Collation::new("pg_jsonb", search::compare_texts)];

#[cfg(test)]
mod tests;
