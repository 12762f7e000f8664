//! Intervals in the forms of ISO 8601: PostgreSQL's `DecodeISO8601Interval`.

use super::Interval;
use super::amounts::{Amount, Unit};
use crate::read::{Fault, Found};

/// `P1Y2M3DT4H5M6.5S`, `P0001-02-03T04:05:06` and `P00010203T040506`.
pub fn read(text: &str) -> Found<Interval> {
    let rest = text.strip_prefix('P').filter(|rest| !rest.is_empty()).ok_or(Fault::Form)?;
    let (date, time) = rest.split_once('T').unwrap_or((rest, ""));
    let mut found = Interval::default();
    // `T` may stand again before a field of the time.
    date_of(date, &mut found)?;
    for part in time.split('T') {
        time_of(part, &mut found)?;
    }
    Ok(found)
}

/// A number, and what follows.
fn number(text: &str) -> Found<(Amount, &str)> {
    let end = text.find(|next: char| !next.is_ascii_digit() && next != '.').unwrap_or(text.len());
    let end = match text.strip_prefix('-') {
        Some(rest) => {
            let is_end = |next: char| !next.is_ascii_digit() && next != '.';
            1 + rest.find(is_end).unwrap_or(rest.len())
        }
        None => end,
    };
    let value: f64 = text[..end].parse().map_err(|_| Fault::Form)?;
    if value.abs() >= 9.2e18 {
        return Err(Fault::Amount);
    }
    Ok(((value.trunc() as i64, value.fract()), &text[end..]))
}

/// How many digits a text begins with.
fn width(text: &str) -> usize {
    text.trim_start_matches('-').bytes().take_while(u8::is_ascii_digit).count()
}

fn date_of(text: &str, found: &mut Interval) -> Found<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (amount, after) = number(rest)?;
        let is_first = rest.len() == text.len();
        let unit = match after.chars().next() {
            Some('Y') => Unit::Year,
            Some('M') => Unit::Month,
            Some('W') => Unit::Week,
            Some('D') => Unit::Day,
            None if is_first && width(rest) == 8 => {
                found.add((amount.0 / 10_000, 0.0), Unit::Year)?;
                found.add((amount.0 / 100 % 100, 0.0), Unit::Month)?;
                return found.add((amount.0 % 100, amount.1), Unit::Day);
            }
            None | Some('-') if is_first => {
                return in_order(rest, '-', &[Unit::Year, Unit::Month, Unit::Day], found);
            }
            _ => return Err(Fault::Form),
        };
        found.add(amount, unit)?;
        rest = &after[1..];
    }
    Ok(())
}

fn time_of(text: &str, found: &mut Interval) -> Found<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (amount, after) = number(rest)?;
        let is_first = rest.len() == text.len();
        let unit = match after.chars().next() {
            Some('H') => Unit::Hour,
            Some('M') => Unit::Minute,
            Some('S') => Unit::Second,
            None if is_first && width(rest) == 6 => {
                found.add((amount.0 / 10_000, 0.0), Unit::Hour)?;
                found.add((amount.0 / 100 % 100, 0.0), Unit::Minute)?;
                return found.add((amount.0 % 100, amount.1), Unit::Second);
            }
            None | Some(':') if is_first => {
                return in_order(rest, ':', &[Unit::Hour, Unit::Minute, Unit::Second], found);
            }
            _ => return Err(Fault::Form),
        };
        found.add(amount, unit)?;
        rest = &after[1..];
    }
    Ok(())
}

/// Amounts of units in their order, with a mark between them.
fn in_order(text: &str, mark: char, units: &[Unit], found: &mut Interval) -> Found<()> {
    let mut rest = text;
    for unit in units {
        let (amount, after) = number(rest)?;
        found.add(amount, *unit)?;
        match after.strip_prefix(mark) {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(()),
            None => return Err(Fault::Form),
        }
    }
    Err(Fault::Form)
}
