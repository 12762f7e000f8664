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
    read_fields(date, &DATE, &mut found)?;
    for part in time.split('T') {
        read_fields(part, &TIME, &mut found)?;
    }
    Ok(found)
}

/// An amount, and the rest of the text.
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

/// The fields of a date, or of a time of day.
struct Fields {
    letters: &'static [(char, Unit)],
    /// How many digits there are where nothing is between the fields.
    digits: usize,
    /// What stands between the fields otherwise.
    mark: char,
    order: [Unit; 3],
}

const DATE: Fields = Fields {
    letters: &[('Y', Unit::Year), ('M', Unit::Month), ('W', Unit::Week), ('D', Unit::Day)],
    digits: 8,
    mark: '-',
    order: [Unit::Year, Unit::Month, Unit::Day],
};

const TIME: Fields = Fields {
    letters: &[('H', Unit::Hour), ('M', Unit::Minute), ('S', Unit::Second)],
    digits: 6,
    mark: ':',
    order: [Unit::Hour, Unit::Minute, Unit::Second],
};

fn read_fields(text: &str, fields: &Fields, found: &mut Interval) -> Found<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (amount, after) = number(rest)?;
        let is_first = rest.len() == text.len();
        let letter = after.chars().next();
        let unit = fields.letters.iter().find(|(own, _)| Some(*own) == letter);
        if let Some((_, unit)) = unit {
            found.add(amount, *unit)?;
            rest = &after[1..];
            continue;
        }
        return match letter {
            None if is_first && width(rest) == fields.digits => {
                let (whole, fraction) = amount;
                let parts = [whole / 10_000, whole / 100 % 100].map(|part| (part, 0.0));
                let parts = [parts[0], parts[1], (whole % 100, fraction)];
                let mut parts = parts.into_iter().zip(fields.order);
                parts.try_for_each(|(part, unit)| found.add(part, unit))
            }
            letter if is_first && letter.is_none_or(|own| own == fields.mark) => {
                in_order(rest, fields.mark, &fields.order, found)
            }
            _ => Err(Fault::Form),
        };
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
