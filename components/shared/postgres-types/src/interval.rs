//! Intervals: months, days and microseconds, which are not converted into each other.

use crate::calendar::DAY;
use crate::read::{Fault, Found};

mod amounts;
mod iso;
mod words;

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

impl Interval {
    /// The interval in a text; an amount without a unit is of the unit `alone`, of which there may be two (`day to minute`).
    ///
    /// # Errors
    ///
    /// [`Fault::Form`], and [`Fault::Range`] for what is too large.
    pub fn parse(text: &str, alone: Option<&str>) -> Found<Self> {
        let found = match words::read(text, alone) {
            Err(Fault::Form) => iso::read(text.trim()),
            found => found,
        };
        found?.checked().ok_or(Fault::Range)
    }

    /// Months and days have 32 bits in PostgreSQL.
    fn checked(self) -> Option<Self> {
        (i32::try_from(self.months).is_ok() && i32::try_from(self.days).is_ok()).then_some(self)
    }

    /// The negative; `None` if it is out of range.
    pub fn negative(self) -> Option<Self> {
        Some(Self {
            months: self.months.checked_neg()?,
            days: self.days.checked_neg()?,
            micros: self.micros.checked_neg()?,
        })
    }

    /// The sum; `None` if it is out of range.
    pub fn plus(self, other: Self) -> Option<Self> {
        Self {
            months: self.months.checked_add(other.months)?,
            days: self.days.checked_add(other.days)?,
            micros: self.micros.checked_add(other.micros)?,
        }
        .checked()
    }

    /// By PostgreSQL's `interval_mul`: a part of a month is days, and a part of a day is time. `None` if the product is
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

#[cfg(test)]
mod tests;
