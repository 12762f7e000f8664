//! The digits of floats, as PostgreSQL shows them: the fewest that are read back as the same float, whichever way a
//! reader rounds the midpoint between two floats. Rust's own writer takes such a midpoint if it rounds to the
//! float. Of two texts that are equally short and near, PostgreSQL takes the one with an even last digit, as Rust does
//! for a given count of digits but not for the fewest.

/// Up to here no midpoint next to a float is as short as the float's own digits: each has more of them after the point.
const FIRST_MIDDLE: f64 = (1_u64 << 50) as f64;
const FIRST_SINGLE_MIDDLE: f32 = (1_u32 << 20) as f32;

/// Digits that are read back, at most.
const DIGITS: usize = 17;
const SINGLE_DIGITS: usize = 9;

/// The digits of a finite float with its exponent: `1.5e3`.
pub fn scientific(number: f64) -> String {
    let shortest = format!("{number:e}");
    if !number.is_finite() {
        return shortest;
    }
    let is_it = |text: &str| text.parse::<f64>() == Ok(number);
    let rounded = |digits: usize| format!("{number:.digits$e}");
    let shortest = even(shortest, is_it, rounded);
    if number.abs() < FIRST_MIDDLE {
        return shortest;
    }
    unambiguous(shortest, DIGITS, is_it, rounded)
}

/// The same of a `real`.
pub fn scientific_single(number: f32) -> String {
    let shortest = format!("{number:e}");
    if !number.is_finite() {
        return shortest;
    }
    let is_it = |text: &str| text.parse::<f32>() == Ok(number);
    let rounded = |digits: usize| format!("{number:.digits$e}");
    let shortest = even(shortest, is_it, rounded);
    if number.abs() < FIRST_SINGLE_MIDDLE {
        return shortest;
    }
    unambiguous(shortest, SINGLE_DIGITS, is_it, rounded)
}

/// How many digits a text has.
fn digits_of(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count()
}

/// The shortest text; with an even last digit, if the float is midway between two texts.
fn even(
    shortest: String,
    is_it: impl Fn(&str) -> bool,
    rounded: impl Fn(usize) -> String,
) -> String {
    // A tie takes an odd digit: `…25` is shown as `…3`.
    let mantissa = shortest.split('e').next().unwrap_or_default();
    if !mantissa.ends_with(['1', '3', '5', '7', '9']) {
        return shortest;
    }
    let even = rounded(digits_of(&shortest) - 1);
    if even.len() == shortest.len() && is_it(&even) { even } else { shortest }
}

/// The shortest text, unless it is in the middle; then the first longer one that is not.
fn unambiguous(
    shortest: String,
    max: usize,
    is_it: impl Fn(&str) -> bool,
    rounded: impl Fn(usize) -> String,
) -> String {
    let is_safe = |text: &str| around(text).iter().all(|near| is_it(near));
    if is_safe(&shortest) {
        return shortest;
    }
    let mut longer = (digits_of(&shortest)..max).map(rounded);
    longer.find(|text| is_it(text) && is_safe(text)).unwrap_or(shortest)
}

/// The decimals slightly above and slightly below the value of a text.
fn around(text: &str) -> [String; 2] {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let point = if mantissa.contains('.') { "" } else { "." };
    let more = format!("{mantissa}{point}{:031}e{exponent}", 1);
    // One less in the last digit, which is not 0 but for the only one, and nines after it.
    let mut digits = mantissa.as_bytes().to_vec();
    if let Some(last) = digits.last_mut() {
        *last = last.saturating_sub(1).max(b'0');
    }
    let less = String::from_utf8_lossy(&digits);
    [more, format!("{less}{point}{}e{exponent}", "9".repeat(31))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_middle_is_not_shown() {
        // PostgreSQL 15's.
        for (number, text) in [
            (1e22, "1e22"),
            (1e23, "9.999999999999999e22"),
            (36006960841680088.0, "3.6006960841680088e16"),
            (64718567351754704.0, "6.4718567351754704e16"),
            (26795892939559752.0, "2.6795892939559752e16"),
            (27100589981991008.0, "2.7100589981991008e16"),
            (9.5e22, "9.5e22"),
            (1.8014398509481984e16, "1.8014398509481984e16"),
            (2e15, "2e15"),
            (-904169666483526.25, "-9.041696664835262e14"),
            (1484539271497175.25, "1.4845392714971752e15"),
            (97691119162302.625, "9.769111916230262e13"),
            (5e-324, "5e-324"),
            (-1e300, "-1e300"),
        ] {
            assert_eq!(scientific(number), text);
        }
        for (number, text) in [
            (8388608.0_f32, "8.388608e6"),
            (33554432.0, "3.3554432e7"),
            (863383168.0, "8.6338317e8"),
            (244211392.0, "2.4421139e8"),
            (211240608.0, "2.1124061e8"),
            (76761616.0, "7.6761616e7"),
            (-17088.5625, "-1.7088562e4"),
            (3385609.25, "3.3856092e6"),
            (1e10, "1e10"),
            (1.0, "1e0"),
            (0.1, "1e-1"),
        ] {
            assert_eq!(scientific_single(number), text);
        }
    }
}
