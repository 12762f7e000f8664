//! Intervals in words and in SQL's forms: PostgreSQL's `DecodeInterval`.

use super::Interval;
use super::amounts::{Amount, Unit};
use crate::fields::{Kind, fields};
use crate::read::{Fault, Found};

/// The longest part of a word that PostgreSQL compares.
const WORD: usize = 10;

/// The fields of `04:05:06`.
const CLOCK: [Unit; 5] =
    [Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond, Unit::Microsecond];

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "millennium" | "millennia" | "mil" | "mils" => Unit::Millennium,
        "century" | "centuries" | "cent" | "c" => Unit::Century,
        "decade" | "decades" | "dec" | "decs" => Unit::Decade,
        "year" | "years" | "yr" | "yrs" | "y" => Unit::Year,
        "month" | "months" | "mon" | "mons" => Unit::Month,
        "week" | "weeks" | "w" => Unit::Week,
        "day" | "days" | "d" => Unit::Day,
        "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Hour,
        "minute" | "minutes" | "min" | "mins" | "m" => Unit::Minute,
        "second" | "seconds" | "sec" | "secs" | "s" => Unit::Second,
        "millisecon" | "msecond" | "mseconds" | "msec" | "msecs" | "ms" => Unit::Millisecond,
        "microsecon" | "usecond" | "useconds" | "usec" | "usecs" | "us" => Unit::Microsecond,
        _ => return None,
    })
}

/// The last of the units that are wanted.
fn last_of(alone: Option<&str>) -> Unit {
    let word = alone.and_then(|alone| alone.split_ascii_whitespace().last()).unwrap_or("second");
    unit(&word.to_ascii_lowercase()).unwrap_or(Unit::Second)
}

/// What was read, from the last field to the first, so that a unit is known before its amount.
struct Reading<'a> {
    sum: Interval,
    seen: Vec<Unit>,
    /// The unit of the next amount, where one was read.
    unit: Option<Option<Unit>>,
    is_ago: bool,
    alone: Option<&'a str>,
}

/// The interval in a text.
pub fn read(text: &str, alone: Option<&str>) -> Found<Interval> {
    let (sum, seen) = (Interval::default(), Vec::new());
    let mut reading = Reading { sum, seen, unit: None, is_ago: false, alone };
    for (kind, field) in fields(text)?.iter().rev() {
        match kind {
            Kind::Time => reading.clock(field)?,
            Kind::Signed if field.contains(':') && reading.clock(field).is_ok() => {}
            Kind::Signed | Kind::Date | Kind::Number => reading.amount(field)?,
            Kind::Word => reading.word(field)?,
            Kind::Special => return Err(Fault::Form),
        }
    }
    match (reading.seen.is_empty(), reading.is_ago) {
        (true, _) => Err(Fault::Form),
        (_, true) => reading.sum.negative().ok_or(Fault::Amount),
        (_, false) => Ok(reading.sum),
    }
}

impl Reading<'_> {
    fn word(&mut self, word: &str) -> Found<()> {
        let word = &word[..word.len().min(WORD)];
        match word {
            // An amount before it has no unit.
            "ago" => (self.is_ago, self.unit) = (true, Some(None)),
            word => self.unit = Some(Some(unit(word).ok_or(Fault::Form)?)),
        }
        Ok(())
    }

    fn see(&mut self, units: &[Unit]) -> Found<()> {
        if units.iter().any(|unit| self.seen.contains(unit)) {
            return Err(Fault::Form);
        }
        self.seen.extend(units);
        Ok(())
    }

    /// `04:05:06.7`, `-04:05`, and `04:05.5`, which are minutes. What stands before are days.
    fn clock(&mut self, field: &str) -> Found<()> {
        let is_short =
            self.alone.is_some_and(|alone| alone.eq_ignore_ascii_case("minute to second"));
        let micros = clock(field.trim_start_matches(['+', '-']), is_short)?;
        self.see(&CLOCK)?;
        self.sum.micros = if field.starts_with('-') { -micros } else { micros };
        self.unit = Some(Some(Unit::Day));
        Ok(())
    }

    fn amount(&mut self, field: &str) -> Found<()> {
        let alone = self.alone;
        let unit = self.unit.unwrap_or_else(|| Some(last_of(alone))).ok_or(Fault::Form)?;
        let (amount, unit) = match years(field)? {
            Some(months) => ((months, 0.0), Unit::Month),
            None => (number(field)?, unit),
        };
        self.unit = Some(Some(if unit == Unit::Hour { Unit::Day } else { unit }));
        match unit {
            Unit::Second if amount.1 != 0.0 => self.see(&CLOCK[2..])?,
            unit => self.see(&[unit])?,
        }
        self.sum.add(amount, unit)
    }
}

/// A whole part and a fraction.
fn number(field: &str) -> Found<Amount> {
    let sign = if field.starts_with('-') { -1.0 } else { 1.0 };
    let (whole, fraction) = field.split_once('.').unwrap_or((field, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole.trim_start_matches(['+', '-'])) || !is_number(fraction) {
        return Err(Fault::Form);
    }
    let whole = match whole {
        "" | "-" | "+" => 0,
        whole => whole.parse().map_err(|_| Fault::Amount)?,
    };
    let fraction: f64 = format!("0.{fraction}0").parse().map_err(|_| Fault::Form)?;
    Ok((whole, sign * fraction))
}

/// An integer without a sign.
fn whole_number(digits: &str) -> Found<i64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Form);
    }
    digits.parse().map_err(|_| Fault::Amount)
}

/// The months of `1-2`: years and months.
fn years(field: &str) -> Found<Option<i64>> {
    let (sign, digits) = match field.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, field.strip_prefix('+').unwrap_or(field)),
    };
    let Some((years, months)) = digits.split_once('-') else { return Ok(None) };
    let whole = |text: &str| if text.is_empty() { Err(Fault::Form) } else { whole_number(text) };
    let (years, months) = (whole(years)?, if months.is_empty() { 0 } else { whole(months)? });
    if months >= 12 {
        return Err(Fault::Amount);
    }
    let all = years.checked_mul(12).and_then(|years| years.checked_add(months));
    all.map(|all| Some(sign * all)).ok_or(Fault::Amount)
}

/// `04:05:06.7`; two fields are minutes and seconds where a fraction follows, or where these are wanted.
fn clock(field: &str, is_short: bool) -> Found<i64> {
    let (whole, fraction) = field.split_once('.').unwrap_or((field, ""));
    let number = |text: &str| if text.is_empty() { Ok(0) } else { whole_number(text) };
    let parts = whole.splitn(4, ':').map(number).collect::<Found<Vec<i64>>>()?;
    let (hours, minutes, seconds) = match parts[..] {
        [minutes, seconds] if is_short || field.contains('.') => (0, minutes, seconds),
        [hours, minutes] => (hours, minutes, 0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return Err(Fault::Form),
    };
    number(fraction)?;
    let fraction: f64 = format!("0.{fraction}0").parse().map_err(|_| Fault::Form)?;
    if minutes > 59 || seconds > 60 {
        return Err(Fault::Amount);
    }
    let seconds = hours.checked_mul(3600).and_then(|all| all.checked_add(minutes * 60 + seconds));
    let micros = seconds.and_then(|all| all.checked_mul(1_000_000));
    micros
        .and_then(|all| all.checked_add((fraction * 1e6).round_ties_even() as i64))
        .ok_or(Fault::Amount)
}
