//! The names that a source may choose. They become names of files and parts of URLs, so few
//! letters are allowed.

use anyhow::{Result, ensure};
use semver::Version;
use sha2::{Digest, Sha256};

/// Longest name: a file is named after it and its version.
pub const MAX_NAME_BYTES: usize = 63;

/// Longest version, with its labels.
const MAX_VERSION_BYTES: usize = 64;

/// Digits of a SHA-256.
const SHA256_DIGITS: usize = 64;

/// Check the name of an extension or a source: small letters, digits and `_`, a letter first.
///
/// # Errors
///
/// When it is not such a name. The message does not contain it.
pub fn check_name(name: &str) -> Result<()> {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let starts = name.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    ensure!(
        starts && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_small),
        "a name has up to {MAX_NAME_BYTES} small letters, digits and `_`, a letter first"
    );
    Ok(())
}

/// Parse the version of an extension, as in semantic versioning without `+BUILD`.
///
/// # Errors
///
/// When it is not such a version. The message does not contain it.
pub fn parse_version(text: &str) -> Result<Version> {
    let version = Version::parse(text).ok().filter(|version| version.build.is_empty());
    ensure!(text.len() <= MAX_VERSION_BYTES, "a version has up to {MAX_VERSION_BYTES} letters");
    version
        .ok_or_else(|| anyhow::anyhow!("a version is `MAJOR.MINOR.PATCH`, perhaps with `-LABEL`"))
}

/// Check a SHA-256 in small hexadecimal digits.
///
/// # Errors
///
/// When it is not one.
pub fn check_sha256(text: &str) -> Result<()> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    ensure!(
        text.len() == SHA256_DIGITS && text.bytes().all(is_digit),
        "a SHA-256 has {SHA256_DIGITS} small hexadecimal digits"
    );
    Ok(())
}

/// The SHA-256 of a file, as entries and pins name it.
pub fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of the file of an extension in a source.
pub fn file_name(name: &str, version: &str) -> String {
    format!("{name}-{version}.wasm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_escape() {
        for name in ["a", "vec0", "ann_read"] {
            check_name(name).unwrap();
        }
        let long = "a".repeat(MAX_NAME_BYTES + 1);
        for name in [
            "",
            "../x",
            "/x",
            "a/b",
            "a\0",
            "é",
            "a\u{202e}b",
            "A",
            "_a",
            "0a",
            ".",
            "a.b",
            "a-b",
            "a\n",
            &long,
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn versions_do_not_escape() {
        assert!(parse_version("1.10.0").unwrap() > parse_version("1.9.9").unwrap());
        assert!(parse_version("1.0.0-beta.1").unwrap() < parse_version("1.0.0").unwrap());
        let long = format!("1.0.0-{}", "a".repeat(MAX_VERSION_BYTES));
        for version in [
            "",
            "1",
            "1.0",
            "../1.0.0",
            "1.0.0/..",
            "1.0.0\0",
            "1.0.0+build",
            "v1.0.0",
            "1.0.0-é",
            &long,
        ] {
            assert!(parse_version(version).is_err(), "{version:?}");
        }
    }

    #[test]
    fn hashes_have_one_form() {
        check_sha256(&sha256(b"")).unwrap();
        assert!(sha256(b"").starts_with("e3b0c442"));
        for text in ["", "0f", &"0F".repeat(32), &"0f".repeat(33), &"xx".repeat(32)] {
            assert!(check_sha256(text).is_err(), "{text}");
        }
    }
}
