//! Extensions: SQLite's own mechanism loads them, and the host's `dispatch` calls them.
//!
//! Values cross without a copy on this side: the host reads SQLite's own memory, and SQLite takes
//! over the memory that the host has written.

mod aggregate;
mod attached;
mod calls;
mod collation;
pub mod embedded;
pub mod load;
mod pointers;
mod register;
pub mod scalar;
pub mod sql;
mod statistics;
mod table;
