//! Connections of a program outside: opened by path, and used by the operations that extensions
//! use. `components/database` exports these functions.

mod backups;
mod callbacks;
mod functions;
mod hooks;
mod open;

use std::cell::RefCell;
use std::ffi::CString;
use std::rc::Rc;

use libsqlite3_sys as sqlite;

use crate::extensions::load;
use crate::extensions::sql::{Caller, blob_cache, open_handles, perform};
pub use crate::host::dispatch::SqlError;
use crate::host::extension_types::Function;
use crate::sqlite::error::failure;
use crate::sqlite::opened::OpenConnection;
use callbacks::Callback;
pub use callbacks::{Returned, call_program};

pub use backups::{backup_finish, backup_start, backup_step};
pub use hooks::Hook;
pub use open::OpenFlags;

/// Most connections of one component: each has its own handles.
const MAX_CONNECTIONS: usize = 64;

/// How far a backup is.
#[derive(Clone, Copy)]
pub struct Progress {
    /// All pages are copied.
    pub is_done: bool,
    /// Pages that are not copied yet.
    pub remaining: u32,
    /// Pages of the source.
    pub total: u32,
}

/// A connection of the program.
struct Opened {
    db: OpenConnection,
    /// Whose its statements and blobs are, where those of extensions have the extension. No
    /// extension has such a number: the host counts from 0, and each one up to here would have been
    /// attached a million times.
    owner: u32,
}

impl Drop for Opened {
    /// Functions and hooks end with the connection itself.
    fn drop(&mut self) {
        open_handles::forget(self.db.id(), self.owner);
        open_handles::close_all(self.db.id());
        self.db.clear_hooks::<hooks::ProgramHooks>();
    }
}

thread_local! {
    /// By number; a closed connection leaves its place to another one.
    static CONNECTIONS: RefCell<Vec<Option<Rc<Opened>>>> = const { RefCell::new(Vec::new()) };
}

/// Open the database at `path`: the connection's number.
///
/// # Errors
///
/// SQLite's, and SQLITE_MISUSE for too many connections.
pub fn open(path: &[u8], flags: OpenFlags, busy_milliseconds: u32) -> Result<u32, SqlError> {
    open::prepare();
    let number =
        CONNECTIONS.with_borrow(|all| all.iter().position(Option::is_none).unwrap_or(all.len()));
    if number >= MAX_CONNECTIONS {
        let message = format!("{MAX_CONNECTIONS} connections are open already");
        return Err(failure(sqlite::SQLITE_MISUSE, &message));
    }
    let db = open::connect(path, flags, busy_milliseconds)?;
    let opened = Rc::new(Opened { db, owner: u32::MAX - number as u32 });
    CONNECTIONS.with_borrow_mut(|all| match all.get_mut(number) {
        Some(place) => *place = Some(opened),
        None => all.push(Some(opened)),
    });
    Ok(number as u32)
}

fn get(connection: u32) -> Result<Rc<Opened>, SqlError> {
    let found = CONNECTIONS.with_borrow(|all| all.get(connection as usize).cloned().flatten());
    found.ok_or_else(missing)
}

fn missing() -> SqlError {
    failure(sqlite::SQLITE_MISUSE, "there is no such connection or backup")
}

/// Close a connection, with all that belongs to it.
///
/// # Errors
///
/// SQLITE_MISUSE for an unknown connection.
pub fn close(connection: u32) -> Result<(), SqlError> {
    backups::finish_all_of(connection);
    // Dropped when the list is not borrowed any more: closing calls extensions.
    let closed = CONNECTIONS.with_borrow_mut(|all| all.get_mut(connection as usize)?.take());
    closed.map(drop).ok_or_else(missing)
}

/// Perform operations: the reply of the one that has a reply.
///
/// # Errors
///
/// That of the first one that fails.
pub fn perform(connection: u32, operations: &[u8]) -> Result<Vec<u8>, SqlError> {
    let opened = get(connection)?;
    let caller = Caller { db: &opened.db, extension: opened.owner };
    blob_cache::during_step(|| perform::perform(caller, operations))
}

/// A connection for `libsqlite3.so.0`, which calls SQLite's functions itself.
///
/// # Errors
///
/// SQLITE_MISUSE for an unknown connection.
pub fn pointer(connection: u32) -> Result<*mut sqlite::sqlite3, SqlError> {
    get(connection).map(|opened| opened.db.as_ptr())
}

/// Let SQL call the program by `callback`; none removes the function.
///
/// # Errors
///
/// As SQLite refuses it: SQLITE_BUSY while it runs.
pub fn create_function(
    connection: u32,
    callback: Option<u32>,
    function: &Function,
) -> Result<(), SqlError> {
    let callback = callback.map(Callback::new);
    let opened = get(connection)?;
    functions::create(&opened.db, callback, function)
}

/// Let SQL compare by the program; none removes the collation.
///
/// # Errors
///
/// As SQLite refuses it.
pub fn create_collation(
    connection: u32,
    callback: Option<u32>,
    name: &str,
) -> Result<(), SqlError> {
    let callback = callback.map(Callback::new);
    let opened = get(connection)?;
    functions::create_collation(&opened.db, callback, name)
}

/// Set, replace or remove a hook.
///
/// # Errors
///
/// SQLITE_NOMEM.
pub fn set_hook(connection: u32, hook: Hook, callback: Option<u32>) -> Result<(), SqlError> {
    let callback = callback.map(Callback::new);
    let opened = get(connection)?;
    hooks::set(&opened.db, hook, callback)
}

/// Load an extension by its name or path.
///
/// # Errors
///
/// Why it cannot be loaded or registered.
pub fn load_extension(connection: u32, name: &str) -> Result<(), SqlError> {
    let opened = get(connection)?;
    let loaded = load::load(name).map_err(|why| failure(sqlite::SQLITE_ERROR, &why))?;
    load::connect(&opened.db, &loaded)
}

/// A name for SQLite.
fn c_name(name: &str) -> Result<CString, SqlError> {
    CString::new(name).map_err(|_| failure(sqlite::SQLITE_ERROR, "a name has a NUL"))
}
