//! Numbers from 0 to the hidden column `last`, and nothing else: what a row
//! costs, in batches and one by one.

use sqlite_wasm_kit::table::{Check, Connection, Plan, Planned, Question, Row, Scan};
use sqlite_wasm_kit::{Cursor, Result, Table};

const N: u32 = 0;
const LAST: i32 = 1;

/// The table; `MAX_BATCH` rows cross at once at most.
pub struct Numbers<const MAX_BATCH: u32>;

impl<const MAX_BATCH: u32> Table for Numbers<MAX_BATCH> {
    type Cursor = NumbersCursor<MAX_BATCH>;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(n INTEGER, last HIDDEN)".into()))
    }

    fn best_index(&mut self, question: &Question, plan: &mut Plan) -> Result<Planned> {
        let last = question.constraints.iter().position(|constraint| constraint.column == LAST);
        match last {
            Some(place) if question.constraints[place].usable => {
                plan.take(place, Check::Omit);
                Ok(Planned::Yes)
            }
            _ => Ok(Planned::No),
        }
    }

    fn open(&mut self) -> Result<NumbersCursor<MAX_BATCH>> {
        Ok(NumbersCursor { next: 0, last: -1 })
    }
}

/// A scan.
pub struct NumbersCursor<const MAX_BATCH: u32> {
    next: i64,
    last: i64,
}

impl<const MAX: u32> Cursor for NumbersCursor<MAX> {
    type Table = Numbers<MAX>;

    const MAX_BATCH: u32 = MAX;

    fn filter(&mut self, _: &mut Numbers<MAX>, mut scan: Scan) -> Result<()> {
        self.next = 0;
        self.last = scan.get(0).unwrap_or(-1);
        Ok(())
    }

    fn next(&mut self, _: &mut Numbers<MAX>, row: &mut Row<'_>) -> Result<Option<i64>> {
        if self.next > self.last {
            return Ok(None);
        }
        row.set(N, self.next);
        self.next += 1;
        Ok(Some(self.next))
    }
}
