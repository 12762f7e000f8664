//! Dates, times and intervals by PostgreSQL's rules. Moments are text as they are stored, in UTC for `timestamptz`; an
//! interval is the text that PostgreSQL shows.

mod aggregates;
mod casts;
mod fields;
mod format;
mod functions;
mod interval;
mod numbers;
mod scan;

pub use aggregates::AGGREGATES;
pub use casts::SCALARS as CASTS;
pub use fields::SCALARS as FIELDS;
pub use functions::SCALARS as FUNCTIONS;
pub use interval::compare_texts as compare_intervals;

#[cfg(test)]
mod tests;
