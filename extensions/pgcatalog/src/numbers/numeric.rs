//! Operators and functions of `numeric`.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, Signed, ToPrimitive, Zero};
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{ANY_NUMBER, IntoOutput, Result, Scalar, Value};

use super::DIVISION_BY_ZERO;
use super::decimal::{
    MAX_DIGITS, Numeric, overflow, quotient, quotient_scale, root_scale, square_root,
};
use Numeric::{Finite, Infinity, NaN, NegativeInfinity};

type Two = fn(Numeric, Numeric) -> Result<Numeric>;

macro_rules! one {
    ($name:literal, $function:expr) => {
        Scalar::new($name, 1, Stable, Innocuous, |a| {
            a.apply(|value: Value| of_one(value, $function))
        })
    };
}

macro_rules! two {
    ($name:literal, $function:expr) => {
        Scalar::new($name, 2, Stable, Innocuous, |a| {
            a.apply(|one: Value, other: Value| of_two(one, other, $function))
        })
    };
}

macro_rules! scaled {
    ($name:literal, $mode:expr) => {
        Scalar::new($name, 2, Stable, Innocuous, |a| {
            a.apply(|value: Value, scale: i64| {
                of_one(value, |number| to_scale(number, scale, $mode))
            })
        })
    };
}

pub const SCALARS: &[Scalar] = &[
    two!("pg_numeric_add", add),
    two!("pg_numeric_sub", |one, other| add(one, negated(other)?)),
    two!("pg_numeric_mul", multiply),
    two!("pg_numeric_div", divide),
    two!("pg_numeric_mod", remainder),
    two!("pg_numeric_quotient", whole_quotient),
    two!("pg_numeric_power", power),
    Scalar::new("pg_int4_width_bucket", 4, Stable, Innocuous, |a| a.apply(bucket)),
    one!("pg_numeric_neg", negated),
    one!("pg_numeric_abs", |number| if number < Numeric::of_integer(0) {
        negated(number)
    } else {
        Ok(number)
    }),
    one!("pg_numeric_sign", sign),
    one!("pg_numeric_sqrt", root),
    one!("pg_numeric_ceil", |number| whole(number, RoundingMode::Ceiling)),
    one!("pg_numeric_floor", |number| whole(number, RoundingMode::Floor)),
    one!("pg_numeric_round", |number| whole(number, RoundingMode::HalfUp)),
    one!("pg_numeric_trunc", |number| whole(number, RoundingMode::Down)),
    one!("pg_numeric_trim_scale", |number| Ok(trimmed(number))),
    scaled!("pg_numeric_round", RoundingMode::HalfUp),
    scaled!("pg_numeric_trunc", RoundingMode::Down),
    two!("pg_numeric_gcd", |one, other| common(one, other, divisor_of)),
    two!("pg_numeric_lcm", |one, other| common(one, other, multiple_of)),
    Scalar::new("pg_numeric_greatest", ANY_NUMBER, Stable, Innocuous, |a| {
        extreme(a.values(), |one, other| one > other)?.into_output()
    }),
    Scalar::new("pg_numeric_least", ANY_NUMBER, Stable, Innocuous, |a| {
        extreme(a.values(), |one, other| one < other)?.into_output()
    }),
    Scalar::new("pg_numeric_factorial", 1, Stable, Innocuous, |a| a.apply(factorial)),
    Scalar::new("pg_int4_scale", 1, Stable, Innocuous, |a| {
        a.apply(|value: Value| scale(&value, |n| n))
    }),
    Scalar::new("pg_int4_min_scale", 1, Stable, Innocuous, |a| {
        a.apply(|value: Value| scale(&value, trimmed))
    }),
];

fn of_one(value: Value, function: impl Fn(Numeric) -> Result<Numeric>) -> Result<Option<String>> {
    Ok(match Numeric::of(&value)? {
        Some(number) => Some(function(number)?.to_string()),
        None => None,
    })
}

fn of_two(one: Value, other: Value, function: Two) -> Result<Option<String>> {
    Ok(match (Numeric::of(&one)?, Numeric::of(&other)?) {
        (Some(one), Some(other)) => Some(function(one, other)?.to_string()),
        _ => None,
    })
}

fn negated(number: Numeric) -> Result<Numeric> {
    Ok(match number {
        Finite(number) => Finite(-number),
        Infinity => NegativeInfinity,
        NegativeInfinity => Infinity,
        NaN => NaN,
    })
}

pub fn add(one: Numeric, other: Numeric) -> Result<Numeric> {
    Ok(match (one, other) {
        (Finite(one), Finite(other)) => return Numeric::checked(one + other),
        (NaN, _) | (_, NaN) | (Infinity, NegativeInfinity) | (NegativeInfinity, Infinity) => NaN,
        (Finite(_), infinite) | (infinite, _) => infinite,
    })
}

fn is_negative(number: &Numeric) -> bool {
    *number < Numeric::of_integer(0)
}

fn is_zero(number: &Numeric) -> bool {
    number.finite().is_some_and(Zero::is_zero)
}

pub fn multiply(one: Numeric, other: Numeric) -> Result<Numeric> {
    Ok(match (&one, &other) {
        (Finite(one), Finite(other)) => {
            let scale = one.fractional_digit_count() + other.fractional_digit_count();
            return Numeric::checked((one * other).with_scale(scale));
        }
        (NaN, _) | (_, NaN) => NaN,
        _ if is_zero(&one) || is_zero(&other) => NaN,
        _ if is_negative(&one) != is_negative(&other) => NegativeInfinity,
        _ => Infinity,
    })
}

/// A quotient of which one is not finite; none if both are.
fn infinite_quotient(one: &Numeric, other: &Numeric) -> Result<Option<Numeric>> {
    Ok(Some(match (one, other) {
        (NaN, _) | (_, NaN) => NaN,
        (_, Finite(other)) if other.is_zero() => return Err(DIVISION_BY_ZERO.into()),
        (Finite(_), Finite(_)) => return Ok(None),
        (Finite(_), _) => Numeric::of_integer(0),
        (_, Finite(_)) if is_negative(one) != is_negative(other) => NegativeInfinity,
        (_, Finite(_)) => Infinity,
        _ => NaN,
    }))
}

pub fn divide(one: Numeric, other: Numeric) -> Result<Numeric> {
    if let Some(infinite) = infinite_quotient(&one, &other)? {
        return Ok(infinite);
    }
    let (Finite(one), Finite(other)) = (one, other) else { return Ok(NaN) };
    Numeric::checked(quotient(&one, &other, quotient_scale(&one, &other)))
}

/// `div`: the quotient without its fraction.
fn whole_quotient(one: Numeric, other: Numeric) -> Result<Numeric> {
    if let Some(infinite) = infinite_quotient(&one, &other)? {
        return Ok(infinite);
    }
    let (Finite(one), Finite(other)) = (one, other) else { return Ok(NaN) };
    let (one, other) = with_equal_scales(&one, &other);
    Numeric::checked(BigDecimal::new(one / other, 0))
}

/// The bucket of a value among `count` equal ones between two bounds, which may be in either order.
fn bucket(one: Value, low: Value, high: Value, count: i64) -> Result<Option<i64>> {
    let all = [Numeric::of(&one)?, Numeric::of(&low)?, Numeric::of(&high)?];
    let [Some(one), Some(low), Some(high)] = all else { return Ok(None) };
    if i32::try_from(count).map_or(true, |count| count <= 0) {
        return Err("2201G: count must be greater than zero".into());
    }
    let (Finite(one), Finite(low), Finite(high)) = (one, low, high) else {
        return Err("2201G: operand, lower bound, and upper bound cannot be NaN or infinity".into());
    };
    if low == high {
        return Err("2201G: lower bound cannot equal upper bound".into());
    }
    let (distance, width) =
        if low < high { (&one - &low, &high - &low) } else { (&low - &one, &low - &high) };
    if distance < BigDecimal::zero() {
        return Ok(Some(0));
    }
    if distance >= width {
        return Ok(Some(count + 1));
    }
    let (scaled, width) = with_equal_scales(&(distance * count), &width);
    Ok((scaled / width).to_i64().map(|place| place + 1))
}

fn with_equal_scales(one: &BigDecimal, other: &BigDecimal) -> (BigInt, BigInt) {
    let scale = one.fractional_digit_count().max(other.fractional_digit_count());
    let digits = |number: &BigDecimal| number.with_scale(scale).as_bigint_and_exponent().0;
    (digits(one), digits(other))
}

fn remainder(one: Numeric, other: Numeric) -> Result<Numeric> {
    Ok(match (one, other) {
        (NaN, _) | (_, NaN) => NaN,
        (_, Finite(other)) if other.is_zero() => return Err(DIVISION_BY_ZERO.into()),
        (Finite(one), Finite(other)) => {
            let scale = one.fractional_digit_count().max(other.fractional_digit_count());
            let (one, other) = with_equal_scales(&one, &other);
            Finite(BigDecimal::new(one % other, scale))
        }
        (Finite(one), _) => Finite(one),
        _ => NaN,
    })
}

/// Powers that are exact: PostgreSQL computes others by logarithms, to digits that nothing else has.
fn power(base: Numeric, exponent: Numeric) -> Result<Numeric> {
    const REFUSED: &str =
        "0A000: a power of numeric with this exponent is not supported; cast to double precision";
    let (Finite(base), Finite(exponent)) = (base, exponent) else { return Err(REFUSED.into()) };
    let whole = exponent.with_scale_round(0, RoundingMode::Down);
    let Some(times @ 0..=1000) = whole.to_i64().filter(|_| whole == exponent) else {
        return Err(REFUSED.into());
    };
    if base.is_zero() && times == 0 {
        return Ok(Finite(BigDecimal::new(BigInt::from(10).pow(16), 16)));
    }
    let (digits, own) = base.as_bigint_and_exponent();
    if digits.bits() as i64 / 3 * times > MAX_DIGITS * 2 {
        return Err(overflow());
    }
    let exact = BigDecimal::new(digits.pow(times as u32), own * times);
    // PostgreSQL shows 16 digits after the point, or as many as the operands have.
    let scale =
        base.fractional_digit_count().max(exponent.fractional_digit_count()).clamp(16, 1000);
    Numeric::checked(exact.with_scale_round(scale, RoundingMode::HalfUp))
}

fn sign(number: Numeric) -> Result<Numeric> {
    Ok(match number {
        NaN => NaN,
        number => Numeric::of_integer(match number.cmp(&Numeric::of_integer(0)) {
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
        }),
    })
}

fn root(number: Numeric) -> Result<Numeric> {
    match number {
        negative if is_negative(&negative) => {
            Err("2201F: cannot take square root of a negative number".into())
        }
        Finite(number) => Numeric::checked(square_root(&number, root_scale(&number))),
        other => Ok(other),
    }
}

fn whole(number: Numeric, mode: RoundingMode) -> Result<Numeric> {
    to_scale(number, 0, mode)
}

fn to_scale(number: Numeric, scale: i64, mode: RoundingMode) -> Result<Numeric> {
    let Finite(number) = number else { return Ok(number) };
    let scale = scale.clamp(-MAX_DIGITS, MAX_DIGITS / 2);
    let rounded = number.with_scale_round(scale, mode);
    Numeric::checked(if scale < 0 { rounded.with_scale(0) } else { rounded })
}

fn trimmed(number: Numeric) -> Numeric {
    let Finite(number) = number else { return number };
    let normal = number.normalized();
    Finite(if normal.fractional_digit_count() < 0 { normal.with_scale(0) } else { normal })
}

fn scale(value: &Value, change: fn(Numeric) -> Numeric) -> Result<Option<i64>> {
    let number = Numeric::of(value)?.map(change);
    Ok(number.and_then(|number| Some(number.finite()?.fractional_digit_count())))
}

/// A function of two values as integers of one scale.
fn common(one: Numeric, other: Numeric, function: fn(BigInt, BigInt) -> BigInt) -> Result<Numeric> {
    let (Finite(one), Finite(other)) = (one, other) else { return Ok(NaN) };
    let scale = one.fractional_digit_count().max(other.fractional_digit_count());
    let (one, other) = with_equal_scales(&one, &other);
    let found = function(one.abs(), other.abs());
    Numeric::checked(BigDecimal::new(found, scale))
}

fn divisor_of(mut one: BigInt, mut other: BigInt) -> BigInt {
    while !other.is_zero() {
        (one, other) = (other.clone(), one % other);
    }
    one
}

fn multiple_of(one: BigInt, other: BigInt) -> BigInt {
    if one.is_zero() || other.is_zero() {
        return BigInt::zero();
    }
    &one / divisor_of(one.clone(), other.clone()) * other
}

/// The largest or smallest of several values, without those that are NULL.
fn extreme(values: &[Value], is_better: fn(&Numeric, &Numeric) -> bool) -> Result<Option<String>> {
    let mut found: Option<Numeric> = None;
    for value in values {
        let Some(number) = Numeric::of(value)? else { continue };
        if found.as_ref().is_none_or(|found| is_better(&number, found)) {
            found = Some(number);
        }
    }
    Ok(found.map(|number| number.to_string()))
}

fn factorial(number: i64) -> Result<String> {
    /// Its factorial has 3,968 digits.
    const LARGEST: i64 = 1400;
    match number {
        ..0 => Err("22003: factorial of a negative number is undefined".into()),
        0..=LARGEST => Ok((1..=number).map(BigInt::from).product::<BigInt>().to_string()),
        _ => Err(overflow()),
    }
}
