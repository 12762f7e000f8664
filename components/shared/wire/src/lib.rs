//! The bytes that extensions, programs, the host and the engine exchange: tags and layouts of
//! values, inline values, tokens, and the operations with their replies; and SQLite's result codes.
//!
//! Each of them is defined only here. The operations are one table (`table.rs`), from which the enums
//! with their encoders and decoders, [`c_header`] and the documents are generated. How the canonical ABI lays
//! out the same values follows from the WIT: `host/runtime/src/contract/values/canonical_abi.rs` and
//! `components/sqlite/engine/src/ffi/layout.rs`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
mod callbacks;
pub mod code;
mod documents;
mod head;
mod header;
mod inline;
mod opcode;
mod operation;
mod operations;
mod parameter;
mod reply;
mod returned;
pub mod room;
mod table;
mod tokens;
mod value;

pub use bytes::{Error, Names, Reader, Writer};
pub use callbacks::{Event, Kind, Method, Plan};
pub use documents::{table_of_operations, wit_operation};
pub use head::ReplyHead;
pub use header::c_header;
pub use inline::{Head, InlineArguments, InlineValue};
pub use opcode::{Capability, Group, Opcode, Row, Sender};
pub use operation::{ObjectOperation, Operation, ProgramOperation};
pub use operations::Operations;
pub use parameter::{BlobLocation, Bound, Database, Locations, Parameter, Rest, Text};
pub use reply::{Opened, Prepared, Ran, Rows};
pub use returned::Returned;
pub use tokens::{Token, tokens};
pub use value::{Value, tag};

/// The version of the contract that all of this belongs to.
pub const CONTRACT_VERSION: &str = "0.1.0";

/// For [`Opcode::CallPrepare`], in addition to the flags of `sqlite3_prepare_v3`: prepare as `sqlite3_prepare` does.
pub const PREPARE_LEGACY: u32 = 0x4000_0000;

/// For [`Opcode::CallPrepare`]: the text was given with its length, and no zero ends it.
pub const PREPARE_COUNTED: u32 = 0x2000_0000;

/// The subtype of an integer that stands for a pointer, as in SQLite itself.
pub const POINTER_SUBTYPE: u8 = b'p';
