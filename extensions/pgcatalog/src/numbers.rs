//! Numeric types by PostgreSQL's rules: exact decimals, and integers and floats whose results are
//! checked.
//!
//! A function is named `pg_TYPE_WHAT`, where TYPE is the type of its result, so that the
//! translation knows it. A computed `numeric` is text with the digits that PostgreSQL shows, and
//! the collation `pg_numeric` compares such texts by value. An error begins with its SQLSTATE:
//! `22012: division by zero`.

mod aggregates;
mod casts;
mod decimal;
mod floats;
mod integers;
mod numeric;

use sqlite_wasm_kit::Collation;

pub use aggregates::AGGREGATES;
pub use casts::SCALARS as CASTS;
pub use casts::{bytes_text, float_text, single_text};
pub use decimal::Numeric;
pub use floats::SCALARS as FLOATS;
pub use integers::SCALARS as INTEGERS;
pub use numeric::SCALARS as NUMERIC;

/// The order of computed numerics.
pub const COLLATIONS: &[Collation] = &[Collation::new("pg_numeric", decimal::compare_texts)];

const DIVISION_BY_ZERO: &str = "22012: division by zero";

#[cfg(test)]
mod tests;
#[cfg(test)]
pub use tests::check;
