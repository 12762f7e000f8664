//! Opening connections.

use std::cell::RefCell;
use std::ffi::{CString, c_int};
use std::sync::Once;

use libsqlite3_sys as sqlite;
use wire::code;

use crate::host::dispatch::SqlError;
use crate::program::{Hooks, set_hooks};
use crate::sqlite::connection::OpenConnection;
use crate::sqlite::error::failure;

thread_local! {
    /// Why an embedded extension cannot use the connection that is being opened.
    static COMPLAINT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The start-up of a command-line program.
pub fn prepare() {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(|| {
        let complain = |what: &str| COMPLAINT.set(Some(what.to_owned()));
        set_hooks(Hooks { refused_functions: &[], interrupted: || (), complain });
    });
}

/// Open a connection.
pub fn connect(
    path: &[u8],
    flags: c_int,
    busy_milliseconds: u32,
) -> Result<OpenConnection, SqlError> {
    let path = CString::new(path).map_err(|_| failure(code::CANTOPEN, "the path has a NUL"))?;
    COMPLAINT.take();
    let db = OpenConnection::open(&path, flags | sqlite::SQLITE_OPEN_EXRESCODE)?;
    if let Some(complaint) = COMPLAINT.take() {
        return Err(failure(code::CANTOPEN, &complaint));
    }
    db.set_busy_timeout(busy_milliseconds);
    Ok(db)
}
