//! What the server and the catalogue's extension both know of PostgreSQL's types.
//!
//! - [`Type`], [`Scalar`] and [`Typed`]: the types, their OIDs, and those of declared columns
//! - [`bounds`]: those of generated columns
//! - [`calendar`]: days and times of day
//! - [`read`]: dates and times in text
//! - [`clock`]: the time in SQL
//! - [`fields`]: the fields of such a text
//! - [`float`]: the digits of floats
//! - [`interval`] and [`style`]: intervals and their text
//! - [`view`]: the types of the columns that a view computes
#![forbid(unsafe_code)]

pub mod bounds;
pub mod calendar;
pub mod clock;
pub mod comments;
mod declared;
pub mod fields;
pub mod float;
pub mod interval;
pub mod read;
pub mod style;
pub mod view;

pub use calendar::{DAY, Date, Stamp, time_text};
pub use declared::{Scalar, TEXT, Type, Typed};
pub use interval::Interval;
pub use read::Fault;
pub use style::Style;
