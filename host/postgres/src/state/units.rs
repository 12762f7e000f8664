//! Numbers with units, as parameters have them: `5s`, `1.5GB`.

use std::time::Duration;

/// Units of time, with their microseconds, from the longest on.
const TIMES: [(&str, f64); 6] =
    [("d", 86_400e6), ("h", 3600e6), ("min", 60e6), ("s", 1e6), ("ms", 1e3), ("us", 1.0)];

/// Units of memory, with their bytes, from the largest on.
const SIZES: [(&str, f64); 5] = [
    ("TB", 1_099_511_627_776.0),
    ("GB", 1_073_741_824.0),
    ("MB", 1_048_576.0),
    ("kB", 1024.0),
    ("B", 1.0),
];

/// A page, in which some parameters are counted.
const PAGE: (&str, f64) = ("8kB", 8192.0);

/// The units of the same kind, and how many of the smallest `unit` is.
fn kind(unit: &str) -> Option<(&'static [(&'static str, f64)], f64)> {
    let of = |known: &'static [(&'static str, f64)]| {
        known.iter().find(|(name, _)| *name == unit).map(|(_, factor)| (known, *factor))
    };
    let page = || (unit == PAGE.0).then_some((&SIZES[..], PAGE.1));
    of(&TIMES).or_else(|| of(&SIZES)).or_else(page)
}

/// A number in this unit.
///
/// # Errors
///
/// The units that it may have, if it has another one; `None` if it is not a number.
pub fn read(text: &str, unit: &str) -> Result<f64, Option<String>> {
    let text = text.trim();
    let (number, given) = split(text).ok_or(None)?;
    if given.is_empty() {
        return Ok(number);
    }
    let Some((known, factor)) = kind(unit) else { return Err(None) };
    let found = known.iter().find(|(name, _)| *name == given);
    let (_, given) = found.ok_or_else(|| {
        let mut names: Vec<_> = known.iter().rev().map(|(name, _)| format!("\"{name}\"")).collect();
        let last = names.pop().unwrap_or_default();
        Some(format!("Valid units for this parameter are {}, and {last}.", names.join(", ")))
    })?;
    let value = number * given / factor;
    // What is less than one would be no limit at all.
    Ok(if value > 0.0 && value < 1.0 && factor > 1.0 {
        value.max(0.5 + f64::EPSILON)
    } else {
        value
    })
}

/// A number, and what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return Some((i64::from_str_radix(digits, 16).ok()? as f64, ""));
    }
    let is_part = |at: usize, c: char| {
        let before = text[..at].chars().next_back();
        c.is_ascii_digit()
            || c == '.'
            || (matches!(c, '+' | '-') && matches!(before, None | Some('e' | 'E')))
            || (matches!(c, 'e' | 'E') && at > 0)
    };
    let end = text.char_indices().find(|(at, c)| !is_part(*at, *c));
    let (number, unit) = text.split_at(end.map_or(text.len(), |(at, _)| at));
    Some((number.parse().ok().filter(|number: &f64| number.is_finite())?, unit.trim()))
}

/// A number as Postgres writes it.
pub fn number(value: f64, is_integer: bool) -> String {
    let exponent = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    if !is_integer && !(-5.0..6.0).contains(&exponent) {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let number: i32 = exponent.parse().unwrap_or(0);
        format!("{digits}e{}{:02}", if number < 0 { '-' } else { '+' }, number.abs())
    } else {
        format!("{value}")
    }
}

/// The time that a setting and the server's limit allow together, in milliseconds: 0 means unlimited.
pub fn within(limit: Option<Duration>, milliseconds: u64) -> u64 {
    let limit = limit.map_or(0, |limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
    match (limit, milliseconds) {
        (0, time) | (time, 0) => time,
        (limit, time) => limit.min(time),
    }
}

/// A number of this unit, in the largest one that divides it.
pub fn shown(value: f64, unit: &str) -> String {
    let Some((known, factor)) = kind(unit).filter(|_| value > 0.0) else {
        return number(value, true);
    };
    let smallest = value * factor;
    let fits = |(_, factor): &&(&str, f64)| smallest % factor == 0.0;
    match known.iter().find(fits) {
        Some((unit, factor)) => format!("{}{unit}", smallest / factor),
        None => format!("{value}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_limit_holds() {
        let limit = Some(Duration::from_secs(10));
        assert_eq!([0, 1, 20_000].map(|time| within(limit, time)), [10_000, 1, 10_000]);
        assert_eq!([0, 5].map(|time| within(None, time)), [0, 5]);
    }

    #[test]
    fn numbers_have_units() {
        for (text, unit, value) in [
            ("0", "ms", Some(0.0)),
            (" 5 s", "ms", Some(5000.0)),
            ("1.5min", "ms", Some(90_000.0)),
            ("-1", "", Some(-1.0)),
            ("1e3", "", Some(1000.0)),
            ("1GB", "8kB", Some(131_072.0)),
            ("5 weeks", "ms", None),
            ("5 s", "", None),
            ("NaN", "ms", None),
            ("1-1", "ms", None),
            ("", "ms", None),
        ] {
            assert_eq!(read(text, unit).ok(), value, "{text}");
        }
        let shown = |value| super::shown(value, "ms");
        assert_eq!(
            [0.0, 90_000.0, 1500.0, 5000.0, 7_200_000.0].map(shown),
            ["0", "90s", "1500ms", "5s", "2h"]
        );
        assert_eq!(number(1.5e300, false), "1.5e+300");
    }
}
