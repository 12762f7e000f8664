//! Dates and times in text, as Postgres reads them.

use super::calendar::{DAY, Date, Stamp};
use super::fields::{Kind, fields, is_day_of_week};

/// Why a text is not a date or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It has not the form of one.
    Form,
    /// It has, but there is no such day or time, or SQLite does not have it.
    Range,
    /// It is in a year that PostgreSQL has, and SQLite has not: before 1 or after 9999.
    Year,
    /// An amount of an interval is too large.
    Amount,
    /// It is in a zone whose rules are not known here.
    Zone,
}

/// What a text says, or why it says nothing.
pub type Found<T> = std::result::Result<T, Fault>;

/// The months, by the beginnings of their names.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Abbreviations of zones that are always the same distance from UTC, in hours.
const ZONES: &[(&str, i64)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("zulu", 0),
    ("ut", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
    ("wet", 0),
    ("west", 1),
    ("bst", 1),
    ("cet", 1),
    ("cest", 2),
    ("eet", 2),
    ("eest", 3),
    ("msk", 3),
    ("jst", 9),
    ("kst", 9),
    ("aest", 10),
    ("nzst", 12),
];

/// The value of a text of digits only, at most nine of them.
fn number(text: &str) -> Found<i64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten().ok_or(Fault::Form)
}

/// A year of two digits is in 1970 to 2069.
fn year(text: &str) -> Found<i64> {
    let year = number(text)?;
    Ok(match text.len() {
        1 | 2 if year < 70 => 2000 + year,
        1 | 2 => 1900 + year,
        _ => year,
    })
}

/// `2026-01-31`, `2026/1/31`, `20260131`, `260131`, `2026.031`, `2026-031`, `J2461072`, `Jan 31, 2026`, `31-Jan-2026`, and
/// `1/31/2026`, since DateStyle has the month first.
fn date(text: &str) -> Found<Date> {
    match (text.len(), number(text)) {
        (8, Ok(all)) => return day(all / 10_000, all / 100 % 100, all % 100),
        (6, Ok(all)) => return day(year(&text[..2])?, all / 100 % 100, all % 100),
        _ => {}
    }
    if let Some(julian) = text.strip_prefix(['J', 'j']).and_then(|days| number(days).ok()) {
        return Date::within(julian - 2_440_588).ok_or(Fault::Range);
    }
    if let Some((year, place)) = text.split_once(['.', '-'])
        && let (4, 3, Ok(year), Ok(place)) = (year.len(), place.len(), number(year), number(place))
    {
        return of_year(year, place);
    }
    let parts: Vec<&str> = match ['-', '/', '.'].into_iter().find(|mark| text.contains(*mark)) {
        Some(mark) => text.splitn(4, mark).collect(),
        None => text.split([' ', ',']).filter(|part| !part.is_empty()).take(4).collect(),
    };
    let [one, two, three] = parts[..] else { return Err(Fault::Form) };
    let (of_year, month, last) = match (month(one), month(two)) {
        (Some(month), _) => (three, month, two),
        (_, Some(month)) if one.len() > 2 => (one, month, three),
        (_, Some(month)) => (three, month, one),
        _ if one.len() > 2 => (one, number(two)?, three),
        _ => (three, number(one)?, two),
    };
    if last.len() > 2 {
        return Err(Fault::Form);
    }
    day(year(of_year)?, month, number(last)?)
}

/// The last year that PostgreSQL has.
const LAST_YEAR: i64 = 5_874_897;

fn day(year: i64, month: i64, day: i64) -> Found<Date> {
    if (10_000..=LAST_YEAR).contains(&year) {
        // The calendar is the same each 400 years.
        return Date::of(2000 + year % 400, month, day)
            .map_or(Err(Fault::Range), |_| Err(Fault::Year));
    }
    Date::of(year, month, day).ok_or(Fault::Range)
}

/// A day by its position in a year, from 1.
fn of_year(year: i64, number: i64) -> Found<Date> {
    let first = day(year, 1, 1)?;
    let found = Date::within(first.0 + number - 1).filter(|found| found.parts().0 == year);
    found.filter(|_| number > 0).ok_or(Fault::Range)
}

/// The month with this name, or an abbreviation of three letters, from 1.
pub fn month(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let is_it = |name: &&str| text.len() >= 3 && (text == name[..3] || text == **name);
    MONTHS.iter().position(is_it).map(|place| place as i64 + 1)
}

/// A time of day alone; its zone says nothing.
pub fn time(text: &str) -> Found<i64> {
    let text = text.strip_prefix(['T', 't']).unwrap_or(text);
    clock(text).map(|(time, _)| time)
}

/// `23:59`, `23:59:59.123456`, `235959`, `11:59 PM`, further digits are rounded, and the zone behind it.
fn clock(text: &str) -> Found<(i64, Option<i64>)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let micros = fraction_of(fraction)?;
    let parts: Vec<i64> = match (whole.contains(':'), whole.len()) {
        (true, _) => whole.splitn(4, ':').map(number).collect::<Found<_>>()?,
        (false, 4 | 6) => {
            number(whole)?;
            let pair = |at: &usize| number(&whole[*at..*at + 2]);
            [0, 2, 4].iter().filter(|at| **at < whole.len()).map(pair).collect::<Found<_>>()?
        }
        _ => return Err(Fault::Form),
    };
    let (mut hour, minute, second) = match parts[..] {
        [hour, minute] if fraction.is_empty() => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return Err(Fault::Form),
    };
    let mut rest = rest.trim();
    let half = rest.get(..2).unwrap_or_default().to_ascii_lowercase();
    if matches!(half.as_str(), "am" | "pm") {
        rest = rest[2..].trim();
        if hour > 12 {
            return Err(Fault::Range);
        }
        hour = hour % 12 + if half == "pm" { 12 } else { 0 };
    }
    let is_time =
        minute < 60 && second <= 60 && (hour < 24 || (hour == 24 && minute + second + micros == 0));
    let time = ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros;
    if !is_time {
        return Err(Fault::Range);
    }
    Ok((time, if rest.is_empty() { None } else { Some(distance(rest)?) }))
}

fn fraction_of(text: &str) -> Found<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Form);
    }
    let digit = |index: usize| i64::from(text.as_bytes().get(index).map_or(0, |byte| byte - b'0'));
    let micros = (0..6).fold(0, |sum, index| sum * 10 + digit(index));
    Ok(micros + i64::from(digit(6) >= 5))
}

/// The distance of a zone from UTC, in microseconds to the east.
pub fn distance(zone: &str) -> Found<i64> {
    let lower = zone.trim().to_ascii_lowercase();
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| *name == lower) {
        return Ok(hours * 3_600_000_000);
    }
    let (sign, digits) = match (lower.strip_prefix('+'), lower.strip_prefix('-')) {
        (Some(digits), _) => (1, digits),
        (_, Some(digits)) => (-1, digits),
        _ if lower.contains('/') => return Err(Fault::Zone),
        _ => return Err(Fault::Form),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') {
        return Err(Fault::Form);
    }
    let mut parts: Vec<&str> = match (digits.contains(':'), digits.len()) {
        (false, 4) => vec![&digits[..2], &digits[2..]],
        (false, 3) => vec![&digits[..1], &digits[1..]],
        (false, 6) => vec![&digits[..2], &digits[2..4], &digits[4..]],
        _ => digits.split(':').collect(),
    };
    parts.resize(parts.len().max(3), "0");
    let (hours, minutes, seconds) = (number(parts[0])?, number(parts[1])?, number(parts[2])?);
    if hours > 15 || minutes > 59 || seconds > 59 || parts.len() > 3 {
        return Err(Fault::Range);
    }
    Ok(sign * ((hours * 60 + minutes) * 60 + seconds) * 1_000_000)
}

/// Where the time of day begins in a text, and where the date before it ends.
fn parted(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_mark = |at: &usize| {
        matches!(bytes[*at], b'T' | b't') && *at > 0 && is_digit(at - 1) && is_digit(at + 1)
    };
    let at = match (text.find(':'), (0..bytes.len()).find(is_mark)) {
        (_, Some(at)) => at,
        (Some(colon), None) => text[..colon].rfind(' ')?,
        (None, None) => {
            text.find(' ').filter(|at| *at >= 8 && is_digit(at + 1) && is_digit(at - 1))?
        }
    };
    Some((text[..at].trim_end(), text[at + 1..].trim_start()))
}

/// A date, a time of day and a zone.
type Parts = (Date, i64, Option<i64>);

/// A date and a time, or a date alone (`with_zone`: moved to UTC).
pub fn stamp(text: &str, with_zone: bool) -> Found<Stamp> {
    let (day, clock, east) = moment(text.trim())?;
    let east = east.filter(|_| with_zone).unwrap_or(0);
    let at = day.0.checked_mul(DAY).ok_or(Fault::Range)? + clock - east;
    Stamp::within(at).ok_or(Fault::Range)
}

/// The date of a date and a time: 24:00 is of the day before.
pub fn date_of(text: &str) -> Found<Date> {
    moment(text.trim()).map(|(day, ..)| day)
}

fn moment(text: &str) -> Found<Parts> {
    let found = match text.split_once('+') {
        // The zone of a day.
        Some((day, zone)) if !day.contains([':', ' ']) => {
            date(day).and_then(|day| Ok((day, 0, Some(distance(&format!("+{zone}"))?))))
        }
        _ => in_order(text),
    };
    match found {
        Err(Fault::Form) => in_words(text),
        found => found,
    }
}

fn in_order(text: &str) -> Found<Parts> {
    if let Some((day, rest)) = parted(text) {
        let (clock, east) = clock(rest)?;
        return Ok((date(day)?, clock, east));
    }
    if text.contains(':') {
        return Err(Fault::Form);
    }
    match text.rsplit_once(' ').map(|(day, zone)| (date(day.trim_end()), distance(zone))) {
        Some((Ok(day), Ok(east))) => Ok((day, 0, Some(east))),
        _ => match text.strip_suffix(['Z', 'z']) {
            Some(day) => Ok((date(day)?, 0, Some(0))),
            None => Ok((date(text)?, 0, None)),
        },
    }
}

/// `Wed Jan 01 10:00:00 2020 UTC`: fields in another order, days of the week, and eras.
fn in_words(text: &str) -> Found<Parts> {
    let (mut day, mut time, mut zone, mut is_before_christ) = (Vec::new(), None, None, false);
    for (kind, field) in fields(text)? {
        match kind {
            Kind::Word if is_day_of_week(&field) || field == "ad" => {}
            Kind::Word if field == "bc" => is_before_christ = true,
            Kind::Word if month(&field).is_some() => day.push(field),
            Kind::Word if matches!(field.as_str(), "am" | "pm") => {
                time = Some(format!("{} {field}", time.ok_or(Fault::Form)?));
            }
            Kind::Word | Kind::Signed if zone.is_none() => zone = Some(distance(&field)?),
            Kind::Time if time.is_none() => time = Some(field),
            Kind::Number | Kind::Date => day.push(field),
            _ => return Err(Fault::Form),
        }
    }
    let time = time.map_or(Ok(0), |time| clock(&time).map(|(time, _)| time))?;
    let day = date(&day.join(" "))?;
    if is_before_christ { Err(Fault::Year) } else { Ok((day, time, zone)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_in_postgres() {
        let read = |text: &str| stamp(text, true).map(Stamp::text);
        for (text, wanted) in [
            ("2020-01-02 24:00", "2020-01-03 00:00:00"),
            ("2020-005", "2020-01-05 00:00:00"),
            ("2020-01-01+00", "2020-01-01 00:00:00"),
            ("2020-01-01+05:30", "2019-12-31 18:30:00"),
            ("Wed Jan 01 10:00:00 2020 UTC", "2020-01-01 10:00:00"),
            ("Jan 1 10:00 pm 2020", "2020-01-01 22:00:00"),
            ("2020-01-01 AD", "2020-01-01 00:00:00"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(wanted), "{text}");
        }
        for (text, wanted) in [
            ("0044-03-15 BC", Fault::Year),
            ("10000-01-01", Fault::Year),
            ("10000-02-30", Fault::Range),
            ("2021-366", Fault::Range),
            ("2020-01", Fault::Form),
            ("Wed", Fault::Form),
        ] {
            assert_eq!(read(text), Err(wanted), "{text}");
        }
        for text in ["2020-01-02 24:00", "2020-01-02 23:59:60", "2020-01-02 23:30-05"] {
            assert_eq!(date_of(text).map(|day| day.to_string()).as_deref(), Ok("2020-01-02"));
        }
    }
}
