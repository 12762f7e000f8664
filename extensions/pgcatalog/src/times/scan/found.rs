//! The fields that a text has for a pattern, and the moment that they are.

use sqlite_wasm_kit::{Error, Result};

use super::super::casts::within;
use super::super::pattern::Field;
use super::{Input, number, word};
use postgres_types::read::MONTHS;
use postgres_types::{DAY, Date, Stamp};

const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const ROMAN: [&str; 12] =
    ["xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i"];

/// What was read. As in PostgreSQL a field that is 0 counts as missing.
#[derive(Default)]
pub struct Found {
    year: i64,
    month: i64,
    day: i64,
    of_year: i64,
    week: i64,
    week_of_month: i64,
    of_week: i64,
    julian: i64,
    century: i64,
    hour: i64,
    minute: i64,
    second: i64,
    of_day: i64,
    millis: i64,
    micros: i64,
    has_halves: bool,
    is_afternoon: bool,
    zone_sign: i64,
    zone_hours: i64,
    zone_minutes: i64,
    is_before_christ: bool,
    /// Whether its fields are those of ISO weeks, once one has said so.
    is_iso: Option<bool>,
}

/// The year near 2020 that has these last digits.
fn near_2020(year: i64) -> i64 {
    match year {
        ..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}

/// One field; another value than the one that it has is an error.
fn set(place: &mut i64, value: i64, name: &str) -> Result<()> {
    if *place != 0 && *place != value {
        let message =
            format!("22007: conflicting values for \"{name}\" field in formatting string");
        return Err(message.into());
    }
    *place = value;
    Ok(())
}

impl Found {
    pub fn take(&mut self, field: Field, input: &mut Input<'_>, ends: bool) -> Result<()> {
        let name = field.name;
        self.check_convention(name)?;
        if field.is_local && matches!(name, "MONTH" | "MON" | "DAY" | "DY") {
            return Err(format!("0A000: TM{name} is not supported").into());
        }
        match name {
            "MONTH" => set(&mut self.month, word(input, field, &MONTHS)? + 1, name),
            "MON" => {
                set(&mut self.month, word(input, field, &MONTHS.map(|name| &name[..3]))? + 1, name)
            }
            "DAY" => self.weekday(word(input, field, &DAYS)?, name),
            "DY" => self.weekday(word(input, field, &DAYS.map(|name| &name[..3]))?, name),
            "RM" => set(&mut self.month, 12 - word(input, field, &ROMAN)?, name),
            "AM" | "PM" => self.half(word(input, field, &["am", "pm"])?, name),
            "A.M." | "P.M." => self.half(word(input, field, &["a.m.", "p.m."])?, name),
            "AD" | "BC" => self.era(word(input, field, &["ad", "bc"])?),
            "A.D." | "B.C." => self.era(word(input, field, &["a.d.", "b.c."])?),
            "TZ" | "OF" => {
                let name = if name == "TZ" { "TZ" } else { "OF" };
                let message = format!("formatting field \"{name}\" is only supported in to_char");
                Err(format!("0A000: {message}").into())
            }
            "TZH" => self.zone(field, input, ends),
            "TZM" => {
                self.zone_sign = if self.zone_sign == 0 { 1 } else { self.zone_sign };
                let (minutes, _) = number(input, field, 2, ends)?;
                set(&mut self.zone_minutes, minutes, name)
            }
            "Y,YYY" => self.year_of_thousands(field, input),
            _ => self.number(field, input, ends),
        }
    }

    fn check_convention(&mut self, name: &str) -> Result<()> {
        let is_iso = match name {
            "IYYY" | "IYY" | "IY" | "I" | "IW" | "ID" | "IDDD" => true,
            "Y,YYY" | "YYYY" | "YYY" | "YY" | "Y" | "MONTH" | "MON" | "MM" | "RM" | "DD"
            | "DDD" | "D" | "WW" | "W" => false,
            _ => return Ok(()),
        };
        if *self.is_iso.get_or_insert(is_iso) != is_iso {
            return Err("22007: invalid combination of date conventions".into());
        }
        Ok(())
    }

    /// A day of the week is counted from 1 once it has been compared.
    fn weekday(&mut self, day: i64, name: &str) -> Result<()> {
        set(&mut self.of_week, day, name)?;
        self.of_week += 1;
        Ok(())
    }

    fn half(&mut self, half: i64, name: &str) -> Result<()> {
        let mut place = i64::from(self.is_afternoon);
        set(&mut place, half, name)?;
        (self.is_afternoon, self.has_halves) = (half == 1, true);
        Ok(())
    }

    fn era(&mut self, era: i64) -> Result<()> {
        self.is_before_christ = era == 1;
        Ok(())
    }

    fn zone(&mut self, field: Field, input: &mut Input<'_>, ends: bool) -> Result<()> {
        self.zone_sign = match input.rest.chars().next() {
            Some(sign @ ('+' | '-' | ' ')) => {
                input.take_one();
                if sign == '-' { -1 } else { 1 }
            }
            _ if input.skipped > 0 && input.before == Some('-') => -1,
            _ => 1,
        };
        let (hours, _) = number(input, field, 2, ends)?;
        set(&mut self.zone_hours, hours, field.name)
    }

    fn year_of_thousands(&mut self, field: Field, input: &mut Input<'_>) -> Result<()> {
        let text = input.rest;
        let thousands = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = text[thousands..].strip_prefix(',').unwrap_or_default();
        let digits = rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
        let year = || {
            let thousands: i64 = text[..thousands].parse().ok().filter(|many| *many < 1_000_000)?;
            Some(thousands * 1000 + rest[..digits].parse::<i64>().ok()?)
        };
        let year =
            year().ok_or_else(|| Error::from("22007: invalid input string for \"Y,YYY\""))?;
        set(&mut self.year, year, field.name)?;
        input.take(thousands + 1 + digits);
        Ok(())
    }

    fn number(&mut self, field: Field, input: &mut Input<'_>, ends: bool) -> Result<()> {
        let name = field.name;
        let width = match name {
            "HH24" | "HH12" => 2,
            "MS" => 3,
            "US" => 6,
            "ID" => 1,
            "IDDD" => 3,
            "IW" => 2,
            _ if name.starts_with("FF") => usize::from(name.as_bytes()[2] - b'0'),
            _ => name.len(),
        };
        let (number, used) = number(input, field, width, ends)?;
        let place = match name {
            "Q" => return Ok(()),
            "HH" | "HH12" => {
                self.has_halves = true;
                &mut self.hour
            }
            "HH24" => &mut self.hour,
            "MI" => &mut self.minute,
            "SS" => &mut self.second,
            "SSSS" | "SSSSS" => &mut self.of_day,
            "MM" => &mut self.month,
            "DD" => &mut self.day,
            "DDD" | "IDDD" => &mut self.of_year,
            "D" => &mut self.of_week,
            "WW" | "IW" => &mut self.week,
            "W" => &mut self.week_of_month,
            "J" => &mut self.julian,
            "CC" => &mut self.century,
            "ID" => {
                set(&mut self.of_week, number, name)?;
                self.of_week = if number >= 7 { 1 } else { number + 1 };
                return Ok(());
            }
            "MS" => {
                set(&mut self.millis, number, name)?;
                self.millis *= [1, 100, 10].get(used).copied().unwrap_or(1);
                return Ok(());
            }
            _ if name == "US" || name.starts_with("FF") => {
                set(&mut self.micros, number, name)?;
                self.micros *= 10i64.pow(6u32.saturating_sub(used as u32));
                return Ok(());
            }
            _ => {
                set(&mut self.year, number, name)?;
                if used < 4 && name.len() < 4 {
                    self.year = near_2020(number);
                }
                return Ok(());
            }
        };
        set(place, number, name)
    }

    pub fn stamp(self, text: &str) -> Result<Stamp> {
        let range = || {
            let shown: String = text.chars().take(100).collect();
            Error::from(format!("22008: date/time field value out of range: \"{shown}\""))
        };
        let time = self.time()?;
        let day = self.date(&range)?;
        let [hour, minute, second, micros] = time;
        let is_time = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..1_000_000).contains(&micros);
        if !is_time {
            return Err(range());
        }
        if !(0..=15).contains(&self.zone_hours) || !(0..60).contains(&self.zone_minutes) {
            let shown: String = text.chars().take(100).collect();
            let message = format!("22009: time zone displacement out of range: \"{shown}\"");
            return Err(message.into());
        }
        let east = self.zone_sign * (self.zone_hours * 60 + self.zone_minutes) * 60_000_000;
        within(day * DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros - east)
    }

    fn time(&self) -> Result<[i64; 4]> {
        let of_day = [self.of_day / 3600, self.of_day % 3600 / 60, self.of_day % 60];
        let read = [self.hour, self.minute, self.second];
        let [mut hour, minute, second] =
            std::array::from_fn(|at| if read[at] == 0 { of_day[at] } else { read[at] });
        if self.has_halves {
            if !(1..=12).contains(&hour) {
                let message = format!("22007: hour \"{hour}\" is invalid for the 12-hour clock");
                return Err(message.into());
            }
            hour = hour % 12 + if self.is_afternoon { 12 } else { 0 };
        }
        Ok([hour, minute, second, self.millis * 1000 + self.micros])
    }

    /// The day, counted from 1970.
    fn date(&self, range: &dyn Fn() -> Error) -> Result<i64> {
        if self.is_before_christ || self.century != 0 {
            return Err("0A000: to_date and to_timestamp with CC or BC are not supported".into());
        }
        if self.julian != 0 {
            let others =
                [self.year, self.month, self.day, self.of_year, self.week, self.week_of_month];
            if others != [0; 6] {
                return Err("0A000: to_date with J and another field is not supported".into());
            }
            return Date::within(self.julian - 2_440_588).map(|day| day.0).ok_or_else(outside);
        }
        if self.week_of_month != 0 && (self.of_year != 0 || self.week != 0) {
            return Err("0A000: to_date with W and another field is not supported".into());
        }
        let is_gregorian = self.is_iso != Some(true);
        let has_day = self.of_year != 0 || (is_gregorian && self.week != 0);
        if self.year == 0 && has_day && (self.month <= 1 || self.day <= 1) {
            let message = "22007: cannot calculate day of year without year information";
            return Err(message.into());
        }
        if !(1..=9999).contains(&self.year) {
            return Err(outside());
        }
        let first = |month: i64| Date::of(self.year, month, 1).map_or(0, |day| day.0);
        if self.is_iso == Some(true) {
            return self.iso_day(first(1), range);
        }
        let (mut month, mut day, mut of_year) = (self.month, self.day, self.of_year);
        if self.week != 0 {
            of_year = (self.week - 1) * 7 + 1;
        }
        if self.week_of_month != 0 {
            day = (self.week_of_month - 1) * 7 + 1;
        }
        if of_year != 0 && (month <= 1 || day <= 1) {
            let found = Date(first(1) + of_year - 1);
            if !(1..=366).contains(&of_year) || found.parts().0 != self.year {
                return Err(range());
            }
            let (_, of_month, last) = found.parts();
            month = if month <= 1 { of_month } else { month };
            day = if day <= 1 { last } else { day };
        }
        // Only what was not read has a default.
        let day = Date::of(
            self.year,
            month.max(i64::from(self.month == 0)),
            day.max(i64::from(self.day == 0)),
        );
        day.map(|day| day.0).ok_or_else(range)
    }

    fn iso_day(&self, january: i64, range: &dyn Fn() -> Error) -> Result<i64> {
        // The first week has the year's fourth day.
        let fourth = january + 3;
        let monday = fourth - (fourth + 3).rem_euclid(7);
        if self.week != 0 {
            let of_week = match self.of_week {
                0 => 0,
                ..=1 => 6,
                day => day - 2,
            };
            return within_years(monday + (self.week - 1) * 7 + of_week);
        }
        if self.of_year != 0 {
            if !(1..=371).contains(&self.of_year) {
                return Err(range());
            }
            return Ok(monday + self.of_year - 1);
        }
        Ok(january)
    }
}

fn within_years(day: i64) -> Result<i64> {
    Date::within(day).map(|day| day.0).ok_or_else(outside)
}

fn outside() -> Error {
    "0A000: years outside of 1 to 9999 are not supported".into()
}
