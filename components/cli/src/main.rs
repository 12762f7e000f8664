//! SQLite's own shell, on the VFS of the `engine` crate.
//!
//! `shell.c` is compiled by `build.rs`; its calls that need a host end in
//! [`host_calls`] and [`file_stream`], its output and line editing in
//! [`console`], and [`connection`] is what the shell adds to each connection.

mod connection;
mod console;
mod file_stream;
mod host_calls;

use std::ffi::{CString, c_char, c_int};

use engine::host::process;

// Linked for their C code.
use libsqlite3_sys as _;
use libz_sys as _;

/// SQLite's version, for `extension inspect` to read without running anything.
#[used]
#[unsafe(link_section = "sqlite-wasm:cli-version")]
static VERSION: [u8; libsqlite3_sys::SQLITE_VERSION.count_bytes()] = {
    let mut version = [0; libsqlite3_sys::SQLITE_VERSION.count_bytes()];
    version.copy_from_slice(libsqlite3_sys::SQLITE_VERSION.to_bytes());
    version
};

unsafe extern "C" {
    fn shell_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
    fn shell_exit(code: c_int) -> !;
    fn shims_init();
}

fn main() {
    if let Some(directory) = process::working_directory() {
        engine::paths::enter(&directory);
    }
    connection::install();
    let mut arguments: Vec<*mut c_char> = process::arguments()
        .into_iter()
        .map(|argument| CString::new(argument).unwrap_or_default().into_raw())
        .chain([std::ptr::null_mut()])
        .collect();
    let count = arguments.len() - 1;
    // SAFETY: the strings are never freed, and the list ends with null.
    unsafe {
        shims_init();
        shell_exit(shell_main(count as c_int, arguments.as_mut_ptr()))
    }
}
