//! What the shell does for each connection, and its own Ctrl-C handler.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use engine::extensions::embedded;
use engine::ffi::connection::{Hooks, ProgressCallback, set_hooks, set_progress_handler};
use libsqlite3_sys as sqlite;

unsafe extern "C" {
    fn shims_interrupt();
}

/// Set the hooks, before SQLite is used.
pub fn install() {
    set_hooks(Hooks { opened, interrupted, complain });
}

/// Calls the handler that the shell gave to `signal`.
fn interrupted() {
    // SAFETY: the shell expects it at any time.
    unsafe { shims_interrupt() };
}

fn complain(what: &str) {
    eprintln!("Error: {what}");
}

/// Register the SQL functions that a sandbox cannot have.
unsafe extern "C" fn opened(db: *mut sqlite::sqlite3) -> c_int {
    // SAFETY: SQLite gives an open connection.
    unsafe {
        sqlite::sqlite3_create_function_v2(
            db,
            c"edit".as_ptr(),
            -1,
            sqlite::SQLITE_UTF8,
            null_mut(),
            Some(refuse_edit),
            None,
            None,
            None,
        )
    }
}

unsafe extern "C" fn refuse_edit(
    context: *mut sqlite::sqlite3_context,
    _: c_int,
    _: *mut *mut sqlite::sqlite3_value,
) {
    let message = c"edit: the sandbox cannot start an editor";
    // SAFETY: SQLite gives a context; the message is static.
    unsafe { sqlite::sqlite3_result_error(context, message.as_ptr(), -1) };
}

/// Takes the place of `sqlite3_progress_handler` in the shell.
///
/// # Safety
///
/// As `sqlite3_progress_handler`.
#[unsafe(no_mangle)]
unsafe extern "C" fn shell_progress_handler(
    db: *mut sqlite::sqlite3,
    steps: c_int,
    callback: Option<ProgressCallback>,
    argument: *mut c_void,
) {
    // SAFETY: the caller's promise.
    unsafe { set_progress_handler(db, steps, callback, argument) };
}

/// Called by the shell when it has registered its own functions.
///
/// # Safety
///
/// `db` is an open connection.
#[unsafe(no_mangle)]
unsafe extern "C" fn shell_functions_registered(db: *mut sqlite::sqlite3) {
    // SAFETY: the caller's promise.
    unsafe { embedded::register(db) };
}
