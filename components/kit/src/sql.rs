//! SQL on the connection that called the extension, inside its transaction.
//!
//! It must be granted: say [`Need::Sql`](crate::Need::Sql) or
//! [`Need::SqlReadOnly`](crate::Need::SqlReadOnly). While its SQL runs, the
//! extension itself cannot be called from it.
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

use crate::bindings::sql as wit;
use crate::function::Signature;
use crate::{Error, Result, Risk, Stability, Value};

/// The first number of the functions that [`register`] adds; the manifest's own
/// have lower ones.
pub(crate) const FIRST_REGISTERED: u32 = 1 << 16;

/// Rows of the first request, and of the largest: the number grows, so that one
/// row does not wait for a thousand. With two, a single row comes together with
/// the end.
const FIRST_ROWS: u32 = 2;
const MAX_ROWS: u32 = 1024;

/// A prepared statement.
#[derive(Debug)]
pub struct Statement {
    statement: wit::Statement,
    /// Of each row that was fetched.
    columns: usize,
    /// What was fetched and not yet taken.
    rows: std::vec::IntoIter<Value>,
    limit: u32,
    is_last: bool,
    /// It was stepped, and its last row did not come.
    is_running: bool,
}

/// Prepare the one statement that `sql` is.
///
/// # Errors
///
/// SQLite's own, and where `sql` has no statement, or more than one.
pub fn prepare(sql: &str) -> Result<Statement> {
    match prepare_first(sql)? {
        (Some(statement), tail) if tail.trim_matches([' ', ';', '\n', '\t', '\r']).is_empty() => {
            Ok(statement)
        }
        (Some(_), _) => Err("there is more than one statement".into()),
        (None, _) => Err("there is no statement".into()),
    }
}

/// Prepare the first statement of `sql`: none for white space and comments
/// alone; and the rest of the text.
///
/// # Errors
///
/// SQLite's own.
pub fn prepare_first(sql: &str) -> Result<(Option<Statement>, &str)> {
    let prepared = wit::prepare(sql)?;
    let statement = prepared.statement.map(|statement| {
        let (columns, rows) = (0, Vec::new().into_iter());
        Statement { statement, columns, rows, limit: FIRST_ROWS, is_last: true, is_running: false }
    });
    Ok((statement, &sql[sql.len() - prepared.tail.len()..]))
}

/// Run all statements of `sql`; their rows are dropped.
///
/// # Errors
///
/// SQLite's own, of the first that fails; those before it were run.
pub fn execute(sql: &str) -> Result<()> {
    wit::execute(sql)
}

/// The row id of the last insertion.
pub fn last_insert_row_id() -> i64 {
    wit::last_insert_row_id()
}

/// Rows that the last statement changed, and all of this connection.
pub fn changes() -> (i64, i64) {
    wit::changes()
}

/// Register a scalar function on this connection; the extension's `registered`
/// is called for it, with `number`.
///
/// # Errors
///
/// SQLite's own: SQLITE_BUSY when it would replace a function while a statement
/// runs.
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

impl Statement {
    /// Run it with these values for its parameters, from the first on.
    ///
    /// # Errors
    ///
    /// When there are more values than parameters; [`Rows`] give SQLite's own.
    pub fn query(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<Rows<'_>> {
        self.start(parameters)?;
        Ok(Rows(self))
    }

    /// As [`Statement::query`], for who keeps the statement between two rows, as
    /// a table's cursor does: the rows come by [`Statement::next_row`].
    ///
    /// # Errors
    ///
    /// When there are more values than parameters.
    pub fn start(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<()> {
        self.reset();
        for (number, value) in (1..).zip(parameters) {
            self.statement.bind(number, &value)?;
        }
        (self.limit, self.is_last) = (FIRST_ROWS, false);
        Ok(())
    }

    /// The next row of a statement that was started; none after the last.
    ///
    /// # Errors
    ///
    /// SQLite's own; no rows follow.
    pub fn next_row(&mut self) -> Result<Option<Vec<Value>>> {
        while self.rows.len() == 0 && !self.is_last {
            (self.is_last, self.is_running) = (true, false);
            let batch = self.statement.step(self.limit)?;
            self.limit = (self.limit * 4).min(MAX_ROWS);
            (self.is_last, self.is_running) = (batch.is_last, !batch.is_last);
            self.columns = batch.values.len().checked_div(batch.count as usize).unwrap_or(0);
            self.rows = batch.values.into_iter();
        }
        let row: Vec<Value> = self.rows.by_ref().take(self.columns).collect();
        Ok((!row.is_empty()).then_some(row))
    }

    /// End it before its last row, so that it holds no lock.
    pub fn reset(&mut self) {
        // Each call of the host costs.
        if std::mem::take(&mut self.is_running) {
            self.statement.reset();
        }
        (self.rows, self.is_last) = (Vec::new().into_iter(), true);
    }

    /// Run it to its end; rows are dropped.
    ///
    /// # Errors
    ///
    /// SQLite's own.
    pub fn run(&mut self, parameters: impl IntoIterator<Item = Value>) -> Result<()> {
        self.query(parameters)?.try_for_each(|row| row.map(drop))
    }

    /// The number of a parameter by its name, with the `:`, `@` or `$`.
    pub fn parameter(&self, name: &str) -> Option<u32> {
        Some(self.statement.parameter_index(name)).filter(|number| *number > 0)
    }

    /// How many parameters it has.
    pub fn parameter_count(&self) -> u32 {
        self.statement.parameter_count()
    }

    /// The names of its columns.
    pub fn column_names(&self) -> Vec<String> {
        self.statement.column_names()
    }

    /// Whether it writes nothing.
    pub fn is_read_only(&self) -> bool {
        self.statement.is_read_only()
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

/// An open blob of a row.
#[derive(Debug)]
pub struct Blob(wit::Blob);

impl Blob {
    /// Open the blob in a column of the row `row_id`.
    ///
    /// # Errors
    ///
    /// SQLite's own.
    pub fn open(
        schema: &str,
        table: &str,
        column: &str,
        row_id: i64,
        writable: bool,
    ) -> Result<Self> {
        wit::open_blob(schema, table, column, row_id, writable).map(Self)
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        self.0.size()
    }

    /// Read `length` bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// SQLite's own; also beyond the end.
    pub fn read(&self, offset: u32, length: u32) -> Result<Vec<u8>> {
        self.0.read(offset, length)
    }

    /// Write over the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// SQLite's own; also beyond the end.
    pub fn write(&self, offset: u32, data: &[u8]) -> Result<()> {
        self.0.write(offset, data)
    }

    /// Go to another row of the same column.
    ///
    /// # Errors
    ///
    /// SQLite's own.
    pub fn reopen(&mut self, row_id: i64) -> Result<()> {
        self.0.reopen(row_id)
    }
}
