//! The owner of SQLite's objects that are named by their addresses.

use crate::room::NoMemory;
use crate::sqlite::connection::Connection;

/// An owner whose objects are named by their addresses.
pub struct Program<'a> {
    pub db: &'a Connection,
    /// The statement and the parameter that this request has bound last.
    pub bound: Option<(u32, u32)>,
}

/// Why an operation has no result code of SQLite.
pub enum Failure {
    /// It cannot be read, or names nothing.
    Malformed,
    NoMemory,
}

impl From<NoMemory> for Failure {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl From<wire::Error> for Failure {
    fn from(_: wire::Error) -> Self {
        Self::Malformed
    }
}
