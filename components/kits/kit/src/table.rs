//! Virtual tables: modules, the tables they connect, and cursors that scan.

mod batch;
mod change;
mod export;
mod module;
mod plan;
mod row;

pub use change::{Change, Conflict, Transaction};
pub use module::{Connected, Module, ModuleKind};
pub use plan::{
    Check, Constraint, Distinctness, IndexInfo, Operator, OrderTerm, Plan, Planned, constraint,
    index_info,
};
pub use row::{Argument, Row, Scan};

#[doc(hidden)]
pub use batch::Fetched;
#[doc(hidden)]
pub use export::fetch;
pub(crate) use export::{AnyTable, OpenTable};

use crate::{Error, Result, Value, code};

/// Why a table is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectMode {
    /// CREATE VIRTUAL TABLE: create the storage.
    Create,
    /// The table exists already.
    Connect,
}

/// The arguments of a connection to a table.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Whether the table is created.
    pub mode: ConnectMode,
    /// The database: `main`, `temp` or an attached one.
    pub schema: String,
    /// The table's name.
    pub name: String,
    /// The arguments in the parentheses after the module's name.
    pub arguments: Vec<String>,
}

/// A table of a module. Methods for optional features have defaults that fail.
pub trait Table: Sized + 'static {
    /// The type of its scans.
    type Cursor: Cursor<Table = Self>;

    /// Connect a table; the text is its CREATE TABLE statement, with the
    /// columns, their types and HIDDEN.
    fn connect(connection: Connection) -> Result<(Self, String)>;

    /// Plan a scan: write into `plan` which constraints `filter` uses, and the cost. Called several
    /// times for a statement.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned>;

    /// Create a cursor.
    fn open(&mut self) -> Result<Self::Cursor>;

    /// A connection no longer uses the table; its storage stays.
    fn disconnect(self) -> Result<()> {
        Ok(())
    }

    /// DROP TABLE: also delete the storage.
    fn destroy(self) -> Result<()> {
        Ok(())
    }

    /// Change a row. Returns the row id of an insertion. For modules that are `writable`.
    fn update(&mut self, _change: Change, _conflict: Conflict) -> Result<i64> {
        Err(Error::new(code::READONLY, ""))
    }

    /// A step of a transaction. For modules with `transactions`.
    fn transact(&mut self, _step: Transaction) -> Result<()> {
        Ok(())
    }

    /// ALTER TABLE … RENAME. For modules with `rename`.
    fn rename(&mut self, _name: String) -> Result<()> {
        Ok(())
    }

    /// A fault in the content. For modules with `integrity`.
    fn integrity(&mut self, _schema: &str, _name: &str, _quick: bool) -> Result<Option<String>> {
        Ok(None)
    }

    /// A function that the table overloads: its index among the extension's scalars, and its
    /// operator, which is 150 to 255 to receive it in `best_index`, otherwise 0. For modules with
    /// `overloads`.
    fn find_function(&mut self, _arguments: u32, _name: &str) -> Option<(u32, u8)> {
        None
    }
}

/// A scan of a table.
pub trait Cursor: 'static {
    /// The type of the table.
    type Table;

    /// Limit on rows that are computed in advance. 1 if a row must not be computed before SQLite
    /// steps to it; each row is then a separate call.
    const MAX_BATCH: u32 = u32::MAX;

    /// Begin a scan with a plan of `best_index`; also starts it again.
    fn filter(&mut self, table: &mut Self::Table, scan: Scan) -> Result<()>;

    /// Write the next row and return its row id; none after the last. Only used columns are kept:
    /// call [`Row::wants`] before computing costly ones.
    fn next(&mut self, table: &mut Self::Table, row: &mut Row<'_>) -> Result<Option<i64>>;
}

/// Scan as SQLite would, with these columns; for tests.
pub fn scan<T: Table>(
    table: &mut T,
    scan: Scan,
    columns: Vec<u32>,
) -> Result<Vec<(i64, Vec<Value>)>> {
    let mut cursor = table.open()?;
    cursor.filter(table, scan)?;
    let columns = row::Columns::new(columns);
    let (mut rows, mut batch) = (Vec::new(), batch::Batch::default());
    loop {
        batch.begin(1, columns.width());
        match cursor.next(table, &mut Row::new(&columns, batch.next()))? {
            Some(row_id) => {
                rows.push((row_id, batch.next().iter_mut().map(batch::Cell::take).collect()));
            }
            None => return Ok(rows),
        }
    }
}
