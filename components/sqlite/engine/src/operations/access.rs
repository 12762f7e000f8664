//! Checks whether a request may run a statement, and the error if it may not. The rule is in
//! `read_only`.

use wire::code;

use crate::host::dispatch::SqlError;
use crate::left_behind;
use crate::read_only::{self, Access};
use crate::sqlite::connection::Connection;
use crate::sqlite::error::failure;
use crate::sqlite::statement::Statement;

/// The error for a statement that does more than read.
fn refusal() -> SqlError {
    let message = match read_only::current() {
        Some(Access::Inherited) => "it is called by an extension that may only read (`sql:ro`)",
        _ => "it may only read; `sql` lets it write",
    };
    failure(code::AUTH, message)
}

/// Why the last call on `db` failed. Errors of the authorizer and of `query_only` name the rule.
pub fn last_error(db: &Connection) -> SqlError {
    let error = db.last_error();
    if let (code::AUTH, Some(refusal)) = (error.code, left_behind::take_refusal()) {
        return failure(code::AUTH, refusal);
    }
    let is_refusal = matches!(error.code, code::AUTH | code::READONLY);
    if read_only::is_reading() && is_refusal { refusal() } else { error }
}

/// Fails if nothing may be written.
pub fn check_write() -> Result<(), SqlError> {
    if read_only::is_reading() { Err(refusal()) } else { Ok(()) }
}

/// Fails for a statement that may not run now. It may have been prepared before the current
/// request, when more was allowed.
pub fn check_run(db: &Connection, statement: &Statement) -> Result<(), SqlError> {
    if !read_only::is_reading() || (statement.is_read_only() && begins_reading(statement.sql())) {
        return Ok(());
    }
    if !statement.is_read_only() {
        return Err(refusal());
    }
    // COMMIT and ATTACH write nothing to SQLite, but the authorizer refuses them when they are
    // prepared.
    statement.prepare_again(db).map(drop).ok_or_else(|| last_error(db))
}

/// First words of statements that only read if SQLite reports that they write nothing. Those of
/// transactions are not included.
const READING: &[&str] = &["SELECT", "VALUES", "WITH", "EXPLAIN"];

/// Whether the first word of a statement is one of [`READING`].
fn begins_reading(sql: &[u8]) -> bool {
    let Ok(sql) = str::from_utf8(sql) else { return false };
    let first = sql_tokens::first_word(sql);
    READING.iter().any(|word| word.eq_ignore_ascii_case(first))
}
