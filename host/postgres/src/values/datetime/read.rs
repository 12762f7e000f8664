//! Dates and times in text, as Postgres reads them.

use super::super::invalid;
use super::{DAY, Date, Stamp, time_text};
use crate::error::{Error, Result, sqlstate};
use crate::types::Scalar;

/// Why a text is no date or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has not the form of one.
    Form,
    /// It has, but there is no such day or time, or SQLite does not have it.
    Range,
}

type Found<T> = std::result::Result<T, Fault>;

/// The months, by the beginnings of their names.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

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
/// 22007, 22008, and 0A000 for words.
pub fn canonical(text: &str, scalar: Scalar) -> Result<String> {
    let trimmed = text.trim();
    let found = match scalar {
        Scalar::Date => stamp(trimmed, false).map(|at| Date(at.0.div_euclid(DAY)).to_string()),
        Scalar::Time => time(trimmed).map(time_text),
        _ => stamp(trimmed, scalar == Scalar::Timestamptz).map(Stamp::text),
    };
    found.map_err(|fault| match fault {
        Fault::Form if WORDS.iter().any(|word| trimmed.eq_ignore_ascii_case(word)) => {
            Error::unsupported(format_args!("the {} '{trimmed}' here", scalar.name()))
        }
        Fault::Form => invalid(scalar, text),
        Fault::Range => {
            let shown: String = trimmed.chars().take(100).collect();
            let message = format!("date/time field value out of range: \"{shown}\"");
            Error::new(sqlstate::DATETIME_OVERFLOW, message)
        }
    })
}

/// The number of digits only, at most nine of them.
fn number(text: &str) -> Found<i64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().ok_or(Fault::Form)
}

/// `2026-01-31`, `2026/1/31`, `20260131`, `Jan 31, 2026`, `31-Jan-2026`, and `1/31/2026`, since
/// DateStyle has the month first.
fn date(text: &str) -> Found<Date> {
    if let (8, Ok(all)) = (text.len(), number(text)) {
        return day(all / 10_000, all / 100 % 100, all % 100);
    }
    let parts: Vec<&str> = match ['-', '/'].into_iter().find(|mark| text.contains(*mark)) {
        Some(mark) => text.splitn(4, mark).collect(),
        None => text.split([' ', ',']).filter(|part| !part.is_empty()).take(4).collect(),
    };
    let [one, two, three] = parts[..] else { return Err(Fault::Form) };
    let (year, month, last) = match (month(one), month(two)) {
        (Some(month), _) => (three, month, two),
        (_, Some(month)) if one.len() > 2 => (one, month, three),
        (_, Some(month)) => (three, month, one),
        _ if one.len() > 2 => (one, number(two)?, three),
        _ => (three, number(one)?, two),
    };
    // A year of two digits would be a guess.
    if year.len() < 3 || last.len() > 2 {
        return Err(Fault::Form);
    }
    day(number(year)?, month, number(last)?)
}

fn day(year: i64, month: i64, day: i64) -> Found<Date> {
    Date::of(year, month, day).ok_or(Fault::Range)
}

fn month(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let is_it = |name: &&str| text.len() >= 3 && (text == name[..3] || text == **name);
    MONTHS.iter().position(is_it).map(|place| place as i64 + 1)
}

/// `23:59`, `23:59:59`, `23:59:59.123456`; further digits are rounded.
pub fn time(text: &str) -> Found<i64> {
    let mut parts = text.splitn(3, ':');
    let mut next = || parts.next().ok_or(Fault::Form);
    let (hour, minute) = (number(next()?)?, number(next()?)?);
    let (second, micros) = match parts.next() {
        None => (0, 0),
        Some(second) => {
            let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
            (number(second)?, fraction_of(fraction)?)
        }
    };
    let is_time =
        minute < 60 && second <= 60 && (hour < 24 || (hour == 24 && minute + second + micros == 0));
    let time = ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros;
    if is_time { Ok(time) } else { Err(Fault::Range) }
}

fn fraction_of(text: &str) -> Found<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Form);
    }
    let digit = |index: usize| i64::from(text.as_bytes().get(index).map_or(0, |byte| byte - b'0'));
    let micros = (0..6).fold(0, |sum, index| sum * 10 + digit(index));
    Ok(micros + i64::from(digit(6) >= 5))
}

/// A zone at the end of a text, in microseconds to the east, and the text before it.
fn zone(text: &str) -> Found<(&str, Option<i64>)> {
    let lower = text.to_ascii_lowercase();
    for name in ["utc", "gmt", "z"] {
        if lower.ends_with(name) {
            return Ok((text[..text.len() - name.len()].trim_end(), Some(0)));
        }
    }
    // A date alone has a space before its zone: its own hyphens are none.
    let is_zone = |at: &usize| text[..*at].contains(':') || text[..*at].ends_with(' ');
    let Some(at) = text.rfind(['+', '-']).filter(is_zone) else {
        return Ok((text, None));
    };
    let sign = if text.as_bytes()[at] == b'-' { -1 } else { 1 };
    let digits = &text[at + 1..];
    let half = |range: std::ops::RangeInclusive<usize>| digits.get(range).ok_or(Fault::Form);
    let mut parts = match digits.len() {
        4 if !digits.contains(':') => vec![half(0..=1)?, half(2..=3)?],
        _ => digits.split(':').collect(),
    };
    parts.resize(parts.len().max(3), "0");
    let (hours, minutes, seconds) = (number(parts[0])?, number(parts[1])?, number(parts[2])?);
    if hours > 15 || minutes > 59 || seconds > 59 || parts.len() > 3 {
        return Err(Fault::Form);
    }
    let east = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000;
    Ok((text[..at].trim_end(), Some(sign * east)))
}

/// A date and a time, or a date alone (`with_zone`: moved to UTC).
pub fn stamp(text: &str, with_zone: bool) -> Found<Stamp> {
    let (text, east) = zone(text.trim())?;
    let (day, clock) = match text.find(':') {
        Some(colon) => {
            let at = text[..colon].rfind([' ', 'T', 't']).ok_or(Fault::Form)?;
            (date(text[..at].trim_end())?, time(&text[at + 1..])?)
        }
        None => (date(text)?, 0),
    };
    let east = east.filter(|_| with_zone).unwrap_or(0);
    let at = day.0.checked_mul(DAY).ok_or(Fault::Range)? + clock - east;
    Stamp::within(at).ok_or(Fault::Range)
}
