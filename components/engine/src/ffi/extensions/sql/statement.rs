//! Prepared statements.

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt};

use super::super::abi::{failure, free_by_libc, owned};
use super::access::begins_reading;
use super::kept::{self, Kept};
use super::{parked, refused};
use crate::host::dispatch::{SqlError, SqlPrepared, SqlRows, SqlStep, Value};

/// Bytes of text and blobs after which a batch of rows ends, whatever was asked
/// for: they are in memory four times on their way.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// The first statement of `text`, null when there is none, and how much of the
/// text it is.
///
/// # Safety
///
/// `db` is an open connection.
unsafe fn first(
    db: *mut sqlite3,
    text: &str,
    read_only: bool,
) -> Result<(*mut sqlite3_stmt, usize), SqlError> {
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
        let is_refused = read_only
            && !statement.is_null()
            && !(begins_reading(text) && sqlite::sqlite3_stmt_readonly(statement) != 0);
        if is_refused {
            sqlite::sqlite3_finalize(statement);
            return Err(failure(sqlite::SQLITE_AUTH, "it may only read; `sql` lets it write"));
        }
        Ok((statement, tail.offset_from_unsigned(start)))
    }
}

/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn prepare(
    db: *mut sqlite3,
    extension: u32,
    text: &str,
    read_only: bool,
) -> Result<SqlPrepared, SqlError> {
    // SAFETY: the caller's connection, and the statement that was made on it.
    unsafe {
        let (statement, used) = first(db, text, read_only)?;
        if statement.is_null() {
            let (parameters, columns) = (Vec::new(), Vec::new());
            let used = used as u32;
            return Ok(SqlPrepared { statement: None, parameters, columns, read_only: true, used });
        }
        let parameters = 1..=sqlite::sqlite3_bind_parameter_count(statement);
        let columns = 0..sqlite::sqlite3_column_count(statement);
        Ok(SqlPrepared {
            statement: Some(kept::keep(db, extension, Kept::Statement(statement))),
            parameters: parameters
                .map(|place| string(sqlite::sqlite3_bind_parameter_name(statement, place)))
                .collect(),
            columns: columns
                .map(|place| string(sqlite::sqlite3_column_name(statement, place)))
                .collect(),
            read_only: sqlite::sqlite3_stmt_readonly(statement) != 0,
            used: used as u32,
        })
    }
}

/// # Safety
///
/// `text` is a C string or null.
unsafe fn string(text: *const std::ffi::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Run all statements of `text`.
///
/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn execute(db: *mut sqlite3, mut text: &str, read_only: bool) -> Result<(), SqlError> {
    while !text.is_empty() {
        // SAFETY: the caller's connection, and the statement that was made on it.
        unsafe {
            let (statement, used) = first(db, text, read_only)?;
            text = &text[used..];
            if statement.is_null() {
                continue;
            }
            parked::make_way_for(statement);
            while sqlite::sqlite3_step(statement) == sqlite::SQLITE_ROW {}
            if sqlite::sqlite3_finalize(statement) != sqlite::SQLITE_OK {
                return Err(refused(db));
            }
        }
    }
    Ok(())
}

/// # Safety
///
/// The handle's connection is open.
pub unsafe fn step(extension: u32, step: SqlStep) -> Result<SqlRows, SqlError> {
    let (db, statement) = kept::statement(extension, step.statement)?;
    let mut rows = SqlRows { values: Vec::new(), count: 0, is_last: false };
    let mut bytes = 0;
    // SAFETY: a kept statement was not finalized.
    unsafe {
        for (parameter, value) in step.bindings {
            bind(statement, parameter as c_int, value).map_err(|_| refused(db))?;
        }
        parked::make_way_for(statement);
        while rows.count < step.limit && bytes < MAX_BATCH_BYTES {
            match sqlite::sqlite3_step(statement) {
                sqlite::SQLITE_ROW => bytes += take_row(statement, &mut rows),
                sqlite::SQLITE_DONE => {
                    sqlite::sqlite3_reset(statement);
                    rows.is_last = true;
                    break;
                }
                _ => {
                    let error = refused(db);
                    sqlite::sqlite3_reset(statement);
                    return Err(error);
                }
            }
        }
    }
    Ok(rows)
}

/// Add the row at which the statement is: the bytes of its texts and blobs.
///
/// # Safety
///
/// The statement is at a row.
unsafe fn take_row(statement: *mut sqlite3_stmt, rows: &mut SqlRows) -> usize {
    rows.count += 1;
    // SAFETY: the caller's promise.
    let columns = unsafe { sqlite::sqlite3_data_count(statement) };
    (0..columns)
        .map(|column| {
            // SAFETY: a column's value is there until the next step.
            let value = unsafe { owned(sqlite::sqlite3_column_value(statement, column)) };
            let bytes = match &value {
                Value::Text(bytes) | Value::Blob(bytes) => bytes.len(),
                _ => 0,
            };
            rows.values.push(value);
            bytes
        })
        .sum()
}

/// Bind a value, whose memory SQLite takes over.
///
/// # Safety
///
/// The statement was not finalized.
unsafe fn bind(statement: *mut sqlite3_stmt, parameter: c_int, value: Value) -> Result<(), ()> {
    // SAFETY: the memory of a list that came from the host is libc's, and is
    // given away here.
    let code = unsafe {
        match value {
            Value::Null => sqlite::sqlite3_bind_null(statement, parameter),
            Value::Integer(integer) => sqlite::sqlite3_bind_int64(statement, parameter, integer),
            Value::Real(real) => sqlite::sqlite3_bind_double(statement, parameter, real),
            Value::Text(bytes) => {
                let (data, count, free) = free_by_libc(bytes);
                let utf8 = sqlite::SQLITE_UTF8 as u8;
                sqlite::sqlite3_bind_text64(statement, parameter, data.cast(), count, free, utf8)
            }
            Value::Blob(bytes) => {
                let (data, count, free) = free_by_libc(bytes);
                sqlite::sqlite3_bind_blob64(statement, parameter, data.cast(), count, free)
            }
        }
    };
    if code == sqlite::SQLITE_OK { Ok(()) } else { Err(()) }
}
