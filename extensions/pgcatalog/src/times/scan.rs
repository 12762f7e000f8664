//! `to_timestamp` and `to_date` by a pattern.

use sqlite_wasm_kit::{Error, Result};

use super::casts::within;
use postgres_types::read;
use postgres_types::{DAY, Date, Stamp};

const NAMES: &[&str] = &[
    "MONTH", "SSSSS", "SSSS", "HH24", "HH12", "YYYY", "MON", "DDD", "YYY", "MM", "DD", "HH", "MI",
    "SS", "MS", "US", "YY", "AM", "PM",
];

fn wrong(text: &str, name: &str) -> Error {
    let shown: String = text.chars().take(20).collect();
    format!("22007: invalid value \"{shown}\" for \"{name}\"").into()
}

/// The fields of a text, with the values of those that are missing.
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    of_year: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    micros: i64,
    is_afternoon: Option<bool>,
}

pub fn read(text: &str, pattern: &str) -> Result<Stamp> {
    let mut found = Fields {
        year: 1,
        month: 1,
        day: 1,
        of_year: None,
        hour: 0,
        minute: 0,
        second: 0,
        micros: 0,
        is_afternoon: None,
    };
    let (mut rest, mut format) = (text.trim_start(), pattern);
    while let Some(first) = format.chars().next() {
        let name = NAMES.iter().find(|name| {
            format.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        });
        if let Some(name) = name {
            format = &format[name.len()..];
            let is_joined = NAMES.iter().any(|name| {
                format.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            });
            rest = found.take(name, rest.trim_start(), is_joined)?;
        } else if let Some(quoted) = format.strip_prefix('"') {
            let (literal, tail) = quoted.split_once('"').unwrap_or((quoted, ""));
            let skipped =
                rest.char_indices().nth(literal.chars().count()).map_or(rest.len(), |(at, _)| at);
            (rest, format) = (&rest[skipped..], tail);
        } else if first.is_ascii_alphanumeric() {
            return Err(format!("0A000: to_timestamp with \"{pattern}\" is not supported").into());
        } else {
            // Any sign stands for any other.
            let is_sign = |c: char| !c.is_ascii_alphanumeric() && !c.is_whitespace();
            rest = rest.trim_start();
            rest = rest.strip_prefix(is_sign).unwrap_or(rest);
            format = &format[first.len_utf8()..];
        }
    }
    found.stamp(text)
}

/// The year that the last digits of one mean.
fn near_2020(year: i64) -> i64 {
    match year {
        ..70 => 2000 + year,
        70..100 => 1900 + year,
        100..520 => 2000 + year,
        _ => 1000 + year,
    }
}

impl Fields {
    fn take<'a>(&mut self, name: &str, text: &'a str, is_joined: bool) -> Result<&'a str> {
        if matches!(name, "MONTH" | "MON") {
            let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
            let end = if name == "MON" { end.min(3) } else { end };
            self.month = read::month(&text[..end]).ok_or_else(|| wrong(text, name))?;
            return Ok(&text[end..]);
        }
        if matches!(name, "AM" | "PM") {
            let half = text.get(..2).unwrap_or_default().to_ascii_lowercase();
            self.is_afternoon = match half.as_str() {
                "am" => Some(false),
                "pm" => Some(true),
                _ => return Err(wrong(text, name)),
            };
            return Ok(&text[2..]);
        }
        let width = match name {
            "HH24" | "HH12" => 2,
            "YYYY" | "YYY" | "YY" if !is_joined => 9,
            "SSSS" => 5,
            "US" => 6,
            "MS" => 3,
            other => other.len(),
        };
        let digits = text.bytes().take(width).take_while(u8::is_ascii_digit).count();
        let number: i64 = text[..digits].parse().map_err(|_| wrong(text, name))?;
        match name {
            "YYY" | "YY" if digits < 4 => self.year = near_2020(number),
            "YYYY" | "YYY" | "YY" => self.year = number,
            "MM" => self.month = number,
            "DD" => self.day = number,
            "DDD" => self.of_year = Some(number),
            "HH24" => self.hour = number,
            "HH12" | "HH" => {
                if !(1..=12).contains(&number) {
                    return Err(format!(
                        "22007: hour \"{number}\" is invalid for the 12-hour clock"
                    )
                    .into());
                }
                self.hour = number;
                self.is_afternoon.get_or_insert(false);
            }
            "SSSS" | "SSSSS" => {
                (self.hour, self.minute, self.second) =
                    (number / 3600, number / 60 % 60, number % 60);
            }
            "MI" => self.minute = number,
            "SS" => self.second = number,
            "MS" => self.micros += number * 10i64.pow(6 - digits as u32),
            _ => self.micros += number * 10i64.pow(6 - digits as u32),
        }
        Ok(&text[digits..])
    }

    fn stamp(self, text: &str) -> Result<Stamp> {
        let range = || {
            let shown: String = text.chars().take(100).collect();
            Error::from(format!("22008: date/time field value out of range: \"{shown}\""))
        };
        let hour = match self.is_afternoon {
            Some(is_afternoon) if self.hour <= 12 => {
                self.hour % 12 + if is_afternoon { 12 } else { 0 }
            }
            _ => self.hour,
        };
        let is_time = hour < 24 && self.minute < 60 && self.second < 60;
        let day = match self.of_year {
            Some(of_year) => Date::of(self.year, 1, 1).map(|first| Date(first.0 + of_year - 1)),
            None => Date::of(self.year, self.month, self.day),
        };
        let day = day.filter(|_| is_time).ok_or_else(range)?;
        within(
            day.0 * DAY + ((hour * 60 + self.minute) * 60 + self.second) * 1_000_000 + self.micros,
        )
    }
}
