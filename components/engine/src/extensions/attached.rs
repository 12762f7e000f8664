//! The extensions that each connection uses, by the numbers that it calls them
//! by. SQLite keeps the list with the connection, and tells when that is
//! closed.

use std::ffi::{CStr, c_void};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::abi::failure;
use super::{embedded, pointers, sql};
use crate::host::dispatch::{self, SqlError};

/// The name of the list among the data that SQLite keeps for a connection.
const LIST: &CStr = c"sqlite-wasm-extensions";

struct Attached {
    db: *mut sqlite3,
    entries: Vec<Entry>,
}

struct Entry {
    extension: u32,
    /// The connection's own number of it.
    number: u32,
    name: String,
}

/// # Safety
///
/// `db` is an open connection; one list is used at a time.
unsafe fn list<'a>(db: *mut sqlite3) -> Option<&'a mut Attached> {
    // SAFETY: the caller's connection; under this name there is nothing else.
    unsafe { sqlite::sqlite3_get_clientdata(db, LIST.as_ptr()).cast::<Attached>().as_mut() }
}

/// The number by which a connection calls an extension that it has attached.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn number(db: *mut sqlite3, extension: u32) -> Option<u32> {
    // SAFETY: the caller's connection.
    let list = unsafe { list(db) }?;
    list.entries.iter().find(|entry| entry.extension == extension).map(|entry| entry.number)
}

/// What an extension that a connection calls by `number` is called.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn name(db: *mut sqlite3, number: u32) -> String {
    // SAFETY: the caller's connection.
    let entries = unsafe { list(db) }.map_or(&[][..], |list| &list.entries);
    let attached = entries.iter().find(|entry| entry.number == number);
    let name = attached.map(|entry| entry.name.as_str()).or_else(|| embedded::name(number));
    name.unwrap_or_default().to_owned()
}

/// The number by which a connection calls the extension `name` from now on.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn attach(db: *mut sqlite3, extension: u32, name: &str) -> Result<u32, SqlError> {
    // SAFETY: the caller's connection.
    unsafe {
        if let Some(number) = number(db, extension) {
            return Ok(number);
        }
        if list(db).is_none() {
            let fresh = Box::into_raw(Box::new(Attached { db, entries: Vec::new() }));
            // SQLite frees it through `closed`, also when it has no memory.
            let code =
                sqlite::sqlite3_set_clientdata(db, LIST.as_ptr(), fresh.cast(), Some(closed));
            if code != sqlite::SQLITE_OK {
                return Err(failure(code, "no memory is left for another extension"));
            }
        }
        let number = dispatch::attach(extension)?;
        if let Some(list) = list(db) {
            list.entries.push(Entry { extension, number, name: name.to_owned() });
        }
        Ok(number)
    }
}

/// SQLite closes the connection: its statements are gone, its functions not
/// yet, and none of them is called any more.
unsafe extern "C" fn closed(list: *mut c_void) {
    // SAFETY: it came from `Box::into_raw`, and is freed once.
    let list = unsafe { Box::from_raw(list.cast::<Attached>()) };
    for Entry { extension, number, .. } in &list.entries {
        // The host tells of what traps; SQLite closes in any case.
        let _ = dispatch::disconnect(*number);
        // SAFETY: nothing runs on the connection.
        unsafe { sql::forget(list.db, *number) };
        if number != extension {
            pointers::take(*number);
        }
    }
}
