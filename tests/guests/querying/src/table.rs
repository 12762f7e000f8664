//! `sql00_table`: the rows of another table, by SQL in each callback.

use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table, Value, sql};

pub struct Source;

impl Table for Source {
    type Cursor = Rows;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(value)".into()))
    }

    fn best_index(&mut self, _: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        if let Some(Value::Integer(rows)) = crate::first("SELECT count(*) FROM source".into())? {
            plan.rows = rows;
        }
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Rows> {
        Ok(Rows { statement: sql::prepare("SELECT * FROM source")?, row_id: 0 })
    }

    fn integrity(&mut self, _: &str, _: &str, _: bool) -> Result<Option<String>> {
        let found = crate::first("SELECT * FROM problems".into())?;
        Ok(found.map(|text| String::from_utf8_lossy(&text.into_bytes()).into_owned()))
    }
}

pub struct Rows {
    statement: sql::Statement,
    row_id: i64,
}

impl Cursor for Rows {
    type Table = Source;

    fn filter(&mut self, _: &mut Source, _: Scan) -> Result<()> {
        self.row_id = 0;
        self.statement.start([])
    }

    fn next(&mut self, _: &mut Source, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(mut values) = self.statement.next_row()? else { return Ok(None) };
        row.set(0, values.swap_remove(0));
        self.row_id += 1;
        Ok(Some(self.row_id))
    }
}
