//! The table `pg_places(COUNT)`: the integers from 0 on, as many as COUNT says. Translated SQL
//! steps through sets with it. Its columns have names that no client uses.

use sqlite_wasm_kit::table::{
    Argument, Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan,
};
use sqlite_wasm_kit::{Cursor, Result, Table};

const AT: u32 = 0;
const COUNT: u32 = 1;

pub struct Places;

impl Table for Places {
    type Cursor = PlacesCursor;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(pg_at integer, pg_count HIDDEN)".into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let is_count = |constraint: &sqlite_wasm_kit::table::Constraint| {
            constraint.column == COUNT as i32 && matches!(constraint.operator, Operator::Equal)
        };
        let Some(place) = info.constraints.iter().position(is_count) else {
            return Err("pg_places: a count is missing".into());
        };
        if !info.constraints[place].usable {
            return Ok(Planned::No);
        }
        plan.take(place, Check::Omit);
        (plan.cost, plan.rows) = (10.0, 10);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<PlacesCursor> {
        Ok(PlacesCursor::default())
    }
}

#[derive(Default)]
pub struct PlacesCursor {
    next: i64,
    count: i64,
}

impl Cursor for PlacesCursor {
    type Table = Places;

    fn filter(&mut self, _: &mut Places, scan: Scan) -> Result<()> {
        let count = scan.arguments.into_iter().next();
        self.next = 0;
        self.count = match count {
            Some(Argument::One(count)) => count.to_integer(),
            _ => 0,
        };
        Ok(())
    }

    fn next(&mut self, _: &mut Places, row: &mut Row<'_>) -> Result<Option<i64>> {
        if self.next >= self.count {
            return Ok(None);
        }
        row.set(AT, self.next);
        row.set(COUNT, self.count);
        self.next += 1;
        Ok(Some(self.next))
    }
}
