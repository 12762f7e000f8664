//! frozen: an extension of the first version of the contract. Its component lies next to this file
//! and is not built again: hosts of later versions 0.1.x must load it as it is.
//!
//! - `frozen(X)`: X, reversed byte by byte if it is a text or a blob
//! - `frozen_length`: a collation by length
//! - `frozen_count(N)`: a table with the column `value`, from 1 to N

use std::cmp::Ordering;

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::table::{Check, Connection, IndexInfo, Operator, Plan, Planned, Row, Scan};
use sqlite_wasm_kit::{Collation, Cursor};
use sqlite_wasm_kit::{Module, ModuleKind::EponymousOnly, Result, Scalar, Table, Value};

sqlite_wasm_kit::extension! {
    name: "frozen",
    description: "an extension of contract 0.1.0",
    scalars: &[Scalar::new("frozen", 1, Stable, Innocuous, |a| a.apply(reversed))],
    collations: &[Collation::new("frozen_length", by_length)],
    modules: &[Module::new::<Numbers>("frozen_count", EponymousOnly, Innocuous)],
}

fn reversed(mut value: Value) -> Value {
    if let Value::Text(bytes) | Value::Blob(bytes) = &mut value {
        bytes.reverse();
    }
    value
}

fn by_length(left: &[u8], right: &[u8]) -> Ordering {
    left.len().cmp(&right.len())
}

const VALUE: u32 = 0;
const LAST: u32 = 1;

struct Numbers;

impl Table for Numbers {
    type Cursor = Count;

    fn connect(_: Connection) -> Result<(Self, String)> {
        Ok((Self, "CREATE TABLE x(value INTEGER, last HIDDEN)".into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        let mut constraints = info.constraints.iter();
        let is_last = |c: &sqlite_wasm_kit::table::Constraint| {
            c.usable && c.column == LAST as i32 && matches!(c.operator, Operator::Equal)
        };
        match constraints.position(is_last) {
            Some(place) => plan.take(place, Check::Omit),
            None => return Err("frozen_count: N is missing".into()),
        };
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<Count> {
        Ok(Count::default())
    }
}

#[derive(Default)]
struct Count {
    last: i64,
    value: i64,
}

impl Cursor for Count {
    type Table = Numbers;

    fn filter(&mut self, _: &mut Numbers, mut scan: Scan) -> Result<()> {
        *self = Self { last: scan.get(0).unwrap_or(0), value: 0 };
        Ok(())
    }

    fn next(&mut self, _: &mut Numbers, row: &mut Row<'_>) -> Result<Option<i64>> {
        if self.value >= self.last {
            return Ok(None);
        }
        self.value += 1;
        row.set(VALUE, self.value);
        row.set(LAST, self.last);
        Ok(Some(self.value))
    }
}
