//! Dates, times and intervals by PostgreSQL's rules. Moments are text as they are stored, in UTC for `timestamptz`; an
//! interval is the text that PostgreSQL shows.

mod aggregates;
// The other file that has them uses the rest.
#[allow(dead_code)]
#[path = "../../../host/postgres/src/values/datetime/calendar.rs"]
mod calendar;
mod casts;
mod fields;
mod format;
mod functions;
mod interval;
mod numbers;
#[allow(dead_code)]
#[path = "../../../host/postgres/src/values/datetime/read.rs"]
mod read;
mod scan;

pub use aggregates::AGGREGATES;
pub use casts::SCALARS as CASTS;
pub use fields::SCALARS as FIELDS;
pub use functions::SCALARS as FUNCTIONS;
pub use interval::compare_texts as compare_intervals;

#[cfg(test)]
mod tests;
