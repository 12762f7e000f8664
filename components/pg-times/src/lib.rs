//! Dates, times and intervals as PostgreSQL reads and writes them: shared by the Postgres wire (`host/postgres`) and
//! the functions of SQL (`extensions/pgcatalog`).
#![forbid(unsafe_code)]

pub mod calendar;
pub mod interval;
pub mod read;
pub mod style;

pub use calendar::{DAY, Date, Stamp, time_text};
pub use interval::Interval;
pub use read::Fault;
pub use style::Style;
