//! Dates and times.
//!
//! SQLite's own text is how they are stored: `2026-01-31 23:59:59.5`, with as many digits of the
//! second as are not zero, and in UTC for `timestamptz`. So they compare as text, and SQLite's
//! functions read them.

use postgres_types::read::{self, stamp, time};
use postgres_types::{Fault, Interval};

use crate::values::ValueRef;

use super::{invalid, mismatch};
use crate::error::{Error, Result, sqlstate};
use crate::types::Scalar;
pub use postgres_types::{DAY, Date, Stamp, Style, time_text};

/// The days from 1970, where Unix begins, to 2000, where Postgres does.
pub const DAYS_TO_2000: i64 = 10_957;

/// Words that are a moment, which passes, or none that SQLite has.
const WORDS: &[&str] = &[
    "now",
    "today",
    "tomorrow",
    "yesterday",
    "epoch",
    "allballs",
    "infinity",
    "+infinity",
    "-infinity",
];

/// A date or time as it is stored.
///
/// # Errors
///
/// 22007, 22008, and 0A000 for words and for zones that are not known.
pub fn canonical(text: &str, scalar: Scalar) -> Result<String> {
    let trimmed = text.trim();
    let found = match scalar {
        Scalar::Date => read::date_of(trimmed).map(|day| day.to_string()),
        Scalar::Time => time(trimmed).map(time_text),
        Scalar::Interval => Interval::parse(trimmed, None).map(|found| found.to_string()),
        _ => stamp(trimmed, scalar == Scalar::Timestamptz).map(Stamp::text),
    };
    found.map_err(|fault| match fault {
        Fault::Form if WORDS.iter().any(|word| trimmed.eq_ignore_ascii_case(word)) => {
            Error::unsupported(format_args!("the {} '{trimmed}' here", scalar.name()))
        }
        Fault::Form => invalid(scalar, text),
        Fault::Zone => Error::unsupported(format_args!("the time zone of \"{trimmed:.100}\""))
            .hint("give its distance from UTC: +02"),
        Fault::Year => Error::unsupported(format_args!("the {} \"{trimmed:.100}\"", scalar.name()))
            .hint("the years are those from 1 to 9999"),
        Fault::Amount => {
            let message = format!("interval field value out of range: \"{trimmed:.100}\"");
            Error::new(sqlstate::INTERVAL_OVERFLOW, message)
        }
        Fault::Range if scalar == Scalar::Interval => {
            Error::new(sqlstate::DATETIME_OVERFLOW, "interval out of range")
        }
        Fault::Range => {
            let message = format!("date/time field value out of range: \"{trimmed:.100}\"");
            Error::new(sqlstate::DATETIME_OVERFLOW, message)
        }
    })
}

/// A stored date: text, or a Unix time, as programs of SQLite's have it too.
pub fn date_of(value: ValueRef<'_>, scalar: Scalar) -> Result<Date> {
    stamp_of(value, scalar).map(|stamp| Date(stamp.0.div_euclid(DAY)))
}

/// A stored time of day, in microseconds.
pub fn time_of(value: ValueRef<'_>) -> Result<i64> {
    let ValueRef::Text(text) = value else { return Err(mismatch(Scalar::Time, value)) };
    let text = std::str::from_utf8(text).unwrap_or_default();
    time(text.trim()).map_err(|_| invalid(Scalar::Time, text))
}

/// A stored interval.
pub fn interval_of(value: ValueRef<'_>) -> Result<Interval> {
    let ValueRef::Text(text) = value else { return Err(mismatch(Scalar::Interval, value)) };
    let text = std::str::from_utf8(text).unwrap_or_default();
    Interval::parse(text, None).map_err(|_| invalid(Scalar::Interval, text))
}

/// A stored timestamp: text, a Unix time as an integer, or a Julian day as a real: what SQLite's
/// own functions take.
pub fn stamp_of(value: ValueRef<'_>, scalar: Scalar) -> Result<Stamp> {
    let found = match value {
        ValueRef::Text(text) => stamp(std::str::from_utf8(text).unwrap_or_default(), true).ok(),
        ValueRef::Integer(seconds) => seconds.checked_mul(1_000_000).and_then(Stamp::within),
        ValueRef::Real(day) if (0.0..5_373_484.5).contains(&day) => {
            let milliseconds = ((day - 2_440_587.5) * 86_400_000.0).round();
            Stamp::within(milliseconds as i64 * 1000)
        }
        _ => None,
    };
    found.ok_or_else(|| mismatch(scalar, value))
}
