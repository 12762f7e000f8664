//! Connections.

use std::ffi::OsStr;
use std::fmt;
use std::ops::{BitAnd, BitOr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use runtime::database::wire::Operations;
use runtime::database::{Instance, Interrupter};
use sql_tokens::{from_first_word, quoted_name};

use crate::builder::Limits;
use crate::cache::{Cache, CachedStatement};
use crate::client::EngineClient;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::rows::Row;
use crate::statement::{RawStatement, Statement};

/// Modes of opening a database, with SQLite's values; by default a database is opened for reading
/// and writing, and created if it does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFlags(u32);

impl OpenFlags {
    /// Read only.
    pub const SQLITE_OPEN_READ_ONLY: Self = Self(0x1);
    /// Read and write.
    pub const SQLITE_OPEN_READ_WRITE: Self = Self(0x2);
    /// Create the file if it is missing.
    pub const SQLITE_OPEN_CREATE: Self = Self(0x4);
    /// The path may be a URI (`file:…`).
    pub const SQLITE_OPEN_URI: Self = Self(0x40);
    /// In memory; the path is a name.
    pub const SQLITE_OPEN_MEMORY: Self = Self(0x80);
    /// Fail if the path contains a symbolic link.
    pub const SQLITE_OPEN_NOFOLLOW: Self = Self(0x0100_0000);

    /// Whether all of `other` are set.
    pub fn contains(self, other: Self) -> bool {
        self & other == other
    }

    /// SQLite's value.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Whether a path is that of a file, which is then granted.
    pub(crate) fn names_a_file(self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_bytes();
        let is_uri = self.contains(Self::SQLITE_OPEN_URI) && bytes.starts_with(b"file:");
        !is_uri && !self.contains(Self::SQLITE_OPEN_MEMORY) && !matches!(bytes, b"" | b":memory:")
    }
}

impl Default for OpenFlags {
    fn default() -> Self {
        Self::SQLITE_OPEN_READ_WRITE | Self::SQLITE_OPEN_CREATE
    }
}

impl BitOr for OpenFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for OpenFlags {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// A connection to a database, with SQLite in a separate sandbox.
///
/// It can be moved to another thread, and is used by one thread at a time. When its sandbox traps,
/// this call and each later one fail with [`Error::Trapped`]; its locks are released, and the next
/// connection rolls back its open transaction.
///
/// ```
/// # use sqlite_sandbox::Database;
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let db = database.open_in_memory()?;
/// db.execute("CREATE TABLE item(name TEXT, price REAL)", ())?;
/// assert_eq!(db.execute("INSERT INTO item VALUES (?1, ?2)", ("table", 99.5))?, 1);
/// let price: f64 =
///     db.query_row("SELECT price FROM item WHERE name = ?1", ["table"], |row| row.get(0))?;
/// assert_eq!((price, db.last_insert_rowid()?), (99.5, 1));
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
pub struct Connection {
    pub(crate) client: EngineClient,
    pub(crate) cache: Cache,
    interrupter: Interrupter,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn start(
        instance: Instance,
        path: &OsStr,
        OpenFlags(flags): OpenFlags,
        busy_timeout: Duration,
        limits: Limits,
        end: Option<Instant>,
    ) -> Result<Self> {
        let busy_milliseconds = u32::try_from(busy_timeout.as_millis()).unwrap_or(u32::MAX);
        let path = path.as_bytes();
        let open = Operations::default().open_connection(flags, busy_milliseconds, path);
        let client = EngineClient::open(instance, &open, limits, end)?;
        let interrupter = client.interrupter().clone();
        Ok(Self { client, cache: Cache::default(), interrupter })
    }

    /// Prepare a statement.
    ///
    /// # Errors
    ///
    /// [`Error::SqlInputError`], and [`Error::MultipleStatement`] if more SQL follows.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        let (statement, used) = self.prepare_first(sql)?;
        if from_first_word(&sql[used..]).is_empty() {
            Ok(statement)
        } else {
            Err(Error::MultipleStatement)
        }
    }

    /// Prepare the first statement of a text that may contain several. Also returns the length of
    /// the statement in bytes. The statement is empty if only white space and comments are left.
    ///
    /// # Errors
    ///
    /// [`Error::SqlInputError`].
    pub fn prepare_first(&self, sql: &str) -> Result<(Statement<'_>, usize)> {
        let (raw, used) = RawStatement::prepare(self, sql)?;
        Ok((Statement::new(self, raw), used))
    }

    /// Prepare a statement, or take it from the cache of statements that were prepared by this
    /// function.
    ///
    /// # Errors
    ///
    /// As [`Self::prepare`].
    pub fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        self.cache.get(self, sql)
    }

    /// Keep this many statements in the cache; 16 by default.
    pub fn set_prepared_statement_cache_capacity(&self, capacity: usize) {
        self.cache.set_capacity(self, capacity);
    }

    /// Run one statement. Returns how many rows it changed.
    ///
    /// # Errors
    ///
    /// As [`Self::prepare`] and [`Statement::execute`].
    pub fn execute<P: Params>(&self, sql: &str, params: P) -> Result<usize> {
        self.prepare(sql)?.execute(params)
    }

    /// Run all statements of a text, and drop their rows.
    ///
    /// # Errors
    ///
    /// SQLite's error of the first statement that fails; the statements before it were run.
    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        self.client.clear_interruption();
        self.client.perform(&Operations::default().execute(sql), &mut Vec::new())
    }

    /// Run a query, and convert its first row.
    ///
    /// # Errors
    ///
    /// As [`Self::prepare`] and [`Statement::query_row`].
    pub fn query_row<T, P: Params, F>(&self, sql: &str, params: P, f: F) -> Result<T>
    where
        F: FnOnce(&Row<'_>) -> Result<T>,
    {
        self.prepare(sql)?.query_row(params, f)
    }

    /// Convert the first row of a pragma, of one schema if it is given.
    ///
    /// # Errors
    ///
    /// As [`Self::query_row`].
    pub fn pragma_query_value<T, F>(&self, schema: Option<&str>, pragma: &str, f: F) -> Result<T>
    where
        F: FnOnce(&Row<'_>) -> Result<T>,
    {
        let schema = schema.map_or(String::new(), |schema| quoted_name(schema) + ".");
        self.query_row(&format!("PRAGMA {schema}{}", quoted_name(pragma)), (), f)
    }

    /// The row id of the last insertion; 0 before the first.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn last_insert_rowid(&self) -> Result<i64> {
        Ok(self.client.state()?.last_insert_row_id)
    }

    /// Rows that the last statement changed.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn changes(&self) -> Result<u64> {
        Ok(self.client.state()?.changes.max(0) as u64)
    }

    /// Rows that all statements of the connection changed.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn total_changes(&self) -> Result<u64> {
        Ok(self.client.state()?.total_changes.max(0) as u64)
    }

    /// Whether rows of the open transaction violate foreign keys, so that it cannot be committed now:
    /// `SQLITE_DBSTATUS_DEFERRED_FKS`.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn has_foreign_key_violations(&self) -> Result<bool> {
        const DEFERRED_FKS: u32 = 10;
        let call = Operations::default().call_db_status(DEFERRED_FKS, 0);
        self.client.call(&call, |reply| Ok(reply.i64()? != 0))
    }

    /// Whether no transaction is open.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn is_autocommit(&self) -> Result<bool> {
        Ok(self.client.state()?.autocommit != 0)
    }

    /// Set how long a statement waits for a lock; 5 s by default, zero for not at all. Replaces a
    /// busy handler.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn busy_timeout(&self, timeout: Duration) -> Result<()> {
        let milliseconds = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
        self.execute_batch(&format!("PRAGMA busy_timeout = {milliseconds}"))
    }

    /// Limit the time of the next statements further; `None` for the limit of the [`Database`], which
    /// a longer time does not change. Without one SQLite looks at the clock between its steps only.
    ///
    /// [`Database`]: crate::Database
    pub fn limit_statement_time(&self, time: Option<Duration>) {
        let limit = self.client.limits.statement_time;
        self.client.statement_time.set(time.into_iter().chain(limit).min());
    }

    /// Load a WebAssembly extension into this connection, by its name or a granted path. SQL cannot
    /// load extensions.
    ///
    /// # Errors
    ///
    /// With the reason, and how to grant the capability that it lacks.
    pub fn load_extension(&self, name: &str) -> Result<()> {
        self.client.program(&Operations::default().load_extension(name), |_| Ok(()))
    }

    /// A handle that interrupts the statements of this connection, from any thread.
    pub fn get_interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle(self.interrupter.clone())
    }

    /// Whether its sandbox has trapped, so that every further call fails.
    pub fn is_gone(&self) -> bool {
        self.client.is_gone()
    }

    /// Close it, as dropping it does, and return a failure.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn close(self) -> Result<()> {
        self.client.close()
    }
}

/// Interrupts the statements of a connection. It can outlive the connection.
///
/// ```
/// # use sqlite_sandbox::{Database, ErrorCode};
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let db = database.open_in_memory()?;
/// let handle = db.get_interrupt_handle();
/// std::thread::spawn(move || {
///     std::thread::sleep(std::time::Duration::from_millis(50));
///     handle.interrupt();
/// });
/// let endless = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c)
///                SELECT count(*) FROM c";
/// let error = db.execute_batch(endless).unwrap_err();
/// assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct InterruptHandle(Interrupter);

impl InterruptHandle {
    /// Let the running statement fail with `SQLITE_INTERRUPT`; without one, this has no effect.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }

    /// Whether a statement is to fail, and has not noticed that yet: a function that waits can look
    /// whether it must end.
    pub fn is_interrupted(&self) -> bool {
        self.0.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_moves_between_threads() {
        fn is_send<T: Send>() {}
        is_send::<Connection>();
        is_send::<InterruptHandle>();
    }
}
