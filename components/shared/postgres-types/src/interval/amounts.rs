//! Amounts of units, added as PostgreSQL does: a part of a month is days, and a part of a day is time.

use super::Interval;
use crate::calendar::DAY;
use crate::read::{Fault, Found};

/// The units, which a text has at most once each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
}

/// An amount: its whole part and its fraction, with the same sign.
pub type Amount = (i64, f64);

const SECOND: i64 = 1_000_000;

impl Interval {
    /// Add an amount.
    ///
    /// # Errors
    ///
    /// [`Fault::Amount`] where the sum is too large.
    pub fn add(&mut self, amount: Amount, unit: Unit) -> Found<()> {
        self.sum(amount, unit).ok_or(Fault::Amount)
    }

    fn sum(&mut self, (whole, fraction): Amount, unit: Unit) -> Option<()> {
        let years = |years: i64| (years * 12, years as f64 * 12.0);
        let of_year = match unit {
            Unit::Millennium => years(1000),
            Unit::Century => years(100),
            Unit::Decade => years(10),
            Unit::Year => years(1),
            Unit::Month => {
                self.months = self.months.checked_add(i32::try_from(whole).ok()?.into())?;
                return self.add_days(fraction * 30.0);
            }
            Unit::Week | Unit::Day => {
                let days = if unit == Unit::Week { 7 } else { 1 };
                let whole = i64::from(i32::try_from(whole).ok()?) * days;
                self.days = self.days.checked_add(whole)?;
                return self.add_days(fraction * days as f64);
            }
            Unit::Hour => return self.add_time(whole, fraction, 3600 * SECOND),
            Unit::Minute => return self.add_time(whole, fraction, 60 * SECOND),
            Unit::Second => return self.add_time(whole, fraction, SECOND),
            Unit::Millisecond => return self.add_time(whole, fraction, 1000),
            Unit::Microsecond => return self.add_time(whole, fraction, 1),
        };
        let whole = i64::from(i32::try_from(whole).ok()?) * of_year.0;
        self.months = self.months.checked_add(whole)?;
        self.months = self.months.checked_add((fraction * of_year.1).round_ties_even() as i64)?;
        Some(())
    }

    fn add_days(&mut self, days: f64) -> Option<()> {
        self.days = self.days.checked_add(days.trunc() as i64)?;
        self.add_time(0, days.fract(), DAY)
    }

    /// A half of a microsecond is cut.
    fn add_time(&mut self, whole: i64, fraction: f64, unit: i64) -> Option<()> {
        self.micros = self.micros.checked_add(whole.checked_mul(unit)?)?;
        let micros = fraction * unit as f64;
        let part = micros.fract();
        let more = i64::from(part > 0.5) - i64::from(part < -0.5);
        self.micros = self.micros.checked_add(micros.trunc() as i64 + more)?;
        Some(())
    }
}
