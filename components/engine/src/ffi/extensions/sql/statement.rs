//! Prepared statements.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{null, null_mut};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt};

use super::super::abi::failure;
use super::access;
use super::work::Value;
use super::{kept, parked, refused};
use crate::ffi::read_only::{self, Access};
use crate::host::dispatch::SqlError;

/// Bytes of text and blobs after which a batch of rows ends, whatever was asked
/// for: they are in memory four times on their way.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// The first statement of `text`, null when there is none, and how much of the
/// text it is.
///
/// # Safety
///
/// `db` is an open connection.
unsafe fn first(db: *mut sqlite3, text: &str) -> Result<(*mut sqlite3_stmt, usize), SqlError> {
    let mut statement = null_mut();
    let mut tail = null();
    let length = c_int::try_from(text.len())
        .map_err(|_| failure(sqlite::SQLITE_TOOBIG, "the SQL is too long"))?;
    // SAFETY: the caller's connection; the text has that length.
    unsafe {
        let start = text.as_ptr().cast();
        if sqlite::sqlite3_prepare_v2(db, start, length, &mut statement, &mut tail)
            != sqlite::SQLITE_OK
        {
            return Err(refused(db));
        }
        Ok((statement, tail.offset_from_unsigned(start)))
    }
}

/// End a statement that writes where nothing may be written.
///
/// # Safety
///
/// It is null, or was just prepared.
unsafe fn check(statement: *mut sqlite3_stmt) -> Result<(), SqlError> {
    // SAFETY: the caller's promise. Null only reads.
    unsafe {
        if sqlite::sqlite3_stmt_readonly(statement) != 0 {
            return Ok(());
        }
        access::check_write().inspect_err(|_| {
            sqlite::sqlite3_finalize(statement);
        })
    }
}

/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn prepare(db: *mut sqlite3, extension: u32, text: &str) -> Result<Vec<u8>, SqlError> {
    // SAFETY: the caller's connection, and the statement that was made on it.
    unsafe {
        let (statement, used) = first(db, text)?;
        if read_only::current() == Some(Access::ReadOnly) {
            check(statement)?;
        }
        let number = match statement.is_null() {
            true => 0,
            false => match kept::keep_statement(db, extension, statement) {
                Ok(handle) => handle + 1,
                Err(error) => {
                    sqlite::sqlite3_finalize(statement);
                    return Err(error);
                }
            },
        };
        let mut reply = Vec::with_capacity(64);
        put_count(&mut reply, number as usize);
        put_count(&mut reply, used);
        reply.push((sqlite::sqlite3_stmt_readonly(statement) != 0).into());
        let parameters = sqlite::sqlite3_bind_parameter_count(statement);
        put_names(&mut reply, parameters, |place| {
            sqlite::sqlite3_bind_parameter_name(statement, place + 1)
        });
        let columns = sqlite::sqlite3_column_count(statement);
        put_names(&mut reply, columns, |place| sqlite::sqlite3_column_name(statement, place));
        Ok(reply)
    }
}

/// A count, as replies have it.
pub fn put_count(reply: &mut Vec<u8>, count: usize) {
    reply.extend_from_slice(&(count as u32).to_le_bytes());
}

/// Bytes with their length in front and a zero byte behind.
pub fn put_bytes(reply: &mut Vec<u8>, bytes: &[u8]) {
    put_count(reply, bytes.len());
    reply.extend_from_slice(bytes);
    reply.push(0);
}

/// # Safety
///
/// Names are C strings, or null.
unsafe fn put_names(reply: &mut Vec<u8>, count: c_int, name: impl Fn(c_int) -> *const c_char) {
    put_count(reply, count as usize);
    for place in 0..count {
        let name = name(place);
        let name = match name.is_null() {
            true => c"",
            // SAFETY: the caller's promise.
            false => unsafe { CStr::from_ptr(name) },
        };
        put_bytes(reply, name.to_bytes());
    }
}

/// What SQLite takes for white space.
const SPACES: [char; 6] = [' ', '\t', '\n', '\x0b', '\x0c', '\r'];

/// Run all statements of `text`.
///
/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn execute(db: *mut sqlite3, mut text: &str) -> Result<(), SqlError> {
    while !text.is_empty() {
        // SAFETY: the caller's connection, and the statement that was made on it.
        unsafe {
            let (statement, used) = first(db, text)?;
            check(statement)?;
            // As in `sqlite3_exec`: places of errors count from a statement on.
            text = text[used..].trim_start_matches(SPACES);
            if statement.is_null() {
                continue;
            }
            parked::make_way_for(statement);
            while sqlite::sqlite3_step(statement) == sqlite::SQLITE_ROW {}
            if sqlite::sqlite3_finalize(statement) != sqlite::SQLITE_OK {
                return Err(failed(db));
            }
        }
    }
    Ok(())
}

/// Why a statement that ran has failed. What it did is taken back, which may be
/// what a parked blob is in.
///
/// # Safety
///
/// `db` is an open connection.
unsafe fn failed(db: *mut sqlite3) -> SqlError {
    // SAFETY: the caller's connection.
    let error = unsafe { refused(db) };
    parked::close_all();
    error
}

/// # Safety
///
/// The handle's connection is open.
pub unsafe fn step(extension: u32, handle: u32, limit: u32) -> Result<Vec<u8>, SqlError> {
    let (db, statement) = kept::statement(extension, handle)?;
    let mut reply = Vec::with_capacity(64);
    let (mut is_last, mut count) = (false, 0u32);
    reply.extend_from_slice(&[0; 9]);
    // SAFETY: a kept statement was not finalized.
    unsafe {
        access::check_run(db, statement)?;
        parked::make_way_for(statement);
        while count < limit && reply.len() < MAX_BATCH_BYTES {
            match sqlite::sqlite3_step(statement) {
                sqlite::SQLITE_ROW => put_row(&mut reply, statement),
                sqlite::SQLITE_DONE => {
                    sqlite::sqlite3_reset(statement);
                    is_last = true;
                    break;
                }
                _ => {
                    let error = failed(db);
                    sqlite::sqlite3_reset(statement);
                    return Err(error);
                }
            }
            count += 1;
        }
    }
    reply[0] = is_last.into();
    reply[1..5].copy_from_slice(&count.to_le_bytes());
    // SAFETY: as above. The schema may have changed with the first step.
    let width = unsafe { sqlite::sqlite3_column_count(statement) };
    reply[5..9].copy_from_slice(&width.to_le_bytes());
    Ok(reply)
}

/// Add the row at which the statement is.
///
/// # Safety
///
/// The statement is at a row.
unsafe fn put_row(reply: &mut Vec<u8>, statement: *mut sqlite3_stmt) {
    // SAFETY: the caller's promise; a column's value is there until the next
    // step.
    unsafe {
        for column in 0..sqlite::sqlite3_column_count(statement) {
            match sqlite::sqlite3_column_type(statement, column) {
                sqlite::SQLITE_NULL => reply.push(0),
                sqlite::SQLITE_INTEGER => {
                    reply.push(1);
                    let integer = sqlite::sqlite3_column_int64(statement, column);
                    reply.extend_from_slice(&integer.to_le_bytes());
                }
                sqlite::SQLITE_FLOAT => {
                    reply.push(2);
                    let real = sqlite::sqlite3_column_double(statement, column);
                    reply.extend_from_slice(&real.to_le_bytes());
                }
                sqlite::SQLITE_TEXT => {
                    reply.push(3);
                    let text = sqlite::sqlite3_column_text(statement, column);
                    put_bytes(reply, column_bytes(statement, column, text));
                }
                _ => {
                    reply.push(4);
                    let blob = sqlite::sqlite3_column_blob(statement, column);
                    put_bytes(reply, column_bytes(statement, column, blob.cast()));
                }
            }
        }
    }
}

/// # Safety
///
/// `start` is where SQLite says the column's bytes are.
unsafe fn column_bytes<'a>(
    statement: *mut sqlite3_stmt,
    column: c_int,
    start: *const u8,
) -> &'a [u8] {
    // SAFETY: the caller's promise; no bytes have no place.
    unsafe {
        match sqlite::sqlite3_column_bytes(statement, column) as usize {
            0 => &[],
            _ if start.is_null() => &[],
            count => slice::from_raw_parts(start, count),
        }
    }
}

/// Bind a copy of a value.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn bind(
    extension: u32,
    handle: u32,
    parameter: c_int,
    value: Value,
) -> Result<(), SqlError> {
    let (db, statement) = kept::statement(extension, handle)?;
    // SAFETY: a kept statement was not finalized; SQLite copies the bytes.
    let code = unsafe {
        match value {
            Value::Null => sqlite::sqlite3_bind_null(statement, parameter),
            Value::Integer(integer) => sqlite::sqlite3_bind_int64(statement, parameter, integer),
            Value::Real(real) => sqlite::sqlite3_bind_double(statement, parameter, real),
            Value::Text(bytes) => sqlite::sqlite3_bind_text64(
                statement,
                parameter,
                bytes.as_ptr().cast(),
                bytes.len() as u64,
                sqlite::SQLITE_TRANSIENT(),
                sqlite::SQLITE_UTF8 as u8,
            ),
            Value::Blob(bytes) => sqlite::sqlite3_bind_blob64(
                statement,
                parameter,
                bytes.as_ptr().cast(),
                bytes.len() as u64,
                sqlite::SQLITE_TRANSIENT(),
            ),
        }
    };
    // SAFETY: the connection is open.
    if code == sqlite::SQLITE_OK { Ok(()) } else { Err(unsafe { refused(db) }) }
}
