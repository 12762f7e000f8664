//! `extract`, `date_part` and `date_trunc`.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar};

use super::casts::{interval, stamp, time, within};
use postgres_types::{DAY, Date};

pub const SCALARS: &[Scalar] = &[
    Scalar::new("pg_numeric_extract", 3, Stable, Innocuous, |a| {
        a.apply(|field: String, value: String, kind: String| extracted(&field, &value, &kind))
    }),
    Scalar::new("pg_float8_extract", 3, Stable, Innocuous, |a| {
        a.apply(|field: String, value: String, kind: String| {
            extracted(&field, &value, &kind).map(|text| text.parse::<f64>().unwrap_or(f64::NAN))
        })
    }),
    Scalar::new("pg_timestamp_trunc", 2, Stable, Innocuous, |a| {
        a.apply(|field: String, value: String| truncated(&field, &value))
    }),
    Scalar::new("pg_timestamptz_trunc", 2, Stable, Innocuous, |a| {
        a.apply(|field: String, value: String| truncated(&field, &value))
    }),
    Scalar::new("pg_interval_trunc", 2, Stable, Innocuous, |a| {
        a.apply(|field: String, value: String| truncated_interval(&field, &value))
    }),
];

/// The name of a field, without its plural and short forms.
fn field(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    let known = match name.as_str() {
        "years" | "y" | "yr" | "yrs" => "year",
        "months" | "mon" | "mons" => "month",
        "days" | "d" => "day",
        "hours" | "h" | "hr" | "hrs" => "hour",
        "minutes" | "m" | "min" | "mins" => "minute",
        "seconds" | "s" | "sec" | "secs" => "second",
        "weeks" | "w" => "week",
        "qtr" => "quarter",
        "decades" | "dec" | "decs" => "decade",
        "centuries" | "c" | "cent" => "century",
        "millennia" | "mil" | "mils" => "millennium",
        "millisecond" | "ms" | "msec" | "msecs" => "milliseconds",
        "microsecond" | "us" | "usec" | "usecs" => "microseconds",
        other => other,
    };
    known.to_owned()
}

const FIELDS: &[&str] = &[
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "week",
    "quarter",
    "decade",
    "century",
    "millennium",
    "milliseconds",
    "microseconds",
    "dow",
    "isodow",
    "doy",
    "isoyear",
    "epoch",
    "julian",
    "timezone",
    "timezone_hour",
    "timezone_minute",
];

fn not_supported(name: &str, kind: &str) -> Error {
    let kind = match kind {
        "timestamp" => "timestamp without time zone",
        "timestamptz" => "timestamp with time zone",
        "time" => "time without time zone",
        other => other,
    };
    if FIELDS.contains(&name) {
        format!("0A000: unit \"{name}\" not supported for type {kind}").into()
    } else {
        format!("22023: unit \"{name}\" not recognized for type {kind}").into()
    }
}

/// Microseconds in decimal, with digits after the point.
fn decimal(micros: i128, digits: usize) -> String {
    let unit = 10i128.pow(digits as u32);
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.abs();
    format!("{sign}{}.{:0digits$}", micros / unit, micros % unit)
}

/// The ISO year and week of a day.
pub fn iso_week(day: i64) -> (i64, i64) {
    // Its Thursday is in the year that it counts to.
    let thursday = day - (day + 3).rem_euclid(7) + 3;
    let (year, ..) = Date(thursday).parts();
    let first = first_day(year);
    (year, (thursday - first) / 7 + 1)
}

fn first_day(year: i64) -> i64 {
    Date::of(year, 1, 1).map_or(0, |day| day.0)
}

pub fn of_year(day: i64) -> i64 {
    day - first_day(Date(day).parts().0) + 1
}

/// Values of fields of a time of day.
fn of_time(name: &str, micros: i64) -> Option<String> {
    Some(match name {
        "hour" => (micros / 3_600_000_000).to_string(),
        "minute" => (micros / 60_000_000 % 60).to_string(),
        "second" => decimal((micros % 60_000_000).into(), 6),
        "milliseconds" => decimal((micros % 60_000_000).into(), 3),
        "microseconds" => (micros % 60_000_000).to_string(),
        _ => return None,
    })
}

fn extracted(name: &str, value: &str, kind: &str) -> Result<String> {
    let name = field(name);
    let found = match kind {
        "interval" => of_interval(&name, value)?,
        "time" => {
            let micros = time(value)?;
            match name.as_str() {
                "epoch" => Some(decimal(micros.into(), 6)),
                _ => of_time(&name, micros),
            }
        }
        _ => of_moment(&name, stamp(value)?.0, kind),
    };
    found.ok_or_else(|| not_supported(&name, kind))
}

fn of_moment(name: &str, at: i64, kind: &str) -> Option<String> {
    let (days, micros) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let (year, month, day) = Date(days).parts();
    let number = match name {
        "year" => year,
        "month" => month,
        "day" => day,
        "quarter" => (month + 2) / 3,
        "decade" => year.div_euclid(10),
        "century" => (year + 99) / 100,
        "millennium" => (year + 999) / 1000,
        "dow" => (days + 4).rem_euclid(7),
        "isodow" => (days + 3).rem_euclid(7) + 1,
        "doy" => of_year(days),
        "week" => iso_week(days).1,
        "isoyear" => iso_week(days).0,
        "epoch" if kind == "date" => days * 86_400,
        "epoch" => return Some(decimal(at.into(), 6)),
        "julian" if kind == "date" => days + 2_440_588,
        "timezone" | "timezone_hour" | "timezone_minute" if kind == "timestamptz" => 0,
        _ if kind != "date" => return of_time(name, micros),
        _ => return None,
    };
    Some(number.to_string())
}

fn of_interval(name: &str, value: &str) -> Result<Option<String>> {
    let span = interval(value)?;
    let (years, months) = (span.months / 12, span.months % 12);
    Ok(Some(match name {
        "year" => years.to_string(),
        "month" => months.to_string(),
        "day" => span.days.to_string(),
        "quarter" => (months / 3 + 1).to_string(),
        "decade" => (years / 10).to_string(),
        "century" => (years / 100).to_string(),
        "millennium" => (years / 1000).to_string(),
        "epoch" => {
            // A year has 365.25 days here.
            let days = i128::from(years) * 36525 / 100 * i128::from(DAY)
                + i128::from(years) * 36525 % 100 * i128::from(DAY) / 100;
            let rest = i128::from(months) * 30 + i128::from(span.days);
            decimal(days + rest * i128::from(DAY) + i128::from(span.micros), 6)
        }
        other => return Ok(of_time(other, span.micros)),
    }))
}

fn truncated(name: &str, value: &str) -> Result<String> {
    let at = stamp(value)?.0;
    let (days, micros) = (at.div_euclid(DAY), at.rem_euclid(DAY));
    let (year, month, _) = Date(days).parts();
    let first =
        |year: i64, month: i64| Date::of(year.max(1), month, 1).map_or(0, |day| day.0) * DAY;
    let name = field(name);
    let cut = |unit: i64| days * DAY + micros / unit * unit;
    let found = match name.as_str() {
        "microseconds" => at,
        "milliseconds" => cut(1000),
        "second" => cut(1_000_000),
        "minute" => cut(60_000_000),
        "hour" => cut(3_600_000_000),
        "day" => days * DAY,
        "week" => (days - (days + 3).rem_euclid(7)) * DAY,
        "month" => first(year, month),
        "quarter" => first(year, (month - 1) / 3 * 3 + 1),
        "year" => first(year, 1),
        "decade" => first(year / 10 * 10, 1),
        "century" => first((year - 1) / 100 * 100 + 1, 1),
        "millennium" => first((year - 1) / 1000 * 1000 + 1, 1),
        other => return Err(not_supported(other, "timestamp with time zone")),
    };
    within(found).map(|at| at.text())
}

fn truncated_interval(name: &str, value: &str) -> Result<String> {
    let mut span = interval(value)?;
    let name = field(name);
    let cut = |number: i64, unit: i64| number / unit * unit;
    let months = match name.as_str() {
        "millennium" => 12_000,
        "century" => 1200,
        "decade" => 120,
        "year" => 12,
        "quarter" => 3,
        "month" => 1,
        _ => 0,
    };
    match name.as_str() {
        _ if months > 0 => (span.months, span.days, span.micros) = (cut(span.months, months), 0, 0),
        "day" => span.micros = 0,
        "hour" => span.micros = cut(span.micros, 3_600_000_000),
        "minute" => span.micros = cut(span.micros, 60_000_000),
        "second" => span.micros = cut(span.micros, 1_000_000),
        "milliseconds" => span.micros = cut(span.micros, 1000),
        "microseconds" => {}
        other => return Err(not_supported(other, "interval")),
    }
    Ok(span.to_string())
}
