//! `ann_build`: link the rows that wait, with progress.

use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

use crate::inputs::{self, text};
use crate::registry::{self, Shared};

/// Nodes for each row of the result: less than a second.
const LINKED_PER_ROW: u32 = 500;

pub struct BuildTable;

impl Table for BuildTable {
    type Cursor = BuildCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(linked, total, name HIDDEN)".into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        inputs::best_index(info, plan, 2, 1)
    }

    fn open(&mut self) -> Result<BuildCursor> {
        Ok(BuildCursor::default())
    }
}

#[derive(Default)]
pub struct BuildCursor {
    index: Option<Shared>,
    row_id: i64,
}

impl Cursor for BuildCursor {
    type Table = BuildTable;

    // A row is a step of the work: the user sees each when it is done.
    const MAX_BATCH: u32 = 1;

    fn filter(&mut self, _: &mut BuildTable, mut scan: Scan) -> Result<()> {
        let [name] = inputs::inputs(&mut scan);
        let name = text(&name, "the table's name")?;
        let index = registry::find(&name)?;
        let index = index.ok_or_else(|| format!("ann_build: no table `{name}` of ann"))?;
        *self = Self { index: Some(index), row_id: 0 };
        Ok(())
    }

    fn next(&mut self, _: &mut BuildTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some(index) = &self.index else { return Ok(None) };
        let mut index = index.borrow_mut();
        let (linked, total) = index.build_and_write(LINKED_PER_ROW)?;
        drop(index);
        if linked >= total {
            self.index = None;
        }
        self.row_id += 1;
        row.set(0, linked);
        row.set(1, total);
        Ok(Some(self.row_id))
    }
}
