//! Virtual tables: modules, the tables they connect, and cursors that scan.

mod batch;
mod change;
mod export;
mod module;
mod plan;
mod row;

pub use change::{Change, Conflict, Transaction};
pub use module::{Module, ModuleKind};
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
    /// CREATE VIRTUAL TABLE: storage is to be made.
    Create,
    /// The table exists; a connection opens it.
    Connect,
}

/// How a table is connected.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Whether it is created now.
    pub mode: ConnectMode,
    /// The database: `main`, `temp` or an attached one.
    pub schema: String,
    /// The table's name.
    pub name: String,
    /// What stands between the parentheses after the module's name.
    pub arguments: Vec<String>,
}

/// A table of a module. What a module does not support has a default that
/// refuses.
pub trait Table: Sized + 'static {
    /// What scans it.
    type Cursor: Cursor<Table = Self>;

    /// Connect a table; the text is its CREATE TABLE statement, with the
    /// columns, their types and HIDDEN.
    fn connect(connection: Connection) -> Result<(Self, String)>;

    /// Plan a scan: write into `plan` which constraints `filter` is to get, and
    /// what it costs. Called several times for a statement.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned>;

    /// Make a cursor.
    fn open(&mut self) -> Result<Self::Cursor>;

    /// A connection is done with the table; its storage stays.
    fn disconnect(self) -> Result<()> {
        Ok(())
    }

    /// DROP TABLE: the storage goes too.
    fn destroy(self) -> Result<()> {
        Ok(())
    }

    /// Change a row; the row id of an insertion. For modules that are
    /// `writable`.
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

    /// What is wrong with the content. For modules with `integrity`.
    fn integrity(&mut self, _schema: &str, _name: &str, _quick: bool) -> Result<Option<String>> {
        Ok(None)
    }

    /// The place in the extension's scalars of a function that the table
    /// overloads, and its operator: 150 to 255 to see it in `best_index`, 0 for
    /// not. For modules with `overloads`.
    fn find_function(&mut self, _arguments: u32, _name: &str) -> Option<(u32, u8)> {
        None
    }
}

/// A scan of a table.
pub trait Cursor: 'static {
    /// What it scans.
    type Table;

    /// Rows that are computed ahead at most. 1 where a row must not be computed
    /// before SQLite steps to it; each row then crosses the boundary alone.
    const MAX_BATCH: u32 = u32::MAX;

    /// Begin a scan by a plan of `best_index`; also begins it again.
    fn filter(&mut self, table: &mut Self::Table, scan: Scan) -> Result<()>;

    /// Write the next row and return its row id; none after the last. Only the
    /// columns that are used are kept: ask [`Row::wants`] before costly ones.
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
