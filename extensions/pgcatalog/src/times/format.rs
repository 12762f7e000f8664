//! `to_char` of dates, times and intervals.

use sqlite_wasm_kit::{Error, Result, Value};

use super::casts::{interval, stamp, time};
use super::fields::{iso_week, of_year};
use super::pattern::{Case, Field, Part, parts};
use postgres_types::read::MONTHS;
use postgres_types::{DAY, Date};

const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

pub struct Moment {
    days: i64,
    /// Those of the hour.
    micros: i64,
    /// Years, months and days of an interval.
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
                micros: micros % 3_600_000_000,
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
                micros: micros % 3_600_000_000,
                parts: None,
                hour: micros / 3_600_000_000,
                has_zone: kind != "timestamp",
            }
        }
    };
    moment.written(pattern).map(Some)
}

/// The Roman numerals of the months.
const ROMAN: [&str; 12] =
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];

/// A name in the case of its field.
fn cased(name: &str, case: Case) -> String {
    match case {
        Case::Upper => name.to_ascii_uppercase(),
        Case::Lower => name.to_owned(),
        Case::Capital => format!("{}{}", name[..1].to_ascii_uppercase(), &name[1..]),
    }
}

/// An integer with at least this many digits, not counting a sign.
fn padded(number: i64, width: usize, field: Field) -> String {
    if field.is_bare {
        number.to_string()
    } else if number < 0 {
        format!("-{:0width$}", -number)
    } else {
        format!("{number:0width$}")
    }
}

impl Moment {
    fn written(&self, pattern: &str) -> Result<String> {
        let mut out = String::new();
        for part in parts(pattern) {
            match part {
                Part::Field(field) => self.field(field, &mut out)?,
                Part::Space(c) | Part::Separator(c) | Part::Letter(c) => out.push(c),
            }
        }
        Ok(out)
    }

    fn field(&self, field: Field, out: &mut String) -> Result<()> {
        if let Some(word) = self.word(field)? {
            out.push_str(&word);
            return Ok(());
        }
        let number = match self.of_time(field) {
            Some(number) => number,
            None if self.parts.is_some() => self.of_interval(field)?,
            None => self.of_date(field),
        };
        out.push_str(&number);
        if let Some(case) = field.ordinal.filter(|_| !number.is_empty()) {
            let ordinal = ordinal(&number);
            out.push_str(&cased(ordinal, case));
        }
        Ok(())
    }

    /// Names, halves of days, eras and zones.
    fn word(&self, field: Field) -> Result<Option<String>> {
        let name = field.name;
        if matches!(name, "AM" | "PM" | "A.M." | "P.M.") {
            let is_late = self.hour % 24 >= 12;
            let word = match (name.len() > 2, is_late) {
                (true, true) => "p.m.",
                (true, false) => "a.m.",
                (false, true) => "pm",
                (false, false) => "am",
            };
            return Ok(Some(cased(word, field.case)));
        }
        let width = |width: usize| if field.is_bare || field.is_local { 0 } else { width };
        if name == "RM" {
            let month = self.parts.map_or_else(
                || Some(Date(self.days).parts().1),
                |(years, months, _)| {
                    match (years, months) {
                        (0, 0) => None,
                        // Of no months it is the last one of the year before.
                        (years, 0) => Some(if years < 0 { 1 } else { 12 }),
                        (_, months) if months < 0 => Some(months + 13),
                        (_, months) => Some(months),
                    }
                },
            );
            let Some(month) = month else { return Ok(Some(String::new())) };
            let roman = cased(ROMAN[(month - 1) as usize], field.case);
            let width = if field.is_bare { 0 } else { 4 };
            return Ok(Some(format!("{roman:width$}")));
        }
        if name == "FX" {
            return Ok(Some(String::new()));
        }
        let is_word = matches!(
            name,
            "MONTH"
                | "MON"
                | "DAY"
                | "DY"
                | "AD"
                | "BC"
                | "A.D."
                | "B.C."
                | "TZ"
                | "TZH"
                | "TZM"
                | "OF"
        );
        if !is_word {
            return Ok(None);
        }
        if self.parts.is_some() {
            return Err(no_date());
        }
        let month = MONTHS[(Date(self.days).parts().1 - 1) as usize];
        let day = DAYS[(self.days + 4).rem_euclid(7) as usize];
        Ok(Some(match name {
            "MONTH" => format!("{:1$}", cased(month, field.case), width(9)),
            "DAY" => format!("{:1$}", cased(day, field.case), width(9)),
            "MON" => cased(&month[..3], field.case),
            "DY" => cased(&day[..3], field.case),
            "AD" | "BC" => cased("ad", field.case),
            "A.D." | "B.C." => cased("a.d.", field.case),
            "TZ" if !self.has_zone => String::new(),
            "TZ" => cased("utc", field.case),
            "TZM" => "00".to_owned(),
            "OF" if field.is_bare => "+0".to_owned(),
            _ => "+00".to_owned(),
        }))
    }

    fn of_time(&self, field: Field) -> Option<String> {
        let twelve = |hour: i64| if hour % 12 == 0 { 12 } else { hour % 12 };
        let (minute, second) = (self.micros / 60_000_000, self.micros / 1_000_000 % 60);
        let fraction = self.micros % 1_000_000;
        let digits = |width: usize| {
            let number = fraction / 10i64.pow(6 - width as u32);
            // The sign is counted to these.
            format!("{number:0width$}")
        };
        Some(match field.name {
            "HH24" => padded(self.hour, 2, field),
            "HH12" | "HH" => padded(twelve(self.hour), 2, field),
            "MI" => padded(minute, 2, field),
            "SS" => padded(second, 2, field),
            "SSSSS" | "SSSS" => (self.hour * 3600 + minute * 60 + second).to_string(),
            "FF1" => digits(1),
            "FF2" => digits(2),
            "MS" | "FF3" => digits(3),
            "FF4" => digits(4),
            "FF5" => digits(5),
            "US" | "FF6" => digits(6),
            _ => return None,
        })
    }

    fn of_date(&self, field: Field) -> String {
        let (year, month, day) = Date(self.days).parts();
        let (iso_year, iso_week) = iso_week(self.days);
        let of_week = (self.days + 4).rem_euclid(7);
        let of_year = of_year(self.days);
        match field.name {
            "MM" => padded(month, 2, field),
            "DDD" => padded(of_year, 3, field),
            "IDDD" => {
                let first = self.days - (iso_week - 1) * 7 - (self.days + 3).rem_euclid(7);
                padded(self.days - first + 1, 3, field)
            }
            "DD" => padded(day, 2, field),
            "D" => (of_week + 1).to_string(),
            "ID" => ((of_week + 6) % 7 + 1).to_string(),
            "IW" => padded(iso_week, 2, field),
            "WW" => padded((of_year - 1) / 7 + 1, 2, field),
            "W" => ((day - 1) / 7 + 1).to_string(),
            "Q" => ((month + 2) / 3).to_string(),
            "CC" => padded((year + 99) / 100, 2, field),
            "J" => (self.days + 2_440_588).to_string(),
            name if name.starts_with('I') => of_years(iso_year, name, field),
            name => of_years(year, name, field),
        }
    }

    fn of_interval(&self, field: Field) -> Result<String> {
        let (years, months, days) = self.parts.unwrap_or_default();
        Ok(match field.name {
            "MM" => padded(months, 2, field),
            "DD" => padded(days, 2, field),
            "DDD" => padded((years * 12 + months) * 30 + days, 3, field),
            "Q" if months == 0 => String::new(),
            "Q" => ((months - 1) / 3 + 1).to_string(),
            "CC" if (-99..=99).contains(&(years / 100)) => padded(years / 100, 2, field),
            "CC" => (years / 100).to_string(),
            "YYYY" | "YYY" | "YY" | "Y" | "Y,YYY" => of_years(years, field.name, field),
            "D" | "ID" => return Err(no_date()),
            name => {
                return Err(
                    format!("0A000: to_char with {name} of this type is not supported").into()
                );
            }
        })
    }
}

fn of_years(year: i64, name: &str, field: Field) -> String {
    match name {
        "Y,YYY" => format!("{},{:03}", year / 1000, year % 1000),
        "YYYY" | "IYYY" => padded(year, 4, field),
        "YYY" | "IYY" => padded(year % 1000, 3, field),
        "YY" | "IY" => padded(year % 100, 2, field),
        _ => (year % 10).to_string(),
    }
}

fn no_date() -> Error {
    "22007: invalid format specification for an interval value".into()
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
