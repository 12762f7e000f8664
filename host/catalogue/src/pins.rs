//! Exact versions: those that a user has installed, and those that a project's lock file names.

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::index::{Entry, Facts};
use crate::names::{check_name, check_sha256, parse_version};
use crate::sources::Source;

/// Longest file of pins: a thousand extensions.
pub const MAX_PINS_BYTES: u64 = 1 << 20;

/// Pins, in the order of their names.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    extensions: Vec<Pin>,
}

/// An exact version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The name of the extension.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// What it needs.
    pub needs: Vec<String>,
    /// The user's name for the source.
    pub source: String,
    /// The letters of the source's public key.
    pub key: String,
}

impl Pin {
    /// For an entry of a source.
    pub fn of(entry: &Entry, source: &Source) -> Self {
        let Facts { name, version, sha256, needs, .. } = entry.file.clone();
        Self { name, version, sha256, needs, source: source.name.clone(), key: source.key.clone() }
    }
}

impl Pins {
    /// The pins in these bytes.
    ///
    /// # Errors
    ///
    /// When they are malformed.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let pins: Self = serde_json::from_slice(bytes).map_err(|error| {
            anyhow!("it is malformed at line {}, column {}", error.line(), error.column())
        })?;
        for (number, pin) in pins.extensions.iter().enumerate() {
            let check = || {
                check_name(&pin.name)?;
                check_name(&pin.source)?;
                parse_version(&pin.version)?;
                check_sha256(&pin.sha256)
            };
            check().with_context(|| format!("its extension {}", number + 1))?;
        }
        Ok(pins)
    }

    /// The pin of this name.
    pub fn get(&self, name: &str) -> Option<&Pin> {
        self.extensions.iter().find(|pin| pin.name == name)
    }

    /// Add a pin, or replace the one of the same name.
    pub fn put(&mut self, pin: Pin) {
        self.remove(&pin.name);
        self.extensions.push(pin);
        self.extensions.sort_by(|one, other| one.name.cmp(&other.name));
    }

    /// Remove the pin of this name.
    pub fn remove(&mut self, name: &str) {
        self.extensions.retain(|pin| pin.name != name);
    }

    /// All.
    pub fn iter(&self) -> impl Iterator<Item = &Pin> {
        self.extensions.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(name: &str) -> Pin {
        let [version, source] = ["1.0.0".to_owned(), "here".to_owned()];
        let sha256 = "0f".repeat(32);
        Pin { name: name.into(), version, sha256, needs: vec![], source, key: "RW".into() }
    }

    #[test]
    fn pins_are_read_as_they_were_written() {
        let mut pins = Pins::default();
        ["b", "a", "b"].iter().for_each(|name| pins.put(pin(name)));
        let read = Pins::parse(&serde_json::to_vec(&pins).unwrap()).unwrap();
        assert_eq!(read, pins);
        assert_eq!(pins.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn pins_with_names_that_escape_are_refused() {
        let mut pins = Pins::default();
        pins.put(pin("../a"));
        assert!(Pins::parse(&serde_json::to_vec(&pins).unwrap()).is_err());
        assert!(Pins::parse(b"{}").is_err());
    }
}
