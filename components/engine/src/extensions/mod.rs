//! Extensions: loaded by SQLite's own mechanism, called through the host's
//! `dispatch`.
//!
//! Values cross without a copy on this side: SQLite's own memory is what the
//! host reads, and what the host writes is what SQLite is given.

mod abi;
mod aggregate;
mod attached;
mod collation;
pub mod embedded;
mod inline_value;
pub mod load;
mod pointers;
mod scalar;
pub mod sql;
mod statistics;
mod table;
