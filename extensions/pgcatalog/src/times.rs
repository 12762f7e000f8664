//! Dates, times and intervals by PostgreSQL's rules. Moments are text as they are stored, in UTC for `timestamptz`; an
//! interval is the text that PostgreSQL shows.

use sqlite_wasm_kit::Collation;

mod aggregates;
mod casts;
mod fields;
mod format;
mod functions;
mod interval;
mod numbers;
mod pattern;
mod scan;

pub use aggregates::AGGREGATES;
pub use casts::SCALARS as CASTS;
pub use fields::SCALARS as FIELDS;
pub use functions::SCALARS as FUNCTIONS;
pub use interval::compare_texts as compare_intervals;

/// The order of intervals, of which those with other units may be equal.
pub const COLLATIONS: &[Collation] = &[Collation::new("pg_interval", |one, other| {
    match (str::from_utf8(one), str::from_utf8(other)) {
        (Ok(one), Ok(other)) => compare_intervals(one, other),
        _ => one.cmp(other),
    }
})];

#[cfg(test)]
mod tests;
