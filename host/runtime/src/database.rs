//! Components of `wit/database`: SQLite as a library, each instance in a store with its own
//! grants and limits.
//!
//! [`Template`] holds a loaded component with its imports; [`Template::start`] makes an
//! [`Instance`], which is called. The crate `sqlite-wasm` is the interface for programs.
//!
//! An instance runs on a stack of its own, so that it can be called from threads with small
//! ones. One that traps is dropped at once, with its files and locks; each later call fails
//! and says why.

mod bindings;
mod callbacks;
mod exports;
mod failure;
mod host;
mod instance;
mod process;
mod stack;
mod streams;
mod template;

pub use bindings::exports::sqlite_wasm::database::connections::{Hook, OpenFlags, Progress};
pub use bindings::sqlite_wasm::database::callbacks::Event;
pub use callbacks::Callback;
pub use failure::{Failure, Reason};
pub use instance::Instance;
pub use process::Interrupter;
pub use template::{Settings, Template};

/// What a function promises, as in `types.function`.
pub mod function {
    pub use crate::contract::types::{Function, FunctionFlags, FunctionKind, Risk, TextEncoding};
}

pub use wire;
