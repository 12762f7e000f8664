//! Types: their OIDs, and what is known of them before there is a row.

pub mod infer;
mod made;
pub mod origins;
pub mod parameters;
mod placement;
mod resolve;

pub(crate) use made::declaration;
pub use postgres_types::{Scalar, TEXT, Type, Typed, bounds, view};
pub(crate) use resolve::is_aggregate_name;
