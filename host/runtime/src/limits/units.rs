//! Sizes and times as users write them.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::limits::deadline::MAX_TIME;

/// [`MAX_TIME`] in hours.
const MAX_HOURS: u64 = MAX_TIME.as_secs() / 3600;

/// Parse a size in bytes, such as `64M`.
///
/// # Errors
///
/// When the text is invalid.
pub fn parse_size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        unit => bail!("unknown unit `{unit}`; use K, M or G"),
    };
    digits.parse::<u64>()?.checked_mul(unit).context("it is too large")
}

/// Parse a duration, such as `500ms`; without a unit it is in seconds.
///
/// # Errors
///
/// When the text is invalid; also for 0, and for more than [`MAX_TIME`].
pub fn parse_duration(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        unit => bail!("unknown unit `{unit}`; use ms, s, m or h"),
    };
    let seconds = digits.parse::<f64>()? * unit;
    // This also excludes values too large for a `Duration`.
    if seconds > MAX_TIME.as_secs_f64() {
        bail!("it must be at most {MAX_HOURS}h, a hundred years");
    }
    let time = Duration::try_from_secs_f64(seconds)?;
    if time.is_zero() {
        bail!("it must be more than 0");
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_exceed_memory() {
        assert_eq!(parse_size("16G").unwrap(), 16 << 30);
        assert!(parse_size("18446744073709551615K").is_err());
        assert!(parse_size("-1").is_err());
    }

    #[test]
    fn times_have_units() {
        assert_eq!(parse_duration("250ms").unwrap(), Duration::from_millis(250));
        assert_eq!(parse_duration("1.5").unwrap(), Duration::from_millis(1500));
        assert!(parse_duration("-1").is_err());
        assert!(parse_duration("0").is_err());
        assert_eq!(parse_duration("876000h").unwrap(), MAX_TIME);
        for wrong in ["876001h", "1e19", "18446744073709549568", "1e400"] {
            let error = parse_duration(wrong).unwrap_err().to_string();
            assert!(error.contains("at most 876000h"), "{wrong}: {error}");
        }
    }
}
