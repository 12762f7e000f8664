//! countdown: rows that count down.
//!
//! - `countdown(START)`: a table with the column `value`, from START down to 0.
//!   There are no rows if START is NULL or less than 0

// 1. The table as SQLite registers it: its name, how it is created, and who may
//    use it if the schema is not trusted.
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Cursor, Module, ModuleKind::EponymousOnly, Result, Table};

const MODULES: &[Module] = &[Module::new::<Numbers>("countdown", EponymousOnly, Innocuous)];

// 2. The extension.
sqlite_wasm_kit::extension! {
    name: "countdown",
    description: "rows that count down",
    modules: MODULES,
}

// 3. The columns. Hidden ones are the arguments of the table.
const VALUE: u32 = 0;
const START: u32 = 1;

struct Numbers;

impl Table for Numbers {
    type Cursor = Countdown;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(value INTEGER, start HIDDEN)".into()))
    }

    // 4. The plan: which conditions of the WHERE clause become arguments of the scan.
    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let is_start = |c: &_| is_equal(c, START);
        let Some(place) = info.constraints.iter().position(is_start) else {
            return Err("countdown: START is missing".into());
        };
        if !info.constraints[place].usable {
            // SQLite calls this again, with the tables in another order.
            return Ok(Planned::No);
        }
        plan.take(place, Check::Omit);
        (plan.cost, plan.rows) = (10.0, 10);
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Countdown> {
        Ok(Countdown::default())
    }
}

fn is_equal(constraint: &sqlite_wasm_kit::table::Constraint, column: u32) -> bool {
    constraint.column == column as i32 && matches!(constraint.operator, Operator::Equal)
}

// 5. The scan: `filter` begins it, `next` returns one row.
#[derive(Default)]
struct Countdown {
    start: i64,
    next: i64,
}

impl Cursor for Countdown {
    type Table = Numbers;

    fn filter(&mut self, _: &mut Numbers, mut scan: Scan) -> Result<()> {
        self.start = scan.get(0).unwrap_or(-1);
        self.next = self.start;
        Ok(())
    }

    fn next(&mut self, _: &mut Numbers, row: &mut Row<'_>) -> Result<Option<i64>> {
        let value = self.next;
        if value < 0 {
            return Ok(None);
        }
        self.next -= 1;
        row.set(VALUE, value);
        row.set(START, self.start);
        Ok(Some(value))
    }
}

// 6. Tests run natively, without SQLite: `cargo test -p countdown-extension`.
#[cfg(test)]
mod tests {
    use super::{Numbers, VALUE};
    use sqlite_wasm_kit::Value;
    use sqlite_wasm_kit::table::{Argument, Scan, scan};

    fn values(start: Value) -> Vec<Value> {
        let asked = Scan { arguments: vec![Argument::One(start)], ..Scan::default() };
        let rows = scan(&mut Numbers, asked, vec![VALUE]).unwrap();
        rows.into_iter().flat_map(|(_, values)| values).collect()
    }

    #[test]
    fn it_counts_down_to_zero() {
        assert_eq!(values(Value::Integer(2)), [2, 1, 0].map(Value::Integer));
    }

    #[test]
    fn null_and_less_than_zero_give_no_rows() {
        assert_eq!(values(Value::Null), []);
        assert_eq!(values(Value::Integer(-1)), []);
    }
}
