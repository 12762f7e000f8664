//! Types: their OIDs, and what is known of them before there is a row.

mod declared;
pub mod infer;
pub mod origins;
pub mod parameters;
mod resolve;

pub use declared::{Scalar, TEXT, Type, Typed};
