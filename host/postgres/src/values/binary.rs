//! The binary format.

use postgres_types::Interval;

use crate::values::{Value, ValueRef};

use super::datetime::{self, DAY, DAYS_TO_2000, Date, Stamp};
use super::{boolean, decimal, integer, invalid, out_of_range, real, text, utf8};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Typed};

/// The version of `jsonb`'s binary format.
const JSONB_VERSION: u8 = 1;

pub fn encode(value: ValueRef<'_>, scalar: Scalar, typed: Typed, out: &mut Vec<u8>) -> Result<()> {
    let number = || integer(value, scalar);
    match scalar {
        Scalar::Bool => out.push(boolean(value)?.into()),
        Scalar::Int2 => out.extend_from_slice(&(number()? as i16).to_be_bytes()),
        Scalar::Int4 => out.extend_from_slice(&(number()? as i32).to_be_bytes()),
        Scalar::Oid => out.extend_from_slice(&(number()? as u32).to_be_bytes()),
        Scalar::Int8 => out.extend_from_slice(&number()?.to_be_bytes()),
        Scalar::Float4 => out.extend_from_slice(&(real(value, scalar)? as f32).to_be_bytes()),
        Scalar::Float8 => out.extend_from_slice(&real(value, scalar)?.to_be_bytes()),
        Scalar::Numeric => decimal::put_binary(value, typed.scale(), out)?,
        Scalar::Uuid => out.extend_from_slice(&text::uuid_of(value)?),
        Scalar::Date => {
            let days = datetime::date_of(value, scalar)?.0 - DAYS_TO_2000;
            out.extend_from_slice(&(days as i32).to_be_bytes());
        }
        Scalar::Time => out.extend_from_slice(&datetime::time_of(value)?.to_be_bytes()),
        Scalar::Timestamp | Scalar::Timestamptz => {
            let stamp = datetime::stamp_of(value, scalar)?.0 - DAYS_TO_2000 * DAY;
            out.extend_from_slice(&stamp.to_be_bytes());
        }
        Scalar::Bytea => match value {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => out.extend_from_slice(bytes),
            other => text::put_any(other, out),
        },
        Scalar::Jsonb => {
            out.push(JSONB_VERSION);
            text::put_any(value, out);
        }
        Scalar::Bpchar => text::put_padded(value, typed, out)?,
        Scalar::Interval => {
            let Interval { months, days, micros } = datetime::interval_of(value)?;
            out.extend_from_slice(&micros.to_be_bytes());
            out.extend_from_slice(&(days as i32).to_be_bytes());
            out.extend_from_slice(&(months as i32).to_be_bytes());
        }
        _ => text::put_any(value, out),
    }
    Ok(())
}

/// What a value of too few bytes is for PostgreSQL: a message that ends too early.
pub fn too_short() -> Error {
    Error::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message")
}

/// The first bytes, as an array, and those behind them.
pub fn split<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8])> {
    bytes.split_first_chunk().map(|(first, rest)| (*first, rest)).ok_or_else(too_short)
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    match split(bytes)? {
        (first, []) => Ok(first),
        _ => Err(Error::new(sqlstate::INVALID_BINARY, TOO_LONG)),
    }
}

/// What PostgreSQL says of a value with too many bytes, before the index of the parameter.
pub const TOO_LONG: &str = "incorrect binary data format";

/// A float that SQLite can have: for it NaN is NULL.
fn float(number: f64) -> Result<Value> {
    if number.is_nan() { Err(Error::unsupported("NaN")) } else { Ok(Value::Real(number)) }
}

pub fn decode(bytes: &[u8], scalar: Scalar) -> Result<Value> {
    Ok(match scalar {
        Scalar::Bool => Value::Integer((fixed::<1>(bytes)? != [0]).into()),
        Scalar::Int2 => Value::Integer(i16::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Int4 => Value::Integer(i32::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Oid => Value::Integer(u32::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Int8 => Value::Integer(i64::from_be_bytes(fixed(bytes)?)),
        Scalar::Float4 => float(f32::from_be_bytes(fixed(bytes)?).into())?,
        Scalar::Float8 => float(f64::from_be_bytes(fixed(bytes)?))?,
        Scalar::Numeric => {
            let text = decimal::binary_text(bytes)?;
            decimal::value(&text).ok_or_else(|| invalid(scalar, &text))?
        }
        Scalar::Uuid => {
            text::decode(&format!("{:032x}", u128::from_be_bytes(fixed(bytes)?)), scalar)?
        }
        Scalar::Date => {
            let days = i64::from(i32::from_be_bytes(fixed(bytes)?)) + DAYS_TO_2000;
            let date = Date::within(days).ok_or_else(|| out_of_range(scalar, days))?;
            Value::Text(date.to_string())
        }
        Scalar::Time => {
            let time = i64::from_be_bytes(fixed(bytes)?);
            if !(0..=DAY).contains(&time) {
                return Err(Error::new(sqlstate::DATETIME_OVERFLOW, "time out of range"));
            }
            Value::Text(datetime::time_text(time))
        }
        Scalar::Timestamp | Scalar::Timestamptz => {
            let micros = i64::from_be_bytes(fixed(bytes)?);
            let stamp = micros.checked_add(DAYS_TO_2000 * DAY).and_then(Stamp::within);
            Value::Text(stamp.ok_or_else(|| out_of_range(scalar, micros))?.text())
        }
        Scalar::Bytea => Value::Blob(bytes.to_vec()),
        Scalar::Jsonb => match split(bytes)? {
            ([JSONB_VERSION], json) => Value::Text(utf8(json)?.to_owned()),
            ([version], _) => {
                let message = format!("unsupported jsonb version number {version}");
                return Err(Error::new(sqlstate::INTERNAL_ERROR, message));
            }
        },
        Scalar::Interval => {
            let (micros, rest) = split(bytes)?;
            let (days, months) = split(rest)?;
            let interval = Interval {
                micros: i64::from_be_bytes(micros),
                days: i32::from_be_bytes(days).into(),
                months: i32::from_be_bytes(fixed(months)?).into(),
            };
            Value::Text(interval.to_string())
        }
        Scalar::Bpchar => text::decode(utf8(bytes)?, scalar)?,
        _ => Value::Text(utf8(bytes)?.to_owned()),
    })
}
