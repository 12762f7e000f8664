//! The operations of requests (`wire::Opcode`), performed on one connection for all owners. The
//! type of the owner decides how it names its objects: a handle of a [`Caller`] is looked up among
//! its open handles, and only a program (`database::calls`) names objects by their addresses.

mod access;
pub mod blob_cache;
mod blobs;
pub mod depth;
pub mod metadata;
pub mod open_handles;
mod perform;
pub mod statements;
pub mod values;

use wire::Sender;

pub use perform::{perform, unreadable};

use crate::sqlite::connection::Connection;

/// An owner whose statements and blobs have handles.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The connection that called the extension.
    pub db: &'a Connection,
    /// The extension, or what a program has instead.
    pub extension: u32,
    /// What the caller is.
    pub sender: Sender,
}
