//! The rule of `sql:ro`: while a read-only request of an extension is prepared or stepped, nothing
//! may be written. The rule also applies to everything that the request calls: functions and tables
//! of other extensions, of the program, and of SQLite.
//!
//! Two checks enforce it, and neither costs anything outside such requests. The authorizer refuses
//! to *prepare* statements that have other effects than rows and results: transactions, ATTACH,
//! schema changes, pragmas. SQLite's flag `query_only` stops statements that *write* when they
//! begin, so it also applies to those that were prepared before, such as FTS5's. INSERT, UPDATE and
//! DELETE can be prepared: tables such as R-Trees prepare them when they are connected.

use std::cell::Cell;
use std::ffi::{CStr, c_int};

use libsqlite3_sys as sqlite;
use sql_tokens::pragmas;

use crate::sqlite::connection::Connection;

/// The access of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    Full,
    /// Its extension has `sql`, but was called by a read-only request.
    Inherited,
    /// Its extension has `sql:ro`.
    ReadOnly,
}

thread_local! {
    /// The innermost request in progress.
    static CURRENT: Cell<Option<Access>> = const { Cell::new(None) };
}

/// The access of the request in progress; none outside requests of extensions.
pub fn current() -> Option<Access> {
    CURRENT.get()
}

/// Whether nothing may be written now.
pub fn is_reading() -> bool {
    matches!(current(), Some(Access::ReadOnly | Access::Inherited))
}

/// A request of an extension, until it is dropped.
pub struct Request<'a> {
    db: &'a Connection,
    outer: Option<Access>,
    /// The earlier value of `query_only`, if the request has set it.
    was_query_only: Option<bool>,
}

impl<'a> Request<'a> {
    /// Begin a request on `db`.
    pub fn begin(db: &'a Connection, read_only: bool) -> Self {
        let outer = current();
        let access = match (read_only, is_reading()) {
            (true, _) => Access::ReadOnly,
            (false, true) => Access::Inherited,
            (false, false) => Access::Full,
        };
        CURRENT.set(Some(access));
        let was_query_only = is_reading().then(|| db.set_query_only(true));
        Self { db, outer, was_query_only }
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        CURRENT.set(self.outer);
        if let Some(was) = self.was_query_only {
            self.db.set_query_only(was);
        }
    }
}

/// Functions that SQL of extensions cannot call. `fts3_tokenizer` takes the address of code from a
/// parameter, and `shell_putsnl` prints. The shell's other functions for files and programs check
/// when they run, since a trigger may call them.
const NOT_FOR_EXTENSIONS: &[&str] = &["fts3_tokenizer", "shell_putsnl"];

/// Whether SQLite may now prepare an action, with the two names that it passes to an authorizer.
pub fn allows(action: c_int, first: Option<&CStr>, second: Option<&CStr>) -> bool {
    match (current(), action) {
        (None, _) => true,
        (_, sqlite::SQLITE_FUNCTION) => !is_among(second, NOT_FOR_EXTENSIONS),
        (Some(Access::Full), _) => true,
        (_, sqlite::SQLITE_PRAGMA) => first
            .and_then(|name| pragmas::find(name.to_str().ok()?))
            .is_some_and(|pragma| pragma.only_reads(second.is_some())),
        (_, action) => matches!(
            action,
            sqlite::SQLITE_SELECT
                | sqlite::SQLITE_READ
                | sqlite::SQLITE_RECURSIVE
                | sqlite::SQLITE_INSERT
                | sqlite::SQLITE_UPDATE
                | sqlite::SQLITE_DELETE
        ),
    }
}

fn is_among(name: Option<&CStr>, names: &[&str]) -> bool {
    let is_it = |name: &CStr| {
        names.iter().any(|other| name.to_bytes().eq_ignore_ascii_case(other.as_bytes()))
    };
    name.is_some_and(is_it)
}
