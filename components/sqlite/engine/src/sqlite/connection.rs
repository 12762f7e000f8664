//! Connections.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Deref;
use std::ptr::{NonNull, null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;
use wire::{ReplyHead, code};

use super::error::{c_text, failure};
use crate::host::dispatch::SqlError;
use crate::host::extension_types::{Risk, TextEncoding};
use crate::host::table_types::Conflict;

/// A connection that stays open as long as it is borrowed.
#[repr(transparent)]
pub struct Connection(UnsafeCell<sqlite3>);

/// The identity of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionId(usize);

/// Data that a connection stores for the engine, until it is closed.
pub trait ClientData: 'static {
    /// The name under which SQLite stores it; no other type has this name.
    const NAME: &CStr;
}

/// Metadata of a column, or of a table's row id; the texts are valid until the next call.
#[derive(Default)]
pub struct ColumnMetadata<'a> {
    pub declared_type: Option<&'a [u8]>,
    pub collation: Option<&'a [u8]>,
    /// Whether it is NOT NULL, in the primary key, AUTOINCREMENT.
    pub flags: [bool; 3],
}

unsafe extern "C" {
    /// In `internals.c`.
    fn engine_set_query_only(db: *mut sqlite3, on: c_int) -> c_int;
    fn engine_encoding(db: *mut sqlite3) -> c_int;
    fn engine_has_writable_schema(db: *mut sqlite3) -> c_int;
    fn engine_distrust_temp_table(db: *mut sqlite3, name: *const c_char);
}

impl Connection {
    /// # Safety
    ///
    /// `db` is an open connection during `'a`.
    pub unsafe fn from_ptr<'a>(db: *mut sqlite3) -> &'a Self {
        // SAFETY: the caller's promise; the type is transparent.
        unsafe { &*db.cast() }
    }

    pub fn as_ptr(&self) -> *mut sqlite3 {
        self.0.get()
    }

    pub fn id(&self) -> ConnectionId {
        ConnectionId(self.as_ptr().addr())
    }

    /// Why the last call on the connection failed.
    pub fn last_error(&self) -> SqlError {
        // SAFETY: an open connection, whose message is a C string until the next call.
        let (code, message) = unsafe {
            let message = CStr::from_ptr(sqlite::sqlite3_errmsg(self.as_ptr()));
            (sqlite::sqlite3_extended_errcode(self.as_ptr()), message.to_string_lossy())
        };
        failure(code, &message)
    }

    /// Reset the error of the last call.
    pub fn clear_error(&self) {
        // SQL without a statement.
        self.execute(Some(c""));
    }

    pub fn last_insert_row_id(&self) -> i64 {
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_last_insert_rowid(self.as_ptr()) }
    }

    pub fn set_last_insert_row_id(&self, row_id: i64) {
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_set_last_insert_rowid(self.as_ptr(), row_id) };
    }

    /// Rows changed by the last statement.
    pub fn changes(&self) -> i64 {
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_changes64(self.as_ptr()) }
    }

    /// As `sqlite3_get_autocommit`.
    pub fn autocommit(&self) -> c_int {
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_get_autocommit(self.as_ptr()) }
    }

    /// The head of a reply. The offset of an error without one is -1.
    pub fn reply_head(&self, code: c_int) -> ReplyHead {
        let db = self.as_ptr();
        // SAFETY: an open connection.
        unsafe {
            let error = sqlite::sqlite3_extended_errcode(db);
            let has_message = !matches!(error, code::OK | code::ROW | code::DONE);
            ReplyHead {
                code,
                error,
                offset: if has_message { sqlite::sqlite3_error_offset(db) } else { -1 },
                autocommit: sqlite::sqlite3_get_autocommit(db) as u8,
                has_message,
                encoding: engine_encoding(db) as u8,
                changes: sqlite::sqlite3_changes64(db),
                total_changes: sqlite::sqlite3_total_changes64(db),
                last_insert_row_id: sqlite::sqlite3_last_insert_rowid(db),
            }
        }
    }

    /// Why the last call failed; valid until the next call.
    pub fn error_message(&self) -> &[u8] {
        // SAFETY: an open connection, whose message is a C string until the next call.
        unsafe { CStr::from_ptr(sqlite::sqlite3_errmsg(self.as_ptr())) }.to_bytes()
    }

    /// Run all statements of `sql` without their rows (`sqlite3_exec`).
    pub fn execute(&self, sql: Option<&CStr>) -> c_int {
        let (db, nothing) = (self.as_ptr(), null_mut());
        // SAFETY: an open connection, and a C string or null.
        unsafe { sqlite::sqlite3_exec(db, pointer(sql), None, nothing, null_mut()) }
    }

    /// Set or clear SQLite's flag `query_only`. Returns its old value.
    pub fn set_query_only(&self, on: bool) -> bool {
        // SAFETY: an open connection.
        unsafe { engine_set_query_only(self.as_ptr(), on.into()) != 0 }
    }

    /// Whether the statement that is being prepared could write the text of a schema itself, as
    /// `writable_schema` allows.
    pub fn has_writable_schema(&self) -> bool {
        // SAFETY: an open connection.
        unsafe { engine_has_writable_schema(self.as_ptr()) != 0 }
    }

    /// Let SQLite take the expressions of a table in TEMP for those of a database file, until it
    /// reads the schema again.
    pub fn distrust_temp_table(&self, name: &CStr) {
        // SAFETY: an open connection, which has the schema TEMP, and a C string.
        unsafe { engine_distrust_temp_table(self.as_ptr(), name.as_ptr()) };
    }

    /// The name of the database with this index.
    pub fn database_name(&self, index: c_int) -> Option<CString> {
        // SAFETY: an open connection, whose name is a C string, or null for no such database.
        unsafe { text(sqlite::sqlite3_db_name(self.as_ptr(), index)) }
    }

    /// The file of the database `name`; of `main` if that is `None`.
    pub fn database_file(&self, name: Option<&CStr>) -> Option<CString> {
        // SAFETY: an open connection, whose file name is a C string, or null for no such database.
        unsafe { text(sqlite::sqlite3_db_filename(self.as_ptr(), pointer(name))) }
    }

    /// As `sqlite3_db_readonly`.
    pub fn is_read_only(&self, name: Option<&CStr>) -> c_int {
        // SAFETY: an open connection; SQLite looks the name up.
        unsafe { sqlite::sqlite3_db_readonly(self.as_ptr(), pointer(name)) }
    }

    /// As `sqlite3_txn_state`.
    pub fn transaction_state(&self, name: Option<&CStr>) -> c_int {
        // SAFETY: an open connection; SQLite looks the name up.
        unsafe { sqlite::sqlite3_txn_state(self.as_ptr(), pointer(name)) }
    }

    /// As `sqlite3_table_column_metadata`. Returns the result code, and nothing after a failure.
    pub fn column_metadata(&self, names: [Option<&CStr>; 3]) -> (c_int, ColumnMetadata<'_>) {
        let ([schema, table, column], mut texts) = (names.map(pointer), [null(); 2]);
        let ([declared_type, collation], mut flags) = (&mut texts, [0; 3]);
        let [not_null, primary_key, auto_increment] = &mut flags;
        // SAFETY: an open connection, and C strings or null; results go to this function's variables.
        let code = unsafe {
            sqlite::sqlite3_table_column_metadata(
                self.as_ptr(),
                schema,
                table,
                column,
                declared_type,
                collation,
                not_null,
                primary_key,
                auto_increment,
            )
        };
        if code != code::OK {
            return (code, ColumnMetadata::default());
        }
        // SAFETY: SQLite's texts are C strings or null, and stay until the next call.
        let [declared_type, collation] =
            texts.map(|text| unsafe { (!text.is_null()).then(|| CStr::from_ptr(text).to_bytes()) });
        (code, ColumnMetadata { declared_type, collation, flags: flags.map(|flag| flag != 0) })
    }

    /// The data of this type.
    pub fn client_data<T: ClientData>(&self) -> Option<&T> {
        // SAFETY: only `set_client_data` stores under the type's name, and SQLite keeps it until
        // the connection is closed.
        unsafe {
            sqlite::sqlite3_get_clientdata(self.as_ptr(), T::NAME.as_ptr()).cast::<T>().as_ref()
        }
    }

    /// Store data that the connection does not have yet. It is dropped when the connection is
    /// closed: after its statements, and before its functions.
    pub fn set_client_data<T: ClientData>(&self, data: T) -> Result<(), c_int> {
        let (db, data) = (self.as_ptr(), Box::into_raw(Box::new(data)));
        // SAFETY: an open connection. SQLite drops the data once by `drop_box`, also when this
        // fails.
        let code = unsafe {
            let name = T::NAME.as_ptr();
            sqlite::sqlite3_set_clientdata(db, name, data.cast(), Some(drop_box::<T>))
        };
        if code == code::OK { Ok(()) } else { Err(code) }
    }

    /// Declare the columns of the table that is being connected.
    pub fn declare_table(&self, declaration: &str) -> Result<(), SqlError> {
        let declaration = c_text(declaration);
        // SAFETY: an open connection; outside xCreate and xConnect SQLite refuses it.
        match unsafe { sqlite::sqlite3_declare_vtab(self.as_ptr(), declaration.as_ptr()) } {
            code::OK => Ok(()),
            code => Err(SqlError { code, ..self.last_error() }),
        }
    }

    /// Set from where the table that is being connected may be used.
    pub fn set_table_risk(&self, risk: Risk) {
        let option = match risk {
            Risk::Innocuous => sqlite::SQLITE_VTAB_INNOCUOUS,
            Risk::Ordinary => return,
            Risk::DirectOnly => sqlite::SQLITE_VTAB_DIRECTONLY,
        };
        // SAFETY: the option takes no argument; outside xCreate and xConnect SQLite refuses it.
        unsafe { sqlite::sqlite3_vtab_config(self.as_ptr(), option) };
    }

    /// Let the table that is being connected refuse changes because of constraints.
    pub fn set_constraint_support(&self) {
        let option = sqlite::SQLITE_VTAB_CONSTRAINT_SUPPORT;
        // SAFETY: the option takes one `int`; outside xCreate and xConnect SQLite refuses it.
        unsafe { sqlite::sqlite3_vtab_config(self.as_ptr(), option, 1 as c_int) };
    }

    /// Let the table that is being connected use all attached databases.
    pub fn set_uses_all_schemas(&self) {
        let option = sqlite::SQLITE_VTAB_USES_ALL_SCHEMAS;
        // SAFETY: the option takes no argument; outside xCreate and xConnect SQLite refuses it.
        unsafe { sqlite::sqlite3_vtab_config(self.as_ptr(), option) };
    }

    /// The conflict handling of the current xUpdate.
    pub fn on_conflict(&self) -> Conflict {
        // SAFETY: an open connection.
        match unsafe { sqlite::sqlite3_vtab_on_conflict(self.as_ptr()) } {
            sqlite::SQLITE_ROLLBACK => Conflict::Rollback,
            sqlite::SQLITE_IGNORE => Conflict::Ignore,
            sqlite::SQLITE_FAIL => Conflict::Fail,
            sqlite::SQLITE_REPLACE => Conflict::Replace,
            _ => Conflict::Abort,
        }
    }
}

/// Drop a box that SQLite holds.
///
/// # Safety
///
/// `data` came from [`Box::into_raw`], and SQLite drops it once.
pub unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

/// SQLite's code for an encoding.
pub fn encoding_code(encoding: TextEncoding) -> c_int {
    match encoding {
        TextEncoding::Utf8 => sqlite::SQLITE_UTF8,
        TextEncoding::Utf16le => sqlite::SQLITE_UTF16LE,
        TextEncoding::Utf16be => sqlite::SQLITE_UTF16BE,
    }
}

fn pointer(name: Option<&CStr>) -> *const c_char {
    name.map_or(null(), CStr::as_ptr)
}

/// A copy of a text of SQLite; `None` for null.
///
/// # Safety
///
/// `text` is a C string or null.
pub unsafe fn text(text: *const c_char) -> Option<CString> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_owned())
}

/// # Safety
///
/// `text` is a C string or null.
pub unsafe fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A text in memory of SQLite.
pub fn sqlite_text(text: &str) -> *mut c_char {
    // SAFETY: the format takes one C string.
    unsafe { sqlite::sqlite3_mprintf(c"%s".as_ptr(), c_text(text).as_ptr()) }
}

/// A connection that is closed when it is dropped. Drop its statements, blobs and backups first:
/// SQLite would keep it open for them.
pub struct OpenConnection(NonNull<sqlite3>);

impl OpenConnection {
    /// As `sqlite3_open_v2`.
    pub fn open(path: &CStr, flags: c_int) -> Result<Self, SqlError> {
        let mut db = null_mut();
        // SAFETY: C strings, and a variable for the connection.
        let code = unsafe { sqlite::sqlite3_open_v2(path.as_ptr(), &mut db, flags, null()) };
        // Without memory SQLite returns no connection; otherwise the connection has the message.
        let opened = NonNull::new(db).map(Self);
        let no_memory = || failure(code::NOMEM, "no memory is left for a connection");
        let opened = opened.ok_or_else(no_memory)?;
        if code == code::OK { Ok(opened) } else { Err(opened.last_error()) }
    }

    /// As `sqlite3_busy_timeout`.
    pub fn set_busy_timeout(&self, milliseconds: u32) {
        let milliseconds = c_int::try_from(milliseconds).unwrap_or(c_int::MAX);
        // SAFETY: an open connection.
        unsafe { sqlite::sqlite3_busy_timeout(self.as_ptr(), milliseconds) };
    }
}

impl Deref for OpenConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        // SAFETY: the connection is open until it is dropped.
        unsafe { Connection::from_ptr(self.0.as_ptr()) }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        // SAFETY: the connection is open, and closed once.
        unsafe { sqlite::sqlite3_close(self.0.as_ptr()) };
    }
}
