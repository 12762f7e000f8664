//! Aggregates that are JSON. Their values are JSON already; NULL is null.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, IntoOutput, Result, Value};

use super::build::string;
use super::tree::jsonb;

pub const AGGREGATES: &[AggregateFunction] = &[
    AggregateFunction::new::<List<PLAIN>>("pg_json_agg", 1, Stable, Innocuous),
    AggregateFunction::new::<List<ROWS>>("pg_json_agg_rows", 1, Stable, Innocuous),
    AggregateFunction::new::<List<BINARY>>("pg_jsonb_agg", 1, Stable, Innocuous),
    AggregateFunction::new::<Members<false>>("pg_json_object_agg", 2, Stable, Innocuous),
    AggregateFunction::new::<Members<true>>("pg_jsonb_object_agg", 2, Stable, Innocuous),
];

const PLAIN: u8 = 0;
/// Of rows and arrays, each of which has a line.
const ROWS: u8 = 1;
const BINARY: u8 = 2;

fn text(value: Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => String::from_utf8_lossy(&other.into_bytes()).into_owned(),
    }
}

/// The text of an aggregate so far; none without rows.
#[derive(Default)]
struct List<const KIND: u8>(Option<String>);

impl<const KIND: u8> Aggregate for List<KIND> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        match &mut self.0 {
            Some(all) if KIND == ROWS => all.push_str(", \n "),
            Some(all) => all.push_str(", "),
            None => self.0 = Some("[".to_owned()),
        }
        if let Some(all) = &mut self.0 {
            all.push_str(&text(row.take(0)));
        }
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        finished(self.0.map(|all| all + "]"), KIND == BINARY)
    }
}

#[derive(Default)]
struct Members<const IS_JSONB: bool>(Option<String>);

impl<const IS_JSONB: bool> Aggregate for Members<IS_JSONB> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        let key = row.take(0);
        if key.is_null() {
            return Err("22023: field name must not be null".into());
        }
        match &mut self.0 {
            Some(all) => all.push_str(", "),
            None => self.0 = Some("{ ".to_owned()),
        }
        if let Some(all) = &mut self.0 {
            all.push_str(&string(&text(key)));
            all.push_str(" : ");
            all.push_str(&text(row.take(1)));
        }
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        finished(self.0.map(|all| all + " }"), IS_JSONB)
    }
}

fn finished(all: Option<String>, is_jsonb: bool) -> Result<Option<String>> {
    match all {
        Some(all) if is_jsonb => jsonb(&all).map(|node| Some(node.text())),
        other => Ok(other),
    }
}
