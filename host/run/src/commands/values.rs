//! Parsers for the values of options.

use std::path::PathBuf;

use anyhow::{Result, bail};
use sqlite_wasm_runtime::extensions::ExtensionGrants;
use sqlite_wasm_runtime::limits::MAX_MEMORY_BYTES;
use sqlite_wasm_runtime::limits::units;

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

/// Parse a size in bytes, such as `64M`, that a component can have.
pub fn parse_size(text: &str) -> Result<usize> {
    let size = units::parse_size(text)?;
    match usize::try_from(size) {
        Ok(size) if (1..=MAX_MEMORY_BYTES).contains(&size) => Ok(size),
        _ => bail!("it must be from 1 byte to 4G, all that a component can address"),
    }
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
