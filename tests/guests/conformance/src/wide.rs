//! A table with more columns than the mask of used ones has bits.

use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

const COLUMNS: u32 = 70;

/// Two rows; the columns `c0` to `c69` hold their indexes.
pub struct Wide;

impl Table for Wide {
    type Cursor = WideCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        let columns: Vec<String> = (0..COLUMNS).map(|number| format!("c{number}")).collect();
        Ok((Self, format!("CREATE TABLE x({})", columns.join(", "))))
    }

    fn best_index(&mut self, _: &IndexInfo, _: &mut Plan) -> Result<Planned> {
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<WideCursor> {
        Ok(WideCursor(0))
    }
}

pub struct WideCursor(i64);

impl Cursor for WideCursor {
    type Table = Wide;

    fn filter(&mut self, _: &mut Wide, _: Scan) -> Result<()> {
        self.0 = 0;
        Ok(())
    }

    fn next(&mut self, _: &mut Wide, row: &mut Row<'_>) -> Result<Option<i64>> {
        self.0 += 1;
        for column in 0..COLUMNS {
            row.set(column, i64::from(column) * self.0);
        }
        Ok((self.0 <= 2).then_some(self.0))
    }
}
