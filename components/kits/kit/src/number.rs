//! SQLite's conversions between text and numeric values.

/// Significant digits of a real as text (`SQLITE_DBCONFIG_FP_DIGITS`).
const DIGITS: usize = 17;

/// The integer at the beginning of a text; the nearest one beyond 64 bits.
pub fn integer_prefix(text: &[u8]) -> i64 {
    let (negative, digits) = sign(trim(text));
    let digits = &digits[..count_digits(digits)];
    let limit = if negative { i64::MIN } else { i64::MAX };
    digits
        .iter()
        .try_fold(0i64, |number, digit| {
            let digit = i64::from(digit - b'0');
            number.checked_mul(10)?.checked_add(if negative { -digit } else { digit })
        })
        .unwrap_or(limit)
}

/// The real at the beginning of a text.
pub fn real_prefix(text: &[u8]) -> f64 {
    let text = trim(text);
    let length = real_length(text);
    std::str::from_utf8(&text[..length]).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// The length in bytes of the real at the beginning.
fn real_length(text: &[u8]) -> usize {
    let (_, rest) = sign(text);
    let mut end = text.len() - rest.len();
    let whole = count_digits(&text[end..]);
    end += whole;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        fraction = count_digits(&text[end + 1..]);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let (_, exponent) = sign(&text[end + 1..]);
        let digits = count_digits(exponent);
        if digits > 0 {
            end = text.len() - exponent.len() + digits;
        }
    }
    end
}

fn trim(text: &[u8]) -> &[u8] {
    // SQLite's white space, which unlike Rust's has the vertical tab.
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let start = text.iter().position(|byte| !blank(byte));
    &text[start.unwrap_or(text.len())..]
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A real in SQLite's format: `%!.17g`.
///
/// SQLite computes in 64 bits; this is exact. The difference shows in the 17th digit of about one
/// in 1,000 random reals, mostly with large exponents; functions that depend on it declare
/// `numbers_as_text`.
pub fn real_text(number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    if number == 0.0 {
        return "0.0".into();
    }
    if !number.is_finite() {
        return format!("{sign}Inf");
    }
    let (digits, exponent) = decimal(number.abs());
    if !(-4..DIGITS as i32).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let direction = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}.{rest}e{direction}{:02}", exponent.abs());
    }
    if exponent < 0 {
        let zeros = "0".repeat((-1 - exponent) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let point = exponent as usize + 1;
    if digits.len() <= point {
        return format!("{sign}{digits:0<point$}.0");
    }
    format!("{sign}{}.{}", &digits[..point], &digits[point..])
}

/// Significant digits without trailing zeros, and the power of ten of the first one.
///
/// As in SQLite, this computes one or two digits more than it shows, and rounds again. If the
/// digits end in nines or zeros, it shows fewer, provided that they read back as the same value.
fn decimal(number: f64) -> (String, i32) {
    let (mantissa, exponent) = scientific(number);
    let count = shorter(number, &mantissa, exponent).unwrap_or(DIGITS);
    let (digits, carry) = round(&mantissa, count);
    (digits, exponent + carry)
}

/// The digits that SQLite computes: 18 or 19, after an estimate of the power of ten from the power
/// of two.
fn scientific(number: f64) -> (String, i32) {
    let estimate = (binary_exponent(number) * 78913) >> 18;
    let text = format!("{number:.DIGITS$e}");
    let exponent = split(&text).1;
    if exponent == estimate {
        return split(&text);
    }
    split(&format!("{number:.*e}", DIGITS + 1))
}

fn split(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// The power of two of the first bit of a positive value.
fn binary_exponent(number: f64) -> i32 {
    let bits = number.to_bits();
    match (bits >> 52) as i32 {
        0 => -1011 - bits.leading_zeros() as i32,
        exponent => exponent - 1023,
    }
}

/// How many digits are enough, if the digits end in nines or zeros.
fn shorter(number: f64, digits: &str, exponent: i32) -> Option<usize> {
    let bytes = digits.as_bytes();
    let (kept, step) = if bytes[14..16] == *b"99" {
        (digits[..14].trim_end_matches('9').len(), 1)
    } else if bytes[13..16] == *b"000" || exponent >= DIGITS as i32 {
        (digits[..13].trim_end_matches('0').len(), 0)
    } else {
        return None;
    };
    let whole = digits[..kept].parse::<u64>().unwrap_or(0) + step;
    let scale = exponent + 1 - kept as i32;
    let same = format!("{whole}e{scale}").parse() == Ok(number);
    same.then_some(kept + 1)
}

/// Round half up to `count` digits. A carry can add one digit in front.
fn round(digits: &str, count: usize) -> (String, i32) {
    let up = digits.as_bytes()[count] >= b'5';
    let number = digits[..count].parse::<u64>().unwrap_or(0) + u64::from(up);
    let text = number.to_string();
    let carry = (text.len() - count) as i32;
    (text.trim_end_matches('0').into(), carry)
}

#[cfg(test)]
mod tests {
    use super::real_text;

    #[test]
    fn reals_are_written_as_sqlite_writes_them() {
        let cases = [
            (1.0, "1.0"),
            (-0.5, "-0.5"),
            (0.0, "0.0"),
            (0.1, "0.1"),
            (49.47, "49.47"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e100, "1.0e+100"),
            (1e15, "1000000000000000.0"),
            (1e17, "1.0e+17"),
            (0.0001, "0.0001"),
            (0.00001, "1.0e-05"),
            (6753.086501899999, "6753.0865018999994"),
            (0.17668622160626501, "0.17668622160626502"),
            (107672.1615273663, "107672.1615273663"),
            (f64::from_bits(1), "4.9406564584124654e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ];
        for (number, text) in cases {
            assert_eq!(real_text(number), text);
        }
    }
}
