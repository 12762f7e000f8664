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
        (!found.whole.is_empty() || !found.decimals.is_empty()).then_some(found)
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
    let places = found.whole.iter().filter(|sign| **sign != ',').count();
    let is_wide = whole.len() > places || !digits.starts_with(|c: char| c.is_ascii_digit());
    let mut out = String::new();
    // From the first zero of the pattern on all digits are shown.
    let (mut has_begun, mut place) = (false, 0);
    let first_digit = places.saturating_sub(whole.len());
    for sign in &found.whole {
        if *sign == ',' {
            match has_begun {
                true => out.push(','),
                false if found.is_filled => out.push(' '),
                false => {}
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
            () if has_begun || (is_last && found.decimals.is_empty()) => out.push('0'),
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
    if found.has_point {
        out.push('.');
        let mut tail = if is_wide { "#".repeat(found.decimals.len()) } else { decimals.to_owned() };
        if !found.is_filled {
            let last_zero =
                found.decimals.iter().rposition(|sign| *sign == '0').map_or(0, |at| at + 1);
            while tail.len() > last_zero && tail.ends_with('0') {
                tail.pop();
            }
        }
        out.push_str(&tail);
    }
    Ok(Some(out))
}
