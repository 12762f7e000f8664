//! SQL that an extension requests, run on the connection that called it.

mod access;
pub mod blob_cache;
mod blobs;
pub mod caller;
pub mod depth;
mod metadata;
pub mod open_handles;
pub mod perform;
mod statements;
