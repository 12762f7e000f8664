//! Parsers for the values of options.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use sqlite_wasm_runtime::deadline::MAX_TIME;
use sqlite_wasm_runtime::extensions::ExtensionGrants;
use sqlite_wasm_runtime::runner::MAX_MEMORY_BYTES;

/// [`MAX_TIME`] in hours.
const MAX_HOURS: u64 = MAX_TIME.as_secs() / 3600;

/// Check `NAME=WORDS`, the grants of an extension.
pub fn parse_grant(text: &str) -> Result<String> {
    ExtensionGrants::check(text)?;
    Ok(text.to_owned())
}

/// Parse the path of the `.wasm` to write. The runner recognizes a component by
/// that extension.
pub fn parse_output(text: &str) -> Result<PathBuf> {
    let path = PathBuf::from(text);
    if path.extension().is_none_or(|ending| ending != "wasm") {
        bail!("the result must be named `NAME.wasm`; `--precompile` also writes `NAME.cwasm`");
    }
    Ok(path)
}

/// Parse a size in bytes, such as `64M`.
pub fn parse_size(text: &str) -> Result<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: usize = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        unit => bail!("unknown unit `{unit}`; use K, M or G"),
    };
    let size = digits.parse::<usize>()?.checked_mul(unit).context("it is too large")?;
    if !(1..=MAX_MEMORY_BYTES).contains(&size) {
        bail!("it must be from 1 byte to 4G, all that a component can address");
    }
    Ok(size)
}

/// Parse a duration, such as `500ms`; without a unit it is in seconds.
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
    use std::path::Path;

    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("64M").unwrap(), 64 << 20);
        assert_eq!(parse_size("100").unwrap(), 100);
        assert!(parse_size("5G").is_err());
        assert!(parse_size("0").is_err());
        assert!(parse_size("1T").is_err());
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

    #[test]
    fn grants_are_understood_before_anything_is_opened() {
        assert_eq!(parse_grant("a=sql,dir:/none:ro").unwrap(), "a=sql,dir:/none:ro");
        for wrong in ["", "a", "=sql", "a=", "a=sql,", "a=net"] {
            assert!(parse_grant(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn results_of_compose_end_with_wasm() {
        assert_eq!(parse_output("a/b.wasm").unwrap(), Path::new("a/b.wasm"));
        for wrong in ["", "a", "a.cwasm", ".wasm", "wasm"] {
            assert!(parse_output(wrong).is_err(), "{wrong}");
        }
    }
}
