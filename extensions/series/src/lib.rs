//! series: rows of integers, compatible with SQLite's generate_series.
//!
//! - `generate_series(START, STOP, STEP)`: a table with the column `value` and
//!   the hidden columns `start`, `stop` and `step`. STOP is 4294967295 and STEP
//!   is 1 if omitted; a STEP of 0 counts as 1, and a negative STEP counts down.
//!   If any of them is NULL, there are no rows
//!
//! Bounds on `value`, ORDER BY value, LIMIT and OFFSET are computed by arithmetic,
//! so a small part of a long series is cheap.

mod plan;
mod series;

use plan::{Inputs, Layout};
use series::Series;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::table::{Connection, IndexInfo, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::EponymousOnly, Result, Table};

const MODULES: &[Module] =
    &[Module::new::<SeriesTable>("generate_series", EponymousOnly, Innocuous)];

sqlite_wasm_kit::extension! {
    name: "series",
    description: "rows of integers, compatible with SQLite's generate_series",
    modules: MODULES,
}

const VALUE: u32 = 0;
const START: u32 = 1;
const STOP: u32 = 2;
const STEP: u32 = 3;

struct SeriesTable;

impl Table for SeriesTable {
    type Cursor = SeriesCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        let columns = "CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)";
        Ok((Self, columns.into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        plan::best_index(info, plan)
    }

    fn open(&mut self) -> Result<SeriesCursor> {
        Ok(SeriesCursor::default())
    }
}

#[derive(Default)]
struct SeriesCursor {
    series: Series,
    inputs: Inputs,
}

impl Cursor for SeriesCursor {
    type Table = SeriesTable;

    const MAX_BATCH: u32 = if cfg!(feature = "by-row") { 1 } else { u32::MAX };

    fn filter(&mut self, _: &mut SeriesTable, scan: Scan) -> Result<()> {
        let layout = Layout::from_number(scan.number);
        (self.inputs, self.series) = match layout.read(scan) {
            Some(request) => (request.inputs, request.series()),
            None => Default::default(),
        };
        Ok(())
    }

    #[inline]
    fn next(&mut self, _: &mut SeriesTable, row: &mut Row<'_>) -> Result<Option<i64>> {
        let Some((value, row_id)) = self.series.next() else {
            return Ok(None);
        };
        row.set(VALUE, value);
        row.set(START, self.inputs.start);
        row.set(STOP, self.inputs.stop);
        row.set(STEP, self.inputs.step);
        Ok(Some(row_id))
    }
}

#[cfg(test)]
mod tests;
