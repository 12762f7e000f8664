//! SQLite inside a component: the VFS that reaches files through the host,
//! and the wiring of interruption and local time.
//!
//! A program links this crate, and SQLite calls `vfs`'s
//! `sqlite3_os_init` by itself, and [`ffi::connection`] for each connection
//! that is opened. `components/cli` is such a program.

pub mod extensions;
pub mod ffi;
pub mod paths;
mod read_only;
mod vfs;

// Linked in place of the libc's.
use sqlite_wasm_memory as _;

/// The interfaces of `wit/host`, as the component sees them.
#[allow(missing_docs)]
pub mod host {
    wit_bindgen::generate!({
        world: "sqlite-wasm:host/cli",
        path: ["../../wit/extension", "../../wit/host"],
        generate_all,
    });
    pub use sqlite_wasm::extension::table_types;
    pub use sqlite_wasm::extension::types as extension_types;
    pub use sqlite_wasm::host::*;
}
