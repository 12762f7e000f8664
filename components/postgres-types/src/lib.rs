//! What the server and the catalogue's extension both know of PostgreSQL's types.
//!
//! - [`Type`], [`Scalar`] and [`Typed`]: the types, their OIDs, and those of declared columns
//! - [`calendar`]: days and times of day
//! - [`read`]: dates and times in text
#![forbid(unsafe_code)]

pub mod calendar;
mod declared;
pub mod read;

pub use declared::{Scalar, TEXT, Type, Typed};
