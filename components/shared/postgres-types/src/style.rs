//! The text of an interval, in the styles of PostgreSQL's `intervalstyle`.

use std::fmt;

use crate::calendar::time_text;
use crate::interval::Interval;

/// A value of `intervalstyle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `postgres`: `1 year 2 mons -3 days 04:05:06.7`. It is how an interval is stored.
    #[default]
    Postgres,
    /// `iso_8601`: `P1Y2M-3DT4H5M6.7S`.
    Iso8601,
}

impl Interval {
    /// Its text.
    pub fn text(self, style: Style) -> String {
        match style {
            Style::Postgres => self.to_string(),
            Style::Iso8601 => self.iso_text(),
        }
    }

    fn iso_text(self) -> String {
        if self == Self::default() {
            return "PT0S".to_owned();
        }
        let field = |number: i64, unit: char| match number {
            0 => String::new(),
            number => format!("{number}{unit}"),
        };
        let date = [(self.months / 12, 'Y'), (self.months % 12, 'M'), (self.days, 'D')];
        let date = date.map(|(number, unit)| field(number, unit)).concat();
        let seconds = self.micros / 1_000_000;
        let time = match self.micros {
            0 => String::new(),
            _ => format!("T{}{}", field(seconds / 3600, 'H'), field(seconds / 60 % 60, 'M')),
        };
        let second = match self.micros % 60_000_000 {
            0 => String::new(),
            micros => {
                let sign = if micros < 0 { "-" } else { "" };
                let micros = micros.unsigned_abs();
                let text = format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000);
                format!("{}S", text.trim_end_matches('0').trim_end_matches('.'))
            }
        };
        format!("P{date}{time}{second}")
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        let mut is_before_negative = false;
        for (number, unit) in
            [(self.months / 12, "year"), (self.months % 12, "mon"), (self.days, "day")]
        {
            if number != 0 {
                let space = if out.is_empty() { "" } else { " " };
                let sign = if is_before_negative && number > 0 { "+" } else { "" };
                let plural = if number == 1 { "" } else { "s" };
                out.push_str(&format!("{space}{sign}{number} {unit}{plural}"));
                is_before_negative = number < 0;
            }
        }
        if out.is_empty() || self.micros != 0 {
            let space = if out.is_empty() { "" } else { " " };
            let sign = match self.micros {
                ..0 => "-",
                _ if is_before_negative => "+",
                _ => "",
            };
            let time = i64::try_from(self.micros.unsigned_abs()).unwrap_or(i64::MAX);
            out.push_str(&format!("{space}{sign}{}", time_text(time)));
        }
        f.write_str(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_written_in_both_styles() {
        for (text, postgres, iso) in [
            ("0", "00:00:00", "PT0S"),
            ("1 day 2 hours", "1 day 02:00:00", "P1DT2H"),
            ("1-2 3 4:05:06.7", "1 year 2 mons 3 days 04:05:06.7", "P1Y2M3DT4H5M6.7S"),
            ("-1 day 00:00:00.5", "-1 days +00:00:00.5", "P-1DT0.5S"),
            ("-0.25 seconds", "-00:00:00.25", "PT-0.25S"),
            ("-90 minutes", "-01:30:00", "PT-1H-30M"),
            ("14 months", "1 year 2 mons", "P1Y2M"),
        ] {
            let found = Interval::parse(text, None).unwrap();
            assert_eq!(found.text(Style::Postgres), postgres, "{text}");
            assert_eq!(found.text(Style::Iso8601), iso, "{text}");
            assert_eq!(Interval::parse(iso, None), Ok(found), "{text}");
            assert_eq!(Interval::parse(postgres, None), Ok(found), "{text}");
        }
    }
}
