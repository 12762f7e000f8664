//! Operators of integers, whose results are within their types.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use super::DIVISION_BY_ZERO;

/// A type of integers: its name, and the width of its values in bits.
#[derive(Clone, Copy)]
pub struct Width {
    name: &'static str,
    bits: u32,
}

pub const INT2: Width = Width { name: "smallint", bits: 16 };
pub const INT4: Width = Width { name: "integer", bits: 32 };
pub const INT8: Width = Width { name: "bigint", bits: 64 };

impl Width {
    /// The value, if it is within this type.
    pub fn within(self, number: i128) -> Result<i64> {
        let limit = 1i128 << (self.bits - 1);
        if (-limit..limit).contains(&number) { Ok(number as i64) } else { Err(self.out_of_range()) }
    }

    pub fn out_of_range(self) -> Error {
        format!("22003: {} out of range", self.name).into()
    }

    pub fn invalid(self, text: &str) -> Error {
        let shown: String = text.chars().take(100).collect();
        format!("22P02: invalid input syntax for type {}: \"{shown}\"", self.name).into()
    }

    /// A text that is out of this type's range.
    pub fn too_large(self, text: &str) -> Error {
        let shown: String = text.chars().take(100).collect();
        format!("22003: value \"{shown}\" is out of range for type {}", self.name).into()
    }
}

// A shift takes as many bits of its distance as the processor of PostgreSQL does.
type Two = fn(i128, i128) -> Result<i128>;

macro_rules! operators {
    ($($width:ident: $($name:literal $operator:expr),+;)+) => {
        pub const SCALARS: &[Scalar] = &[
            $($(Scalar::new($name, 2, Stable, Innocuous, |a| {
                a.apply(|one: Value, other: Value| computed(&one, &other, $width, $operator))
            }),)+)+
            unary!("pg_int2_neg", INT2, |number| -number),
            unary!("pg_int4_neg", INT4, |number| -number),
            unary!("pg_int8_neg", INT8, |number| -number),
            unary!("pg_int2_abs", INT2, i128::abs),
            unary!("pg_int4_abs", INT4, i128::abs),
            unary!("pg_int8_abs", INT8, i128::abs),
        ];
    };
}

macro_rules! unary {
    ($name:literal, $width:ident, $operator:expr) => {
        Scalar::new($name, 1, Stable, Innocuous, |a| {
            a.apply(|value: Value| {
                let function: fn(i128) -> i128 = $operator;
                integer(&value, $width)?.map(|number| $width.within(function(number))).transpose()
            })
        })
    };
}

operators! {
    INT2: "pg_int2_add" add, "pg_int2_sub" subtract, "pg_int2_mul" multiply, "pg_int2_div" divide, "pg_int2_mod" remainder,
        "pg_int2_shl" |one, by| Ok(i128::from((one as i32).wrapping_shl(by as u32) as i16)),
        "pg_int2_shr" |one, by| Ok(i128::from((one as i32).wrapping_shr(by as u32) as i16));
    INT4: "pg_int4_add" add, "pg_int4_sub" subtract, "pg_int4_mul" multiply, "pg_int4_div" divide, "pg_int4_mod" remainder,
        "pg_int4_gcd" divisor, "pg_int4_lcm" multiple,
        "pg_int4_shl" |one, by| Ok((one as i32).wrapping_shl(by as u32).into()),
        "pg_int4_shr" |one, by| Ok((one as i32).wrapping_shr(by as u32).into());
    INT8: "pg_int8_add" add, "pg_int8_sub" subtract, "pg_int8_mul" multiply, "pg_int8_div" divide, "pg_int8_mod" remainder,
        "pg_int8_gcd" divisor, "pg_int8_lcm" multiple,
        "pg_int8_shl" |one, by| Ok((one as i64).wrapping_shl(by as u32).into()),
        "pg_int8_shr" |one, by| Ok((one as i64).wrapping_shr(by as u32).into());
}

fn computed(one: &Value, other: &Value, width: Width, operator: Two) -> Result<Option<i64>> {
    match (integer(one, width)?, integer(other, width)?) {
        (Some(one), Some(other)) => width.within(operator(one, other)?).map(Some),
        _ => Ok(None),
    }
}

/// An integer; `None` for NULL. A column may hold anything.
fn integer(value: &Value, width: Width) -> Result<Option<i128>> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(number) => Ok(Some((*number).into())),
        Value::Real(number) if number.fract() == 0.0 && number.abs() < 9e18 => {
            Ok(Some(*number as i128))
        }
        other => Err(width.invalid(&String::from_utf8_lossy(&other.clone().into_bytes()))),
    }
}

fn add(one: i128, other: i128) -> Result<i128> {
    Ok(one + other)
}

fn subtract(one: i128, other: i128) -> Result<i128> {
    Ok(one - other)
}

fn multiply(one: i128, other: i128) -> Result<i128> {
    Ok(one * other)
}

fn divide(one: i128, other: i128) -> Result<i128> {
    one.checked_div(other).ok_or_else(|| DIVISION_BY_ZERO.into())
}

fn remainder(one: i128, other: i128) -> Result<i128> {
    one.checked_rem(other).ok_or_else(|| DIVISION_BY_ZERO.into())
}

fn divisor(one: i128, other: i128) -> Result<i128> {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    Ok(one)
}

fn multiple(one: i128, other: i128) -> Result<i128> {
    match divisor(one, other)? {
        0 => Ok(0),
        common => Ok((one / common * other).abs()),
    }
}
