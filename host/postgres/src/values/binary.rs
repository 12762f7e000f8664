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

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| {
        let message = format!("incorrect binary data format: {} bytes instead of {N}", bytes.len());
        Error::new(sqlstate::INVALID_BINARY, message)
    })
}

pub fn decode(bytes: &[u8], scalar: Scalar) -> Result<Value> {
    Ok(match scalar {
        Scalar::Bool => Value::Integer((fixed::<1>(bytes)? != [0]).into()),
        Scalar::Int2 => Value::Integer(i16::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Int4 => Value::Integer(i32::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Oid => Value::Integer(u32::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Int8 => Value::Integer(i64::from_be_bytes(fixed(bytes)?)),
        Scalar::Float4 => Value::Real(f32::from_be_bytes(fixed(bytes)?).into()),
        Scalar::Float8 => Value::Real(f64::from_be_bytes(fixed(bytes)?)),
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
                return Err(out_of_range(scalar, time));
            }
            Value::Text(datetime::time_text(time))
        }
        Scalar::Timestamp | Scalar::Timestamptz => {
            let micros = i64::from_be_bytes(fixed(bytes)?);
            let stamp = micros.checked_add(DAYS_TO_2000 * DAY).and_then(Stamp::within);
            Value::Text(stamp.ok_or_else(|| out_of_range(scalar, micros))?.text())
        }
        Scalar::Bytea => Value::Blob(bytes.to_vec()),
        Scalar::Jsonb => match bytes.split_first() {
            Some((&JSONB_VERSION, json)) => Value::Text(utf8(json)?.to_owned()),
            _ => return Err(Error::new(sqlstate::INVALID_BINARY, "unsupported jsonb version")),
        },
        Scalar::Interval => {
            let (micros, rest) = bytes.split_at_checked(8).unwrap_or_default();
            let (days, months) = rest.split_at_checked(4).unwrap_or_default();
            let interval = Interval {
                micros: i64::from_be_bytes(fixed(micros)?),
                days: i32::from_be_bytes(fixed(days)?).into(),
                months: i32::from_be_bytes(fixed(months)?).into(),
            };
            Value::Text(interval.to_string())
        }
        Scalar::Bpchar => text::decode(utf8(bytes)?, scalar)?,
        _ => Value::Text(utf8(bytes)?.to_owned()),
    })
}
