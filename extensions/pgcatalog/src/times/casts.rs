//! Casts to and from dates, times and intervals.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use super::interval::{self, out_of_range};
use postgres_types::{DAY, Date, Stamp, time_text};
use postgres_types::{Fault, Interval, read};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_date_of", 1, |text: Value| given(&text, |text| {
        read::date_of(text).map(|day| day.to_string()).map_err(|fault| error(fault, text, "date"))
    })),
    function!("pg_time_of", 1, |text: Value| given(&text, |text| time(text).map(time_text))),
    function!("pg_timestamp_of", 1, |text: Value| given(&text, |text| stamp(text)
        .map(Stamp::text))),
    function!("pg_timestamptz_of", 1, |text: Value| given(&text, |text| {
        stamp_in(text, "timestamp with time zone", true).map(Stamp::text)
    })),
    function!("pg_interval_of", 1, |text: Value| given(&text, |text| {
        interval::parse(text, None).map(|found| found.to_string())
    })),
    function!("pg_interval_of", 2, |text: String, unit: String| {
        unit_of(&text, &unit).map(|found| found.to_string())
    }),
    function!("pg_time_of_moment", 1, |text: String| {
        let at = stamp(&text)?;
        Ok::<_, Error>(time_text(at.0.rem_euclid(DAY)))
    }),
    function!("pg_time_of_interval", 1, |text: String| {
        Ok::<_, Error>(time_text(interval(&text)?.micros.rem_euclid(DAY)))
    }),
    function!("pg_interval_of_time", 1, |text: String| {
        Ok::<_, Error>(Interval { micros: time(&text)?, ..Interval::default() }.to_string())
    }),
    function!("pg_timestamp_rounded", 2, |text: String, digits: i64| rounded_text(&text, digits)),
    function!("pg_timestamptz_rounded", 2, |text: String, digits: i64| rounded_text(&text, digits)),
    function!("pg_int8_interval_key", 1, |text: String| {
        i64::try_from(interval(&text)?.length()).map_err(|_| out_of_range())
    }),
    function!("pg_timestamp_at_zone", 2, |text: String, zone: String| {
        let at = stamp(&text)?.0;
        within(at + distance(&zone)?).map(Stamp::text)
    }),
    function!("pg_timestamptz_at_zone", 2, |text: String, zone: String| {
        let at = stamp(&text)?.0;
        within(at - distance(&zone)?).map(Stamp::text)
    }),
];

/// The result for a text; NULL for NULL. Other programs that use SQLite may have stored an integer
/// or real.
fn given(value: &Value, read: impl FnOnce(&str) -> Result<String>) -> Result<Option<String>> {
    if value.is_null() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&value.clone().into_bytes()).into_owned();
    read(&text).map(Some)
}

fn error(fault: Fault, text: &str, name: &str) -> Error {
    let shown: String = text.chars().take(100).collect();
    let word = text.trim().to_ascii_lowercase();
    match fault {
        Fault::Form
            if matches!(
                word.trim_start_matches(['+', '-']),
                "infinity" | "now" | "today" | "tomorrow" | "yesterday" | "epoch" | "allballs"
            ) =>
        {
            format!("0A000: the {name} '{shown}' is not supported here").into()
        }
        Fault::Form => format!("22007: invalid input syntax for type {name}: \"{shown}\"").into(),
        Fault::Range | Fault::Amount => {
            format!("22008: date/time field value out of range: \"{shown}\"").into()
        }
        Fault::Year => format!(
            "0A000: the {name} \"{shown}\" is not supported; the years are those from 1 to 9999"
        )
        .into(),
        Fault::Zone => format!(
            "0A000: the time zone of \"{shown}\" is not supported; give its distance from UTC: +02"
        )
        .into(),
    }
}

fn stamp_in(text: &str, name: &str, with_zone: bool) -> Result<Stamp> {
    read::stamp(text, with_zone).map_err(|fault| error(fault, text, name))
}

/// A stored date or timestamp.
pub fn stamp(text: &str) -> Result<Stamp> {
    stamp_in(text, "timestamp", false)
}

pub fn time(text: &str) -> Result<i64> {
    read::time(text.trim()).map_err(|fault| error(fault, text, "time"))
}

pub fn interval(text: &str) -> Result<Interval> {
    interval::parse(text, None)
}

/// `INTERVAL 'text' UNIT`: what is smaller than the unit is cut.
fn unit_of(text: &str, unit: &str) -> Result<Interval> {
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.trim_end_matches('s');
    if !matches!(unit, "year" | "month" | "day" | "hour" | "minute" | "second") {
        return Err(format!("0A000: an interval of {unit} is not supported").into());
    }
    let mut found = interval::parse(text, Some(unit))?;
    let cut = |number: i64, by: i64| number / by * by;
    match unit {
        "year" => found = Interval { months: cut(found.months, 12), ..Interval::default() },
        "month" => found = Interval { months: found.months, ..Interval::default() },
        "day" => found.micros = 0,
        "hour" => found.micros = cut(found.micros, 3_600_000_000),
        "minute" => found.micros = cut(found.micros, 60_000_000),
        _ => {}
    }
    Ok(found)
}

/// A moment that is in a year from 1 to 9999, as all that are stored.
pub fn within(micros: i64) -> Result<Stamp> {
    let message = "0A000: a timestamp before the year 1 or after 9999 is not supported";
    Stamp::within(micros).ok_or_else(|| message.into())
}

pub fn within_day(days: i64) -> Result<Date> {
    let message = "0A000: a date before the year 1 or after 9999 is not supported";
    Date::within(days).ok_or_else(|| message.into())
}

fn rounded_text(text: &str, digits: i64) -> Result<String> {
    Ok(within(rounded(stamp(text)?.0, digits))?.text())
}

fn rounded(micros: i64, digits: i64) -> i64 {
    let unit = 10i64.pow(6 - digits.clamp(0, 6) as u32);
    (micros + unit / 2).div_euclid(unit) * unit
}

/// The distance of a zone, in microseconds to the east: PostgreSQL takes a distance of a zone's name with the other sign.
fn distance(zone: &str) -> Result<i64> {
    let trimmed = zone.trim();
    let fault = match read::distance(trimmed) {
        Ok(east) => {
            let is_number = trimmed.starts_with(['+', '-']);
            return Ok(if is_number { -east } else { east });
        }
        Err(fault) => fault,
    };
    let lower = trimmed.to_ascii_lowercase();
    if matches!(lower.as_str(), "etc/utc" | "etc/gmt" | "universal" | "uct" | "greenwich") {
        return Ok(0);
    }
    // `interval '-05:00'` is a zone too, with the sign of the interval.
    if let Some(text) = lower.strip_prefix("interval ") {
        let span = interval(text)?;
        return match (span.months, span.days) {
            (0, 0) => Ok(span.micros),
            _ => Err("22023: interval time zone must not include months or days".into()),
        };
    }
    match fault {
        Fault::Range => Err(format!("22023: time zone \"{zone}\" not recognized").into()),
        _ => Err(format!(
            "0A000: the time zone \"{zone}\" is not supported; give its distance from UTC"
        )
        .into()),
    }
}
