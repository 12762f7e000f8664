//! Prepared statements.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{NonNull, null, null_mut};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_stmt;
use wire::{Value, code};

use super::connection::Connection;

/// A prepared statement, finalized when it is dropped. SQLite does not close a connection before
/// its statements.
pub struct Statement(NonNull<sqlite3_stmt>);

/// The outcome of a step.
pub enum Step {
    Row,
    Done,
    Failed,
}

impl Statement {
    /// Prepare the first statement of `sql`. Returns the statement, none for white space and
    /// comments, and its length in bytes. None if SQLite refuses it, or if the text has 2 GiB.
    pub fn prepare(db: &Connection, sql: &str) -> Option<(Option<Self>, usize)> {
        let (mut statement, mut tail, start) = (null_mut(), null(), sql.as_ptr().cast());
        let length = c_int::try_from(sql.len()).ok()?;
        // SAFETY: an open connection, and a text of that length. The tail points into the text.
        unsafe {
            let (db, tail) = (db.as_ptr(), &mut tail);
            let code = sqlite::sqlite3_prepare_v2(db, start, length, &mut statement, tail);
            let is_prepared = code == code::OK;
            is_prepared.then(|| (Self::owned(statement), tail.offset_from_unsigned(start)))
        }
    }

    /// A statement that the caller owns, if there is one.
    fn owned(statement: *mut sqlite3_stmt) -> Option<Self> {
        NonNull::new(statement).map(Self)
    }

    /// Prepare its text again.
    pub fn prepare_again(&self, db: &Connection) -> Option<Self> {
        let mut again = null_mut();
        // SAFETY: an open connection; the text of the statement is a C string.
        unsafe {
            let text = sqlite::sqlite3_sql(self.0.as_ptr());
            sqlite::sqlite3_prepare_v2(db.as_ptr(), text, -1, &mut again, &mut null());
        }
        Self::owned(again)
    }

    /// Its text.
    pub fn sql(&self) -> &[u8] {
        // SAFETY: the statement keeps its text, a C string, until it is finalized.
        unsafe { CStr::from_ptr(sqlite::sqlite3_sql(self.0.as_ptr())) }.to_bytes()
    }

    /// Its text with its bound values; none if it is too long.
    pub fn expanded_sql(&self) -> Option<Vec<u8>> {
        // SAFETY: the statement is not finalized. The text is the caller's, to be freed by SQLite.
        unsafe {
            let text = sqlite::sqlite3_expanded_sql(self.0.as_ptr());
            let copy = name(text).map(<[u8]>::to_vec);
            sqlite::sqlite3_free(text.cast());
            copy
        }
    }

    /// As `sqlite3_stmt_readonly`.
    pub fn is_read_only(&self) -> bool {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_stmt_readonly(self.0.as_ptr()) != 0 }
    }

    /// As `sqlite3_stmt_isexplain`.
    pub fn is_explain(&self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_stmt_isexplain(self.0.as_ptr()) }
    }

    pub fn parameter_count(&self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_bind_parameter_count(self.0.as_ptr()) }
    }

    /// The name of a parameter, from 1 on.
    pub fn parameter_name(&self, parameter: c_int) -> Option<&[u8]> {
        // SAFETY: the statement keeps its parameters' names until it is finalized.
        unsafe { name(sqlite::sqlite3_bind_parameter_name(self.0.as_ptr(), parameter)) }
    }

    pub fn column_count(&self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_column_count(self.0.as_ptr()) }
    }

    /// The name of a column, valid until a step prepares the statement again.
    pub fn column_name(&self, column: c_int) -> Option<&[u8]> {
        // SAFETY: a step needs the statement mutable, so the name outlives the borrow.
        unsafe { name(sqlite::sqlite3_column_name(self.0.as_ptr(), column)) }
    }

    /// The declared type of a column.
    pub fn column_type(&self, column: c_int) -> Option<&[u8]> {
        // SAFETY: a step needs the statement mutable, so the text outlives the borrow.
        unsafe { name(sqlite::sqlite3_column_decltype(self.0.as_ptr(), column)) }
    }

    /// Bind a copy of a value. Returns the result code.
    pub fn bind(&mut self, parameter: c_int, value: Value<&[u8]>) -> c_int {
        let (statement, copied) = (self.0.as_ptr(), sqlite::SQLITE_TRANSIENT());
        // SAFETY: the statement is not finalized; SQLite copies the bytes before it returns.
        unsafe {
            match value {
                Value::Null => sqlite::sqlite3_bind_null(statement, parameter),
                Value::Integer(integer) => {
                    sqlite::sqlite3_bind_int64(statement, parameter, integer)
                }
                Value::Real(real) => sqlite::sqlite3_bind_double(statement, parameter, real),
                Value::Text(text) => {
                    let (start, count) = (text.as_ptr().cast(), text.len() as u64);
                    let encoding = sqlite::SQLITE_UTF8 as u8;
                    sqlite::sqlite3_bind_text64(
                        statement, parameter, start, count, copied, encoding,
                    )
                }
                Value::Blob(blob) => {
                    let (start, count) = (blob.as_ptr().cast(), blob.len() as u64);
                    sqlite::sqlite3_bind_blob64(statement, parameter, start, count, copied)
                }
            }
        }
    }

    /// As `sqlite3_step`.
    pub fn step(&mut self) -> Step {
        // SAFETY: the statement is not finalized.
        match unsafe { sqlite::sqlite3_step(self.0.as_ptr()) } {
            code::ROW => Step::Row,
            code::DONE => Step::Done,
            _ => Step::Failed,
        }
    }

    /// As `sqlite3_reset`.
    pub fn reset(&mut self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_reset(self.0.as_ptr()) }
    }

    /// A column of the current row; NULL without a row.
    pub fn column(&self, column: c_int) -> Value<&[u8]> {
        let statement = self.0.as_ptr();
        // SAFETY: a step needs the statement mutable, so the value outlives the borrow. Each class
        // is read as itself, which converts nothing.
        unsafe {
            match sqlite::sqlite3_column_type(statement, column) {
                sqlite::SQLITE_NULL => Value::Null,
                sqlite::SQLITE_INTEGER => {
                    Value::Integer(sqlite::sqlite3_column_int64(statement, column))
                }
                sqlite::SQLITE_FLOAT => {
                    Value::Real(sqlite::sqlite3_column_double(statement, column))
                }
                sqlite::SQLITE_TEXT => {
                    let text = sqlite::sqlite3_column_text(statement, column);
                    Value::Text(self.column_bytes(column, text))
                }
                _ => {
                    let blob = sqlite::sqlite3_column_blob(statement, column);
                    Value::Blob(self.column_bytes(column, blob.cast()))
                }
            }
        }
    }

    /// # Safety
    ///
    /// SQLite has just returned `start` for the column.
    unsafe fn column_bytes(&self, column: c_int, start: *const u8) -> &[u8] {
        // SAFETY: the caller's promise; the length is that of the bytes at `start`.
        unsafe {
            match sqlite::sqlite3_column_bytes(self.0.as_ptr(), column) as usize {
                0 => &[],
                _ if start.is_null() => &[],
                count => slice::from_raw_parts(start, count),
            }
        }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: the statement is finalized once.
        unsafe { sqlite::sqlite3_finalize(self.0.as_ptr()) };
    }
}

/// # Safety
///
/// `text` is null, or a C string that stays during `'a`.
unsafe fn name<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}
