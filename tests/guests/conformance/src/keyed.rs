//! A table WITHOUT ROWID: rows are known by their first column.

use crate::values::show;
use crate::watch;
use sqlite_wasm_kit::table::{Change, Conflict, Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table, Value};
use std::collections::BTreeMap;

/// Rows by the text of their key.
#[derive(Default)]
pub struct Keyed(BTreeMap<String, Vec<Value>>);

impl Table for Keyed {
    type Cursor = KeyedCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        let columns = "CREATE TABLE x(k PRIMARY KEY NOT NULL, v) WITHOUT ROWID";
        Ok((Self::default(), columns.into()))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<KeyedCursor> {
        Ok(KeyedCursor::default())
    }

    fn update(&mut self, change: Change, _: Conflict) -> Result<i64> {
        match change {
            Change::Delete(key) => {
                watch::note(format!("delete({})", show(&key)));
                self.0.remove(&show(&key));
            }
            Change::Insert { columns, .. } => {
                self.0.insert(show(&columns[0]), columns);
            }
            Change::Update { old, new, columns } => {
                watch::note(format!("update({}>{})", show(&old), show(&new)));
                let mut row = self.0.remove(&show(&old)).unwrap_or_default();
                for (place, value) in columns.into_iter().enumerate() {
                    row[place] = value.unwrap_or_else(|| std::mem::take(&mut row[place]));
                }
                self.0.insert(show(&row[0]), row);
            }
        }
        Ok(0)
    }
}

#[derive(Default)]
pub struct KeyedCursor(std::vec::IntoIter<Vec<Value>>);

impl Cursor for KeyedCursor {
    type Table = Keyed;

    fn filter(&mut self, table: &mut Keyed, _: Scan) -> Result<()> {
        self.0 = table.0.values().cloned().collect::<Vec<_>>().into_iter();
        Ok(())
    }

    fn next(&mut self, _: &mut Keyed, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(columns) = self.0.next() else {
            return Ok(None);
        };
        for (place, value) in columns.into_iter().enumerate() {
            row.set(place as u32, value);
        }
        Ok(Some(0))
    }
}
