//! The table of the languages.

use crate::stems::LANGUAGES;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

pub struct Languages;

impl Table for Languages {
    type Cursor = LanguagesCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(name TEXT)".into()))
    }

    fn best_index(&mut self, _: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        (plan.cost, plan.rows) = (LANGUAGES.len() as f64, LANGUAGES.len() as i64);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<LanguagesCursor> {
        Ok(LanguagesCursor { row_id: 0 })
    }
}

pub struct LanguagesCursor {
    row_id: usize,
}

impl Cursor for LanguagesCursor {
    type Table = Languages;

    fn filter(&mut self, _: &mut Languages, _: Scan) -> Result<()> {
        self.row_id = 0;
        Ok(())
    }

    fn next(&mut self, _: &mut Languages, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some((name, _)) = LANGUAGES.get(self.row_id) else {
            return Ok(None);
        };
        row.set(0, *name);
        self.row_id += 1;
        Ok(Some(self.row_id as i64))
    }
}
