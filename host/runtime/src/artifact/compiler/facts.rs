//! Facts about a component, which the helper reads from its bytes.

use anyhow::{Result, anyhow, ensure};
use serde::{Deserialize, Serialize};

/// The custom section with an extension's manifest as JSON. It is informative:
/// loading calls the extension's own `describe`.
pub const MANIFEST_SECTION: &str = "sqlite-wasm:manifest";

/// Limit on imports, exports and custom sections together. A program that uses all of WASI
/// has fifty.
pub const MAX_NAMES: usize = 2000;

/// Longest of their names, in bytes.
pub const MAX_NAME_BYTES: usize = 500;

/// Longest manifest in a section, in bytes: a thousand functions need a tenth.
pub const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Largest encoded description of a component, in bytes: twice the sum of the
/// limits above, as JSON can escape each character.
pub const MAX_FACTS_BYTES: usize = 2 * (MAX_NAMES * MAX_NAME_BYTES + MAX_MANIFEST_BYTES);

/// Facts about a component.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The names of its imports.
    pub imports: Vec<String>,
    /// The names of its exports.
    pub exports: Vec<String>,
    /// Bytes of WebAssembly code, of all its modules.
    pub code_bytes: u64,
    /// Initial bytes of linear memory, of all its modules.
    pub memory_bytes: u64,
    /// The custom sections of the component itself.
    pub sections: Vec<CustomSection>,
    /// The content of [`MANIFEST_SECTION`], if it is text.
    pub manifest: Option<String>,
    /// The version of SQLite that a CLI records.
    pub cli_version: Option<String>,
}

/// A custom section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CustomSection {
    /// Its name.
    pub name: String,
    /// Its length in bytes.
    pub bytes: usize,
}

impl Facts {
    /// Encode the facts, as the helper does.
    ///
    /// # Errors
    ///
    /// None that is known.
    pub fn encode(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// Decode the result of the helper.
    ///
    /// # Errors
    ///
    /// When it is not the result of a helper.
    pub(super) fn decode(json: &[u8]) -> Result<Self> {
        ensure!(json.len() <= MAX_FACTS_BYTES, "the description of the component is too long");
        serde_json::from_slice(json)
            .map_err(|error| anyhow!("failed to decode the helper's description of it: {error}"))
    }

    /// Whether it exports an interface whose name begins so.
    pub fn exports(&self, beginning: &str) -> bool {
        self.exports.iter().any(|name| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_helper_gives_is_read() {
        let section = CustomSection { name: "a\u{1b}".into(), bytes: 3 };
        let facts = Facts { sections: vec![section], ..Facts::default() };
        assert_eq!(Facts::decode(&facts.encode().unwrap()).unwrap(), facts);
        assert!(Facts::decode(b"[]").is_err());
    }
}
