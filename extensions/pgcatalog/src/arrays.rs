//! Arrays by PostgreSQL's rules. An array is JSON, so that SQLite's `json_each` steps through it; the last argument says
//! what the result or the elements are: `_int4` or `int4`.

mod change;
mod elements;
mod search;

pub use change::SCALARS as CHANGE;
pub use elements::{MAX_ELEMENTS, json, too_many};
pub use search::SCALARS as SEARCH;

#[cfg(test)]
mod tests;
