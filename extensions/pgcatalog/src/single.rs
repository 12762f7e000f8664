//! The value of a query that may have one row only, where SQLite would take the first of several.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, IntoOutput, Result, Value};

pub const AGGREGATES: &[AggregateFunction] =
    &[AggregateFunction::new::<Single>("pg_single", 1, Stable, Innocuous)];

#[derive(Default)]
struct Single(Option<Value>);

impl Aggregate for Single {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        if self.0.is_some() {
            let message = "21000: more than one row returned by a subquery used as an expression";
            return Err(message.into());
        }
        self.0 = Some(row.take(0));
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.0.unwrap_or(Value::Null))
    }
}
