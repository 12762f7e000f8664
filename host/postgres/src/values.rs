//! Values in the formats of the wire.
//!
//! SQLite has five classes of values, so each type says which ones are its own; anything else is
//! an error (22P02, 22003) and no guess.

mod array;
mod binary;
mod datetime;
mod decimal;
pub mod jsonb;
mod text;

use std::time::SystemTime;

use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Type, Typed};
pub use binary::TOO_LONG;

/// A time as `timestamptz` is stored.
pub fn timestamp_text(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    datetime::Stamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)).text()
}

/// A value of SQLite, which owns its bytes.
pub type Value = wire::Value<Vec<u8>, String>;

/// A value of SQLite, which borrows its bytes. Text can have any bytes: SQLite does not check it.
pub type ValueRef<'a> = wire::Value<&'a [u8]>;

/// The format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As `psql` prints it.
    Text,
    /// The same with `intervalstyle` of `iso_8601`.
    Iso8601,
    /// In network order.
    Binary,
}

impl Format {
    /// The same with intervals in this style.
    pub fn styled(self, style: datetime::Style) -> Self {
        match (self, style) {
            (Self::Text, datetime::Style::Iso8601) => Self::Iso8601,
            _ => self,
        }
    }

    /// The format with this code.
    ///
    /// # Errors
    ///
    /// 22023.
    pub fn of_code(code: i16) -> Result<Self> {
        match code {
            0 => Ok(Self::Text),
            1 => Ok(Self::Binary),
            _ => {
                let message = format!("unsupported format code: {code}");
                Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
            }
        }
    }
}

/// Append a value to `out`, without its length; false for NULL, which has no bytes.
///
/// # Errors
///
/// 22P02 and 22003 if the value is not of this type.
pub fn encode(
    value: ValueRef<'_>,
    typed: Typed,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<bool> {
    if matches!(value, ValueRef::Null) {
        return Ok(false);
    }
    match (typed.ty, format) {
        (Type::Array(scalar), _) => array::encode(value, scalar, format, out),
        (Type::One(Scalar::Interval), Format::Iso8601) => {
            text::put_interval(value, datetime::Style::Iso8601, out);
            Ok(())
        }
        (Type::One(_), Format::Text | Format::Iso8601) => text::encode(value, typed, out),
        (Type::One(scalar), Format::Binary) => binary::encode(value, scalar, typed, out),
    }?;
    Ok(true)
}

/// The value of a parameter; `bytes` is `None` for NULL.
///
/// # Errors
///
/// 22P02, 22P03, 22003, 22007 or 22021 if the bytes are not of this type.
pub fn decode(bytes: Option<&[u8]>, ty: Type, format: Format) -> Result<Value> {
    let Some(bytes) = bytes else { return Ok(Value::Null) };
    let value = match (ty, format) {
        (Type::Array(scalar), Format::Text | Format::Iso8601) => {
            array::decode_text(utf8(bytes)?, scalar)
        }
        (Type::Array(scalar), Format::Binary) => array::decode_binary(bytes, scalar),
        (Type::One(scalar), Format::Text | Format::Iso8601) => text::decode(utf8(bytes)?, scalar),
        (Type::One(scalar), Format::Binary) => binary::decode(bytes, scalar),
    }?;
    match value {
        // SQLite would store NULL.
        Value::Real(number) if number.is_nan() => {
            Err(Error::unsupported(format_args!("NaN as {}", ty.name())))
        }
        value => Ok(value),
    }
}

/// A value that is to be stored in a column of this type: a text may be too long for it.
///
/// # Errors
///
/// 22001; 22003 for more digits than the column has, 0A000 for more than SQLite keeps.
pub fn fitting(value: Value, column: Typed) -> Result<Value> {
    match column.ty {
        Type::One(Scalar::Numeric) => return decimal::fitting(value, column),
        Type::One(Scalar::Float4) => return Ok(single(value)),
        _ => {}
    }
    let (Type::One(Scalar::Varchar | Scalar::Bpchar), Value::Text(text)) = (column.ty, &value)
    else {
        return Ok(value);
    };
    let Some(most) = column.modifier.checked_sub(4).and_then(|most| usize::try_from(most).ok())
    else {
        return Ok(value);
    };
    let Some((end, _)) = text.char_indices().nth(most) else { return Ok(value) };
    // Only spaces may be cut.
    if text[end..].bytes().all(|byte| byte == b' ') {
        return Ok(Value::Text(text[..end].to_owned()));
    }
    let name = column.ty.name();
    let message = format!("value too long for type {name}({most})");
    Err(Error::new(sqlstate::TOO_LONG, message))
}

/// `real` has single precision.
fn single(value: Value) -> Value {
    match value {
        Value::Real(number) => Value::Real(f64::from(number as f32)),
        Value::Integer(number) => Value::Real(f64::from(number as f32)),
        other => other,
    }
}

/// The literal number that is stored in a column of a type of numbers for this one.
///
/// # Errors
///
/// 22003, and those of [`fitting`].
pub fn assigned(text: &str, target: Scalar, column: Typed) -> Result<String> {
    Ok(match target {
        Scalar::Int2 | Scalar::Int4 | Scalar::Int8 => {
            let digits = decimal::Decimal::parse(text).map(|number| number.text(Some(0)));
            let digits = digits.ok_or_else(|| out_of_range(target, text))?;
            let number = digits.parse().map_err(|_| out_of_range(target, text))?;
            within(number, target)?.to_string()
        }
        Scalar::Numeric => {
            let value = decimal::value(text).ok_or_else(|| out_of_range(target, text))?;
            match decimal::fitting(value, column)? {
                Value::Integer(number) => number.to_string(),
                Value::Real(number) => format!("{number:?}"),
                _ => return Err(out_of_range(target, text)),
            }
        }
        Scalar::Float4 => match single(Value::Real(text.parse().unwrap_or(f64::NAN))) {
            Value::Real(number) if number.is_finite() => format!("{number:?}"),
            _ => return Err(out_of_range(target, text)),
        },
        _ => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => text.to_owned(),
            _ => return Err(out_of_range(target, text)),
        },
    })
}

/// An error of a value in a result, with its row (from 1) and column.
pub fn in_result(mut error: Error, row: u64, column: &str) -> Error {
    error.message = format!("{} in row {row}, column \"{column}\"", error.message);
    if error.code == sqlstate::NUMERIC_OUT_OF_RANGE && error.hint.is_none() {
        error.hint = Some("cast it to a larger type, or declare the column so".to_owned());
    }
    error
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        Error::new(sqlstate::NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\"")
    })?;
    if text.contains('\0') {
        let message = "invalid byte sequence for encoding \"UTF8\": 0x00";
        return Err(Error::new(sqlstate::NOT_IN_REPERTOIRE, message));
    }
    Ok(text)
}

/// The error for a text that is not of a type.
fn invalid(scalar: Scalar, text: &str) -> Error {
    /// Characters of a value in a message.
    const SHOWN: usize = 100;
    let shown: String = text.chars().take(SHOWN).collect();
    let state = match scalar {
        Scalar::Date
        | Scalar::Time
        | Scalar::Timestamp
        | Scalar::Timestamptz
        | Scalar::Interval => sqlstate::INVALID_DATETIME,
        _ => sqlstate::INVALID_TEXT,
    };
    Error::new(state, format!("invalid input syntax for type {}: \"{shown}\"", scalar.name()))
}

/// A value of another class than its type has.
fn mismatch(scalar: Scalar, value: ValueRef<'_>) -> Error {
    let text = match value {
        ValueRef::Null => "NULL".into(),
        ValueRef::Integer(number) => number.to_string().into(),
        ValueRef::Real(number) => number.to_string().into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text),
        ValueRef::Blob(_) => "a blob".into(),
    };
    let mut error = invalid(scalar, &text);
    error.code = sqlstate::INVALID_TEXT;
    error
}

fn out_of_range(scalar: Scalar, text: impl std::fmt::Display) -> Error {
    let message = format!("value \"{text}\" is out of range for type {}", scalar.name());
    Error::new(sqlstate::NUMERIC_OUT_OF_RANGE, message)
}

/// The integer in a value of a type of integers.
fn integer(value: ValueRef<'_>, scalar: Scalar) -> Result<i64> {
    let number = match value {
        ValueRef::Integer(number) => number,
        ValueRef::Real(real) if real.fract() == 0.0 && real.abs() < 9.0e18 => real as i64,
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).unwrap_or_default();
            text.trim().parse().map_err(|_| mismatch(scalar, value))?
        }
        _ => return Err(mismatch(scalar, value)),
    };
    within(number, scalar)
}

fn within(number: i64, scalar: Scalar) -> Result<i64> {
    let range = match scalar {
        Scalar::Int2 => i64::from(i16::MIN)..=i64::from(i16::MAX),
        Scalar::Int4 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        Scalar::Oid => 0..=i64::from(u32::MAX),
        _ => i64::MIN..=i64::MAX,
    };
    if range.contains(&number) { Ok(number) } else { Err(out_of_range(scalar, number)) }
}

fn real(value: ValueRef<'_>, scalar: Scalar) -> Result<f64> {
    match value {
        ValueRef::Integer(number) => Ok(number as f64),
        ValueRef::Real(number) => Ok(number),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).unwrap_or_default();
            text::float(text.trim()).ok_or_else(|| mismatch(scalar, value))
        }
        _ => Err(mismatch(scalar, value)),
    }
}

fn boolean(value: ValueRef<'_>) -> Result<bool> {
    match value {
        ValueRef::Integer(number @ (0 | 1)) => Ok(number == 1),
        ValueRef::Real(number) if number == 0.0 || number == 1.0 => Ok(number == 1.0),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).unwrap_or_default();
            text::boolean(text).ok_or_else(|| mismatch(Scalar::Bool, value))
        }
        _ => Err(mismatch(Scalar::Bool, value)),
    }
}

#[cfg(test)]
mod tests;
