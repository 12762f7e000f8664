//! The table `extension_stats`: what each loaded extension has done and used.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{
    sqlite3, sqlite3_context, sqlite3_index_info, sqlite3_int64, sqlite3_module, sqlite3_value,
    sqlite3_vtab, sqlite3_vtab_cursor,
};

use crate::host::dispatch::{self, ExtensionUsage};

const DECLARATION: &std::ffi::CStr = c"CREATE TABLE x(name TEXT, calls INTEGER, batches INTEGER, \
    sql_requests INTEGER, time_ms INTEGER, peak_memory_bytes INTEGER, starts INTEGER)";

/// A guess for the planner; there are few.
const ROWS: sqlite3_int64 = 10;

/// Callbacks as SQLite reads them, for the whole life of the program.
struct Module(sqlite3_module);

// SAFETY: a component has one thread.
unsafe impl Sync for Module {}

static MODULE: Module = Module(sqlite3_module {
    iVersion: 0,
    xCreate: None,
    xConnect: Some(connect),
    xBestIndex: Some(best_index),
    xDisconnect: Some(disconnect),
    xDestroy: None,
    xOpen: Some(open),
    xClose: Some(close),
    xFilter: Some(filter),
    xNext: Some(next),
    xEof: Some(eof),
    xColumn: Some(column),
    xRowid: Some(row_id),
    xUpdate: None,
    xBegin: None,
    xSync: None,
    xCommit: None,
    xRollback: None,
    xFindFunction: None,
    xRename: None,
    xSavepoint: None,
    xRelease: None,
    xRollbackTo: None,
    xShadowName: None,
    xIntegrity: None,
});

#[repr(C)]
struct Cursor {
    head: sqlite3_vtab_cursor,
    extensions: Vec<ExtensionUsage>,
    row: usize,
}

/// Offer the table on a connection.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn register(db: *mut sqlite3) -> c_int {
    // SAFETY: the caller's connection; the module lives as long as the program.
    unsafe {
        let name = c"extension_stats".as_ptr();
        sqlite::sqlite3_create_module_v2(db, name, &MODULE.0, null_mut(), None)
    }
}

unsafe extern "C" fn connect(
    db: *mut sqlite3,
    _: *mut c_void,
    _: c_int,
    _: *const *const c_char,
    table: *mut *mut sqlite3_vtab,
    _: *mut *mut c_char,
) -> c_int {
    // SAFETY: SQLite's own arguments; it fills in the table.
    unsafe {
        *table = Box::into_raw(Box::new(std::mem::zeroed()));
        sqlite::sqlite3_vtab_config(db, sqlite::SQLITE_VTAB_INNOCUOUS);
        sqlite::sqlite3_declare_vtab(db, DECLARATION.as_ptr())
    }
}

unsafe extern "C" fn disconnect(table: *mut sqlite3_vtab) -> c_int {
    // SAFETY: it came from `connect`, and SQLite disconnects it once.
    drop(unsafe { Box::from_raw(table) });
    sqlite::SQLITE_OK
}

unsafe extern "C" fn best_index(_: *mut sqlite3_vtab, info: *mut sqlite3_index_info) -> c_int {
    // SAFETY: SQLite's own argument.
    unsafe {
        (*info).estimatedCost = ROWS as f64;
        (*info).estimatedRows = ROWS;
    }
    sqlite::SQLITE_OK
}

unsafe extern "C" fn open(_: *mut sqlite3_vtab, cursor: *mut *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite fills in the head.
    unsafe {
        let opened = Cursor { head: std::mem::zeroed(), extensions: Vec::new(), row: 0 };
        *cursor = Box::into_raw(Box::new(opened)).cast();
    }
    sqlite::SQLITE_OK
}

unsafe extern "C" fn close(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: it came from `open`, and SQLite closes it once.
    drop(unsafe { Box::from_raw(cursor.cast::<Cursor>()) });
    sqlite::SQLITE_OK
}

/// # Safety
///
/// `cursor` is one that `open` made and that was not closed.
unsafe fn cursor_of<'a>(cursor: *mut sqlite3_vtab_cursor) -> &'a mut Cursor {
    // SAFETY: the caller's promise.
    unsafe { &mut *cursor.cast::<Cursor>() }
}

unsafe extern "C" fn filter(
    cursor: *mut sqlite3_vtab_cursor,
    _: c_int,
    _: *const c_char,
    _: c_int,
    _: *mut *mut sqlite3_value,
) -> c_int {
    // SAFETY: SQLite's own argument.
    let cursor = unsafe { cursor_of(cursor) };
    cursor.extensions = dispatch::statistics();
    cursor.row = 0;
    sqlite::SQLITE_OK
}

unsafe extern "C" fn next(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    unsafe { cursor_of(cursor) }.row += 1;
    sqlite::SQLITE_OK
}

unsafe extern "C" fn eof(cursor: *mut sqlite3_vtab_cursor) -> c_int {
    // SAFETY: SQLite's own argument.
    let cursor = unsafe { cursor_of(cursor) };
    c_int::from(cursor.row >= cursor.extensions.len())
}

unsafe extern "C" fn column(
    cursor: *mut sqlite3_vtab_cursor,
    context: *mut sqlite3_context,
    column: c_int,
) -> c_int {
    // SAFETY: SQLite's own arguments; it copies the name.
    unsafe {
        let cursor = cursor_of(cursor);
        let Some(extension) = cursor.extensions.get(cursor.row) else {
            return sqlite::SQLITE_OK;
        };
        let number = match column {
            0 => {
                let (name, length) = (extension.name.as_ptr(), extension.name.len() as c_int);
                let copied = sqlite::SQLITE_TRANSIENT();
                sqlite::sqlite3_result_text(context, name.cast(), length, copied);
                return sqlite::SQLITE_OK;
            }
            1 => extension.calls,
            2 => extension.batches,
            3 => extension.requests,
            4 => extension.time,
            5 => extension.peak_memory,
            _ => extension.starts.into(),
        };
        sqlite::sqlite3_result_int64(context, number as i64);
    }
    sqlite::SQLITE_OK
}

unsafe extern "C" fn row_id(cursor: *mut sqlite3_vtab_cursor, row_id: *mut sqlite3_int64) -> c_int {
    // SAFETY: SQLite's own arguments.
    unsafe { *row_id = cursor_of(cursor).row as i64 };
    sqlite::SQLITE_OK
}
