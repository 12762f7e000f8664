//! Aggregates of numeric values. Their sums are PostgreSQL's: exact for `numeric`, and for floats
//! in the order of the rows.

use bigdecimal::{BigDecimal, Zero};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, IntoOutput, Result, Value, Window};

use super::decimal::{Numeric, quotient, quotient_scale, square_root};
use super::floats::NOT_A_NUMBER;
use super::numeric::{add, divide, multiply};

macro_rules! window {
    ($name:literal, $state:ty) => {
        AggregateFunction::window::<$state>($name, 1, Stable, Innocuous)
    };
}

pub const AGGREGATES: &[AggregateFunction] = &[
    window!("pg_numeric_sum", Exact<{ SUM }>),
    window!("pg_numeric_avg", Exact<{ AVERAGE }>),
    window!("pg_numeric_var_samp", Exact<{ VARIANCE }>),
    window!("pg_numeric_var_pop", Exact<{ POPULATION_VARIANCE }>),
    window!("pg_numeric_stddev_samp", Exact<{ DEVIATION }>),
    window!("pg_numeric_stddev_pop", Exact<{ POPULATION_DEVIATION }>),
    window!("pg_float8_sum", Float<{ SUM }>),
    window!("pg_float4_sum", Float<{ SINGLE_SUM }>),
    window!("pg_float8_avg", Float<{ AVERAGE }>),
    window!("pg_float8_var_samp", Float<{ VARIANCE }>),
    window!("pg_float8_var_pop", Float<{ POPULATION_VARIANCE }>),
    window!("pg_float8_stddev_samp", Float<{ DEVIATION }>),
    window!("pg_float8_stddev_pop", Float<{ POPULATION_DEVIATION }>),
    AggregateFunction::new::<Bits<{ AND }>>("pg_int8_bit_and", 1, Stable, Innocuous),
    AggregateFunction::new::<Bits<{ OR }>>("pg_int8_bit_or", 1, Stable, Innocuous),
    AggregateFunction::new::<Bits<{ XOR }>>("pg_int8_bit_xor", 1, Stable, Innocuous),
];

const SUM: u8 = 0;
const AVERAGE: u8 = 1;
const VARIANCE: u8 = 2;
const POPULATION_VARIANCE: u8 = 3;
const DEVIATION: u8 = 4;
const POPULATION_DEVIATION: u8 = 5;
const SINGLE_SUM: u8 = 6;

/// Sums of numerics. What is not finite is counted, so that it can leave a window.
#[derive(Default)]
struct Exact<const KIND: u8> {
    count: i64,
    sum: BigDecimal,
    squares: BigDecimal,
    /// Rows of each scale: a window shows the digits of its own rows only.
    scales: std::collections::BTreeMap<i64, i64>,
    nans: i64,
    infinities: i64,
    negative_infinities: i64,
}

impl<const KIND: u8> Exact<KIND> {
    fn take(&mut self, mut row: Arguments<'_>, sign: i64) -> Result<()> {
        let Some(number) = Numeric::of(&row.take(0))? else { return Ok(()) };
        self.count += sign;
        match number {
            Numeric::NaN => self.nans += sign,
            Numeric::Infinity => self.infinities += sign,
            Numeric::NegativeInfinity => self.negative_infinities += sign,
            Numeric::Finite(number) => self.add(&number, sign)?,
        }
        Ok(())
    }

    fn add(&mut self, number: &BigDecimal, sign: i64) -> Result<()> {
        let scale = number.fractional_digit_count();
        let rows = self.scales.entry(scale).or_default();
        *rows += sign;
        if *rows == 0 {
            self.scales.remove(&scale);
        }
        if KIND >= VARIANCE {
            let Numeric::Finite(square) =
                multiply(Numeric::Finite(number.clone()), Numeric::Finite(number.clone()))?
            else {
                return Ok(());
            };
            self.squares = if sign > 0 { &self.squares + square } else { &self.squares - square };
        }
        let Numeric::Finite(sum) = add(
            Numeric::Finite(std::mem::take(&mut self.sum)),
            Numeric::Finite(if sign > 0 { number.clone() } else { -number }),
        )?
        else {
            return Ok(());
        };
        self.sum = sum;
        Ok(())
    }

    fn total(&self) -> Numeric {
        match (self.nans, self.infinities, self.negative_infinities) {
            (0, 0, 0) => Numeric::Finite(self.sum.with_scale(self.scale())),
            (0, _, 0) => Numeric::Infinity,
            (0, 0, _) => Numeric::NegativeInfinity,
            _ => Numeric::NaN,
        }
    }

    fn scale(&self) -> i64 {
        self.scales.last_key_value().map_or(0, |(scale, _)| *scale)
    }

    fn result(&self) -> Result<Option<String>> {
        let number = match KIND {
            _ if self.count == 0 => return Ok(None),
            SUM => self.total(),
            AVERAGE => divide(self.total(), Numeric::of_integer(self.count))?,
            _ => match self.spread() {
                Some(number) => number?,
                None => return Ok(None),
            },
        };
        Ok(Some(number.to_string()))
    }

    /// The variance or its root, by PostgreSQL's `numeric_stddev_internal`; `None` for too few rows.
    fn spread(&self) -> Option<Result<Numeric>> {
        let is_sample = matches!(KIND, VARIANCE | DEVIATION);
        if is_sample && self.count <= 1 {
            return None;
        }
        let Numeric::Finite(sum) = self.total() else { return Some(Ok(Numeric::NaN)) };
        let count = BigDecimal::from(self.count);
        let squares = self.squares.with_scale(self.scale() * 2);
        let numerator = &count * squares - &sum * &sum;
        if numerator <= BigDecimal::zero() {
            return Some(Ok(Numeric::of_integer(0)));
        }
        let divisor = if is_sample { &count * (&count - 1) } else { &count * &count };
        let scale = quotient_scale(&numerator, &divisor);
        let variance = quotient(&numerator, &divisor, scale);
        let is_root = matches!(KIND, DEVIATION | POPULATION_DEVIATION);
        Some(Numeric::checked(if is_root { square_root(&variance, scale) } else { variance }))
    }
}

impl<const KIND: u8> Aggregate for Exact<KIND> {
    fn step(&mut self, row: Arguments<'_>) -> Result<()> {
        self.take(row, 1)
    }

    fn finish(self) -> Result<impl IntoOutput> {
        self.result()
    }
}

impl<const KIND: u8> Window for Exact<KIND> {
    fn inverse(&mut self, row: Arguments<'_>) -> Result<()> {
        self.take(row, -1)
    }

    fn value(&mut self) -> Result<impl IntoOutput> {
        self.result()
    }
}

const AND: u8 = 0;
const OR: u8 = 1;
const XOR: u8 = 2;

/// The bits of integers together.
#[derive(Default)]
struct Bits<const KIND: u8>(Option<i64>);

impl<const KIND: u8> Aggregate for Bits<KIND> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        let Value::Integer(bits) = row.take(0) else { return Ok(()) };
        self.0 = Some(self.0.map_or(bits, |all| match KIND {
            AND => all & bits,
            OR => all | bits,
            _ => all ^ bits,
        }));
        Ok(())
    }

    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.0)
    }
}

/// Sums of floats by PostgreSQL's `float8_accum` (Youngs and Cramer). PostgreSQL computes a window anew when a row leaves it,
/// so the rows of a window are kept.
#[derive(Default)]
struct Float<const KIND: u8> {
    rows: std::collections::VecDeque<f64>,
    moments: Moments,
    /// Whether a row has left.
    is_stale: bool,
    /// Whether there were more rows than are kept.
    is_large: bool,
}

#[derive(Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
    is_infinite: bool,
}

impl Moments {
    fn add(&mut self, number: f64, is_single: bool) {
        let before = self.count;
        self.count += 1.0;
        self.is_infinite |= number.is_infinite();
        self.sum =
            if is_single { f64::from((self.sum + number) as f32) } else { self.sum + number };
        if before > 0.0 {
            let difference = number * self.count - self.sum;
            self.squares += difference * difference / (self.count * before);
        }
    }
}

/// Rows of a window of floats at most: 8 MiB of the extension's memory.
const MAX_WINDOW: usize = 1 << 20;

impl<const KIND: u8> Float<KIND> {
    fn result(&mut self) -> Result<Option<f64>> {
        if std::mem::take(&mut self.is_stale) {
            self.moments = Moments::default();
            self.rows.iter().for_each(|number| self.moments.add(*number, KIND == SINGLE_SUM));
        }
        let Moments { count, sum, squares, is_infinite } = self.moments;
        let is_sample = matches!(KIND, VARIANCE | DEVIATION);
        if count == 0.0 || (is_sample && count == 1.0) {
            return Ok(None);
        }
        if sum.is_infinite() && !is_infinite {
            return Err("22003: value out of range: overflow".into());
        }
        let squares = if sum.is_finite() { squares } else { f64::NAN };
        let result = match KIND {
            SUM | SINGLE_SUM => sum,
            AVERAGE => sum / count,
            VARIANCE => squares / (count - 1.0),
            POPULATION_VARIANCE => squares / count,
            DEVIATION => (squares / (count - 1.0)).sqrt(),
            _ => (squares / count).sqrt(),
        };
        if result.is_nan() { Err(NOT_A_NUMBER.into()) } else { Ok(Some(result)) }
    }
}

impl<const KIND: u8> Aggregate for Float<KIND> {
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        let Some(number) = row.get::<f64>(0)? else { return Ok(()) };
        self.moments.add(number, KIND == SINGLE_SUM);
        if self.is_large || self.rows.len() == MAX_WINDOW {
            (self.rows, self.is_large) = (std::collections::VecDeque::new(), true);
        } else {
            self.rows.push_back(number);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<impl IntoOutput> {
        self.result()
    }
}

impl<const KIND: u8> Window for Float<KIND> {
    fn inverse(&mut self, mut row: Arguments<'_>) -> Result<()> {
        if row.get::<f64>(0)?.is_none() {
            return Ok(());
        }
        if self.is_large {
            return Err(format!("54000: a window of floats has at most {MAX_WINDOW} rows").into());
        }
        self.rows.pop_front();
        self.is_stale = true;
        Ok(())
    }

    fn value(&mut self) -> Result<impl IntoOutput> {
        self.result()
    }
}
