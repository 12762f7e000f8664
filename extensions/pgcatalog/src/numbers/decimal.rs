//! A `numeric`: a decimal with its display scale, or NaN or an infinity.

use std::cmp::Ordering;
use std::fmt;

use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::{BigDecimal, RoundingMode, Signed, Zero};
use sqlite_wasm_kit::{Error, Result, Value};

/// How many digits a `numeric` has at most, before and after the point. PostgreSQL has 131,072 and
/// 16,383; a product must not cost more than the statement's other work.
pub const MAX_DIGITS: i64 = 4000;

/// PostgreSQL's bounds of the digits that a quotient shows (`utils/numeric.h`).
const MIN_SIGNIFICANT_DIGITS: i64 = 16;
const MAX_DISPLAY_SCALE: i64 = 1000;

/// How many decimal digits PostgreSQL stores in one digit of a `numeric`.
const GROUP: i64 = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numeric {
    NegativeInfinity,
    Finite(BigDecimal),
    Infinity,
    NaN,
}

use Numeric::{Finite, Infinity, NaN, NegativeInfinity};

pub fn overflow() -> Error {
    "22003: value overflows numeric format".into()
}

impl Numeric {
    /// A `numeric` whose digits are within the bounds.
    pub fn checked(number: BigDecimal) -> Result<Self> {
        let (digits, scale) = number.as_bigint_and_exponent();
        let bits = i64::try_from(digits.bits()).unwrap_or(i64::MAX);
        // A digit takes 3.3 bits.
        if bits / 3 > MAX_DIGITS * 2 || !(-MAX_DIGITS..=MAX_DIGITS).contains(&scale) {
            Err(overflow())
        } else {
            Ok(Finite(with_point(number)))
        }
    }

    pub fn of_integer(number: i64) -> Self {
        Finite(BigDecimal::from(number))
    }

    /// The value of a text: digits, a point, an exponent, or a word.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        match unsigned.to_ascii_lowercase().as_str() {
            "nan" if unsigned.len() == text.len() => return Some(NaN),
            "inf" | "infinity" if text.starts_with('-') => return Some(NegativeInfinity),
            "inf" | "infinity" => return Some(Infinity),
            _ => {}
        }
        if !is_plain(unsigned) {
            return None;
        }
        let number: BigDecimal = text.strip_prefix('+').unwrap_or(text).parse().ok()?;
        Self::checked(number).ok()
    }

    /// A stored or computed value; `None` for NULL.
    pub fn of(value: &Value) -> Result<Option<Self>> {
        Ok(Some(match value {
            Value::Null => return Ok(None),
            Value::Integer(number) => Self::of_integer(*number),
            Value::Real(number) => Self::of_real(*number).ok_or_else(overflow)?,
            Value::Text(text) => {
                let text = String::from_utf8_lossy(text);
                Self::parse(&text).ok_or_else(|| invalid(&text))?
            }
            Value::Blob(_) => return Err("42846: cannot cast type bytea to numeric".into()),
        }))
    }

    /// The shortest decimal that is read back as this real, which is what a column's value was.
    fn of_real(number: f64) -> Option<Self> {
        match number {
            number if number.is_nan() => Some(NaN),
            f64::INFINITY => Some(Infinity),
            f64::NEG_INFINITY => Some(NegativeInfinity),
            number => Self::parse(&format!("{number}")),
        }
    }

    /// A float as `numeric`: `digits` significant ones, as PostgreSQL casts it.
    pub fn of_float(number: f64, digits: usize) -> Result<Self> {
        if !number.is_finite() {
            return Self::of_real(number).ok_or_else(overflow);
        }
        let number = Self::parse(&format!("{number:.0$e}", digits - 1)).ok_or_else(overflow)?;
        Ok(match number {
            Finite(number) if number.is_zero() => Finite(BigDecimal::zero()),
            Finite(number) => Finite(with_point(number.normalized())),
            other => other,
        })
    }

    pub fn finite(&self) -> Option<&BigDecimal> {
        match self {
            Finite(number) => Some(number),
            _ => None,
        }
    }

    /// Rounded half away from zero to this many digits after the point, which may be negative.
    pub fn rounded(self, scale: i64) -> Result<Self> {
        match self {
            Finite(number) => {
                let scale = scale.clamp(-MAX_DIGITS, MAX_DIGITS / 2);
                Self::checked(number.with_scale_round(scale, RoundingMode::HalfUp))
            }
            other => Ok(other),
        }
    }

    /// As a column of `numeric(precision, scale)` holds it.
    pub fn fitted(self, precision: i64, scale: i64) -> Result<Self> {
        if !(1..=MAX_PRECISION).contains(&precision)
            || !(-MAX_PRECISION..=MAX_PRECISION).contains(&scale)
        {
            let message = format!(
                "22023: NUMERIC precision {precision} must be between 1 and {MAX_PRECISION}"
            );
            return Err(message.into());
        }
        let rounded = self.rounded(scale)?;
        let fits = match &rounded {
            Finite(number) => number.is_zero() || whole_digits(number) <= precision - scale,
            NaN => true,
            _ => false,
        };
        if fits { Ok(rounded) } else { Err("22003: numeric field overflow".into()) }
    }
}

/// The precision and the scale of a declaration at most, as in PostgreSQL.
const MAX_PRECISION: i64 = 1000;

/// Without an exponent: a scale below 0 has zeros before the point instead.
fn with_point(number: BigDecimal) -> BigDecimal {
    if number.fractional_digit_count() < 0 { number.with_scale(0) } else { number }
}

fn is_plain(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()),
        None => (unsigned, Some(0)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    exponent.is_some_and(|exponent| exponent.abs() <= MAX_DIGITS)
        && is_number(whole)
        && is_number(fraction)
        && (1..=MAX_DIGITS as usize * 2).contains(&(whole.len() + fraction.len()))
}

pub fn invalid(text: &str) -> Error {
    let shown: String = text.chars().take(100).collect();
    format!("22P02: invalid input syntax for type numeric: \"{shown}\"").into()
}

/// The digits before the point; none of 0.5, -1 of 0.05.
pub fn whole_digits(number: &BigDecimal) -> i64 {
    let (_, scale) = number.as_bigint_and_exponent();
    number.digits() as i64 - scale
}

/// The digits that a quotient shows, by PostgreSQL's `select_div_scale`.
pub fn quotient_scale(one: &BigDecimal, other: &BigDecimal) -> i64 {
    let ((weight, first), (other_weight, other_first)) = (first_group(one), first_group(other));
    let weight = weight - other_weight - i64::from(first <= other_first);
    let scale = MIN_SIGNIFICANT_DIGITS - weight * GROUP;
    scale
        .max(one.fractional_digit_count())
        .max(other.fractional_digit_count())
        .clamp(0, MAX_DISPLAY_SCALE)
}

/// The weight of the first group of four digits that is not zero, and its value.
fn first_group(number: &BigDecimal) -> (i64, i64) {
    if number.is_zero() {
        return (0, 0);
    }
    let whole = whole_digits(number);
    let weight = (whole - 1).div_euclid(GROUP);
    let digits = number.as_bigint_and_exponent().0.abs().to_string();
    let wanted = usize::try_from(whole - weight * GROUP).unwrap_or(0);
    let first: String = digits.chars().chain(std::iter::repeat('0')).take(wanted).collect();
    (weight, first.parse().unwrap_or(0))
}

/// A quotient, rounded half away from zero.
pub fn quotient(one: &BigDecimal, other: &BigDecimal, scale: i64) -> BigDecimal {
    let (dividend, own) = one.as_bigint_and_exponent();
    let (divisor, of_other) = other.as_bigint_and_exponent();
    // One digit more, which decides the rounding.
    let shift = scale + 1 + of_other - own;
    let power = |exponent: i64| BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(0));
    let (dividend, divisor) = match shift {
        0.. => (dividend * power(shift), divisor),
        _ => (dividend, divisor * power(-shift)),
    };
    let cut = BigDecimal::new(dividend / divisor, scale + 1);
    cut.with_scale_round(scale, RoundingMode::HalfUp)
}

/// The square root, rounded to a scale.
pub fn square_root(number: &BigDecimal, scale: i64) -> BigDecimal {
    let (digits, own) = number.as_bigint_and_exponent();
    let shift = (scale + 2) * 2 - own;
    let power = BigInt::from(10).pow(u32::try_from(shift.abs()).unwrap_or(0));
    let scaled = if shift < 0 { digits / power } else { digits * power };
    BigDecimal::new(scaled.sqrt(), scale + 2).with_scale_round(scale, RoundingMode::HalfUp)
}

/// The digits that a square root shows, by PostgreSQL's `numeric_sqrt`.
pub fn root_scale(number: &BigDecimal) -> i64 {
    let weight = first_group(number).0;
    let whole = match weight {
        0.. => weight * GROUP / 2 + 1,
        _ => 1 - (1 - weight * GROUP) / 2,
    };
    let scale = MIN_SIGNIFICANT_DIGITS - whole;
    scale.max(number.fractional_digit_count()).clamp(0, MAX_DISPLAY_SCALE)
}

impl PartialOrd for Numeric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Numeric {
    /// NaN is the largest.
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |number: &Self| match number {
            NegativeInfinity => 0,
            Finite(_) => 1,
            Infinity => 2,
            NaN => 3,
        };
        match (self, other) {
            (Finite(one), Finite(other)) => one.cmp(other),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self {
            NaN => return f.write_str("NaN"),
            Infinity => return f.write_str("Infinity"),
            NegativeInfinity => return f.write_str("-Infinity"),
            Finite(number) => number,
        };
        let (digits, scale) = number.as_bigint_and_exponent();
        if digits.sign() == Sign::Minus {
            f.write_str("-")?;
        }
        let digits = digits.abs().to_string();
        let Ok(scale @ 1..) = usize::try_from(scale) else { return f.write_str(&digits) };
        let digits = format!("{digits:0>0$}", scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{whole}.{fraction}")
    }
}

/// The order of two texts by their values; a text that is not numeric comes after all others.
pub fn compare_texts(one: &[u8], other: &[u8]) -> Ordering {
    let number = |text: &[u8]| Numeric::parse(&String::from_utf8_lossy(text));
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.cmp(other),
    }
}
