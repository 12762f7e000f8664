//! `to_timestamp` and `to_date` by a pattern.

mod found;

use sqlite_wasm_kit::{Error, Result};

use super::pattern::{Field, Part, parts};
use found::Found;
use postgres_types::Stamp;

/// The rest of a text that is read.
struct Input<'a> {
    rest: &'a str,
    /// The last character that was taken.
    before: Option<char>,
    /// Characters that were skipped, and no part of the pattern has yet.
    skipped: i64,
}

impl Input<'_> {
    fn skip_spaces(&mut self) -> i64 {
        let mut count = 0;
        while self.rest.starts_with(is_space) {
            self.take_one();
            count += 1;
        }
        count
    }

    fn take_one(&mut self) {
        if let Some(first) = self.rest.chars().next() {
            self.before = Some(first);
            self.rest = &self.rest[first.len_utf8()..];
        }
    }

    fn take(&mut self, bytes: usize) {
        self.before = self.rest[..bytes].chars().last().or(self.before);
        self.rest = &self.rest[bytes..];
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn wrong(text: &str, name: &str) -> Error {
    let shown: String = text.chars().take(20).collect();
    format!("22007: invalid value \"{shown}\" for \"{name}\"").into()
}

/// The moment that a text says by a pattern.
pub fn read(text: &str, pattern: &str) -> Result<Stamp> {
    let parts = parts(pattern);
    let (mut found, mut is_exact) = (Found::default(), false);
    let mut input = Input { rest: text, before: None, skipped: 0 };
    for (at, part) in parts.iter().enumerate() {
        if input.rest.is_empty() {
            break;
        }
        let is_field = matches!(part, Part::Field(field) if field.name != "FX");
        let is_first = at == 0 && !matches!(part, Part::Field(_));
        if !is_exact && (is_field || is_first) {
            input.skipped += input.skip_spaces();
        }
        match part {
            Part::Space(_) | Part::Separator(_) if !is_exact => {
                input.skipped -= 1;
                if input.rest.starts_with(|c| is_space(c) || c.is_ascii_punctuation()) {
                    input.take_one();
                    input.skipped += 1;
                }
            }
            Part::Letter(_) if !is_exact && input.skipped > 0 => input.skipped -= 1,
            Part::Space(_) | Part::Separator(_) | Part::Letter(_) => input.take_one(),
            Part::Field(Field { name: "FX", .. }) => is_exact = true,
            Part::Field(field) => {
                let ends =
                    field.ordinal.is_some() || parts.get(at + 1).is_none_or(Part::ends_number);
                found.take(*field, &mut input, ends)?;
                if field.ordinal.is_some() && field.is_counted() {
                    let two =
                        input.rest.char_indices().nth(2).map_or(input.rest.len(), |(at, _)| at);
                    input.take(two);
                }
                if !is_exact {
                    input.skipped = input.skip_spaces();
                }
            }
        }
    }
    found.stamp(text)
}

/// An integer of this width, or of as many digits as there are if it ends by itself.
fn number(input: &mut Input<'_>, field: Field, width: usize, ends: bool) -> Result<(i64, usize)> {
    input.skip_spaces();
    let text = input.rest;
    let all = if field.is_bare || ends {
        text
    } else {
        let end = text.char_indices().nth(width).map_or(text.len(), |(at, _)| at);
        if text.chars().count() < width {
            let message =
                format!("22007: source string too short for \"{}\" formatting field", field.name);
            return Err(message.into());
        }
        &text[..end]
    };
    let sign = usize::from(all.starts_with(['+', '-']));
    let digits = all[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let used = if digits == 0 { 0 } else { sign + digits };
    let is_short = !(field.is_bare || ends) && used < width;
    if used == 0 || is_short {
        return Err(wrong(all, field.name));
    }
    let number = all[..used].parse::<i64>().ok().filter(|number| i32::try_from(*number).is_ok());
    let number = number.ok_or_else(|| {
        Error::from(format!("22008: value for \"{}\" in source string is out of range", field.name))
    })?;
    input.take(used);
    Ok((number, used))
}

/// The position of the name that a text begins with.
fn word(input: &mut Input<'_>, field: Field, names: &[&str]) -> Result<i64> {
    let begins = |name: &&str| {
        input.rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let at = names.iter().position(begins).ok_or_else(|| wrong(input.rest, field.name))?;
    input.take(names[at].len());
    Ok(at as i64)
}
