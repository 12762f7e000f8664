//! Extensions: SQLite's mechanism loads them, and the host's `dispatch` calls them.
//!
//! Long values cross without a copy on this side: the host reads SQLite's memory, and SQLite takes
//! ownership of the memory that the host has written. Short ones cross in registers.

mod aggregate;
mod attached;
mod calls;
mod collation;
pub mod embedded;
pub mod load;
mod pointers;
pub mod scalar;
mod statistics;
mod table;
mod tokenizer;
