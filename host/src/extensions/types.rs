//! `sqlite-wasm:extension/types`, with values of our own.

#![allow(missing_docs)]

mod generated {
    wasmtime::component::bindgen!({
        path: "../wit/extension",
        inline: "
            package sqlite-wasm:types-view;
            world types { import sqlite-wasm:extension/types@0.1.0; }
        ",
    });
}

/// The types as they are generated.
pub(super) mod wire {
    pub use super::generated::sqlite_wasm::extension::types::*;
}

pub use super::value::{Output, Value};
pub use wire::{
    Collation, Function, FunctionFlags, FunctionKind, Host, HostWithStore, Manifest, Module,
    ModuleFlags, ModuleKind, Need, Risk, SqlError, TextEncoding, add_to_linker,
};
