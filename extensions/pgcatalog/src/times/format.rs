//! `to_char` of dates, times and intervals.

use sqlite_wasm_kit::{Result, Value};

use super::casts::{interval, stamp, time};
use super::fields::{iso_week, of_year};
use postgres_types::read::MONTHS;
use postgres_types::{DAY, Date};

const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/// The names of fields, the longer before those that they begin with.
const NAMES: &[&str] = &[
    "MONTH", "Month", "month", "SSSSS", "HH24", "HH12", "YYYY", "IYYY", "SSSS", "Y,YYY", "IDDD",
    "A.M.", "P.M.", "a.m.", "p.m.", "DAY", "Day", "day", "MON", "Mon", "mon", "DDD", "YYY", "IYY",
    "TZH", "TZM", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "MM", "DD", "DY", "Dy", "dy", "HH",
    "MI", "SS", "MS", "US", "YY", "IY", "IW", "ID", "WW", "CC", "AM", "PM", "am", "pm", "RM", "rm",
    "TZ", "tz", "OF", "BC", "bc", "AD", "ad", "D", "W", "Y", "I", "Q", "J",
];

pub struct Moment {
    days: i64,
    micros: i64,
    /// For an interval: its years, months and days.
    parts: Option<(i64, i64, i64)>,
    hour: i64,
    has_zone: bool,
}

pub fn shown(value: &Value, pattern: &str, kind: &str) -> Result<Option<String>> {
    if value.is_null() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&value.clone().into_bytes()).into_owned();
    let moment = match kind {
        "interval" => {
            let span = interval(&text)?;
            let parts = Some((span.months / 12, span.months % 12, span.days));
            let micros = span.micros;
            Moment {
                days: 0,
                micros: micros % 3_600_000_000,
                parts,
                hour: micros / 3_600_000_000,
                has_zone: false,
            }
        }
        "time" => {
            let micros = time(&text)?;
            Moment {
                days: 0,
                micros,
                parts: Some((0, 0, 0)),
                hour: micros / 3_600_000_000,
                has_zone: false,
            }
        }
        _ => {
            let at = stamp(&text)?.0;
            let micros = at.rem_euclid(DAY);
            Moment {
                days: at.div_euclid(DAY),
                micros,
                parts: None,
                hour: micros / 3_600_000_000,
                has_zone: kind != "timestamp",
            }
        }
    };
    moment.written(pattern).map(Some)
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// A name in the case of its pattern.
fn cased(name: &str, pattern: &str) -> String {
    match pattern {
        upper if upper.bytes().all(|byte| byte.is_ascii_uppercase()) => name.to_ascii_uppercase(),
        lower if lower.bytes().all(|byte| byte.is_ascii_lowercase()) => name.to_owned(),
        _ => capital(name),
    }
}

impl Moment {
    fn written(&self, pattern: &str) -> Result<String> {
        let (mut out, mut rest) = (String::new(), pattern);
        while let Some(first) = rest.chars().next() {
            if let Some(quoted) = rest.strip_prefix('"') {
                let (text, tail) = quoted.split_once('"').unwrap_or((quoted, ""));
                out.push_str(text);
                rest = tail;
                continue;
            }
            let (is_filled, after) = match rest.strip_prefix("FM").or(rest.strip_prefix("fm")) {
                Some(after) => (false, after),
                None => (true, rest),
            };
            if let Some(name) = NAMES.iter().find(|name| after.starts_with(**name)) {
                let mut field = self.field(name, is_filled)?;
                rest = &after[name.len()..];
                if let Some(tail) = rest.strip_prefix("TH").or(rest.strip_prefix("th")) {
                    let ordinal = ordinal(&field);
                    let is_upper = rest.starts_with('T');
                    field.push_str(&if is_upper {
                        ordinal.to_uppercase()
                    } else {
                        ordinal.to_owned()
                    });
                    rest = tail;
                }
                out.push_str(&field);
            } else if !is_filled {
                rest = after;
            } else if first.is_ascii_alphanumeric()
                && NAMES.iter().any(|name| rest[..1].eq_ignore_ascii_case(&name[..1]))
            {
                // PostgreSQL takes many names in lower case too.
                let lower = NAMES.iter().find(|name| {
                    rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                });
                let Some(name) = lower else {
                    out.push(first);
                    rest = &rest[1..];
                    continue;
                };
                out.push_str(&self.field(name, true)?);
                rest = &rest[name.len()..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(out)
    }

    fn field(&self, name: &str, is_filled: bool) -> Result<String> {
        let (year, month, day) = self.parts.unwrap_or_else(|| Date(self.days).parts());
        let (iso_year, iso) = iso_week(self.days);
        let digits = |number: i64, width: usize| match is_filled {
            true if number < 0 => format!("-{:0width$}", -number),
            true => format!("{number:0width$}"),
            false => number.to_string(),
        };
        let named = |names: &[&str], at: i64, width: usize| {
            let name = cased(names[at.rem_euclid(names.len() as i64) as usize], name);
            if is_filled { format!("{name:width$}") } else { name }
        };
        let (minute, second) = (self.micros / 60_000_000 % 60, self.micros / 1_000_000 % 60);
        let fraction = self.micros % 1_000_000;
        let twelve = |hour: i64| if hour % 12 == 0 { 12 } else { hour % 12 };
        let is_date = matches!(
            name.to_ascii_uppercase().as_str(),
            "MONTH"
                | "DAY"
                | "MON"
                | "DY"
                | "IW"
                | "IYYY"
                | "IYY"
                | "IY"
                | "I"
                | "ID"
                | "IDDD"
                | "WW"
                | "W"
                | "J"
                | "D"
                | "DDD"
                | "RM"
        );
        if is_date && self.parts.is_some() {
            return Err(format!("0A000: to_char with {name} of this type is not supported").into());
        }
        let day_of_week = (self.days + 4).rem_euclid(7);
        Ok(match name {
            "YYYY" => digits(year, 4),
            "Y,YYY" => format!("{},{:03}", year / 1000, year % 1000),
            "YYY" => digits(year % 1000, 3),
            "YY" => digits(year % 100, 2),
            "Y" => digits(year % 10, 1),
            "IYYY" => digits(iso_year, 4),
            "IYY" => digits(iso_year % 1000, 3),
            "IY" => digits(iso_year % 100, 2),
            "I" => digits(iso_year % 10, 1),
            "MONTH" | "Month" | "month" => named(&MONTHS, month - 1, 9),
            "MON" | "Mon" | "mon" => cased(&MONTHS[(month - 1) as usize][..3], name),
            "MM" => digits(month, 2),
            "DAY" | "Day" | "day" => named(&DAYS, day_of_week, 9),
            "DY" | "Dy" | "dy" => cased(&DAYS[day_of_week as usize][..3], name),
            "DDD" => digits(of_year(self.days), 3),
            "DD" => digits(day, 2),
            "D" => (day_of_week + 1).to_string(),
            "ID" => ((self.days + 3).rem_euclid(7) + 1).to_string(),
            "IW" => digits(iso, 2),
            "WW" => digits((of_year(self.days) - 1) / 7 + 1, 2),
            "W" => ((day - 1) / 7 + 1).to_string(),
            "Q" => ((month + 2) / 3).to_string(),
            "CC" => digits((year + 99) / 100, 2),
            "J" => (self.days + 2_440_588).to_string(),
            "HH24" => digits(self.hour, 2),
            "HH12" | "HH" => digits(twelve(self.hour), 2),
            "MI" => digits(minute, 2),
            "SS" => digits(second, 2),
            "SSSSS" | "SSSS" => (self.hour * 3600 + minute * 60 + second).to_string(),
            "MS" => digits(fraction / 1000, 3),
            "US" => digits(fraction, 6),
            "FF1" | "FF2" | "FF3" | "FF4" | "FF5" | "FF6" => {
                let count = usize::from(name.as_bytes()[2] - b'0');
                format!("{fraction:06}")[..count].to_owned()
            }
            "AM" | "PM" => if self.hour % 24 >= 12 { "PM" } else { "AM" }.to_owned(),
            "am" | "pm" => if self.hour % 24 >= 12 { "pm" } else { "am" }.to_owned(),
            "A.M." | "P.M." => if self.hour % 24 >= 12 { "P.M." } else { "A.M." }.to_owned(),
            "a.m." | "p.m." => if self.hour % 24 >= 12 { "p.m." } else { "a.m." }.to_owned(),
            "BC" | "AD" => "AD".to_owned(),
            "bc" | "ad" => "ad".to_owned(),
            "TZ" | "tz" if !self.has_zone => String::new(),
            "TZ" => "UTC".to_owned(),
            "tz" => "utc".to_owned(),
            "OF" => "+00".to_owned(),
            "TZH" => "+00".to_owned(),
            "TZM" => "00".to_owned(),
            other => return Err(format!("0A000: to_char with {other} is not supported").into()),
        })
    }
}

fn ordinal(number: &str) -> &'static str {
    let digits = number.as_bytes();
    let is_teen = digits.len() > 1 && digits[digits.len() - 2] == b'1';
    match digits.last() {
        Some(b'1') if !is_teen => "st",
        Some(b'2') if !is_teen => "nd",
        Some(b'3') if !is_teen => "rd",
        _ => "th",
    }
}
