//! The bytes that extensions, the host and the engine exchange: tags and layouts of
//! values, inline values, and the operations of `sql-work` with their replies; and SQLite's
//! result codes.
//!
//! Each of them is defined only here; the C interface uses [`c_header`]. How the canonical ABI lays
//! out the same values follows from the WIT: `host/runtime/src/contract/values/canonical_abi.rs` and
//! `components/engine/src/ffi/layout.rs`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
pub mod code;
mod header;
mod inline;
pub mod library;
mod operation;
mod operations;
mod program;
mod reply;
pub mod room;
mod value;

pub use bytes::{Error, Names, Reader, Writer};
pub use header::c_header;
pub use inline::{Head, InlineArguments, InlineValue};
pub use operation::{BlobLocation, Database, Opcode, Operation};
pub use operations::Operations;
pub use program::{Function, FunctionKind, ProgramOperation};
pub use reply::{Opened, Prepared, Ran, Rows};
pub use value::{Value, tag};

/// The version of the contract that all of this belongs to.
pub const CONTRACT_VERSION: &str = "0.1.0";

/// The byte before the calls of `libsqlite3.so.0`, which are not operations but SQLite's functions
/// on SQLite's objects. `components/database/c/calls.h` lists them.
pub const LIBRARY: u8 = 255;

/// The subtype of an integer that stands for a pointer, as in SQLite itself.
pub const POINTER_SUBTYPE: u8 = b'p';
