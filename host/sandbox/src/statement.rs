//! Prepared statements.

mod columns;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;

use runtime::database::wire::{Operations, Prepared, Ran, Reader, Value};

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::rows::{AndThenRows, MappedRows, Room, Row, Rows};
use crate::types::ToSql;

/// A statement in the sandbox, without its connection.
pub struct RawStatement {
    /// `None` for white space and comments.
    handle: Option<u32>,
    is_read_only: bool,
    /// The reply to its preparation, and the positions of the names of parameters and columns in
    /// it.
    reply: Vec<u8>,
    parameters: usize,
    columns: usize,
    column_names: OnceCell<Vec<String>>,
    pub sql: Box<str>,
    /// Values to be bound with the next step.
    bound: RefCell<Operations>,
    /// Reused by each query of the statement.
    pub room: Cell<Room>,
}

impl RawStatement {
    /// Prepare the first statement of `sql`. Also returns its length in bytes.
    pub fn prepare(db: &Connection, sql: &str) -> Result<(Self, usize)> {
        let mut reply = Vec::new();
        db.client.perform(&Operations::default().prepare(sql), &mut reply).map_err(|error| {
            let Error::SqliteFailure(error, message) = error else { return error };
            let offset = db.client.state().map_or(-1, |state| state.offset);
            let msg = message.unwrap_or_default();
            Error::SqlInputError { error, msg, sql: sql.to_owned(), offset }
        })?;
        let prepared = Self::read(reply, sql);
        db.client.checked(prepared)
    }

    fn read(reply: Vec<u8>, sql: &str) -> Result<(Self, usize)> {
        let mut reader = Reader(&reply);
        let position = |reader: &Reader| reply.len() - reader.0.len();
        let Prepared { statement, used, is_read_only } = Prepared::read(&mut reader)?;
        let parameters = position(&reader);
        reader.names()?;
        let columns = position(&reader);
        reader.names()?;
        let used = used as usize;
        if !sql.is_char_boundary(used) {
            return Err(Error::MalformedReply);
        }
        let raw = Self {
            handle: statement,
            is_read_only,
            parameters,
            columns,
            column_names: OnceCell::new(),
            sql: sql[..used].into(),
            bound: RefCell::default(),
            room: Cell::default(),
            reply,
        };
        Ok((raw, used))
    }

    fn count(&self, at: usize) -> usize {
        Reader(&self.reply[at..]).u32().unwrap_or(0) as usize
    }

    fn names(&self, at: usize) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        Reader(&self.reply[at..]).names().into_iter().flatten()
    }

    fn column_names(&self) -> &[String] {
        self.column_names
            .get_or_init(|| self.names(self.columns).map(std::borrow::Cow::into_owned).collect())
    }
}

/// A prepared statement of a connection. It is finalized when it is dropped.
///
/// ```
/// # use sqlite_sandbox::Database;
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let db = database.open_in_memory()?;
/// db.execute_batch("CREATE TABLE item(name TEXT)")?;
/// let mut insert = db.prepare("INSERT INTO item VALUES (?1)")?;
/// for name in ["table", "chair"] {
///     insert.execute([name])?;
/// }
/// let mut select = db.prepare("SELECT rowid, name FROM item ORDER BY name")?;
/// let found = select.query_map((), |row| Ok((row.get::<_, i64>(0)?, row.get("name")?)))?;
/// let found: Vec<(i64, String)> = found.collect::<Result<_, _>>()?;
/// assert_eq!(found, [(2, "chair".to_owned()), (1, "table".to_owned())]);
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
pub struct Statement<'conn> {
    pub(crate) db: &'conn Connection,
    /// None after it has returned to the cache.
    pub(crate) raw: Option<RawStatement>,
}

impl fmt::Debug for Statement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Statement({:?})", self.sql())
    }
}

impl<'conn> Statement<'conn> {
    pub(crate) fn new(db: &'conn Connection, raw: RawStatement) -> Self {
        Self { db, raw: Some(raw) }
    }

    /// The statement, which exists until it is dropped.
    pub(crate) fn raw(&self) -> Result<&RawStatement> {
        self.raw.as_ref().ok_or(Error::MalformedReply)
    }

    /// Run it. Returns how many rows it changed.
    ///
    /// # Errors
    ///
    /// SQLite's; [`Error::ExecuteReturnedResults`] if it returns a row, and
    /// [`Error::InvalidParameterCount`].
    pub fn execute<P: Params>(&mut self, params: P) -> Result<usize> {
        params.bind_in(self)?;
        self.raw_execute()
    }

    /// Run an INSERT of one row. Returns the row id.
    ///
    /// # Errors
    ///
    /// As [`Self::execute`], and [`Error::StatementChangedRows`].
    pub fn insert<P: Params>(&mut self, params: P) -> Result<i64> {
        match self.execute(params)? {
            1 => self.db.last_insert_rowid(),
            count => Err(Error::StatementChangedRows(count)),
        }
    }

    /// Run it with the values bound by [`Self::raw_bind_parameter`].
    ///
    /// # Errors
    ///
    /// As [`Self::execute`].
    pub fn raw_execute(&mut self) -> Result<usize> {
        let raw = self.raw()?;
        let Some(handle) = raw.handle else { return Ok(0) };
        self.db.client.clear_interruption();
        let operations = raw.bound.take().run(handle);
        let Room { mut block, offsets } = raw.room.take();
        let performed = self.db.client.perform(&operations, &mut block);
        let ran = performed.and_then(|()| {
            let ran = Ran::read(&mut Reader(&block)).map_err(Error::from);
            self.db.client.checked(ran)
        });
        raw.room.set(Room { block, offsets });
        raw.keep(operations);
        let ran = ran?;
        if ran.has_row {
            return Err(Error::ExecuteReturnedResults);
        }
        Ok(ran.changes.max(0) as usize)
    }

    /// Run it, and read its rows one by one. The rows arrive in blocks.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameterCount`]; SQLite's errors come with the rows.
    pub fn query<P: Params>(&mut self, params: P) -> Result<Rows<'_>> {
        params.bind_in(self)?;
        Ok(self.raw_query())
    }

    /// The same with the values bound by [`Self::raw_bind_parameter`].
    pub fn raw_query(&mut self) -> Rows<'_> {
        self.db.client.clear_interruption();
        Rows::new(self)
    }

    /// Run it, and convert each row by `f`.
    ///
    /// # Errors
    ///
    /// As [`Self::query`].
    pub fn query_map<T, P: Params, F>(&mut self, params: P, f: F) -> Result<MappedRows<'_, F>>
    where
        F: FnMut(&Row<'_>) -> Result<T>,
    {
        Ok(self.query(params)?.mapped(f))
    }

    /// The same with another type of error.
    ///
    /// # Errors
    ///
    /// As [`Self::query`].
    pub fn query_and_then<T, E, P: Params, F>(
        &mut self,
        params: P,
        f: F,
    ) -> Result<AndThenRows<'_, F>>
    where
        E: From<Error>,
        F: FnMut(&Row<'_>) -> Result<T, E>,
    {
        Ok(self.query(params)?.and_then(f))
    }

    /// Run it, and convert its first row; further ones are not computed.
    ///
    /// # Errors
    ///
    /// [`Error::QueryReturnedNoRows`] if it returns no row.
    pub fn query_row<T, P: Params, F>(&mut self, params: P, f: F) -> Result<T>
    where
        F: FnOnce(&Row<'_>) -> Result<T>,
    {
        params.bind_in(self)?;
        self.db.client.clear_interruption();
        let mut rows = Rows::of_one(self);
        rows.next()?.map_or(Err(Error::QueryReturnedNoRows), f)
    }

    /// Run it, and convert its only row.
    ///
    /// # Errors
    ///
    /// [`Error::QueryReturnedNoRows`] and [`Error::QueryReturnedMoreThanOneRow`].
    pub fn query_one<T, P: Params, F>(&mut self, params: P, f: F) -> Result<T>
    where
        F: FnOnce(&Row<'_>) -> Result<T>,
    {
        let mut rows = self.query(params)?;
        let value = rows.next()?.map_or(Err(Error::QueryReturnedNoRows), f)?;
        match rows.next()? {
            None => Ok(value),
            Some(_) => Err(Error::QueryReturnedMoreThanOneRow),
        }
    }

    /// Whether it returns a row.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn exists<P: Params>(&mut self, params: P) -> Result<bool> {
        params.bind_in(self)?;
        self.db.client.clear_interruption();
        Ok(Rows::of_one(self).next()?.is_some())
    }

    /// Bind a value to the parameter `index`, counted from 1, for the next run.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameterCount`] if no parameter has this index, and
    /// [`Error::ToSqlConversionFailure`].
    pub fn raw_bind_parameter<T: ToSql + ?Sized>(&mut self, index: usize, value: &T) -> Result<()> {
        let needed = self.parameter_count();
        if index == 0 || index > needed {
            return Err(Error::InvalidParameterCount(index, needed));
        }
        let output = value.to_sql()?;
        let raw = self.raw()?;
        if let Some(handle) = raw.handle {
            let value = output.as_ref().into();
            let mut bound = raw.bound.borrow_mut();
            *bound = std::mem::take(&mut *bound).bind(handle, index as u32, value);
        }
        Ok(())
    }

    /// How many parameters it has.
    pub fn parameter_count(&self) -> usize {
        self.raw.as_ref().map_or(0, |raw| raw.count(raw.parameters))
    }

    /// The index, from 1, of the parameter with this name, which includes its `:`, `@` or `$`.
    ///
    /// # Errors
    ///
    /// None.
    pub fn parameter_index(&self, name: &str) -> Result<Option<usize>> {
        let raw = self.raw()?;
        let found = raw.names(raw.parameters).position(|other| other == name);
        Ok(found.map(|index| index + 1))
    }

    /// The name of the parameter `index`, from 1; `None` for one without a name.
    pub fn parameter_name(&self, index: usize) -> Option<String> {
        let raw = self.raw.as_ref()?;
        let name = raw.names(raw.parameters).nth(index.checked_sub(1)?)?;
        (!name.is_empty()).then(|| name.into_owned())
    }

    /// The names of its columns when it was prepared.
    pub fn column_names(&self) -> Vec<&str> {
        self.names().iter().map(String::as_str).collect()
    }

    pub(crate) fn names(&self) -> &[String] {
        self.raw.as_ref().map_or(&[], RawStatement::column_names)
    }

    /// How many columns it had when it was prepared.
    pub fn column_count(&self) -> usize {
        self.raw.as_ref().map_or(0, |raw| raw.count(raw.columns))
    }

    /// Whether it changes nothing (`sqlite3_stmt_readonly`).
    pub fn readonly(&self) -> bool {
        self.raw.as_ref().is_some_and(|raw| raw.is_read_only)
    }

    /// Its text with the values of the last run; none if it is too long.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn expanded_sql(&self) -> Result<Option<String>> {
        let Some(handle) = self.raw()?.handle else { return Ok(None) };
        self.db.client.request(&Operations::default().expand(handle), |reply| {
            Ok(match reply.value()? {
                Value::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
                _ => None,
            })
        })
    }

    /// Its SQL text.
    pub fn sql(&self) -> &str {
        self.raw.as_ref().map_or("", |raw| &raw.sql)
    }

    /// Finalize it. A failure of a step was reported by the step.
    ///
    /// # Errors
    ///
    /// None.
    pub fn finalize(self) -> Result<()> {
        Ok(())
    }
}

impl RawStatement {
    /// The operations before its next rows: bindings.
    pub fn begin(&self) -> (Operations, Option<u32>) {
        (self.bound.take(), self.handle)
    }

    /// Keep the memory of operations for the next run.
    pub fn keep(&self, mut operations: Operations) {
        operations.clear();
        self.bound.replace(operations);
    }

    /// Finalize it.
    pub fn close(&self, db: &Connection) {
        if let Some(handle) = self.handle {
            db.client.close_later(handle);
        }
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        if let Some(raw) = self.raw.take() {
            raw.close(self.db);
        }
    }
}
