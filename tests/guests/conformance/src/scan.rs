//! A table of integers that shows its calls: `seen` is the index info, the plan and the arguments
//! of the scan.
//!
//! Rows have `a` from 0 to `last` (9 when it is left out), `b` as `a` modulo 3,
//! and `c` as a text. The scan fails at the row `fail_at`.

use crate::values::show;
use crate::watch::{self, Alive};
use sqlite_wasm_kit::table::{
    Argument, Check, Connection, Constraint, IndexInfo, Operator, Plan, Planned, Row, Scan,
};
use sqlite_wasm_kit::{Cursor, Result, Table, Value};

const DECLARATION: &str =
    "CREATE TABLE x(a INTEGER, b, c TEXT, seen HIDDEN, last HIDDEN, fail_at HIDDEN)";
const COLUMNS: [&str; 6] = ["a", "b", "c", "seen", "last", "fail_at"];
const LAST: i32 = 4;
const FAIL_AT: i32 = 5;

/// The operator code of the overloaded function.
const NEAR_OPERATOR: u8 = 150;

/// `conf_near(A, B)`: whether they differ by at most 1.
pub fn near(left: i64, right: i64) -> bool {
    watch::note("near");
    left.abs_diff(right) <= 1
}

/// The table; `MAX_BATCH` rows cross at once at most.
pub struct Numbers<const MAX_BATCH: u32>(#[allow(dead_code)] Alive);

impl<const MAX_BATCH: u32> Table for Numbers<MAX_BATCH> {
    type Cursor = NumbersCursor<MAX_BATCH>;

    fn connect(connection: Connection) -> Result<(Self, String)> {
        let Connection { mode, schema, name, arguments } = connection;
        watch::note(format!("{mode:?}({schema},{name},{})", arguments.join(";")));
        Ok((Self(Alive::default()), DECLARATION.into()))
    }

    fn best_index(&mut self, info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
        for (place, constraint) in info.constraints.iter().enumerate() {
            let is_input = constraint.column >= LAST && !is_limit(&constraint.operator);
            if is_input && !constraint.usable {
                return Ok(Planned::No);
            }
            if !constraint.usable {
                continue;
            }
            let check = if is_input { Check::Omit } else { Check::Again };
            if constraint.is_in_list {
                plan.take_list(place, check)
            } else {
                plan.take(place, check)
            };
        }
        let by_a = info.order.first().filter(|term| term.column == 0);
        plan.order_consumed = by_a.is_some() && info.order.len() == 1;
        plan.number = by_a.map_or(1, |term| if term.descending { -1 } else { 1 });
        plan.unique = info.constraints.iter().any(is_key);
        plan.text = Some(describe(info).into_bytes());
        (plan.cost, plan.rows) = if plan.unique { (1.0, 1) } else { (10.0, 10) };
        Ok(Planned::Yes)
    }

    fn open(&mut self) -> Result<NumbersCursor<MAX_BATCH>> {
        Ok(NumbersCursor::default())
    }

    fn disconnect(self) -> Result<()> {
        watch::note("disconnect");
        Ok(())
    }

    fn destroy(self) -> Result<()> {
        watch::note("destroy");
        Ok(())
    }

    fn find_function(&mut self, arguments: u32, name: &str) -> Option<(u32, u8)> {
        (name == "conf_near" && arguments == 2).then_some((crate::NEAR, NEAR_OPERATOR))
    }
}

fn is_limit(operator: &Operator) -> bool {
    matches!(operator, Operator::Limit | Operator::Offset)
}

fn is_key(constraint: &Constraint) -> bool {
    constraint.column == 0 && constraint.usable && matches!(constraint.operator, Operator::Equal)
}

/// One word for each part of the index info.
fn describe(info: &IndexInfo) -> String {
    let constraints = info.constraints.iter().map(|constraint| {
        let column = usize::try_from(constraint.column).map_or("rowid", |place| COLUMNS[place]);
        let column = if is_limit(&constraint.operator) { "" } else { column };
        let operator = &constraint.operator;
        let right = constraint.right.as_ref().map_or_else(|| "?".into(), show);
        let usable = if constraint.usable { "" } else { "!unusable" };
        let list = if constraint.is_in_list { "!list" } else { "" };
        let collation = match constraint.collation.as_str() {
            "BINARY" => String::new(),
            other => format!("!{other}"),
        };
        format!("{column}:{operator:?}:{right}{usable}{list}{collation}")
    });
    let order = info.order.iter().map(|term| {
        let column = usize::try_from(term.column).map_or("rowid", |place| COLUMNS[place]);
        format!("order:{column}{}", if term.descending { "-" } else { "+" })
    });
    let rest = [format!("{:?}", info.distinctness), format!("used:{:b}", info.columns_used)];
    let words: Vec<String> = constraints.chain(order).chain(rest).collect();
    words.join(" ").replace("Operator::", "").replace("Distinctness::", "")
}

/// A scan.
#[derive(Default)]
pub struct NumbersCursor<const MAX_BATCH: u32> {
    next: i64,
    last: i64,
    step: i64,
    fail_at: Option<i64>,
    seen: String,
    _alive: Alive,
}

impl<const MAX: u32> Cursor for NumbersCursor<MAX> {
    type Table = Numbers<MAX>;

    const MAX_BATCH: u32 = MAX;

    fn filter(&mut self, _: &mut Numbers<MAX>, scan: Scan) -> Result<()> {
        let plan = String::from_utf8_lossy(scan.text.as_deref().unwrap_or_default());
        let arguments: Vec<String> = scan.arguments.iter().map(argument).collect();
        self.seen = format!("{plan} -> {}", arguments.join(" "));
        let input = |column| input(&plan, column, &scan.arguments);
        self.last = input(LAST).unwrap_or(9);
        self.fail_at = input(FAIL_AT);
        self.step = i64::from(scan.number);
        self.next = if self.step > 0 { 0 } else { self.last };
        Ok(())
    }

    fn next(&mut self, _: &mut Numbers<MAX>, row: &mut Row<'_>) -> Result<Option<i64>> {
        let a = self.next;
        if !(0..=self.last).contains(&a) {
            return Ok(None);
        }
        watch::note(format!("row{a}"));
        if self.fail_at == Some(a) {
            return Err(format!("conf_scan: told to fail at {a}").into());
        }
        self.next += self.step;
        row.set(0, a);
        row.set(1, a % 3);
        row.set(2, format!("text {a}"));
        row.set(3, self.seen.as_str());
        row.set(LAST as u32, self.last);
        row.set(FAIL_AT as u32, self.fail_at.map_or(Value::Null, Value::Integer));
        Ok(Some(a * 10))
    }
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::One(value) => show(value),
        Argument::Every(values) => {
            let values: Vec<_> = values.iter().map(show).collect();
            format!("({})", values.join(","))
        }
    }
}

/// The right side of `column = …`: the plan's words are in the order of the
/// arguments, but for those that were not usable.
fn input(plan: &str, column: i32, arguments: &[Argument]) -> Option<i64> {
    let is_constraint = |word: &&str| word.matches(':').count() >= 2;
    let mut words = plan.split(' ').filter(is_constraint).filter(|w| !w.contains("!unusable"));
    let name = format!("{}:", COLUMNS[column as usize]);
    match arguments.get(words.position(|word| word.starts_with(&name))?) {
        Some(Argument::One(value)) => Some(value.to_integer()),
        _ => None,
    }
}
