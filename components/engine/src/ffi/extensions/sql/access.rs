//! Which statements only read.

use libsqlite3_sys as sqlite;

use super::super::abi::failure;
use crate::host::dispatch::SqlError;

/// The error of what is more than reading.
pub fn refusal() -> SqlError {
    failure(sqlite::SQLITE_AUTH, "it may only read; `sql` lets it write")
}

/// What a statement that only reads begins with. PRAGMA, ATTACH and
/// transactions are no writes to SQLite, but change more than an answer.
const READING: &[&str] = &["SELECT", "VALUES", "WITH", "EXPLAIN"];

/// Whether the first word of `sql` is that of a statement that reads.
pub fn begins_reading(sql: &str) -> bool {
    let sql = without_comments(sql);
    let end = sql.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(sql.len());
    READING.iter().any(|word| word.eq_ignore_ascii_case(&sql[..end]))
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
