//! Dates and intervals by SQLite's functions.

use sqlparser::ast::{Expr, Interval};

use super::names::{once, quoted, string_of};
use crate::error::{Error, Result};

pub use postgres_types::clock::NOW;
use postgres_types::clock::NOW_IN_SECONDS;

/// The moment of the statement with this many fractional digits of the second. SQLite's clock has milliseconds.
///
/// # Errors
///
/// 0A000 for one or two digits.
pub fn now_to(digits: &str) -> Result<String> {
    match digits {
        "0" => Ok(NOW_IN_SECONDS.to_owned()),
        "3" | "4" | "5" | "6" => Ok(NOW.to_owned()),
        other => Err(Error::unsupported(format_args!("current_timestamp({other})"))
            .hint("use 0, or 3 to 6 digits")),
    }
}

/// A text with milliseconds, without those that are zero.
pub fn canonical(with_milliseconds: &str) -> String {
    format!("rtrim(rtrim({with_milliseconds}, '0'), '.')")
}

/// An interval: months, days and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    months: f64,
    days: f64,
    seconds: f64,
}

impl Span {
    /// `1 year 2 months`, `-3 days 04:05:06`, `P1DT2H` is not read.
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Self> {
        let mut span = Self::default();
        let mut words = text.split_ascii_whitespace().peekable();
        words.peek()?;
        while let Some(word) = words.next() {
            if word.contains(':') {
                span.seconds += clock(word)?;
                continue;
            }
            if word.eq_ignore_ascii_case("ago") {
                span = span.negative();
                continue;
            }
            let digits = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
            let number: f64 = word[..digits].parse().ok()?;
            let named =
                if digits < word.len() { Some(&word[digits..]) } else { words.next().or(unit) };
            span.add(number, named.unwrap_or("second"))?;
        }
        Some(span)
    }

    fn add(&mut self, number: f64, unit: &str) -> Option<()> {
        let unit = unit.to_ascii_lowercase();
        let (place, factor) = match unit.trim_end_matches('s') {
            "year" | "yr" | "y" => (&mut self.months, 12.0),
            "decade" => (&mut self.months, 120.0),
            "century" | "centurie" => (&mut self.months, 1200.0),
            "month" | "mon" => (&mut self.months, 1.0),
            "week" | "w" => (&mut self.days, 7.0),
            "day" | "d" => (&mut self.days, 1.0),
            "hour" | "hr" | "h" => (&mut self.seconds, 3600.0),
            "minute" | "min" | "m" => (&mut self.seconds, 60.0),
            "second" | "sec" | "" => (&mut self.seconds, 1.0),
            "millisecond" | "msec" => (&mut self.seconds, 1e-3),
            _ => return None,
        };
        *place += number * factor;
        Some(())
    }

    fn negative(self) -> Self {
        Self { months: -self.months, days: -self.days, seconds: -self.seconds }
    }

    /// SQLite's modifiers; a day that the month does not have becomes its last.
    fn modifiers(self) -> String {
        let mut out = String::new();
        if self.months != 0.0 {
            out.push_str(&format!(", '{:+} months', 'floor'", self.months.trunc()));
        }
        for (number, unit) in [(self.days, "days"), (self.seconds, "seconds")] {
            if number != 0.0 {
                out.push_str(&format!(", '{number:+} {unit}'"));
            }
        }
        out
    }
}

fn clock(word: &str) -> Option<f64> {
    let (sign, word) = word.strip_prefix('-').map_or((1.0, word), |rest| (-1.0, rest));
    let mut parts = word.splitn(3, ':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = parts.next().unwrap_or(Some(0.0))?;
    Some(sign * (hours * 3600.0 + minutes * 60.0 + seconds))
}

/// The interval in an expression, where it is one with a constant.
pub fn span(expr: &Expr) -> Option<Result<Span>> {
    let (value, unit) = match expr {
        Expr::Interval(Interval { value, leading_field, .. }) => {
            (&**value, leading_field.as_ref().map(ToString::to_string))
        }
        Expr::Nested(inner) => return span(inner),
        _ => return None,
    };
    let text = string_of(value);
    let parsed = text.and_then(|text| Span::parse(&text, unit.as_deref()));
    Some(parsed.ok_or_else(|| Error::unsupported(format_args!("the interval {value}"))))
}

/// `moment + interval`.
pub fn moved(moment: &Expr, span: Span, is_minus: bool) -> String {
    let span = if is_minus { span.negative() } else { span };
    canonical(&format!("strftime('%Y-%m-%d %H:%M:%f', {moment}{})", span.modifiers()))
}

/// `date_trunc`.
pub fn truncated(field: &str, moment: &Expr) -> Result<String> {
    let format = match field.to_ascii_lowercase().as_str() {
        "year" => "%Y-01-01 00:00:00",
        "month" => "%Y-%m-01 00:00:00",
        "day" => "%Y-%m-%d 00:00:00",
        "hour" => "%Y-%m-%d %H:00:00",
        "minute" => "%Y-%m-%d %H:%M:00",
        "second" => "%Y-%m-%d %H:%M:%S",
        "week" => {
            return Ok(format!("strftime('%Y-%m-%d 00:00:00', {moment}, '-6 days', 'weekday 1')"));
        }
        "quarter" => {
            let quarter = "strftime('%Y-%m-01 00:00:00', x, 'start of month', \
                           '-' || ((strftime('%m', x) - 1) % 3) || ' months')";
            return Ok(once(quarter, &[("x", moment)]).to_string());
        }
        other => return Err(Error::unsupported(format_args!("date_trunc('{other}')"))),
    };
    Ok(format!("strftime('{format}', {moment})"))
}

/// `EXTRACT(field FROM moment)` and `date_part`.
pub fn extracted(field: &str, moment: &Expr) -> Result<String> {
    let format = match field.to_ascii_lowercase().as_str() {
        "year" => "%Y",
        "month" => "%m",
        "day" => "%d",
        "hour" => "%H",
        "minute" => "%M",
        "dow" => "%w",
        "isodow" => "%u",
        "doy" => "%j",
        "week" => "%V",
        "isoyear" => "%G",
        "second" => return Ok(format!("CAST(strftime('%f', {moment}) AS REAL)")),
        "epoch" => return Ok(format!("unixepoch({moment}, 'subsec')")),
        "quarter" => return Ok(format!("((strftime('%m', {moment}) + 2) / 3)")),
        other => return Err(Error::unsupported(format_args!("EXTRACT({other})"))),
    };
    Ok(format!("CAST(strftime('{format}', {moment}) AS INTEGER)"))
}

/// Patterns of `to_char` and SQLite's for them; the longest first.
const PATTERNS: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("IYYY", "%G"),
    ("DDD", "%j"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("HH", "%I"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("IW", "%V"),
    ("AM", "%p"),
    ("PM", "%p"),
    ("ID", "%u"),
];

/// `to_char(moment, pattern)` of a constant pattern of dates.
pub fn formatted(moment: &Expr, pattern: &str) -> Result<String> {
    let (mut format, mut rest) = (String::new(), pattern);
    while let Some(first) = rest.chars().next() {
        if let Some((name, code)) = PATTERNS.iter().find(|(name, _)| rest.starts_with(name)) {
            format.push_str(code);
            rest = &rest[name.len()..];
        } else if let Some((quoted, tail)) = rest.strip_prefix('"').and_then(|r| r.split_once('"'))
        {
            format.push_str(&quoted.replace('%', "%%"));
            rest = tail;
        } else if first.is_ascii_alphanumeric() {
            return Err(Error::unsupported(format_args!("to_char with the pattern \"{pattern}\"")));
        } else {
            format.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Ok(format!("strftime({}, {moment})", quoted(&format)))
}
