//! SQLite inside a component: the VFS that reaches files through the host, extensions, and
//! interruption.
//!
//! A program links this crate. SQLite calls `sqlite3_os_init` in `vfs` and
//! `engine_connection_opened` in [`program`] by itself. `components/sqlite/cli` is such a program;
//! `components/sqlite/database` is another one, on the connections of [`database`].
//!
//! Only the edges allow `unsafe_code`: `ffi` to the host and the C library, `sqlite`, `vfs` and
//! [`program`] to SQLite.

#![deny(unsafe_code)]
#![cfg_attr(
    not(feature = "programs"),
    allow(dead_code, unused_imports, reason = "programs use more of SQLite than extensions do")
)]

#[cfg(feature = "programs")]
pub mod database;
mod extensions;
mod ffi;
mod left_behind;
mod operations;
pub mod paths;
#[allow(unsafe_code)]
pub mod program;
mod read_only;
mod result_code;
mod room;
mod sqlite;
mod vfs;

pub use ffi::imports::read_into;
pub use operations::depth::is_running as is_extension_sql_running;

// Linked instead of the libc's functions.
use sqlite_wasm_memory as _;

/// The interfaces of `wit/host`, as the component sees them.
#[allow(missing_docs, unsafe_code)]
pub mod host {
    wit_bindgen::generate!({
        world: "sqlite-wasm:host/cli",
        path: ["../../../wit/extension", "../../../wit/host"],
        generate_all,
    });
    pub use sqlite_wasm::extension::table_types;
    pub use sqlite_wasm::extension::types as extension_types;
    pub use sqlite_wasm::host::*;
}

/// The interface `callbacks` of `wit/database`, as the component sees it.
#[cfg(feature = "programs")]
#[allow(missing_docs, unsafe_code)]
mod program_callbacks {
    wit_bindgen::generate!({
        inline: "package sqlite-wasm:engine-callbacks;
            world callbacks { import sqlite-wasm:database/callbacks@0.1.0; }",
        path: ["../../../wit/extension", "../../../wit/host", "../../../wit/database"],
        with: { "sqlite-wasm:extension/types@0.1.0": crate::host::extension_types },
        generate_all,
    });
    pub use sqlite_wasm::database::callbacks::*;
}
