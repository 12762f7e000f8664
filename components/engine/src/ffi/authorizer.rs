//! The one authorizer of each connection. It is set when the connection is opened
//! and stays, since setting one expires all prepared statements; the program's own
//! stands behind it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use crate::read_only;

/// An authorizer of SQLite.
pub type Callback = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    *const c_char,
    *const c_char,
    *const c_char,
    *const c_char,
) -> c_int;

/// The name of the program's authorizer among the data that SQLite keeps for a
/// connection.
const PROGRAM: &CStr = c"sqlite-wasm-authorizer";

/// The program's own authorizer.
struct Program {
    db: *mut sqlite3,
    callback: Callback,
    argument: *mut c_void,
}

/// Set ours, on a connection that is new.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn install(db: *mut sqlite3) {
    // SAFETY: the caller's connection. SQLite always succeeds.
    unsafe { sqlite::sqlite3_set_authorizer(db, Some(authorize), null_mut()) };
}

/// What `sqlite3_set_authorizer` does, behind ours.
///
/// # Safety
///
/// As `sqlite3_set_authorizer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_set_authorizer(
    db: *mut sqlite3,
    callback: Option<Callback>,
    argument: *mut c_void,
) -> c_int {
    let program = match callback {
        Some(callback) => Box::into_raw(Box::new(Program { db, callback, argument })),
        None => null_mut(),
    };
    // SAFETY: the caller's connection. SQLite calls `forget` for what was there
    // before, and for this one, also when it has no memory.
    unsafe {
        let name = PROGRAM.as_ptr();
        let code = sqlite::sqlite3_set_clientdata(db, name, program.cast(), Some(forget));
        if code != sqlite::SQLITE_OK {
            return code;
        }
        sqlite::sqlite3_set_authorizer(db, Some(authorize), program.cast())
    }
}

/// SQLite drops the program's authorizer, for another one or since the connection
/// is closed; a statement may outlive it then.
unsafe extern "C" fn forget(program: *mut c_void) {
    // SAFETY: it came from `Box::into_raw`, and is freed once; SQLite still has the
    // connection.
    unsafe {
        let program = Box::from_raw(program.cast::<Program>());
        install(program.db);
    }
}

unsafe extern "C" fn authorize(
    program: *mut c_void,
    action: c_int,
    first: *const c_char,
    second: *const c_char,
    schema: *const c_char,
    inside: *const c_char,
) -> c_int {
    // SAFETY: SQLite gives what belongs to the action, and what it was given itself.
    unsafe {
        if !read_only::allows(action, first, second) {
            return sqlite::SQLITE_DENY;
        }
        match program.cast::<Program>().as_ref() {
            Some(program) => {
                (program.callback)(program.argument, action, first, second, schema, inside)
            }
            None => sqlite::SQLITE_OK,
        }
    }
}
