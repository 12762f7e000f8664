//! Aggregates of intervals.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, IntoOutput, Result, Value, Window};

use super::interval::out_of_range;
use postgres_types::Interval;

pub const AGGREGATES: &[AggregateFunction] = &[
    AggregateFunction::window::<Sum<false>>("pg_interval_sum", 1, Stable, Innocuous),
    AggregateFunction::window::<Sum<true>>("pg_interval_avg", 1, Stable, Innocuous),
    AggregateFunction::new::<Extreme<false>>("pg_interval_min", 1, Stable, Innocuous),
    AggregateFunction::new::<Extreme<true>>("pg_interval_max", 1, Stable, Innocuous),
];

/// The interval of a row; none of NULL.
fn interval(mut row: Arguments<'_>) -> Result<Option<Interval>> {
    match row.take(0) {
        Value::Null => Ok(None),
        value => {
            super::interval::parse(&String::from_utf8_lossy(&value.into_bytes()), None).map(Some)
        }
    }
}

#[derive(Default)]
struct Sum<const IS_AVERAGE: bool> {
    count: i32,
    sum: Interval,
}

impl<const IS_AVERAGE: bool> Sum<IS_AVERAGE> {
    fn result(&self) -> Result<Option<String>> {
        Ok(match self.count {
            0 => None,
            count if IS_AVERAGE => {
                Some(self.sum.times(1.0 / f64::from(count)).ok_or_else(out_of_range)?.to_string())
            }
            _ => Some(self.sum.to_string()),
        })
    }
}

impl<const IS_AVERAGE: bool> Aggregate for Sum<IS_AVERAGE> {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        if let Some(interval) = interval(row)? {
            self.sum = self.sum.plus(interval).ok_or_else(out_of_range)?;
            self.count += 1;
        }
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        self.result()
    }
}

impl<const IS_AVERAGE: bool> Window for Sum<IS_AVERAGE> {
    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        if let Some(interval) = interval(row)? {
            self.sum = interval
                .negative()
                .and_then(|less| self.sum.plus(less))
                .ok_or_else(out_of_range)?;
            self.count -= 1;
        }
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput> {
        self.result()
    }
}

#[derive(Default)]
struct Extreme<const IS_LARGEST: bool>(Option<Interval>);

impl<const IS_LARGEST: bool> Aggregate for Extreme<IS_LARGEST> {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        if let Some(own) = interval(row)? {
            // Of equal ones the last, as PostgreSQL.
            let is_better = |best: Interval| {
                if IS_LARGEST {
                    own.length() >= best.length()
                } else {
                    own.length() <= best.length()
                }
            };
            if self.0.is_none_or(is_better) {
                self.0 = Some(own);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.0.map(|interval| interval.to_string()))
    }
}
