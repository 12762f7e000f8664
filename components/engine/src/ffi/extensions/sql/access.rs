//! What a request may do, and why it may not: the rule is `read_only`'s.

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_stmt};

use super::super::abi::failure;
use super::refused;
use crate::ffi::read_only::{self, Access};
use crate::host::dispatch::SqlError;

/// The error of what is more than reading.
pub fn refusal() -> SqlError {
    let message = match read_only::current() {
        Some(Access::Lent) => "it is called by an extension that may only read (`sql:ro`)",
        _ => "it may only read; `sql` lets it write",
    };
    failure(sqlite::SQLITE_AUTH, message)
}

/// Fails where nothing may be written.
pub fn check_write() -> Result<(), SqlError> {
    if read_only::is_reading() { Err(refusal()) } else { Ok(()) }
}

/// Whether an error of SQLite is that of the authorizer or of `query_only`.
pub fn is_refusal(code: c_int) -> bool {
    read_only::is_reading() && matches!(code, sqlite::SQLITE_AUTH | sqlite::SQLITE_READONLY)
}

/// Fails for a statement that may not run at the moment. It may have been prepared
/// when more was allowed: before the request that may only read.
///
/// # Safety
///
/// The statement belongs to `db`, and was not finalized.
pub unsafe fn check_run(db: *mut sqlite3, statement: *mut sqlite3_stmt) -> Result<(), SqlError> {
    if !read_only::is_reading() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe {
        if sqlite::sqlite3_stmt_readonly(statement) == 0 {
            return Err(refusal());
        }
        if begins_reading(statement) { Ok(()) } else { check_prepare(db, statement) }
    }
}

/// Fails where the authorizer refuses the statement's text now: COMMIT and ATTACH
/// write nothing to SQLite.
///
/// # Safety
///
/// As [`check_run`].
unsafe fn check_prepare(db: *mut sqlite3, statement: *mut sqlite3_stmt) -> Result<(), SqlError> {
    let mut again = null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        let text = sqlite::sqlite3_sql(statement);
        match sqlite::sqlite3_prepare_v2(db, text, -1, &mut again, &mut null()) {
            sqlite::SQLITE_OK => sqlite::sqlite3_finalize(again),
            _ => return Err(refused(db)),
        };
    }
    Ok(())
}

/// What a statement begins with that only reads, transactions included, where it
/// writes nothing to SQLite.
const READING: &[&str] = &["SELECT", "VALUES", "WITH", "EXPLAIN"];

/// Whether the first word of a statement is that of one that reads.
///
/// # Safety
///
/// The statement was not finalized.
unsafe fn begins_reading(statement: *mut sqlite3_stmt) -> bool {
    // SAFETY: the caller's promise; SQLite's text is a C string.
    let text = unsafe { CStr::from_ptr(sqlite::sqlite3_sql(statement)) }.to_bytes();
    let Ok(text) = str::from_utf8(text) else { return false };
    let text = without_comments(text);
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    READING.iter().any(|word| word.eq_ignore_ascii_case(&text[..end]))
}

/// `sql` from its first word on, as SQLite's tokenizer finds it.
fn without_comments(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start_matches([' ', '\t', '\n', '\x0c', '\r', '\u{feff}', ';']);
        sql = if let Some(comment) = sql.strip_prefix("--") {
            comment.find('\n').map_or("", |end| &comment[end..])
        } else if let Some(comment) = sql.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            return sql;
        };
    }
}
