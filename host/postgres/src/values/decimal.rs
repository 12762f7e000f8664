//! `numeric`: SQLite has no decimal numbers, so a value is an integer, a real or text.

use crate::values::{Value, ValueRef};

use super::binary::too_short;
use super::{mismatch, text};
use crate::error::{Error, Result, sqlstate};
use crate::types::{Scalar, Typed};

/// Digits that a real keeps. With more, a number remains text.
const REAL_DIGITS: usize = 15;

/// Digits before and after the point of a number that is written out. Postgres' own bounds are
/// 131,072 and 16,383; an exponent must not cost more memory than the text that it came in.
const MAX_DIGITS: i32 = 2000;

/// A sign, digits and the position of the point among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    pub is_negative: bool,
    /// 0 to 9, without zeros in front.
    pub digits: Vec<u8>,
    /// How many of them are after the point.
    pub scale: i32,
}

impl Decimal {
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_number = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
        if !is_number || whole.len() + fraction.len() == 0 {
            return None;
        }
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        let digits = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0');
        let mut digits: Vec<u8> = digits.skip_while(|digit| *digit == 0).collect();
        if scale < 0 {
            let zeros = if digits.is_empty() { 0 } else { -scale };
            if zeros > MAX_DIGITS {
                return None;
            }
            digits.resize(digits.len() + zeros as usize, 0);
        }
        (scale <= MAX_DIGITS).then(|| Self { is_negative, digits, scale: scale.max(0) })
    }

    /// The digits before and after the point.
    pub fn text(&self, scale: Option<usize>) -> String {
        let own = self.scale as usize;
        let mut digits = vec![0; (own + 1).saturating_sub(self.digits.len())];
        digits.extend_from_slice(&self.digits);
        let point = digits.len() - own;
        let (digits, point) = match scale {
            Some(scale) if scale < own => rounded(&digits[..point + scale + 1], point),
            Some(scale) => ([digits, vec![0; scale - own]].concat(), point),
            None => (digits, point),
        };
        let is_zero = digits.iter().all(|digit| *digit == 0);
        let mut out = String::with_capacity(digits.len() + 2);
        if self.is_negative && !is_zero {
            out.push('-');
        }
        for (index, digit) in digits.iter().enumerate() {
            if index == point {
                out.push('.');
            }
            out.push(char::from(b'0' + digit));
        }
        out
    }
}

/// Without the last digit, rounded by it; the point may move.
fn rounded(digits: &[u8], point: usize) -> (Vec<u8>, usize) {
    let Some((last, kept)) = digits.split_last() else { return (Vec::new(), point) };
    let mut kept = kept.to_vec();
    if *last < 5 {
        return (kept, point);
    }
    for digit in kept.iter_mut().rev() {
        *digit = (*digit + 1) % 10;
        if *digit != 0 {
            return (kept, point);
        }
    }
    kept.insert(0, 1);
    (kept, point + 1)
}

/// The decimal number in a value; `None` for NaN and the infinities.
pub fn of(value: ValueRef<'_>) -> Result<Option<Decimal>> {
    let text = text_of(value)?;
    match text.as_str() {
        "NaN" | "Infinity" | "-Infinity" => Ok(None),
        number => Decimal::parse(number).map(Some).ok_or_else(|| mismatch(Scalar::Numeric, value)),
    }
}

fn text_of(value: ValueRef<'_>) -> Result<String> {
    let mut out = Vec::new();
    match value {
        ValueRef::Integer(_) | ValueRef::Real(_) => text::put_any(value, &mut out),
        ValueRef::Text(text) => out.extend_from_slice(text.trim_ascii()),
        _ => return Err(mismatch(Scalar::Numeric, value)),
    }
    String::from_utf8(out).map_err(|_| mismatch(Scalar::Numeric, value))
}

pub fn put_text(value: ValueRef<'_>, scale: Option<usize>, out: &mut Vec<u8>) -> Result<()> {
    let text = match of(value)? {
        Some(decimal) => decimal.text(scale),
        None => text_of(value)?,
    };
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

/// A number as it is stored.
pub fn value(text: &str) -> Option<Value> {
    if let Ok(integer) = text.parse() {
        return Some(Value::Integer(integer));
    }
    let Some(decimal) = Decimal::parse(text) else {
        return text::float(text).filter(|number| !number.is_finite()).map(|number| {
            Value::Text(
                if number.is_nan() {
                    "NaN"
                } else if number > 0.0 {
                    "Infinity"
                } else {
                    "-Infinity"
                }
                .to_owned(),
            )
        });
    };
    Some(match text.parse() {
        Ok(real) if decimal.digits.len() <= REAL_DIGITS => Value::Real(real),
        _ => Value::Text(decimal.text(None)),
    })
}

/// A value as a column of `numeric` stores it: rounded to the column's scale, and a number from which its digits come back.
///
/// # Errors
///
/// 22003 for more digits before the point than the column has, 0A000 for more digits than a real keeps.
pub fn fitting(value: Value, column: Typed) -> Result<Value> {
    let own = match &value {
        Value::Integer(_) | Value::Real(_) | Value::Text(_) => of(value.borrowed())?,
        _ => return Ok(value),
    };
    let Some(number) = own else {
        return match (column.scale(), &value) {
            (Some(_), Value::Text(text)) if text != "NaN" => Err(field_overflow()),
            _ => Ok(value),
        };
    };
    let text = number.text(column.scale());
    if let Some(scale) = column.scale() {
        let digits = (column.modifier - 4) >> 16;
        let whole = text
            .trim_start_matches('-')
            .split('.')
            .next()
            .unwrap_or_default()
            .trim_start_matches('0');
        if whole.len() as i64 > i64::from(digits) - scale as i64 {
            return Err(field_overflow());
        }
    }
    let plain =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let significant =
        plain.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit).count();
    match (plain.parse::<i64>(), plain.parse::<f64>()) {
        (Ok(integer), _) => Ok(Value::Integer(integer)),
        (_, Ok(real)) if significant <= REAL_DIGITS && real.is_finite() => Ok(Value::Real(real)),
        _ => {
            let message = "a numeric with more than 15 significant digits cannot be stored";
            Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
                .hint("declare the column as text"))
        }
    }
}

fn field_overflow() -> Error {
    Error::new(sqlstate::NUMERIC_OUT_OF_RANGE, "numeric field overflow")
}

/// Postgres' sign of NaN in the binary format; of the infinities.
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const MINUS_INFINITY: u16 = 0xf000;

/// Groups of four digits, from the first one that is not zero.
pub fn put_binary(value: ValueRef<'_>, declared: Option<usize>, out: &mut Vec<u8>) -> Result<()> {
    let Some(decimal) = of(value)? else {
        let sign = match text_of(value)?.as_str() {
            "NaN" => NAN,
            "Infinity" => INFINITY,
            _ => MINUS_INFINITY,
        };
        [0, 0, sign, 0].iter().for_each(|number| out.extend_from_slice(&number.to_be_bytes()));
        return Ok(());
    };
    let text = decimal.text(declared);
    let unsigned = text.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let before = whole.len().div_ceil(4);
    let mut padded = "0".repeat(before * 4 - whole.len()) + whole + fraction;
    padded.push_str(&"0".repeat(fraction.len().div_ceil(4) * 4 - fraction.len()));
    let groups: Vec<u16> = padded
        .as_bytes()
        .chunks(4)
        .map(|group| group.iter().fold(0, |sum, byte| sum * 10 + u16::from(byte - b'0')))
        .collect();
    let leading = groups.iter().take_while(|group| **group == 0).count();
    let trailing = groups.iter().rev().take_while(|group| **group == 0).count();
    let groups =
        groups.get(leading..groups.len() - trailing.min(groups.len() - leading)).unwrap_or(&[]);
    let weight = if groups.is_empty() { 0 } else { before as i16 - 1 - leading as i16 };
    let sign: u16 = if text.starts_with('-') { 0x4000 } else { 0 };
    out.extend_from_slice(&(groups.len() as u16).to_be_bytes());
    out.extend_from_slice(&weight.to_be_bytes());
    out.extend_from_slice(&sign.to_be_bytes());
    out.extend_from_slice(&(fraction.len() as u16).to_be_bytes());
    groups.iter().for_each(|group| out.extend_from_slice(&group.to_be_bytes()));
    Ok(())
}

/// The text of a number in the binary format.
pub fn binary_text(bytes: &[u8]) -> Result<String> {
    let wrong = || Error::new(sqlstate::INVALID_BINARY, "invalid external \"numeric\" value");
    let words: Vec<u16> =
        bytes.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    let [count, weight, sign, scale, groups @ ..] = &words[..] else { return Err(too_short()) };
    if groups.len() < usize::from(*count) {
        return Err(too_short());
    }
    let (weight, scale) = (i32::from(*weight as i16), i32::from(*scale));
    match *sign {
        NAN => return Ok("NaN".into()),
        INFINITY => return Ok("Infinity".into()),
        MINUS_INFINITY => return Ok("-Infinity".into()),
        _ => {}
    }
    let is_number = groups.len() == *count as usize && bytes.len().is_multiple_of(2);
    let is_bounded = weight.abs() * 4 <= MAX_DIGITS && scale <= MAX_DIGITS;
    if !is_number || !is_bounded || !matches!(*sign, 0 | 0x4000) || groups.iter().any(|g| *g > 9999)
    {
        return Err(wrong());
    }
    let group = |index: i32| {
        usize::try_from(index).ok().and_then(|index| groups.get(index)).copied().unwrap_or(0)
    };
    let whole: String = (0..=weight).map(|index| format!("{:04}", group(index))).collect();
    let after = (scale + 3) / 4;
    let fraction: String =
        (1..=after).map(|index| format!("{:04}", group(weight + index))).collect();
    let fraction = fraction.get(..scale as usize).unwrap_or_default();
    let whole = whole.trim_start_matches('0');
    let sign = if *sign == 0 { "" } else { "-" };
    let point = if scale > 0 { "." } else { "" };
    Ok(format!("{sign}{}{point}{fraction}", if whole.is_empty() { "0" } else { whole }))
}
