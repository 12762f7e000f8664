//! SQL that an extension requests, run on the connection that called it.

mod access;
pub mod blob_cache;
mod blobs;
pub mod caller;
pub mod depth;
mod metadata;
pub mod open_handles;
mod operations;
pub mod perform;
mod reply;
mod statements;
