//! Intervals in text.

use std::cmp::Ordering;

use postgres_types::{Fault, Interval};
use sqlite_wasm_kit::{Error, Result};

pub fn out_of_range() -> Error {
    "22008: interval out of range".into()
}

/// The interval in a text; an amount without a unit is of the unit `alone`.
pub fn parse(text: &str, alone: Option<&str>) -> Result<Interval> {
    Interval::parse(text, alone).map_err(|fault| {
        let shown: String = text.chars().take(100).collect();
        match fault {
            Fault::Range => out_of_range(),
            Fault::Amount => {
                format!("22015: interval field value out of range: \"{shown}\"").into()
            }
            _ => format!("22007: invalid input syntax for type interval: \"{shown}\"").into(),
        }
    })
}

/// The order of two texts of intervals; other texts are ordered by their bytes.
pub fn compare_texts(one: &str, other: &str) -> Ordering {
    match (Interval::parse(one, None), Interval::parse(other, None)) {
        (Ok(one), Ok(other)) => one.length().cmp(&other.length()),
        _ => one.cmp(other),
    }
}
