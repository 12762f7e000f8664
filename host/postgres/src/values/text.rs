//! The text format.

use std::io::Write;

use postgres_types::float;

use crate::values::{Value, ValueRef};

use super::datetime::Style;
use super::{datetime, decimal, integer, invalid, mismatch, out_of_range, real, within};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Typed};

pub fn encode(value: ValueRef<'_>, typed: Typed, out: &mut Vec<u8>) -> Result<()> {
    let scalar = typed.ty.scalar();
    match scalar {
        Scalar::Bool => out.push(if super::boolean(value)? { b't' } else { b'f' }),
        Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Oid => {
            put(out, format_args!("{}", integer(value, scalar)?));
        }
        Scalar::Float4 => put_float(out, f64::from(real(value, scalar)? as f32), Some(())),
        Scalar::Float8 => put_float(out, real(value, scalar)?, None),
        Scalar::Numeric => decimal::put_text(value, typed.scale(), out)?,
        Scalar::Bytea => put_bytea(value, out),
        Scalar::Date => {
            out.extend_from_slice(datetime::date_of(value, scalar)?.to_string().as_bytes());
        }
        Scalar::Time => {
            out.extend_from_slice(datetime::time_text(datetime::time_of(value)?).as_bytes());
        }
        Scalar::Timestamp => {
            out.extend_from_slice(datetime::stamp_of(value, scalar)?.text().as_bytes());
        }
        Scalar::Timestamptz => {
            out.extend_from_slice(datetime::stamp_of(value, scalar)?.text().as_bytes());
            out.extend_from_slice(b"+00");
        }
        Scalar::Interval => put_interval(value, Style::Postgres, out),
        Scalar::Uuid => put_uuid(value, out)?,
        Scalar::Bpchar => put_padded(value, typed, out)?,
        _ => put_any(value, out),
    }
    Ok(())
}

/// An interval in a style; a value that is not one, as another program may have stored it, stays as it is.
pub fn put_interval(value: ValueRef<'_>, style: Style, out: &mut Vec<u8>) {
    match datetime::interval_of(value) {
        Ok(interval) => out.extend_from_slice(interval.text(style).as_bytes()),
        Err(_) => put_any(value, out),
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // A vector takes everything.
    let _ = out.write_fmt(text);
}

/// The shortest text that is read back as the same number, with an exponent where Postgres has one.
fn put_float(out: &mut Vec<u8>, number: f64, single: Option<()>) {
    if number.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if number.is_infinite() {
        out.extend_from_slice(if number > 0.0 { b"Infinity" } else { b"-Infinity" });
    } else {
        let scientific = match single {
            Some(()) => float::scientific_single(number as f32),
            None => float::scientific(number),
        };
        put_scientific(out, &scientific, number, if single.is_some() { 6 } else { 15 });
    }
}

fn put_scientific(out: &mut Vec<u8>, scientific: &str, number: f64, digits: i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (-4..digits).contains(&exponent) {
        match digits {
            6 => put(out, format_args!("{}", number as f32)),
            _ => put(out, format_args!("{number}")),
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        put(out, format_args!("{mantissa}e{sign}{:02}", exponent.abs()));
    }
}

fn put_bytea(value: ValueRef<'_>, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    let bytes = match value {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes,
        other => {
            put_any(other, &mut text);
            &text
        }
    };
    out.extend_from_slice(b"\\x");
    bytes.iter().for_each(|byte| put(out, format_args!("{byte:02x}")));
}

/// The text of any value, as SQLite would cast it; a blob in hexadecimal digits.
pub fn put_any(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(number) => put(out, format_args!("{number}")),
        ValueRef::Real(number) => put_float(out, number, None),
        // The wire is UTF-8 without zeros; SQLite's text is any bytes.
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) if !text.contains('\0') => out.extend_from_slice(text.as_bytes()),
            _ => {
                let text = String::from_utf8_lossy(text).replace('\0', "\u{fffd}");
                out.extend_from_slice(text.as_bytes());
            }
        },
        ValueRef::Blob(_) => put_bytea(value, out),
    }
}

/// The longest `character(n)` that is filled with spaces: a row may have 2000 of them, and few bytes in the file.
const MAX_PADDED: usize = 4096;

/// The text of `character(n)`, which has `n` characters.
pub fn put_padded(value: ValueRef<'_>, typed: Typed, out: &mut Vec<u8>) -> Result<()> {
    let begin = out.len();
    put_any(value, out);
    // The modifier counts its own four bytes.
    let length = usize::try_from(typed.modifier - 4).unwrap_or(0);
    let shown = String::from_utf8_lossy(&out[begin..]).chars().count();
    let missing = length.saturating_sub(shown);
    if missing > MAX_PADDED {
        let what =
            format_args!("character({length}) with more than {MAX_PADDED} spaces at its end");
        return Err(Error::unsupported(what).hint("cast it to text"));
    }
    out.resize(out.len() + missing, b' ');
    Ok(())
}

fn put_uuid(value: ValueRef<'_>, out: &mut Vec<u8>) -> Result<()> {
    let bytes = uuid_of(value)?;
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        put(out, format_args!("{byte:02x}"));
    }
    Ok(())
}

/// The bytes of a UUID, from its text or a blob.
pub fn uuid_of(value: ValueRef<'_>) -> Result<[u8; 16]> {
    let bytes = match value {
        ValueRef::Blob(bytes) => bytes.try_into().ok(),
        ValueRef::Text(text) => uuid(std::str::from_utf8(text).unwrap_or_default()),
        _ => None,
    };
    bytes.ok_or_else(|| mismatch(Scalar::Uuid, value))
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let digits: String = inner.chars().filter(|character| *character != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes())
}

/// Postgres' words for true and false, and what begins them.
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "t" | "tr" | "tru" | "true" | "y" | "ye" | "yes" | "on" | "1" => Some(true),
        "f" | "fa" | "fal" | "fals" | "false" | "n" | "no" | "of" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// A number as Postgres reads it: also `Infinity` and `NaN`.
pub fn float(text: &str) -> Option<f64> {
    let is_number = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    match text.to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" | "+inf" | "+infinity" => Some(f64::INFINITY),
        "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
        lower if is_number(lower) => lower.parse().ok(),
        _ => None,
    }
}

/// Whether a number has not become infinite, or zero.
fn is_representable(number: f64, text: &str, scalar: Scalar) -> bool {
    let number = if scalar == Scalar::Float4 { f64::from(number as f32) } else { number };
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    match number {
        0.0 => !mantissa.bytes().any(|byte| (b'1'..=b'9').contains(&byte)),
        _ => number.is_finite() || !mantissa.bytes().any(|byte| byte.is_ascii_digit()),
    }
}

fn beyond(scalar: Scalar, text: &str) -> Error {
    let text: String = text.chars().take(100).collect();
    let message = format!("\"{text}\" is out of range for type {}", scalar.name());
    Error::new(sqlstate::NUMERIC_OUT_OF_RANGE, message)
}

pub fn decode(text: &str, scalar: Scalar) -> Result<Value> {
    let trimmed = text.trim();
    let wrong = || invalid(scalar, text);
    Ok(match scalar {
        Scalar::Bool => Value::Integer(boolean(text).ok_or_else(wrong)?.into()),
        Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Oid => {
            Value::Integer(within(parse_integer(trimmed, scalar)?, scalar)?)
        }
        Scalar::Float4 | Scalar::Float8 => {
            let number = float(trimmed).ok_or_else(wrong)?;
            if is_representable(number, trimmed, scalar) {
                Value::Real(number)
            } else {
                return Err(beyond(scalar, trimmed));
            }
        }
        Scalar::Numeric => decimal::value(trimmed).ok_or_else(wrong)?,
        // Spaces at its end do not count, and it is stored without them.
        Scalar::Bpchar => Value::Text(text.trim_end_matches(' ').to_owned()),
        Scalar::Bytea => Value::Blob(bytea(text)?.ok_or_else(wrong)?),
        Scalar::Uuid => {
            let mut canonical = Vec::new();
            put_uuid(ValueRef::Text(trimmed.as_bytes()), &mut canonical).map_err(|_| wrong())?;
            Value::Text(String::from_utf8_lossy(&canonical).into_owned())
        }
        Scalar::Date
        | Scalar::Time
        | Scalar::Timestamp
        | Scalar::Timestamptz
        | Scalar::Interval => Value::Text(datetime::canonical(text, scalar)?),
        _ => Value::Text(text.to_owned()),
    })
}

fn parse_integer(text: &str, scalar: Scalar) -> Result<i64> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        PosOverflow | NegOverflow => out_of_range(scalar, text),
        _ => invalid(scalar, text),
    })
}

/// `\x` and hexadecimal digits, or the older form with octal escapes.
fn bytea(text: &str) -> Result<Option<Vec<u8>>> {
    text.strip_prefix("\\x")
        .map_or_else(|| Ok(escaped(text)), |digits| hexadecimal(digits).map(Some))
}

fn hexadecimal(text: &str) -> Result<Vec<u8>> {
    let refused = |message: String| Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    let mut digits = Vec::new();
    for letter in text.chars().filter(|letter| !letter.is_ascii_whitespace()) {
        match letter.to_digit(16) {
            Some(digit) => digits.push(digit as u8),
            None => return refused(format!("invalid hexadecimal digit: \"{letter}\"")),
        }
    }
    if digits.len() % 2 != 0 {
        return refused("invalid hexadecimal data: odd number of digits".into());
    }
    Ok(digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect())
}

fn escaped(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
        } else if tail.first() == Some(&b'\\') {
            out.push(b'\\');
            rest = &tail[1..];
        } else {
            let octal = std::str::from_utf8(tail.get(..3)?).ok()?;
            out.push(u8::from_str_radix(octal, 8).ok()?);
            rest = &tail[3..];
        }
    }
    Some(out)
}
