//! The tables and cursors that the host refers to by handle.

use std::cell::RefCell;

use super::batch::{self, Batch, Fetched};
use super::row::{Argument, Columns, Row, Scan};
use super::{Change, Conflict, ConnectMode, Connection, Cursor, Plan, Planned, Table, Transaction};
use crate::bindings::table::exports::sqlite_wasm::extension::table::Guest;
use crate::bindings::table_types as wit;
use crate::provider::Provider;
use crate::slab::Slab;
use crate::{Error, Result, code};

/// A batch ends when its texts and blobs exceed this many bytes, whatever its limit: a thousand
/// rows of a megabyte would be more than the extension's memory.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// A table without its type, with its cursors.
pub trait AnyTable {
    fn disconnect(self: Box<Self>) -> Result<()>;
    fn destroy(self: Box<Self>) -> Result<()>;
    fn best_index(&mut self, info: &wit::IndexInfo) -> Result<Option<wit::IndexPlan>>;
    fn open(&mut self) -> Result<u32>;
    fn close(&mut self, cursor: u32);
    fn filter(&mut self, cursor: u32, scan: Scan, columns: Vec<u32>) -> Result<()>;
    fn fetch(&mut self, cursor: u32, limit: u32, batch: &mut Batch) -> Result<()>;
    fn update(&mut self, change: Change, conflict: Conflict) -> Result<i64>;
    fn transact(&mut self, step: Transaction) -> Result<()>;
    fn rename(&mut self, name: String) -> Result<()>;
    fn integrity(&mut self, schema: &str, name: &str, quick: bool) -> Result<Option<String>>;
    fn find_function(&mut self, arguments: u32, name: &str) -> Option<(u32, u8)>;
}

/// A connected table.
pub struct OpenTable<T: Table> {
    table: T,
    cursors: Slab<OpenCursor<T::Cursor>>,
}

struct OpenCursor<C> {
    cursor: C,
    columns: Columns,
    /// The error that ended the previous batch, after SQLite received its rows.
    failure: Option<Error>,
}

impl<T: Table> OpenTable<T> {
    pub fn new(table: T) -> Self {
        let cursors = Slab::new();
        Self { table, cursors }
    }
}

impl<T: Table> AnyTable for OpenTable<T> {
    fn disconnect(self: Box<Self>) -> Result<()> {
        self.table.disconnect()
    }

    fn destroy(self: Box<Self>) -> Result<()> {
        self.table.destroy()
    }

    fn best_index(&mut self, info: &wit::IndexInfo) -> Result<Option<wit::IndexPlan>> {
        let mut plan = Plan::new(info);
        Ok(match self.table.best_index(info, &mut plan)? {
            Planned::Yes => Some(plan.finish()),
            Planned::No => None,
        })
    }

    fn open(&mut self) -> Result<u32> {
        let cursor = self.table.open()?;
        let columns = Columns::default();
        Ok(self.cursors.insert(OpenCursor { cursor, columns, failure: None }))
    }

    fn close(&mut self, cursor: u32) {
        self.cursors.remove(cursor);
    }

    fn filter(&mut self, cursor: u32, scan: Scan, columns: Vec<u32>) -> Result<()> {
        let open = self.cursors.get(cursor).ok_or_else(unknown)?;
        open.columns = Columns::new(columns);
        open.failure = None;
        open.cursor.filter(&mut self.table, scan)
    }

    fn fetch(&mut self, cursor: u32, limit: u32, batch: &mut Batch) -> Result<()> {
        let open = self.cursors.get(cursor).ok_or_else(unknown)?;
        if let Some(failure) = open.failure.take() {
            return Err(failure);
        }
        let limit = limit.min(T::Cursor::MAX_BATCH.max(1)) as usize;
        let OpenCursor { cursor, columns, failure } = open;
        batch.begin(limit, columns.width());
        let mut bytes = 0;
        while batch.row_ids.len() < limit && bytes < MAX_BATCH_BYTES {
            let mut row = Row::new(columns, batch.next());
            let outcome = cursor.next(&mut self.table, &mut row);
            let row_bytes = row.bytes;
            match outcome {
                Ok(Some(row_id)) => {
                    bytes += row_bytes;
                    batch.add(row_id, row_bytes);
                    continue;
                }
                Ok(None) => batch.is_last = true,
                Err(error) => *failure = Some(error),
            }
            batch.drop_next();
            break;
        }
        if batch.row_ids.is_empty() { failure.take().map_or(Ok(()), Err) } else { Ok(()) }
    }

    fn update(&mut self, change: Change, conflict: Conflict) -> Result<i64> {
        self.table.update(change, conflict)
    }

    fn transact(&mut self, step: Transaction) -> Result<()> {
        self.table.transact(step)
    }

    fn rename(&mut self, name: String) -> Result<()> {
        self.table.rename(name)
    }

    fn integrity(&mut self, schema: &str, name: &str, quick: bool) -> Result<Option<String>> {
        self.table.integrity(schema, name, quick)
    }

    fn find_function(&mut self, arguments: u32, name: &str) -> Option<(u32, u8)> {
        self.table.find_function(arguments, name)
    }
}

/// The location of a cursor: its table, and its index there.
#[derive(Clone, Copy)]
struct Place {
    table: u32,
    cursor: u32,
}

struct Open {
    tables: Slab<Box<dyn AnyTable>>,
    cursors: Slab<Place>,
}

thread_local! {
    static OPEN: RefCell<Open> = const {
        RefCell::new(Open { tables: Slab::new(), cursors: Slab::new() })
    };
}

fn unknown() -> Error {
    Error::new(code::MISUSE, "no such table or cursor is open")
}

fn with_table<R>(table: u32, act: impl FnOnce(&mut dyn AnyTable) -> Result<R>) -> Result<R> {
    OPEN.with_borrow_mut(|open| act(&mut **open.tables.get(table).ok_or_else(unknown)?))
}

fn with_cursor<R>(cursor: u32, act: impl FnOnce(&mut dyn AnyTable, u32) -> Result<R>) -> Result<R> {
    OPEN.with_borrow_mut(|open| {
        let place = *open.cursors.get(cursor).ok_or_else(unknown)?;
        let table = open.tables.get(place.table).ok_or_else(unknown)?;
        act(&mut **table, place.cursor)
    })
}

fn take_table(table: u32) -> Result<Box<dyn AnyTable>> {
    OPEN.with_borrow_mut(|open| open.tables.remove(table).ok_or_else(unknown))
}

/// `table.fetch-batch`.
pub fn fetch(cursor: u32, limit: u32) -> *const Fetched {
    batch::fetched(|batch| with_cursor(cursor, |table, cursor| table.fetch(cursor, limit, batch)))
}

impl<T: Provider> Guest for T {
    fn connect(
        module: u32,
        mode: wit::ConnectMode,
        schema: String,
        name: String,
        arguments: Vec<String>,
    ) -> Result<wit::Connected> {
        let connection = Connection {
            mode: match mode {
                wit::ConnectMode::Create => ConnectMode::Create,
                wit::ConnectMode::Connect => ConnectMode::Connect,
            },
            schema,
            name,
            arguments,
        };
        let super::Connected { table, declaration } = T::connect_table(module, connection)?;
        let table = OPEN.with_borrow_mut(|open| open.tables.insert(table));
        let config = wit::TableConfig::empty();
        Ok(wit::Connected { table, declaration, config })
    }

    fn disconnect(table: u32) -> Result<()> {
        take_table(table)?.disconnect()
    }

    fn destroy(table: u32) -> Result<()> {
        take_table(table)?.destroy()
    }

    fn best_index(table: u32, info: wit::IndexInfo) -> Result<Option<wit::IndexPlan>> {
        with_table(table, |table| table.best_index(&info))
    }

    fn open(table: u32) -> Result<u32> {
        let cursor = with_table(table, |table| table.open())?;
        let place = Place { table, cursor };
        Ok(OPEN.with_borrow_mut(|open| open.cursors.insert(place)))
    }

    fn close(cursor: u32) {
        batch::clear();
        OPEN.with_borrow_mut(|open| {
            let place = open.cursors.remove(cursor);
            // The table may have ended already, with its cursors.
            if let Some(place) = place
                && let Some(table) = open.tables.get(place.table)
            {
                table.close(place.cursor);
            }
        });
    }

    fn filter(
        cursor: u32,
        number: i32,
        text: Option<Vec<u8>>,
        arguments: Vec<wit::FilterArgument>,
        _subtypes: Vec<u8>,
        columns: Vec<u32>,
    ) -> Result<()> {
        let scan =
            Scan { number, text, arguments: arguments.into_iter().map(Argument::from).collect() };
        with_cursor(cursor, |table, cursor| table.filter(cursor, scan, columns))
    }

    fn update(
        table: u32,
        change: wit::Change,
        _subtypes: Vec<u8>,
        conflict: wit::Conflict,
    ) -> Result<i64> {
        with_table(table, |table| table.update(change.into(), conflict.into()))
    }

    fn transact(table: u32, step: wit::Transaction) -> Result<()> {
        with_table(table, |table| table.transact(step.into()))
    }

    fn rename(table: u32, name: String) -> Result<()> {
        with_table(table, |table| table.rename(name))
    }

    fn integrity(table: u32, schema: String, name: String, quick: bool) -> Result<Option<String>> {
        with_table(table, |table| table.integrity(&schema, &name, quick))
    }

    fn find_function(table: u32, arguments: u32, name: String) -> Option<wit::Overload> {
        let found = with_table(table, |table| Ok(table.find_function(arguments, &name)));
        let (function, operator) = found.ok()??;
        Some(wit::Overload { function, operator })
    }
}

impl From<wit::FilterArgument> for Argument {
    fn from(argument: wit::FilterArgument) -> Self {
        match argument {
            wit::FilterArgument::One(value) => Self::One(value),
            wit::FilterArgument::Every(values) => Self::Every(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Texts;
    struct Rows(i64);

    impl Table for Texts {
        type Cursor = Rows;

        fn connect(_: Connection) -> Result<(Self, String)> {
            Ok((Self, "CREATE TABLE x(a)".into()))
        }

        fn best_index(&mut self, _: &wit::IndexInfo, _: &mut Plan) -> Result<Planned> {
            Ok(Planned::Yes)
        }

        fn open(&mut self) -> Result<Rows> {
            Ok(Rows(0))
        }
    }

    impl Cursor for Rows {
        type Table = Texts;

        fn filter(&mut self, _: &mut Texts, _: Scan) -> Result<()> {
            Ok(())
        }

        fn next(&mut self, _: &mut Texts, row: &mut Row<'_>) -> Result<Option<i64>> {
            self.0 += 1;
            row.set(0, vec![0; MAX_BATCH_BYTES / 4]);
            Ok(Some(self.0))
        }
    }

    #[test]
    fn long_rows_end_a_batch() {
        let mut table = OpenTable::new(Texts);
        let cursor = table.open().unwrap();
        table.filter(cursor, Scan::default(), vec![0]).unwrap();
        let mut batch = Batch::default();
        table.fetch(cursor, 1000, &mut batch).unwrap();
        assert_eq!((&*batch.row_ids, batch.is_last), (&[1, 2, 3, 4][..], false));
        table.filter(cursor, Scan::default(), vec![]).unwrap();
        table.fetch(cursor, 1000, &mut batch).unwrap();
        assert_eq!(batch.row_ids.len(), 1000);
    }
}
