//! Dates and times.
//!
//! SQLite's own text is how they are stored: `2026-01-31 23:59:59.5`, with as many digits of the
//! second as are not zero, and in UTC for `timestamptz`. So they compare as text, and SQLite's
//! functions read them.

use std::fmt;

use sqlite_wasm::types::ValueRef;

use super::{invalid, mismatch};
use crate::error::Result;
use crate::types::Scalar;

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// The days from 1970, where Unix begins, to 2000, where Postgres does.
pub const DAYS_TO_2000: i64 = 10_957;

/// The last day that Postgres and SQLite both have: 9999-12-31.
const LAST_DAY: i64 = 2_932_896;

/// The first: 0001-01-01.
const FIRST_DAY: i64 = -719_162;

/// A day, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub i64);

/// A time, in microseconds from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub i64);

impl Date {
    /// A day of the calendar.
    fn of(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=days).contains(&day) {
            return None;
        }
        // The year begins in March, so that the leap day is its last.
        let shifted = year - i64::from(month <= 2);
        let era = shifted.div_euclid(400);
        let of_era = shifted - era * 400;
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        Some(Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468))
    }

    /// Year, month and day.
    fn parts(self) -> (i64, i64, i64) {
        let shifted = self.0 + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    /// The day, where it is one that both databases have.
    pub fn within(days: i64) -> Option<Self> {
        (FIRST_DAY..=LAST_DAY).contains(&days).then_some(Self(days))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Stamp {
    /// The text without a zone.
    pub fn text(self) -> String {
        format!("{} {}", Date(self.0.div_euclid(DAY)), time_text(self.0.rem_euclid(DAY)))
    }

    /// The time, where it is in a day that both databases have.
    pub fn within(microseconds: i64) -> Option<Self> {
        Date::within(microseconds.div_euclid(DAY)).map(|_| Self(microseconds))
    }
}

/// A time of day, in microseconds.
pub fn time_text(time: i64) -> String {
    let (seconds, fraction) = (time / 1_000_000, time % 1_000_000);
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 {
        return text;
    }
    format!("{text}.{fraction:06}").trim_end_matches('0').to_owned()
}

/// The number of digits only, at most nine of them.
fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    Date::of(number(year)?, number(month)?, number(day)?)
}

/// `23:59`, `23:59:59`, `23:59:59.123456`; further digits are rounded.
fn time(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let (second, micros) = match parts.next() {
        None => (0, 0),
        Some(second) => {
            let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
            (number(second)?, fraction_of(fraction)?)
        }
    };
    let is_time =
        minute < 60 && second <= 60 && (hour < 24 || (hour == 24 && minute + second + micros == 0));
    is_time.then_some(((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

fn fraction_of(text: &str) -> Option<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digit = |index: usize| i64::from(text.as_bytes().get(index).map_or(0, |byte| byte - b'0'));
    let micros = (0..6).fold(0, |sum, index| sum * 10 + digit(index));
    Some(micros + i64::from(digit(6) >= 5))
}

/// A zone at the end of a text, in microseconds to the east, and the text before it.
fn zone(text: &str) -> Option<(&str, Option<i64>)> {
    let lower = text.to_ascii_lowercase();
    for name in ["utc", "gmt", "z"] {
        if lower.ends_with(name) {
            return Some((text[..text.len() - name.len()].trim_end(), Some(0)));
        }
    }
    // A date alone has a space before its zone: its own hyphens are none.
    let is_zone = |at: &usize| text[..*at].contains(':') || text[..*at].ends_with(' ');
    let Some(at) = text.rfind(['+', '-']).filter(is_zone) else {
        return Some((text, None));
    };
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    let digits = &text[at + 1..];
    let mut parts = match digits.len() {
        4 if !digits.contains(':') => vec![digits.get(..2)?, digits.get(2..)?],
        _ => digits.split(':').collect(),
    };
    parts.resize(parts.len().max(3), "0");
    let (hours, minutes, seconds) = (number(parts[0])?, number(parts[1])?, number(parts[2])?);
    if hours > 15 || minutes > 59 || seconds > 59 || parts.len() > 3 {
        return None;
    }
    let east = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000;
    Some((text[..at].trim_end(), Some(sign * east)))
}

/// A date and a time, either of them alone too (`with_zone`: moved to UTC).
fn stamp(text: &str, with_zone: bool) -> Option<Stamp> {
    let (text, east) = zone(text.trim())?;
    let (day, clock) = match text.split_once([' ', 'T', 't']) {
        Some((day, clock)) => (date(day)?, time(clock.trim())?),
        None => (date(text)?, 0),
    };
    let east = east.filter(|_| with_zone).unwrap_or(0);
    Stamp::within(day.0.checked_mul(DAY)? + clock - east)
}

/// A date as it is stored.
pub fn canonical_date(text: &str) -> Option<String> {
    stamp(text, false).map(|stamp| Date(stamp.0.div_euclid(DAY)).to_string())
}

/// A time as it is stored.
pub fn canonical_time(text: &str) -> Option<String> {
    time(text).map(time_text)
}

/// A timestamp as it is stored; one with a zone is moved to UTC.
pub fn canonical_timestamp(text: &str, with_zone: bool) -> Option<String> {
    stamp(text, with_zone).map(Stamp::text)
}

/// A stored date: text, or a Unix time, as programs of SQLite's have it too.
pub fn date_of(value: ValueRef<'_>, scalar: Scalar) -> Result<Date> {
    stamp_of(value, scalar).map(|stamp| Date(stamp.0.div_euclid(DAY)))
}

/// A stored time of day, in microseconds.
pub fn time_of(value: ValueRef<'_>) -> Result<i64> {
    let ValueRef::Text(text) = value else { return Err(mismatch(Scalar::Time, value)) };
    let text = std::str::from_utf8(text).unwrap_or_default();
    time(text.trim()).ok_or_else(|| invalid(Scalar::Time, text))
}

/// A stored timestamp: text, a Unix time as an integer, or a Julian day as a real: what SQLite's
/// own functions take.
pub fn stamp_of(value: ValueRef<'_>, scalar: Scalar) -> Result<Stamp> {
    let found = match value {
        ValueRef::Text(text) => stamp(std::str::from_utf8(text).unwrap_or_default(), true),
        ValueRef::Integer(seconds) => seconds.checked_mul(1_000_000).and_then(Stamp::within),
        ValueRef::Real(day) if (0.0..5_373_484.5).contains(&day) => {
            let milliseconds = ((day - 2_440_587.5) * 86_400_000.0).round();
            Stamp::within(milliseconds as i64 * 1000)
        }
        _ => None,
    };
    found.ok_or_else(|| mismatch(scalar, value))
}
