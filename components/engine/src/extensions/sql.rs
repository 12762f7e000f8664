//! SQL that an extension requests, run on the connection that called it.

mod access;
pub mod blob_cache;
mod blobs;
pub mod depth;
mod metadata;
pub mod open_handles;
pub mod perform;
mod statements;

use wire::Sender;

use crate::sqlite::connection::Connection;

/// The caller that requests an operation.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The connection that called the extension.
    pub db: &'a Connection,
    pub extension: u32,
    /// What the caller is.
    pub sender: Sender,
}
