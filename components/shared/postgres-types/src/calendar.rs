//! Days and times of day.

use std::fmt;

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// The last day that Postgres and SQLite both have: 9999-12-31.
const LAST_DAY: i64 = 2_932_896;

/// The first: 0001-01-01.
const FIRST_DAY: i64 = -719_162;

/// A day, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub i64);

/// A time, in microseconds from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub i64);

impl Date {
    /// A day of the calendar.
    pub fn of(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=days).contains(&day) {
            return None;
        }
        // The year begins in March, so that the leap day is its last.
        let shifted = year - i64::from(month <= 2);
        let era = shifted.div_euclid(400);
        let of_era = shifted - era * 400;
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        Some(Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468))
    }

    /// Year, month and day.
    pub fn parts(self) -> (i64, i64, i64) {
        let shifted = self.0 + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    /// The day, where it is one that both databases have.
    pub fn within(days: i64) -> Option<Self> {
        (FIRST_DAY..=LAST_DAY).contains(&days).then_some(Self(days))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Stamp {
    /// The text without a zone.
    pub fn text(self) -> String {
        format!("{} {}", Date(self.0.div_euclid(DAY)), time_text(self.0.rem_euclid(DAY)))
    }

    /// The time, where it is in a day that both databases have.
    pub fn within(microseconds: i64) -> Option<Self> {
        Date::within(microseconds.div_euclid(DAY)).map(|_| Self(microseconds))
    }
}

/// A time of day, in microseconds.
pub fn time_text(time: i64) -> String {
    let (seconds, fraction) = (time / 1_000_000, time % 1_000_000);
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction == 0 {
        return text;
    }
    format!("{text}.{fraction:06}").trim_end_matches('0').to_owned()
}
