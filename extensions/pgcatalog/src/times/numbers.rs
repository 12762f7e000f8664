//! `to_char` of numeric values: digits, points, groups and signs.

use sqlite_wasm_kit::{Result, Value};

use crate::numbers::Numeric;

/// What a pattern says.
#[derive(Default)]
struct Pattern {
    is_filled: bool,
    /// The signs for digits and groups before the point.
    whole: Vec<char>,
    decimals: Vec<char>,
    has_point: bool,
}

impl Pattern {
    fn read(text: &str) -> Option<Self> {
        let mut found = Self { is_filled: true, ..Self::default() };
        let mut rest = text;
        if let Some(tail) = rest.strip_prefix("FM").or(rest.strip_prefix("fm")) {
            (found.is_filled, rest) = (false, tail);
        }
        for sign in rest.chars() {
            match sign {
                '9' | '0' if found.has_point => found.decimals.push(sign),
                '9' | '0' => found.whole.push(sign),
                ',' | 'G' | 'g' if !found.has_point => found.whole.push(','),
                '.' | 'D' | 'd' if !found.has_point => found.has_point = true,
                _ => return None,
            }
        }
        let has_digit = found.whole.iter().any(|sign| *sign != ',');
        if !found.is_filled && found.whole.last() == Some(&',') {
            return None;
        }
        let is_fraction = found.whole.is_empty() && !found.decimals.is_empty();
        (has_digit || is_fraction).then_some(found)
    }
}

impl Pattern {
    /// The digits after the point: `FM` leaves out zeros that the pattern has as 9.
    fn shown_decimals<'a>(&self, digits: &'a str) -> &'a str {
        if self.is_filled {
            return digits;
        }
        let fixed = self.decimals.iter().rposition(|sign| *sign == '0').map_or(0, |at| at + 1);
        let (fixed, tail) = digits.split_at(fixed.min(digits.len()));
        &digits[..fixed.len() + tail.trim_end_matches('0').len()]
    }
}

pub fn shown(value: &Value, pattern: &str) -> Result<Option<String>> {
    let Some(number) = Numeric::of(value)? else { return Ok(None) };
    let found = Pattern::read(pattern)
        .ok_or_else(|| format!("0A000: to_char of a number with \"{pattern}\" is not supported"))?;
    let places = found.decimals.len();
    let text = match value {
        // A float is written as `printf` does.
        Value::Real(number) if number.is_finite() => format!("{number:.places$}"),
        _ => number.rounded(places as i64)?.to_string(),
    };
    // `printf` keeps the sign of a float that becomes zero.
    let (is_negative, digits) =
        text.strip_prefix('-').map_or((false, text.as_str()), |digits| (true, digits));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = if whole == "0" { "" } else { whole };
    let decimals = found.shown_decimals(decimals);
    let places = found.whole.iter().filter(|sign| **sign != ',').count();
    // As in PostgreSQL nothing fits into a pattern without a digit before the point.
    let is_wide =
        whole.len() > places || places == 0 || !digits.starts_with(|c: char| c.is_ascii_digit());
    let mut out = String::new();
    // From the first zero of the pattern on all digits are shown.
    let (mut has_begun, mut place) = (false, 0);
    let first_digit = places.saturating_sub(whole.len());
    for sign in &found.whole {
        if *sign == ',' {
            if has_begun {
                out.push(',');
            } else if found.is_filled {
                out.push(' ');
            }
            continue;
        }
        has_begun |= *sign == '0' || place >= first_digit && !whole.is_empty();
        // The only digit of 0 is shown where nothing follows the point.
        let is_last = place + 1 == places;
        match () {
            () if is_wide => out.push('#'),
            () if place >= first_digit => {
                out.push(char::from(whole.as_bytes()[place - first_digit]))
            }
            () if has_begun || (is_last && decimals.is_empty()) => {
                has_begun = true;
                out.push('0');
            }
            () if found.is_filled => out.push(' '),
            () => {}
        }
        place += 1;
    }
    let sign = if is_negative { '-' } else { ' ' };
    let start = out.find(|c: char| c != ' ').unwrap_or(out.len());
    match (is_negative, found.is_filled) {
        (true, _) => out.insert(start, sign),
        (false, true) => out.insert(0, ' '),
        (false, false) => {}
    }
    // A point that ends the pattern is that of what does not fit.
    if found.has_point && (is_wide || !found.decimals.is_empty()) {
        out.push('.');
        let tail = if is_wide { "#".repeat(found.decimals.len()) } else { decimals.to_owned() };
        out.push_str(&tail);
    }
    Ok(Some(out))
}
