//! Intervals: months, days and microseconds, which are not converted into each other.

use crate::calendar::DAY;
use crate::read::{Fault, Found};

/// An interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Months and years; 32 bits in PostgreSQL.
    pub months: i64,
    /// Days and weeks; the same.
    pub days: i64,
    /// The time, in microseconds.
    pub micros: i64,
}

const SECOND: f64 = 1e6;

/// What a unit counts: its part of an interval, and how many of it one is.
enum Unit {
    Months(f64),
    Days(f64),
    Micros(f64),
}

fn unit(name: &str) -> Option<Unit> {
    Some(match name.to_ascii_lowercase().as_str() {
        "millennium" | "millennia" | "mil" | "mils" => Unit::Months(12_000.0),
        "century" | "centuries" | "cent" | "c" => Unit::Months(1200.0),
        "decade" | "decades" | "dec" | "decs" => Unit::Months(120.0),
        "year" | "years" | "yr" | "yrs" | "y" => Unit::Months(12.0),
        "month" | "months" | "mon" | "mons" => Unit::Months(1.0),
        "week" | "weeks" | "w" => Unit::Days(7.0),
        "day" | "days" | "d" => Unit::Days(1.0),
        "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Micros(3600.0 * SECOND),
        "minute" | "minutes" | "min" | "mins" | "m" => Unit::Micros(60.0 * SECOND),
        "second" | "seconds" | "sec" | "secs" | "s" => Unit::Micros(SECOND),
        "millisecond" | "milliseconds" | "msec" | "msecs" | "ms" => Unit::Micros(1000.0),
        "microsecond" | "microseconds" | "usec" | "usecs" | "us" => Unit::Micros(1.0),
        _ => return None,
    })
}

/// A whole part and a fraction, as they are written.
fn parts(number: &str) -> Option<(i64, f64)> {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
    Some((sign * whole, sign as f64 * fraction))
}

impl Interval {
    /// Add an amount of a unit. Months are whole: a part of a month is added as days, and a part of
    /// a day as time.
    fn add(&mut self, (whole, fraction): (i64, f64), unit: &Unit) -> Option<()> {
        match unit {
            Unit::Months(1.0) => {
                self.months = self.months.checked_add(whole)?;
                self.add_days(fraction * 30.0)?;
            }
            Unit::Months(many) => {
                let months = whole.checked_mul(*many as i64)?;
                self.months = self.months.checked_add(months)?;
                self.months = self.months.checked_add((fraction * many).round_ties_even() as i64)?;
            }
            Unit::Days(many) => {
                self.days = self.days.checked_add(whole.checked_mul(*many as i64)?)?;
                self.add_days(fraction * many)?;
            }
            Unit::Micros(many) => {
                self.micros = self.micros.checked_add(whole.checked_mul(*many as i64)?)?;
                self.micros = self.micros.checked_add((fraction * many).round_ties_even() as i64)?;
            }
        }
        Some(())
    }

    fn add_days(&mut self, days: f64) -> Option<()> {
        self.days = self.days.checked_add(days.trunc() as i64)?;
        let micros = (days.fract() * DAY as f64).round_ties_even() as i64;
        self.micros = self.micros.checked_add(micros)?;
        Some(())
    }

    /// The interval in a text; an amount without a unit is of the unit `alone`.
    ///
    /// # Errors
    ///
    /// [`Fault::Form`], and [`Fault::Range`] for what 32 bits do not hold.
    pub fn parse(text: &str, alone: Option<&str>) -> Found<Self> {
        let trimmed = text.trim();
        let found = match trimmed.strip_prefix(['P', 'p']) {
            Some(rest) => Self::iso(rest),
            None => Self::verbose(trimmed, alone),
        };
        found.ok_or(Fault::Form)?.checked().ok_or(Fault::Range)
    }

    /// Months and days have 32 bits in PostgreSQL.
    fn checked(self) -> Option<Self> {
        (i32::try_from(self.months).is_ok() && i32::try_from(self.days).is_ok()).then_some(self)
    }

    fn verbose(text: &str, alone: Option<&str>) -> Option<Self> {
        let mut found = Self::default();
        let text = text.strip_prefix('@').unwrap_or(text);
        let mut words = text.split_ascii_whitespace().peekable();
        words.peek()?;
        while let Some(word) = words.next() {
            if word.contains(':') {
                found.micros = found.micros.checked_add(clock(word, alone)?)?;
            } else if word.eq_ignore_ascii_case("ago") && words.peek().is_none() {
                found = found.negative()?;
            } else if let Some((years, months)) = sql_years(word) {
                found.months = found.months.checked_add(years * 12 + months)?;
            } else {
                let end = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
                let number = parts(&word[..end])?;
                let named = match &word[end..] {
                    "" => match words.peek() {
                        Some(next)
                            if next.starts_with(|c: char| c.is_ascii_alphabetic())
                                && !next.eq_ignore_ascii_case("ago") =>
                        {
                            words.next()?
                        }
                        // `1 02:03` are days.
                        Some(next) if next.contains(':') => "day",
                        _ => alone.unwrap_or("second"),
                    },
                    name => name,
                };
                found.add(number, &unit(named)?)?;
            }
        }
        Some(found)
    }

    /// `1Y2M3DT4H5M6.5S` and `0001-02-03T04:05:06`.
    fn iso(text: &str) -> Option<Self> {
        let mut found = Self::default();
        let (date, time) = text.split_once(['T', 't']).unwrap_or((text, ""));
        if date.is_empty() && time.is_empty() {
            return None;
        }
        if date.trim_start_matches('-').contains('-') {
            let numbers: Option<Vec<i64>> = date.split('-').map(|part| part.parse().ok()).collect();
            let [years, months, days] = numbers?[..] else { return None };
            (found.months, found.days) = (years * 12 + months, days);
        } else {
            found.designated(date, |name| match name {
                'Y' | 'y' => Some(Unit::Months(12.0)),
                'M' | 'm' => Some(Unit::Months(1.0)),
                'W' | 'w' => Some(Unit::Days(7.0)),
                'D' | 'd' => Some(Unit::Days(1.0)),
                _ => None,
            })?;
        }
        if time.contains(':') {
            found.micros += clock(time, None)?;
        } else {
            found.designated(time, |name| match name {
                'H' | 'h' => Some(Unit::Micros(3600.0 * SECOND)),
                'M' | 'm' => Some(Unit::Micros(60.0 * SECOND)),
                'S' | 's' => Some(Unit::Micros(SECOND)),
                _ => None,
            })?;
        }
        Some(found)
    }

    fn designated(&mut self, text: &str, unit: impl Fn(char) -> Option<Unit>) -> Option<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            self.add(parts(&rest[..end])?, &unit(rest[end..].chars().next()?)?)?;
            rest = &rest[end + 1..];
        }
        Some(())
    }

    /// The same the other way; none where that is out of range.
    pub fn negative(self) -> Option<Self> {
        Some(Self {
            months: self.months.checked_neg()?,
            days: self.days.checked_neg()?,
            micros: self.micros.checked_neg()?,
        })
    }

    /// The sum; none where it is out of range.
    pub fn plus(self, other: Self) -> Option<Self> {
        Self {
            months: self.months.checked_add(other.months)?,
            days: self.days.checked_add(other.days)?,
            micros: self.micros.checked_add(other.micros)?,
        }
        .checked()
    }

    /// By PostgreSQL's `interval_mul`: a part of a month is days, and a part of a day is time. None where the product is
    /// out of range.
    pub fn times(self, factor: f64) -> Option<Self> {
        let whole = |number: f64| (number.abs() < 2_147_483_648.0).then_some(number as i64);
        let rounded = |number: f64| (number * 1e6).round_ties_even() / 1e6;
        let (months, days) = (self.months as f64 * factor, self.days as f64 * factor);
        let mut found = Self { months: whole(months)?, days: whole(days)?, micros: 0 };
        let more_days = rounded((months - found.months as f64) * 30.0);
        let mut seconds =
            rounded((days - found.days as f64 + more_days - more_days.trunc()) * 86_400.0);
        if seconds.abs() >= 86_400.0 {
            found.days += (seconds / 86_400.0) as i64;
            seconds -= (seconds / 86_400.0).trunc() * 86_400.0;
        }
        found.days += more_days as i64;
        let micros = (self.micros as f64 * factor + seconds * 1e6).round_ties_even();
        found.micros = (micros.abs() < 9.2e18).then_some(micros as i64)?;
        found.checked()
    }

    /// How long it is, where a month has 30 days and a day 24 hours.
    pub fn length(self) -> i128 {
        (i128::from(self.months) * 30 + i128::from(self.days)) * i128::from(DAY)
            + i128::from(self.micros)
    }

    /// By `justify_hours`: whole days of the time are days.
    pub fn justified_hours(self) -> Self {
        let mut found = self;
        found.days += found.micros / DAY;
        found.micros %= DAY;
        if found.days > 0 && found.micros < 0 {
            (found.days, found.micros) = (found.days - 1, found.micros + DAY);
        } else if found.days < 0 && found.micros > 0 {
            (found.days, found.micros) = (found.days + 1, found.micros - DAY);
        }
        found
    }

    /// By `justify_days`: 30 days are a month.
    pub fn justified_days(self) -> Self {
        let mut found = self;
        found.months += found.days / 30;
        found.days %= 30;
        if found.months > 0 && found.days < 0 {
            (found.months, found.days) = (found.months - 1, found.days + 30);
        } else if found.months < 0 && found.days > 0 {
            (found.months, found.days) = (found.months + 1, found.days - 30);
        }
        found
    }

    /// By `justify_interval`: both, with one sign.
    pub fn justified(self) -> Self {
        let mut found = self.justified_hours().justified_days();
        let is_mixed = |months: i64, other: i64| months > 0 && other < 0 || months < 0 && other > 0;
        let is_other = found.days < 0 || (found.days == 0 && found.micros < 0);
        if is_mixed(found.months, found.days)
            || (found.months > 0 && is_other)
            || (found.months < 0 && (found.days > 0 || (found.days == 0 && found.micros > 0)))
        {
            let sign = found.months.signum();
            (found.months, found.days) = (found.months - sign, found.days + 30 * sign);
        }
        if found.days > 0 && found.micros < 0 {
            (found.days, found.micros) = (found.days - 1, found.micros + DAY);
        } else if found.days < 0 && found.micros > 0 {
            (found.days, found.micros) = (found.days + 1, found.micros - DAY);
        }
        found
    }
}

/// `1-2`: years and months.
fn sql_years(word: &str) -> Option<(i64, i64)> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    let (years, months) = digits.split_once('-')?;
    let (years, months): (i64, i64) = (years.parse().ok()?, months.parse().ok()?);
    (0..12).contains(&months).then_some((sign * years, sign * months))
}

/// `04:05:06.7`, `-04:05`; two fields are minutes and seconds if seconds are wanted.
fn clock(word: &str, alone: Option<&str>) -> Option<i64> {
    let (sign, word) = match word.strip_prefix('-') {
        Some(word) => (-1, word),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    let all: Vec<&str> = word.splitn(4, ':').collect();
    let whole = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
    let (hours, minutes, seconds) = match all[..] {
        [minutes, seconds]
            if alone.is_some_and(|unit| unit.eq_ignore_ascii_case("second"))
                || seconds.contains('.') =>
        {
            (0, whole(minutes)?, seconds)
        }
        [hours, minutes] => (whole(hours)?, whole(minutes)?, "0"),
        [hours, minutes, seconds] => (whole(hours)?, whole(minutes)?, seconds),
        _ => return None,
    };
    let (second, fraction) = parts(seconds)?;
    if minutes > 59 || second > 60 {
        return None;
    }
    let time =
        hours.checked_mul(3600)?.checked_add(minutes * 60 + second)?.checked_mul(1_000_000)?;
    Some(sign * (time + (fraction * SECOND).round_ties_even() as i64))
}
