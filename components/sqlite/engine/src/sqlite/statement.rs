//! Prepared statements.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt, sqlite3_value};
use wire::{Value as Content, code};

use super::connection::Connection;
use super::value::Value;

/// A prepared statement, finalized when it is dropped. SQLite does not close a connection before
/// its statements.
pub struct Statement(NonNull<sqlite3_stmt>);

/// What SQLite has made of a text.
pub struct Prepared {
    pub code: c_int,
    /// None after a failure, and for white space and comments.
    pub statement: Option<Statement>,
    /// The length of the first statement in bytes.
    pub used: usize,
}

/// The functions that prepare a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// `sqlite3_prepare_v3` with its flags.
    Current(c_uint),
    /// `sqlite3_prepare`.
    Legacy,
}

impl Interface {
    /// As `sqlite3_prepare_v2`.
    pub const PLAIN: Self = Self::Current(0);
}

unsafe extern "C" {
    // In `internals.c`.
    fn engine_column(statement: *mut sqlite3_stmt, index: c_int) -> *mut sqlite3_value;
    fn engine_is_at_end(statement: *mut sqlite3_stmt) -> c_int;
    // `libsqlite3-sys` leaves it out.
    fn sqlite3_prepare(
        db: *mut sqlite3,
        sql: *const c_char,
        length: c_int,
        statement: *mut *mut sqlite3_stmt,
        tail: *mut *const c_char,
    ) -> c_int;
}

impl Statement {
    /// Prepare the first statement of `sql`. Without a zero at its end SQLite copies the text.
    pub fn prepare(db: &Connection, sql: &[u8], interface: Interface) -> Prepared {
        let (mut statement, mut tail, start) = (null_mut(), null(), sql.as_ptr().cast());
        let Ok(length) = c_int::try_from(sql.len()) else {
            return Prepared { code: code::TOOBIG, statement: None, used: 0 };
        };
        let db = db.as_ptr();
        // SAFETY: an open connection, and a text of that length.
        let code = unsafe {
            match interface {
                Interface::Current(flags) => {
                    sqlite::sqlite3_prepare_v3(db, start, length, flags, &mut statement, &mut tail)
                }
                Interface::Legacy => sqlite3_prepare(db, start, length, &mut statement, &mut tail),
            }
        };
        let used = if tail.is_null() { 0 } else { tail.addr() - start.addr() };
        Prepared { code, statement: Self::owned(statement), used }
    }

    /// # Safety
    ///
    /// A statement that is not finalized, for whose end the caller cares.
    pub unsafe fn from_ptr(statement: NonNull<sqlite3_stmt>) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self(statement))
    }

    pub fn as_ptr(&self) -> *mut sqlite3_stmt {
        self.0.as_ptr()
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
    pub fn bind(&mut self, parameter: c_int, value: Content<&[u8]>) -> c_int {
        let (statement, copied) = (self.0.as_ptr(), sqlite::SQLITE_TRANSIENT());
        // SAFETY: the statement is not finalized; SQLite copies the bytes before it returns.
        unsafe {
            match value {
                Content::Null => sqlite::sqlite3_bind_null(statement, parameter),
                Content::Integer(integer) => {
                    sqlite::sqlite3_bind_int64(statement, parameter, integer)
                }
                Content::Real(real) => sqlite::sqlite3_bind_double(statement, parameter, real),
                Content::Text(text) => {
                    let (start, count) = (text.as_ptr().cast(), text.len() as u64);
                    let encoding = sqlite::SQLITE_UTF8 as u8;
                    sqlite::sqlite3_bind_text64(
                        statement, parameter, start, count, copied, encoding,
                    )
                }
                Content::Blob(blob) => {
                    let (start, count) = (blob.as_ptr().cast(), blob.len() as u64);
                    sqlite::sqlite3_bind_blob64(statement, parameter, start, count, copied)
                }
            }
        }
    }

    /// Bind a blob of zeros. Returns the result code.
    pub fn bind_zeros(&mut self, parameter: c_int, count: u64) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_bind_zeroblob64(self.0.as_ptr(), parameter, count) }
    }

    /// As `sqlite3_clear_bindings`.
    pub fn clear_bindings(&mut self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_clear_bindings(self.0.as_ptr()) }
    }

    /// As `sqlite3_step`.
    #[inline]
    pub fn step(&mut self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_step(self.0.as_ptr()) }
    }

    /// After a row: whether the next step takes no time, returns no row, and reads nothing that may
    /// change before.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        // SAFETY: the statement is not finalized, and has just returned a row.
        unsafe { engine_is_at_end(self.0.as_ptr()) != 0 }
    }

    /// As `sqlite3_stmt_status`.
    pub fn status(&self, counter: c_int, reset: c_int) -> c_int {
        // SAFETY: the statement is not finalized; SQLite checks the counter.
        unsafe { sqlite::sqlite3_stmt_status(self.0.as_ptr(), counter, reset) }
    }

    /// As `sqlite3_stmt_explain`.
    pub fn explain(&mut self, mode: c_int) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_stmt_explain(self.0.as_ptr(), mode) }
    }

    /// The database, the table and the name in that table from which a column comes.
    #[cfg(feature = "programs")]
    pub fn column_origin(&self, column: c_int) -> [Option<&[u8]>; 3] {
        let statement = self.0.as_ptr();
        // SAFETY: a step needs the statement mutable, so the texts outlive the borrow.
        unsafe {
            [
                name(sqlite::sqlite3_column_database_name(statement, column)),
                name(sqlite::sqlite3_column_table_name(statement, column)),
                name(sqlite::sqlite3_column_origin_name(statement, column)),
            ]
        }
    }

    /// As `sqlite3_reset`.
    pub fn reset(&mut self) -> c_int {
        // SAFETY: the statement is not finalized.
        unsafe { sqlite::sqlite3_reset(self.0.as_ptr()) }
    }

    /// As `sqlite3_finalize`.
    pub fn finalize(self) -> c_int {
        let statement = ManuallyDrop::new(self);
        // SAFETY: the statement is finalized once.
        unsafe { sqlite::sqlite3_finalize(statement.0.as_ptr()) }
    }

    /// The values of the current row; none without a row.
    #[inline]
    pub fn row(&self) -> impl Iterator<Item = &Value> {
        let statement = self.0.as_ptr();
        // SAFETY: the statement is not finalized.
        let width = unsafe { sqlite::sqlite3_data_count(statement) };
        // SAFETY: the row has as many values. A step needs the statement mutable, so they outlive the
        // borrow.
        (0..width).map(move |column| unsafe { Value::from_ptr(engine_column(statement, column)) })
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
