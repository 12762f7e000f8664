//! SQLite's own shell, on the VFS of the `engine` crate.
//!
//! `build.rs` compiles `shell.c`. Its calls that need a host end in [`c_interface`].

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod c_interface;
mod editor;
mod file_stream;

use engine::host::process;
use engine::program::{Hooks, set_hooks};

// Linked for their C code.
use libsqlite3_sys as _;
use libz_sys as _;

fn main() {
    set_hooks(Hooks {
        refused_functions: &[(c"edit", "edit: the sandbox cannot start an editor")],
        interrupted: c_interface::interrupt_shell,
        complain: |what| eprintln!("Error: {what}"),
    });
    c_interface::run_shell(process::arguments())
}
