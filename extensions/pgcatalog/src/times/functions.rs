//! Arithmetic of dates, times and intervals, and the functions that make them.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Error, Result, Scalar, Value};

use super::casts::{interval, stamp, time, within, within_day};
use super::interval::out_of_range;
use super::{format, numbers, scan};
use postgres_types::{DAY, Date, Interval, time_text};

macro_rules! function {
    ($name:literal, $arguments:literal, $function:expr) => {
        Scalar::new($name, $arguments, Stable, Innocuous, |a| a.apply($function))
    };
}

pub const SCALARS: &[Scalar] = &[
    function!("pg_timestamp_add", 2, |at: String, span: String| moved(&at, interval(&span)?)),
    function!("pg_timestamp_sub", 2, |at: String, span: String| moved(&at, negative(&span)?)),
    function!("pg_timestamptz_add", 2, |at: String, span: String| moved(&at, interval(&span)?)),
    function!("pg_timestamptz_sub", 2, |at: String, span: String| moved(&at, negative(&span)?)),
    function!("pg_time_add", 2, |at: String, span: String| {
        Ok::<_, Error>(time_text((time(&at)? + interval(&span)?.micros % DAY).rem_euclid(DAY)))
    }),
    function!("pg_time_sub", 2, |at: String, span: String| {
        Ok::<_, Error>(time_text((time(&at)? - interval(&span)?.micros % DAY).rem_euclid(DAY)))
    }),
    function!("pg_interval_time_sub", 2, |one: String, other: String| {
        Ok::<_, Error>(
            Interval { micros: time(&one)? - time(&other)?, ..Interval::default() }.to_string(),
        )
    }),
    function!("pg_date_add", 2, |at: String, days: i64| plus_days(&at, days)),
    function!("pg_date_sub", 2, |at: String, days: i64| plus_days(&at, -days)),
    function!("pg_timestamp_date_time", 2, |at: String, clock: String| {
        within(day(&at)? * DAY + time(&clock)?).map(|at| at.text())
    }),
    function!("pg_int4_date_sub", 2, |one: String, other: String| {
        Ok::<_, Error>(day(&one)? - day(&other)?)
    }),
    function!("pg_interval_moment_sub", 2, |one: String, other: String| {
        let micros = stamp(&one)?.0 - stamp(&other)?.0;
        Ok::<_, Error>(Interval { micros, ..Interval::default() }.justified_hours().to_string())
    }),
    function!("pg_interval_age", 2, age),
    function!("pg_interval_add", 2, |one: String, other: String| {
        interval(&one)?.plus(interval(&other)?).ok_or_else(out_of_range).map(|sum| sum.to_string())
    }),
    function!("pg_interval_sub", 2, |one: String, other: String| {
        interval(&one)?.plus(negative(&other)?).ok_or_else(out_of_range).map(|sum| sum.to_string())
    }),
    function!("pg_interval_neg", 1, |span: String| negative(&span).map(|span| span.to_string())),
    function!("pg_interval_mul", 2, |span: String, factor: f64| {
        interval(&span)?.times(factor).ok_or_else(out_of_range).map(|span| span.to_string())
    }),
    function!("pg_interval_div", 2, divided),
    function!("pg_timestamp_bin", 3, bin),
    function!("pg_timestamptz_bin", 3, bin),
    function!("pg_interval_justify_hours", 1, |span: String| {
        Ok::<_, Error>(interval(&span)?.justified_hours().to_string())
    }),
    function!("pg_interval_justify_days", 1, |span: String| {
        Ok::<_, Error>(interval(&span)?.justified_days().to_string())
    }),
    function!("pg_interval_justify_interval", 1, |span: String| {
        Ok::<_, Error>(interval(&span)?.justified().to_string())
    }),
    function!("pg_date_make", 3, |year: i64, month: i64, day: i64| {
        made_day(year, month, day).map(|day| day.to_string())
    }),
    function!("pg_time_make", 3, |hour: i64, minute: i64, second: f64| {
        made_time(hour, minute, second).map(time_text)
    }),
    Scalar::new("pg_timestamp_make", 6, Stable, Innocuous, |mut a| {
        let all: Vec<Value> = (0..6).map(|at| a.take(at)).collect();
        a.apply(move || made_stamp(&all))
    }),
    Scalar::new("pg_timestamptz_make", 6, Stable, Innocuous, |mut a| {
        let all: Vec<Value> = (0..6).map(|at| a.take(at)).collect();
        a.apply(move || made_stamp(&all))
    }),
    Scalar::new("pg_interval_make", 7, Stable, Innocuous, |mut a| {
        let all: Vec<Value> = (0..7).map(|at| a.take(at)).collect();
        a.apply(move || made_interval(&all))
    }),
    function!("pg_timestamptz_of_epoch", 1, |seconds: f64| {
        let micros = (seconds * 1e6).round_ties_even();
        if !micros.is_finite() || micros.abs() > 9e18 {
            return Err(Error::from(format!("22008: timestamp out of range: \"{seconds}\"")));
        }
        within(micros as i64).map(|at| at.text())
    }),
    function!("pg_bool_overlaps", 4, overlaps),
    function!("pg_text_to_char", 3, |value: Value, pattern: String, kind: String| {
        match kind.as_str() {
            "int2" | "int4" | "int8" | "numeric" | "float4" | "float8" => {
                numbers::shown(&value, &pattern)
            }
            _ => format::shown(&value, &pattern, &kind),
        }
    }),
    function!("pg_timestamptz_scan", 2, |text: String, pattern: String| {
        scan::read(&text, &pattern).map(|at| at.text())
    }),
    function!("pg_date_scan", 2, |text: String, pattern: String| {
        scan::read(&text, &pattern).map(|at| Date(at.0.div_euclid(DAY)).to_string())
    }),
];

/// The beginning of the stride that a moment is in, counted from another one.
fn bin(stride: String, at: String, origin: String) -> Result<String> {
    let stride = interval(&stride)?;
    if stride.months != 0 {
        let message =
            "0A000: timestamps cannot be binned into intervals containing months or years";
        return Err(message.into());
    }
    let stride = stride.days.checked_mul(DAY).and_then(|days| days.checked_add(stride.micros));
    let stride = stride.ok_or_else(out_of_range)?;
    if stride <= 0 {
        return Err("22008: stride must be greater than zero".into());
    }
    let (at, origin) = (stamp(&at)?.0, stamp(&origin)?.0);
    within(origin + (at - origin).div_euclid(stride) * stride).map(|at| at.text())
}

fn negative(span: &str) -> Result<Interval> {
    interval(span)?.negative().ok_or_else(out_of_range)
}

pub fn day(at: &str) -> Result<i64> {
    Ok(stamp(at)?.0.div_euclid(DAY))
}

fn plus_days(at: &str, days: i64) -> Result<String> {
    within_day(day(at)?.saturating_add(days)).map(|day| day.to_string())
}

/// The day of a month that is some months away: its last where it has no such day.
pub fn plus_months(day: i64, months: i64) -> Result<i64> {
    if months == 0 {
        return Ok(day);
    }
    let (year, month, of_month) = Date(day).parts();
    let all = year * 12 + month - 1 + months;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    let found =
        (28..=of_month.max(28)).rev().find_map(|last| Date::of(year, month, last.min(of_month)));
    found.map(|day| day.0).map_or_else(|| within_day(i64::MAX).map(|day| day.0), Ok)
}

fn moved(at: &str, span: Interval) -> Result<String> {
    let at = stamp(at)?.0;
    let days = plus_months(at.div_euclid(DAY), span.months)? + span.days;
    let micros = days.checked_mul(DAY).and_then(|micros| micros.checked_add(at.rem_euclid(DAY)));
    let micros = micros.and_then(|micros| micros.checked_add(span.micros));
    within(micros.unwrap_or(i64::MAX)).map(|at| at.text())
}

/// By PostgreSQL's `timestamp_age`: a borrowed month has the days of the earlier one.
fn age(one: String, other: String) -> Result<String> {
    let (one, other) = (stamp(&one)?.0, stamp(&other)?.0);
    let fields = |at: i64| {
        let (year, month, day) = Date(at.div_euclid(DAY)).parts();
        (year * 12 + month, day, at.rem_euclid(DAY))
    };
    let is_negative = one < other;
    let (late, early) = if is_negative { (other, one) } else { (one, other) };
    let ((months, days, micros), (months2, days2, micros2)) = (fields(late), fields(early));
    let (mut months, mut days, mut micros) = (months - months2, days - days2, micros - micros2);
    if micros < 0 {
        (days, micros) = (days - 1, micros + DAY);
    }
    while days < 0 {
        let (year, month, _) = Date(early.div_euclid(DAY)).parts();
        let first = Date::of(year, month, 1).map_or(0, |day| day.0);
        days += plus_months(first, 1)? - first;
        months -= 1;
    }
    let sign = if is_negative { -1 } else { 1 };
    Ok(Interval { months: months * sign, days: days * sign, micros: micros * sign }.to_string())
}

fn divided(span: String, by: f64) -> Result<String> {
    if by == 0.0 {
        return Err("22012: division by zero".into());
    }
    let divided = interval(&span)?.times(1.0 / by).ok_or_else(out_of_range)?;
    Ok(divided.to_string())
}

fn made_day(year: i64, month: i64, day: i64) -> Result<Date> {
    // PostgreSQL's own range is larger.
    if matches!(year, -4713..=-1 | 10_000..=5_874_897) {
        return Err("0A000: years outside of 1 to 9999 are not supported".into());
    }
    Date::of(year, month, day).ok_or_else(|| {
        format!("22008: date field value out of range: {year}-{month:02}-{day:02}").into()
    })
}

fn made_time(hour: i64, minute: i64, second: f64) -> Result<i64> {
    let micros = (second * 1e6).round_ties_even();
    let is_time =
        (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..=6e7).contains(&micros)
            || (hour == 24 && minute == 0 && micros == 0.0);
    if is_time {
        Ok((hour * 60 + minute) * 60_000_000 + micros as i64)
    } else {
        Err(format!("22008: time field value out of range: {hour}:{minute:02}:{second}").into())
    }
}

fn made_stamp(all: &[Value]) -> Result<Option<String>> {
    if all.iter().any(Value::is_null) {
        return Ok(None);
    }
    let number = |at: usize| all[at].to_integer();
    let day = made_day(number(0), number(1), number(2))?;
    let time = made_time(number(3), number(4), all[5].to_real())?;
    within(day.0 * DAY + time).map(|at| Some(at.text()))
}

/// Years, months, weeks, days, hours, minutes and seconds.
fn made_interval(all: &[Value]) -> Result<Option<String>> {
    if all.iter().any(Value::is_null) {
        return Ok(None);
    }
    let number = |at: usize| all[at].to_integer();
    let seconds = (all[6].to_real() * 1e6).round_ties_even();
    let made = || {
        let time = number(4).checked_mul(3600)?.checked_add(number(5).checked_mul(60)?)?;
        let time = time.checked_mul(1_000_000)?;
        let made = Interval {
            months: number(0).checked_mul(12)?.checked_add(number(1))?,
            days: number(2).checked_mul(7)?.checked_add(number(3))?,
            micros: (seconds.abs() < 9e18).then(|| time.checked_add(seconds as i64))??,
        };
        made.plus(Interval::default())
    };
    made().map(|made| Some(made.to_string())).ok_or_else(out_of_range)
}

/// Two spans of moments, each by its ends, which may be in the wrong order. NULL may be one of them.
fn overlaps(
    from: Option<String>,
    to: Option<String>,
    from2: Option<String>,
    to2: Option<String>,
) -> Result<Option<bool>> {
    let read = |text: Option<String>| text.map(|text| stamp(&text).map(|at| at.0)).transpose();
    let span = |one: Option<i64>, other: Option<i64>| match (one, other) {
        (Some(one), Some(other)) => Some((one.min(other), Some(one.max(other)))),
        (one, other) => one.or(other).map(|one| (one, None)),
    };
    let (Some((start, end)), Some((start2, end2))) =
        (span(read(from)?, read(to)?), span(read(from2)?, read(to2)?))
    else {
        return Ok(None);
    };
    // The end of the span that begins first, the beginning of the other one, and its end.
    let (end, later, last) = match start.cmp(&start2) {
        std::cmp::Ordering::Equal => {
            return Ok((end.is_some() && end2.is_some()).then_some(true));
        }
        std::cmp::Ordering::Less => (end, start2, end2),
        std::cmp::Ordering::Greater => (end2, start, end),
    };
    Ok(match end {
        None => None,
        Some(end) if later < end => Some(true),
        Some(_) => last.map(|_| false),
    })
}
