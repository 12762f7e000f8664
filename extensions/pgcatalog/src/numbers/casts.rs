//! Casts from and to numeric types.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use super::decimal::{Numeric, invalid};
use super::integers::{INT2, INT4, INT8, Width};
use bigdecimal::ToPrimitive;

macro_rules! cast {
    ($name:literal, $function:expr) => {
        Scalar::new($name, 1, Stable, Innocuous, |a| a.apply($function))
    };
}

macro_rules! integers {
    ($($width:ident $of_text:literal $of_numeric:literal;)+) => {
        pub const SCALARS: &[Scalar] = &[
            $(cast!($of_text, |value: Value| integer(&value, $width)),
            cast!($of_numeric, |value: Value| integer_of_numeric(&value, $width)),)+
            cast!("pg_numeric_of", |value: Value| shown(Numeric::of(&value)?)),
            Scalar::new("pg_numeric_of", 2, Stable, Innocuous, |a| a.apply(with_scale)),
            Scalar::new("pg_numeric_fitted", 3, Stable, Innocuous, |a| a.apply(fitted)),
            Scalar::new("pg_stored_numeric", 1, Stable, Innocuous, |a| a.apply(|value: Value| stored(value, -1, 0))),
            Scalar::new("pg_stored_numeric", 3, Stable, Innocuous, |a| a.apply(stored)),
            cast!("pg_numeric_of_float8", |value: f64| Ok::<_, Error>(Numeric::of_float(value, 15)?.to_string())),
            cast!("pg_numeric_of_float4", |value: f64| Ok::<_, Error>(Numeric::of_float(value, 6)?.to_string())),
            cast!("pg_float8_of", |value: Value| float(&value, "double precision")),
            cast!("pg_float4_of", |value: Value| single(&value)),
            cast!("pg_text_of_timestamptz", |moment: String| format!("{moment}+00")),
            cast!("pg_text_of_bytea", |bytes: Value| bytes_text(&bytes)),
            cast!("pg_text_of_float8", |value: f64| float_text(value)),
            cast!("pg_text_of_float4", |value: f64| single_text(value)),
        ];
    };
}

integers! {
    INT2 "pg_int2_of" "pg_int2_of_numeric";
    INT4 "pg_int4_of" "pg_int4_of_numeric";
    INT8 "pg_int8_of" "pg_int8_of_numeric";
}

fn shown(number: Option<Numeric>) -> Result<Option<String>> {
    Ok(number.map(|number| number.to_string()))
}

/// A stored value with the digits that its column shows.
fn with_scale(value: Value, scale: i64) -> Result<Option<String>> {
    shown(Numeric::of(&value)?.map(|number| number.rounded(scale)).transpose()?)
}

fn fitted(value: Value, precision: i64, scale: i64) -> Result<Option<String>> {
    shown(Numeric::of(&value)?.map(|number| number.fitted(precision, scale)).transpose()?)
}

/// The value that a column of `numeric(precision, scale)` stores, of `numeric` where the precision is below 0: an integer or
/// a real from which its digits come back.
fn stored(value: Value, precision: i64, scale: i64) -> Result<Value> {
    let Some(number) = Numeric::of(&value)? else { return Ok(Value::Null) };
    let number = if precision < 0 { number } else { number.fitted(precision, scale)? };
    let Some(decimal) = number.finite() else { return Ok(Value::text(number.to_string())) };
    let plain = decimal.normalized();
    if plain.fractional_digit_count() <= 0
        && let Some(integer) = plain.to_i64()
    {
        return Ok(Value::Integer(integer));
    }
    /// Decimal digits that come back from any real.
    const REAL_DIGITS: u64 = 15;
    let real = number.to_string().parse::<f64>().ok().filter(|real| real.is_finite());
    match real {
        Some(real) if plain.digits() <= REAL_DIGITS && (real != 0.0) => Ok(Value::Real(real)),
        _ => {
            let message = "0A000: a numeric with more than 15 significant digits cannot be stored; store it as text";
            Err(message.into())
        }
    }
}

/// Rounded half to even, as PostgreSQL casts floats.
fn integer(value: &Value, width: Width) -> Result<Option<i64>> {
    match value {
        Value::Null => Ok(None),
        Value::Integer(number) => width.within((*number).into()).map(Some),
        Value::Real(number) => {
            let whole = number.round_ties_even();
            // `i128` has each integer below this, and so has the comparison.
            if whole.is_finite() && whole.abs() < 1e19 {
                width.within(whole as i128).map(Some)
            } else {
                Err(width.out_of_range())
            }
        }
        Value::Text(text) => integer_of_text(&String::from_utf8_lossy(text), width).map(Some),
        Value::Blob(_) => Err("42846: cannot cast type bytea to integer".into()),
    }
}

fn integer_of_text(text: &str, width: Width) -> Result<i64> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(width.invalid(text));
    }
    let number = trimmed.parse::<i128>().map_err(|_| width.too_large(text))?;
    width.within(number).map_err(|_| width.too_large(text))
}

/// Rounded half away from zero.
fn integer_of_numeric(value: &Value, width: Width) -> Result<Option<i64>> {
    let Some(number) = Numeric::of(value)? else { return Ok(None) };
    let word = match number {
        Numeric::NaN => "NaN",
        Numeric::Infinity | Numeric::NegativeInfinity => "infinity",
        Numeric::Finite(_) => "",
    };
    if !word.is_empty() {
        return Err(format!("0A000: cannot convert {word} to an integer").into());
    }
    let whole = number.rounded(0)?.finite().and_then(ToPrimitive::to_i128);
    width.within(whole.ok_or_else(|| width.out_of_range())?).map(Some)
}

fn float(value: &Value, name: &str) -> Result<Option<f64>> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Text(text) => {
            let text = String::from_utf8_lossy(text);
            let number = Numeric::parse(&text).ok_or_else(|| {
                let error = invalid(&text);
                error.to_string().replace("numeric", name)
            })?;
            match number {
                // SQLite has none, and takes it for NULL.
                Numeric::NaN => return Err(format!("0A000: NaN as {name} is not supported").into()),
                Numeric::Infinity => f64::INFINITY,
                Numeric::NegativeInfinity => f64::NEG_INFINITY,
                Numeric::Finite(_) => in_range(&text, name)?,
            }
        }
        Value::Blob(_) => return Err(format!("42846: cannot cast type bytea to {name}").into()),
    }))
}

fn in_range(text: &str, name: &str) -> Result<f64> {
    let number: f64 = text.trim().parse().unwrap_or(f64::INFINITY);
    let has_digits = text
        .split(['e', 'E'])
        .next()
        .is_some_and(|text| text.contains(|c: char| ('1'..='9').contains(&c)));
    if number.is_infinite() || (number == 0.0 && has_digits) {
        Err(format!("22003: \"{}\" is out of range for type {name}", text.trim()).into())
    } else {
        Ok(number)
    }
}

fn single(value: &Value) -> Result<Option<f64>> {
    let Some(number) = float(value, "real")? else { return Ok(None) };
    let single = number as f32;
    match (single.is_infinite() && number.is_finite(), single == 0.0 && number != 0.0) {
        (true, _) => Err("22003: value out of range: overflow".into()),
        (_, true) => Err("22003: value out of range: underflow".into()),
        _ => Ok(Some(single.into())),
    }
}

pub fn bytes_text(bytes: &Value) -> Option<String> {
    if bytes.is_null() {
        return None;
    }
    let mut text = "\\x".to_owned();
    for byte in bytes.clone().into_bytes() {
        text.extend(
            [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
        );
    }
    Some(text)
}

pub fn float_text(number: f64) -> String {
    text_of(number, &postgres_types::float::scientific(number), &format!("{number}"), 15)
}

pub fn single_text(number: f64) -> String {
    let single = number as f32;
    text_of(number, &postgres_types::float::scientific_single(single), &format!("{single}"), 6)
}

/// The shortest digits, with an exponent from -5 down and from `digits` up.
fn text_of(number: f64, scientific: &str, plain: &str, digits: i32) -> String {
    if !number.is_finite() {
        let word = if number.is_nan() { "NaN" } else { "Infinity" };
        return format!("{}{word}", if number < 0.0 { "-" } else { "" });
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (-4..digits).contains(&exponent) {
        return plain.to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
