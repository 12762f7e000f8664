//! Operators and functions of `real` and `double precision`: overflow and division by zero are errors.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar};

use super::DIVISION_BY_ZERO;

const OVERFLOW: &str = "22003: value out of range: overflow";
pub const NOT_A_NUMBER: &str = "0A000: NaN as a result of double precision is not supported";
const UNDERFLOW: &str = "22003: value out of range: underflow";

macro_rules! two {
    ($name:literal, $width:ident, $operator:expr) => {
        Scalar::new($name, 2, Stable, Innocuous, |a| {
            a.apply(|one: f64, other: f64| $width(one, other, $operator))
        })
    };
}

macro_rules! one {
    ($name:literal, $function:expr) => {
        Scalar::new($name, 1, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    two!("pg_float8_add", double, add),
    two!("pg_float8_sub", double, subtract),
    two!("pg_float8_mul", double, multiply),
    two!("pg_float8_div", double, divide),
    two!("pg_float8_power", double, power),
    two!("pg_float4_add", single, add),
    two!("pg_float4_sub", single, subtract),
    two!("pg_float4_mul", single, multiply),
    two!("pg_float4_div", single, divide),
    one!("pg_float8_round", f64::round_ties_even),
    one!("pg_float8_sign", |number: f64| match number {
        // PostgreSQL's has no sign.
        0.0 => 0.0,
        number if number.is_nan() => number,
        number => number.signum(),
    }),
    one!("pg_float8_sqrt", root),
    one!("pg_float8_exp", |number: f64| checked(number.exp(), number.is_finite(), true)),
    one!("pg_float8_ln", |number: f64| logarithm(number, f64::ln)),
    one!("pg_float8_log10", |number: f64| logarithm(number, f64::log10)),
    one!("pg_float8_cbrt", f64::cbrt),
    one!("pg_float8_sin", |number: f64| within(number.sin())),
    one!("pg_float8_cos", |number: f64| within(number.cos())),
    one!("pg_float8_tan", |number: f64| within(number.tan())),
    one!("pg_float8_asin", |number: f64| within(number.asin())),
    one!("pg_float8_acos", |number: f64| within(number.acos())),
    one!("pg_float8_atan", f64::atan),
    one!("pg_float8_sinh", f64::sinh),
    one!("pg_float8_cosh", f64::cosh),
    one!("pg_float8_tanh", f64::tanh),
    one!("pg_float8_asinh", f64::asinh),
    one!("pg_float8_acosh", |number: f64| within(number.acosh())),
    one!("pg_float8_atanh", |number: f64| within(number.atanh())),
    two!("pg_float8_atan2", double, |one, other| {
        Ok(Done { number: one.atan2(other), may_be_zero: true })
    }),
    one!("pg_float8_degrees", |number: f64| number / (std::f64::consts::PI / 180.0)),
    one!("pg_float8_radians", |number: f64| number * (std::f64::consts::PI / 180.0)),
];

/// An operator's result, and whether it is exactly zero or infinite without an error.
struct Done {
    number: f64,
    may_be_zero: bool,
}

type Operator = fn(f64, f64) -> Result<Done>;

fn double(one: f64, other: f64, operator: Operator) -> Result<f64> {
    let done = operator(one, other)?;
    checked(done.number, one.is_finite() && other.is_finite(), done.may_be_zero)
}

fn single(one: f64, other: f64, operator: Operator) -> Result<f64> {
    let done = operator(one, other)?;
    let number = done.number as f32;
    checked(f64::from(number), one.is_finite() && other.is_finite(), done.may_be_zero)
}

/// A value that a function has for its argument.
fn within(number: f64) -> Result<f64> {
    if number.is_nan() { Err("22003: input is out of range".into()) } else { Ok(number) }
}

fn checked(number: f64, was_finite: bool, may_be_zero: bool) -> Result<f64> {
    match number {
        number if number.is_nan() => Err(NOT_A_NUMBER.into()),
        number if number.is_infinite() && was_finite => Err(OVERFLOW.into()),
        0.0 if !may_be_zero => Err(UNDERFLOW.into()),
        number => Ok(number),
    }
}

fn add(one: f64, other: f64) -> Result<Done> {
    Ok(Done { number: one + other, may_be_zero: true })
}

fn subtract(one: f64, other: f64) -> Result<Done> {
    Ok(Done { number: one - other, may_be_zero: true })
}

fn multiply(one: f64, other: f64) -> Result<Done> {
    Ok(Done { number: one * other, may_be_zero: one == 0.0 || other == 0.0 })
}

fn divide(one: f64, other: f64) -> Result<Done> {
    if other == 0.0 && !one.is_nan() {
        Err(DIVISION_BY_ZERO.into())
    } else {
        Ok(Done { number: one / other, may_be_zero: one == 0.0 || other.is_infinite() })
    }
}

fn power(base: f64, exponent: f64) -> Result<Done> {
    if base == 0.0 && exponent < 0.0 {
        return Err("2201F: zero raised to a negative power is undefined".into());
    }
    if base < 0.0 && exponent.is_finite() && exponent.fract() != 0.0 {
        return Err(
            "2201F: a negative number raised to a non-integer power yields a complex result".into(),
        );
    }
    Ok(Done { number: base.powf(exponent), may_be_zero: base == 0.0 || exponent.is_infinite() })
}

fn root(number: f64) -> Result<f64> {
    if number < 0.0 {
        Err("2201F: cannot take square root of a negative number".into())
    } else {
        Ok(number.sqrt())
    }
}

fn logarithm(number: f64, function: fn(f64) -> f64) -> Result<f64> {
    match number {
        0.0 => Err("2201E: cannot take logarithm of zero".into()),
        number if number < 0.0 => Err("2201E: cannot take logarithm of a negative number".into()),
        number => Ok(function(number)),
    }
}
