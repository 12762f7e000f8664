//! Who requests SQL.

use crate::sqlite::connection::Connection;

/// Who requests an operation.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The connection that called the extension.
    pub db: &'a Connection,
    pub extension: u32,
}
