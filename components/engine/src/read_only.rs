//! The rule of `sql:ro`: while a request of an extension that may only read is
//! prepared or stepped, nothing is written, whoever asks for it. What the request
//! calls is bound by it too: functions and tables of other extensions, of the
//! program, and SQLite's own.
//!
//! Two checks hold it, and neither costs anything while no such request is done.
//! The authorizer refuses to *prepare* what changes more than a result: transactions,
//! ATTACH, schemas, pragmas. SQLite's flag `query_only` stops what *writes* at the
//! beginning of its run, so it also binds statements that were prepared before, as
//! FTS5 keeps them. Statements that insert, update or delete may be prepared: tables
//! such as R-Trees do that when they are connected.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

unsafe extern "C" {
    /// In `query_only.c`.
    fn engine_set_query_only(db: *mut sqlite3, on: c_int) -> c_int;
}

/// What an innermost request may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// All.
    Full,
    /// Its extension has `sql`, but is called by a request that may only read.
    Lent,
    /// Its extension has `sql:ro`.
    ReadOnly,
}

struct Current(Cell<Option<Access>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Current {}

/// The request of an extension that is done at the moment, the innermost one.
static CURRENT: Current = Current(Cell::new(None));

/// What the request that is done at the moment may do; none when it is not an
/// extension that asks.
pub fn current() -> Option<Access> {
    CURRENT.0.get()
}

/// Whether nothing may be written at the moment.
pub fn is_reading() -> bool {
    matches!(current(), Some(Access::ReadOnly | Access::Lent))
}

/// A request of an extension, until it is dropped.
pub struct Request {
    db: *mut sqlite3,
    outer: Option<Access>,
    /// What `query_only` was, where the request has set it.
    was_query_only: Option<c_int>,
}

impl Request {
    /// Begin a request on `db`.
    ///
    /// # Safety
    ///
    /// `db` is an open connection until this is dropped.
    pub unsafe fn begin(db: *mut sqlite3, read_only: bool) -> Self {
        let outer = current();
        let access = match (read_only, is_reading()) {
            (true, _) => Access::ReadOnly,
            (false, true) => Access::Lent,
            (false, false) => Access::Full,
        };
        CURRENT.0.set(Some(access));
        // SAFETY: the caller's connection.
        let was_query_only = is_reading().then(|| unsafe { engine_set_query_only(db, 1) });
        Self { db, outer, was_query_only }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        CURRENT.0.set(self.outer);
        if let Some(was) = self.was_query_only {
            // SAFETY: `begin` was promised that it is open.
            unsafe { engine_set_query_only(self.db, was) };
        }
    }
}

/// Functions that no SQL of an extension may call. `fts3_tokenizer` takes the
/// address of code from a parameter, and `shell_putsnl` prints. What else the shell
/// has for files and programs refuses when it runs: a trigger may call it.
const NOT_FOR_EXTENSIONS: &[&CStr] = &[c"fts3_tokenizer", c"shell_putsnl"];

/// Pragmas that only read, whatever argument they have.
const READING_PRAGMAS: &[&CStr] = &[
    c"collation_list",
    c"compile_options",
    c"data_version",
    c"database_list",
    c"foreign_key_check",
    c"foreign_key_list",
    c"freelist_count",
    c"function_list",
    c"index_info",
    c"index_list",
    c"index_xinfo",
    c"integrity_check",
    c"module_list",
    c"page_count",
    c"pragma_list",
    c"quick_check",
    c"stats",
    c"table_info",
    c"table_list",
    c"table_xinfo",
];

/// Pragmas that read without an argument, and with one set what they would read.
const SETTING_PRAGMAS: &[&CStr] = &[
    c"analysis_limit",
    c"application_id",
    c"auto_vacuum",
    c"automatic_index",
    c"busy_timeout",
    c"cache_size",
    c"cache_spill",
    c"cell_size_check",
    c"checkpoint_fullfsync",
    c"defer_foreign_keys",
    c"encoding",
    c"foreign_keys",
    c"fullfsync",
    c"hard_heap_limit",
    c"ignore_check_constraints",
    c"journal_mode",
    c"journal_size_limit",
    c"legacy_alter_table",
    c"locking_mode",
    c"max_page_count",
    c"mmap_size",
    c"page_size",
    c"query_only",
    c"read_uncommitted",
    c"recursive_triggers",
    c"reverse_unordered_selects",
    c"schema_version",
    c"secure_delete",
    c"soft_heap_limit",
    c"synchronous",
    c"temp_store",
    c"threads",
    c"trusted_schema",
    c"user_version",
    c"wal_autocheckpoint",
    c"writable_schema",
];

/// Whether what SQLite's authorizer tells of may be prepared at the moment.
///
/// # Safety
///
/// `first` and `second` are what SQLite gives an authorizer with `action`.
pub unsafe fn allows(action: c_int, first: *const c_char, second: *const c_char) -> bool {
    // SAFETY: the caller's promise: C strings or null.
    unsafe {
        match (current(), action) {
            (None, _) => true,
            (_, sqlite::SQLITE_FUNCTION) => !is_among(second, NOT_FOR_EXTENSIONS),
            (Some(Access::Full), _) => true,
            (_, sqlite::SQLITE_PRAGMA) => {
                is_among(first, READING_PRAGMAS)
                    || (second.is_null() && is_among(first, SETTING_PRAGMAS))
            }
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
}

/// # Safety
///
/// `name` is a C string or null.
unsafe fn is_among(name: *const c_char, names: &[&CStr]) -> bool {
    // SAFETY: the caller's promise, and names of ours.
    !name.is_null()
        && names.iter().any(|other| unsafe { sqlite::sqlite3_stricmp(name, other.as_ptr()) } == 0)
}
