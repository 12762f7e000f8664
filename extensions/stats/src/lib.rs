//! stats: statistics as aggregates and window functions.
//!
//! - `median(X)`: the median of X
//! - `percentile(X, P)`: the P-th percentile of X, P from 0 to 100, with linear
//!   interpolation between two values
//! - `percentile_25(X)`, `percentile_75(X)`, `percentile_90(X)`,
//!   `percentile_95(X)`, `percentile_99(X)`
//! - `stddev(X)`, `stddev_samp(X)`, `stddev_pop(X)`: the standard deviation of a
//!   sample or of a population
//! - `variance(X)`, `var_samp(X)`, `var_pop(X)`: the variance
//!
//! sqlean's names for the same: `stats_median`, `stats_p25`, `_p75`, `_p90`,
//! `_p95`, `_p99`, `stats_perc(X, P)`, `stats_stddev`, `_stddev_samp`,
//! `_stddev_pop`, `stats_var`, `_var_samp`, `_var_pop`.
//!
//! All can be used with OVER. NULL is ignored; a value that is not numeric is an error. With too
//! few values (two for a sample, one otherwise) the result is NULL.

mod percentile;
mod variance;

use percentile::Sorted;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, Error, IntoOutput, Value, Window};
use variance::Moments;

const AGGREGATES: &[AggregateFunction] = &[
    AggregateFunction::window::<Fixed<50>>("median", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<25>>("percentile_25", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<75>>("percentile_75", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<90>>("percentile_90", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<95>>("percentile_95", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<99>>("percentile_99", 1, Stable, Innocuous),
    AggregateFunction::window::<Asked>("percentile", 2, Stable, Innocuous),
    AggregateFunction::window::<Deviation<1>>("stddev", 1, Stable, Innocuous),
    AggregateFunction::window::<Deviation<1>>("stddev_samp", 1, Stable, Innocuous),
    AggregateFunction::window::<Deviation<0>>("stddev_pop", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<1>>("variance", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<1>>("var_samp", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<0>>("var_pop", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<50>>("stats_median", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<25>>("stats_p25", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<75>>("stats_p75", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<90>>("stats_p90", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<95>>("stats_p95", 1, Stable, Innocuous),
    AggregateFunction::window::<Fixed<99>>("stats_p99", 1, Stable, Innocuous),
    AggregateFunction::window::<Asked>("stats_perc", 2, Stable, Innocuous),
    AggregateFunction::window::<Deviation<1>>("stats_stddev", 1, Stable, Innocuous),
    AggregateFunction::window::<Deviation<1>>("stats_stddev_samp", 1, Stable, Innocuous),
    AggregateFunction::window::<Deviation<0>>("stats_stddev_pop", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<1>>("stats_var", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<1>>("stats_var_samp", 1, Stable, Innocuous),
    AggregateFunction::window::<Variance<0>>("stats_var_pop", 1, Stable, Innocuous),
];

sqlite_wasm_kit::extension! {
    name: "stats",
    description: "statistics as aggregates and window functions",
    aggregates: AGGREGATES,
}

/// A numeric value; `None` for NULL.
fn number(row: &mut Arguments<'_>) -> Result<Option<f64>, Error> {
    match row.take(0) {
        Value::Null => Ok(None),
        Value::Integer(number) => Ok(Some(number as f64)),
        Value::Real(number) => Ok(Some(number)),
        _ => Err(format!("{}: input must be a number", row.function()).into()),
    }
}

/// A percentile that the function's name says.
#[derive(Default)]
struct Fixed<const PERCENT: u8>(Sorted);

impl<const PERCENT: u8> Aggregate for Fixed<PERCENT> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.0.extend(number(&mut row)?);
        Ok(())
    }

    fn finish(mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.percentile(PERCENT.into()))
    }
}

impl<const PERCENT: u8> Window for Fixed<PERCENT> {
    fn inverse(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.0.remove(number(&mut row)?);
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.percentile(PERCENT.into()))
    }
}

/// A percentile that an argument says, the same for all rows.
#[derive(Default)]
struct Asked {
    values: Sorted,
    percent: Option<f64>,
}

impl Asked {
    fn percent(&mut self, row: &mut Arguments<'_>) -> Result<(), Error> {
        let percent = match row.take(1) {
            Value::Integer(percent) => percent as f64,
            Value::Real(percent) => percent,
            _ => f64::NAN,
        };
        if !(0.0..=100.0).contains(&percent) {
            let message = "the percentage must be a number from 0 to 100";
            return Err(format!("{}: {message}", row.function()).into());
        }
        if self.percent.is_some_and(|first| first != percent) {
            let message = "the percentage must be the same for all rows";
            return Err(format!("{}: {message}", row.function()).into());
        }
        self.percent = Some(percent);
        Ok(())
    }

    fn result(&mut self) -> Option<f64> {
        self.values.percentile(self.percent?)
    }
}

impl Aggregate for Asked {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.percent(&mut row)?;
        self.values.extend(number(&mut row)?);
        Ok(())
    }

    fn finish(mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.result())
    }
}

impl Window for Asked {
    fn inverse(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.values.remove(number(&mut row)?);
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.result())
    }
}

/// The variance; `LESS` is 1 for a sample, and 0 for a population.
#[derive(Default)]
struct Variance<const LESS: u64>(Moments);

impl<const LESS: u64> Aggregate for Variance<LESS> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.0.extend(number(&mut row)?);
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.variance(LESS))
    }
}

impl<const LESS: u64> Window for Variance<LESS> {
    fn inverse(&mut self, mut row: Arguments<'_>) -> Result<(), Error> {
        self.0.remove(number(&mut row)?);
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.variance(LESS))
    }
}

/// The root of the variance.
#[derive(Default)]
struct Deviation<const LESS: u64>(Variance<LESS>);

impl<const LESS: u64> Aggregate for Deviation<LESS> {
    fn step(&mut self, row: Arguments<'_>) -> Result<(), Error> {
        self.0.step(row)
    }

    fn finish(self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.0.variance(LESS).map(f64::sqrt))
    }
}

impl<const LESS: u64> Window for Deviation<LESS> {
    fn inverse(&mut self, row: Arguments<'_>) -> Result<(), Error> {
        self.0.inverse(row)
    }

    fn value(&mut self) -> Result<impl IntoOutput, Error> {
        Ok(self.0.0.variance(LESS).map(f64::sqrt))
    }
}
