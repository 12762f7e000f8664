//! What SQLite says of statements, columns and databases, as values of replies.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::open_handles;
use super::operations::Wanted;
use super::refused;
use super::statement::{put_bytes, put_count};
use crate::host::dispatch::SqlError;

/// A text as a value, NULL for none.
///
/// # Safety
///
/// It is a C string, or null.
unsafe fn put_text(reply: &mut Vec<u8>, text: *const c_char) {
    if text.is_null() {
        return reply.push(0);
    }
    reply.push(3);
    // SAFETY: the caller's promise.
    put_bytes(reply, unsafe { CStr::from_ptr(text) }.to_bytes());
}

/// Whether a statement explains, and the declared types of its columns.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn described(extension: u32, handle: u32) -> Result<Vec<u8>, SqlError> {
    let (_, statement) = open_handles::statement(extension, handle)?;
    let mut reply = Vec::with_capacity(64);
    // SAFETY: a kept statement was not finalized; types are C strings, or null.
    unsafe {
        reply.push(sqlite::sqlite3_stmt_isexplain(statement) as u8);
        let columns = sqlite::sqlite3_column_count(statement);
        put_count(&mut reply, columns as usize);
        for column in 0..columns {
            put_text(&mut reply, sqlite::sqlite3_column_decltype(statement, column));
        }
    }
    Ok(reply)
}

/// A statement's text with the values that are bound; NULL for one that is too
/// long.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn expanded(extension: u32, handle: u32) -> Result<Vec<u8>, SqlError> {
    let (_, statement) = open_handles::statement(extension, handle)?;
    let mut reply = Vec::new();
    // SAFETY: a kept statement was not finalized; the text is ours to free.
    unsafe {
        let text = sqlite::sqlite3_expanded_sql(statement);
        put_text(&mut reply, text);
        sqlite::sqlite3_free(text.cast::<c_void>());
    }
    Ok(reply)
}

fn pointer(name: Option<&CStr>) -> *const c_char {
    name.map_or(null(), CStr::as_ptr)
}

/// `sqlite3_table_column_metadata`.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn column(
    db: *mut sqlite3,
    schema: Option<&CStr>,
    table: &CStr,
    column: Option<&CStr>,
) -> Result<Vec<u8>, SqlError> {
    let (mut declared, mut collation) = (null(), null());
    let mut flags: [c_int; 3] = [0; 3];
    let [not_null, primary_key, auto_increment] = &mut flags;
    let (schema, column) = (pointer(schema), pointer(column));
    // SAFETY: the caller's connection; the places are this function's own.
    let code = unsafe {
        let table = table.as_ptr();
        sqlite::sqlite3_table_column_metadata(
            db,
            schema,
            table,
            column,
            &mut declared,
            &mut collation,
            not_null,
            primary_key,
            auto_increment,
        )
    };
    if code != sqlite::SQLITE_OK {
        // SAFETY: the caller's connection.
        return Err(unsafe { refused(db) });
    }
    let mut reply = Vec::with_capacity(64);
    // SAFETY: SQLite's own texts, until something else is asked of it.
    unsafe {
        put_text(&mut reply, declared);
        put_text(&mut reply, collation);
    }
    reply.extend(flags.map(|flag| u8::from(flag != 0)));
    Ok(reply)
}

/// A database's name and file, whether it is read-only, and its transaction.
/// There may be none.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn database(db: *mut sqlite3, wanted: Wanted) -> Vec<u8> {
    let mut reply = Vec::with_capacity(64);
    // SAFETY: the caller's connection; SQLite's texts are C strings, or null.
    unsafe {
        let (name, is_none) = match wanted {
            Wanted::Named(name) => (pointer(name), false),
            Wanted::Place(place) => {
                let name = sqlite::sqlite3_db_name(db, place);
                (name, name.is_null())
            }
        };
        let (file, numbers) = match is_none {
            // Null would be `main` to SQLite.
            true => (null(), [-1, -1]),
            false => (
                sqlite::sqlite3_db_filename(db, name),
                [sqlite::sqlite3_db_readonly(db, name), sqlite::sqlite3_txn_state(db, name)],
            ),
        };
        put_text(&mut reply, name);
        put_text(&mut reply, file);
        reply.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    reply
}
