//! Connections that the engine opens itself.

use std::ffi::{CStr, c_int};
use std::ops::Deref;
use std::ptr::{NonNull, null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::connection::Connection;
use super::error::failure;
use crate::host::dispatch::SqlError;

/// A connection that is closed when it is dropped. Its statements, blobs and backups end before it:
/// SQLite would keep it open for them.
pub struct OpenConnection(NonNull<sqlite3>);

impl OpenConnection {
    /// As `sqlite3_open_v2`.
    pub fn open(path: &CStr, flags: c_int) -> Result<Self, SqlError> {
        let mut db = null_mut();
        // SAFETY: C strings, and a variable for the connection.
        let code = unsafe { sqlite::sqlite3_open_v2(path.as_ptr(), &mut db, flags, null()) };
        // Without memory there is no connection; a failed one has the message.
        let opened = NonNull::new(db).map(Self);
        let no_memory = || failure(sqlite::SQLITE_NOMEM, "no memory is left for a connection");
        let opened = opened.ok_or_else(no_memory)?;
        if code == sqlite::SQLITE_OK { Ok(opened) } else { Err(opened.last_error()) }
    }

    /// As `sqlite3_busy_timeout`.
    pub fn set_busy_timeout(&self, milliseconds: u32) {
        let milliseconds = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_busy_timeout(self.as_ptr(), milliseconds) };
    }
}

impl Deref for OpenConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        // SAFETY: the connection is open until it is dropped.
        unsafe { Connection::from_ptr(self.0.as_ptr()) }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        // SAFETY: the connection is open, and closed once.
        unsafe { sqlite::sqlite3_close(self.0.as_ptr()) };
    }
}
