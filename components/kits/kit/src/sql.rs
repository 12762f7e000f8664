//! SQL on the connection that called the extension, inside its transaction.
//!
//! It must be granted: declare [`Need::Sql`](crate::Need::Sql) or
//! [`Need::SqlReadOnly`](crate::Need::SqlReadOnly). While its SQL runs, the extension cannot be
//! called by that SQL.
//!
//! ```no_run
//! use sqlite_wasm_kit::{Result, Value, sql};
//!
//! fn total(customer: i64) -> Result<i64> {
//!     let mut statement = sql::prepare("SELECT sum(price) FROM orders WHERE customer = ?")?;
//!     let mut rows = statement.query([Value::Integer(customer)])?;
//!     Ok(rows.next().transpose()?.map_or(0, |row| row[0].to_integer()))
//! }
//! ```

mod blob;

use wire::{Operations, Prepared, Reader, ReplyHead};

use crate::bindings::sql_work::{self as wit, perform, perform_later};
use crate::function::Signature;
use crate::{Error, Result, Risk, Stability, Value, code};

pub use blob::Blob;

/// The first id of the functions that [`register`] adds; those of the manifest have lower ones.
pub(crate) const FIRST_REGISTERED: u32 = 1 << 16;

/// How many rows the first request fetches, and the largest: the count grows, so that one row does
/// not wait for a thousand. With two, a single row arrives together with the end. If more rows of a
/// statement were taken in its last run, the first request fetches as many.
const FIRST_ROWS: u32 = 2;
const MAX_ROWS: u32 = 1024;

/// A prepared statement.
#[derive(Debug)]
pub struct Statement {
    handle: u32,
    is_read_only: bool,
    parameter_count: u32,
    /// SQLite's reply to its preparation, with the names of parameters and columns.
    prepared: Vec<u8>,
    /// Bindings for the next step.
    bound: Operations,
    /// How many columns the fetched rows have.
    columns: usize,
    /// The values of fetched rows that were not taken yet.
    rows: std::vec::IntoIter<Value>,
    limit: u32,
    /// Rows that were taken since it was started.
    taken: u32,
    is_last: bool,
    /// It was stepped, and its last row was not fetched yet.
    is_running: bool,
}

/// Prepare `sql`, which must be one statement.
///
/// # Errors
///
/// SQLite's error, or that `sql` has no statement or more than one.
pub fn prepare(sql: &str) -> Result<Statement> {
    match prepare_first(sql)? {
        (Some(statement), tail) if tail.trim_matches([' ', ';', '\n', '\t', '\r']).is_empty() => {
            Ok(statement)
        }
        (Some(_), _) => Err("there is more than one statement".into()),
        (None, _) => Err("there is no statement".into()),
    }
}

/// Prepare the first statement of `sql`: `None` for white space and comments. Also returns the rest
/// of the text.
///
/// # Errors
///
/// SQLite's error.
pub fn prepare_first(sql: &str) -> Result<(Option<Statement>, &str)> {
    let reply = request(none().prepare(sql))?;
    let mut rest = Reader(&reply);
    let Prepared { statement, used, is_read_only } = Prepared::read(&mut rest)?;
    let parameter_count = rest.u32()?;
    let statement = statement.map(|handle| Statement {
        handle,
        is_read_only,
        parameter_count,
        prepared: reply,
        bound: none(),
        columns: 0,
        rows: Vec::new().into_iter(),
        limit: FIRST_ROWS,
        taken: 0,
        is_last: true,
        is_running: false,
    });
    Ok((statement, sql.get(used as usize..).unwrap_or_default()))
}

/// Run all statements of `sql`, and drop their rows.
///
/// # Errors
///
/// SQLite's error of the first one that fails; those before it were run.
pub fn execute(sql: &str) -> Result<()> {
    request(none().execute(sql)).map(drop)
}

/// The row id of the last insertion.
pub fn last_insert_row_id() -> i64 {
    state().last_insert_row_id
}

/// How many rows the last statement has changed, and how many all statements of this connection.
pub fn changes() -> (i64, i64) {
    let state = state();
    (state.changes, state.total_changes)
}

fn state() -> ReplyHead {
    let reply = request(none().state()).unwrap_or_default();
    ReplyHead::read(&mut Reader(&reply)).unwrap_or_default()
}

/// Register a scalar function on this connection; calls of it go to the extension's `registered`,
/// with `number`.
///
/// # Errors
///
/// SQLite's error: SQLITE_BUSY if it would replace a function while a statement runs.
pub fn register(
    number: u32,
    name: &str,
    arguments: i8,
    result: Stability,
    risk: Risk,
) -> Result<()> {
    let declared = Signature::new("", arguments, result, risk)
        .declare(crate::bindings::types::FunctionKind::Scalar);
    let function = wit::Function {
        name: name.to_owned(),
        arguments,
        kind: wit::FunctionKind::Scalar,
        encoding: wit::TextEncoding::Utf8,
        flags: wit::FunctionFlags::from_bits_retain(declared.flags.bits()),
        risk: match risk {
            Risk::Innocuous => wit::Risk::Innocuous,
            Risk::Ordinary => wit::Risk::Ordinary,
            Risk::DirectOnly => wit::Risk::DirectOnly,
        },
    };
    wit::register_function(FIRST_REGISTERED + number, &function)
}

fn none() -> Operations {
    Operations::default()
}

/// Perform operations now. Returns the reply.
fn request(operations: Operations) -> Result<Vec<u8>> {
    blob::requested();
    perform(&operations.into_bytes())
}

/// Perform operations without a reply with the next request, or now if too many wait.
fn later(operations: Operations) -> Result<()> {
    let operations = operations.into_bytes();
    match perform_later(&operations) {
        Err(error) if error.code == code::TOOBIG => perform(&operations).map(drop),
        done => done,
    }
}

impl From<wire::Error> for Error {
    fn from(_: wire::Error) -> Self {
        Self::new(code::MISUSE, "the reply does not fit the request")
    }
}

impl Statement {
    /// Run it with these values for its parameters, beginning with the first one.
    ///
    /// # Errors
    ///
    /// When there are more values than parameters; [`Rows`] return SQLite's errors.
    pub fn query(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<Rows<'_>> {
        self.start(parameters)?;
        Ok(Rows(self))
    }

    /// Like [`Statement::query`], for callers that keep the statement between two rows, such as a
    /// table's cursor: [`Statement::next_row`] returns the rows.
    ///
    /// # Errors
    ///
    /// When there are more values than parameters.
    pub fn start(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<()> {
        self.reset();
        self.bound = none();
        for (parameter, value) in (1..).zip(parameters) {
            if parameter > self.parameter_count {
                let message = format!("the statement has no parameter {parameter}");
                return Err(Error::new(code::RANGE, message));
            }
            let bound = std::mem::take(&mut self.bound);
            self.bound = bound.bind(self.handle, parameter, value.borrowed());
        }
        // One more than the last time, so that the end arrives too.
        let before = std::mem::take(&mut self.taken);
        (self.limit, self.is_last) = (before.saturating_add(1).clamp(FIRST_ROWS, MAX_ROWS), false);
        Ok(())
    }

    /// The next row of a statement that was started; none after the last.
    ///
    /// # Errors
    ///
    /// SQLite's error, after which no rows follow.
    pub fn next_row(&mut self) -> Result<Option<Vec<Value>>> {
        while self.rows.len() == 0 && !self.is_last {
            self.fetch()?;
        }
        let row: Vec<Value> = self.rows.by_ref().take(self.columns).collect();
        self.taken = self.taken.saturating_add(u32::from(!row.is_empty()));
        Ok((!row.is_empty()).then_some(row))
    }

    fn fetch(&mut self) -> Result<()> {
        (self.is_last, self.is_running) = (true, false);
        let bound = std::mem::take(&mut self.bound);
        let reply = request(bound.step(self.handle, self.limit))?;
        self.limit = (self.limit * 4).min(MAX_ROWS);
        let mut reply = Reader(&reply);
        let wire::Rows { is_last, width, .. } = wire::Rows::read(&mut reply)?;
        let mut values = Vec::new();
        while !reply.is_empty() {
            values.push(reply.value()?.map(<[u8]>::to_vec).into());
        }
        (self.columns, self.rows) = (width as usize, values.into_iter());
        (self.is_last, self.is_running) = (is_last, !is_last);
        Ok(())
    }

    /// End it before its last row, so that it holds no lock.
    pub fn reset(&mut self) {
        // Each call of the host has a cost.
        if std::mem::take(&mut self.is_running) {
            let _ = later(none().reset(self.handle));
        }
        (self.rows, self.is_last) = (Vec::new().into_iter(), true);
    }

    /// Run it to its end, and drop its rows.
    ///
    /// # Errors
    ///
    /// SQLite's error.
    pub fn run(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<()> {
        self.query(parameters)?.try_for_each(|row| row.map(drop))
    }

    /// The index of the parameter with this name, which includes its `:`, `@` or `$`.
    pub fn parameter(&self, name: &str) -> Option<u32> {
        let (parameters, _) = self.names().ok()?;
        let index = parameters.iter().position(|it| !name.is_empty() && it == name)?;
        Some(index as u32 + 1)
    }

    /// How many parameters it has.
    pub fn parameter_count(&self) -> u32 {
        self.parameter_count
    }

    /// The names of its columns.
    pub fn column_names(&self) -> Vec<String> {
        self.names().map(|(_, columns)| columns).unwrap_or_default()
    }

    /// The names of its parameters, empty for those without a name, and of its columns.
    fn names(&self) -> Result<(Vec<String>, Vec<String>)> {
        let mut rest = Reader(&self.prepared);
        Prepared::read(&mut rest)?;
        let mut names = || Ok::<_, Error>(rest.names()?.map(Into::into).collect());
        Ok((names()?, names()?))
    }

    /// Whether it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let _ = later(none().close(self.handle));
    }
}

/// The rows of a statement, fetched in batches that grow.
#[derive(Debug)]
pub struct Rows<'a>(&'a mut Statement);

impl Iterator for Rows<'_> {
    type Item = Result<Vec<Value>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_row().transpose()
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        self.0.reset();
    }
}
