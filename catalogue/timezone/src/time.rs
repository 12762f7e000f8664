//! Times as SQLite's functions of dates write them.

use crate::ambiguous;
use crate::zones::{Zone, offset_seconds};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Disambiguation, Offset};
use sqlite_wasm_kit::{Result, Value};

/// Digits of a second that are kept.
const MAX_DIGITS: usize = 9;

/// A time of a calendar and a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    local: DateTime,
    /// Whose clock, if the text says it.
    offset: Option<Offset>,
    /// How many digits of a second there are.
    digits: usize,
}

impl Time {
    /// `None` if the value is not a time.
    pub fn read(value: Value) -> Option<Self> {
        let text = value.as_str()?.ok()?.trim_ascii();
        let mut rest = Digits(text.as_bytes());
        let year = rest.number(4)?;
        let month = rest.after(b"-")?.number(2)?;
        let day = rest.after(b"-")?.number(2)?;
        let (mut clock, mut digits) = ([0; 4], 0);
        let has_clock = rest.after(b"T ").is_some();
        if has_clock {
            clock[0] = rest.number(2)?;
            clock[1] = rest.after(b":")?.number(2)?;
            if rest.after(b":").is_some() {
                clock[2] = rest.number(2)?;
                if rest.after(b".").is_some() {
                    (clock[3], digits) = rest.fraction()?;
                }
            }
        }
        let offset = if has_clock { rest.offset()? } else { None };
        let [hour, minute, second, nanosecond] = clock;
        let [month, day, hour, minute, second] =
            [month, day, hour, minute, second].map(|number| number as i8);
        let local =
            DateTime::new(year as i16, month, day, hour, minute, second, nanosecond).ok()?;
        rest.0.is_empty().then_some(Self { local, offset, digits })
    }

    /// The instant, by the clocks of a zone if the text says no other. None if it is too far away.
    pub fn instant(&self, zone: &Zone, choice: Disambiguation) -> Result<Option<Timestamp>> {
        if let Some(offset) = self.offset {
            return Ok(offset.to_timestamp(self.local).ok());
        }
        let found = zone.0.to_ambiguous_timestamp(self.local);
        let rejects = found.is_ambiguous() && matches!(choice, Disambiguation::Reject);
        match found.disambiguate(choice) {
            Err(error) if rejects => Err(ambiguous(&error)),
            found => Ok(found.ok()),
        }
    }

    /// Another time with as many digits; `None` outside the years 0 to 9999.
    pub fn written(&self, local: DateTime) -> Option<String> {
        if local.year() < 0 {
            return None;
        }
        let mut text = format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
            local.year(),
            local.month(),
            local.day(),
            local.hour(),
            local.minute(),
            local.second()
        );
        if self.digits > 0 {
            let digits = format!("{:09}", local.subsec_nanosecond());
            text.push('.');
            text.push_str(&digits[..self.digits]);
        }
        Some(text)
    }
}

/// The rest of a text.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    /// An integer of this many digits.
    fn number(&mut self, count: usize) -> Option<i32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let add = |sum: i32, digit: &u8| {
            digit.is_ascii_digit().then(|| sum * 10 + i32::from(digit - b'0'))
        };
        let number = digits.iter().try_fold(0, add)?;
        self.0 = rest;
        Some(number)
    }

    /// What follows one of these letters; none if something else stands there.
    fn after(&mut self, letters: &[u8]) -> Option<&mut Self> {
        let (first, rest) = self.0.split_first()?;
        letters.contains(first).then(|| self.0 = rest)?;
        Some(self)
    }

    /// Nanoseconds, and the count of digits, of which there is at least one.
    fn fraction(&mut self) -> Option<(i32, usize)> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let kept = &digits[..count.min(MAX_DIGITS)];
        let padding = std::iter::repeat_n(&b'0', MAX_DIGITS - kept.len());
        let add = |sum: i32, digit: &u8| sum * 10 + i32::from(digit - b'0');
        (count > 0).then(|| (kept.iter().chain(padding).fold(0, add), kept.len()))
    }

    /// The offset at the end, if there is one.
    fn offset(&mut self) -> Option<Option<Offset>> {
        let text = std::str::from_utf8(self.0.trim_ascii_start()).ok()?;
        let seconds = match text {
            "" => return Some(None),
            "Z" | "z" => 0,
            text => offset_seconds(text)?,
        };
        self.0 = &[];
        Offset::from_seconds(seconds).ok().map(Some)
    }
}
