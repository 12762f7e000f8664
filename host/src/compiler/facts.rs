//! Facts about a component, read from its bytes without running it.

use anyhow::{Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

use crate::artifact;

/// The custom section with an extension's manifest as JSON. It is informative:
/// loading calls the extension's own `describe`.
pub const MANIFEST_SECTION: &str = "sqlite-wasm:manifest";

/// The custom section of a CLI's module with SQLite's version.
const VERSION_SECTION: &str = "sqlite-wasm:cli-version";

/// Largest number of imports, exports and custom sections together. A program
/// that uses all of WASI has fifty.
const MAX_NAMES: usize = 2000;

/// Longest of their names, in bytes.
const MAX_NAME_BYTES: usize = 500;

/// Longest manifest in a section, in bytes: a thousand functions need a tenth.
pub const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Longest version that is shown, in bytes.
const MAX_VERSION_BYTES: usize = 200;

/// Largest encoded description of a component, in bytes: twice the sum of the
/// limits above, as JSON can escape each character.
pub const MAX_FACTS_BYTES: usize = 2 * (MAX_NAMES * MAX_NAME_BYTES + MAX_MANIFEST_BYTES);

/// A page of linear memory.
const PAGE_BYTES: u64 = 64 << 10;

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
    /// The facts about the component `wasm`.
    ///
    /// # Errors
    ///
    /// When `wasm` is not a valid component.
    pub fn of(wasm: &[u8]) -> Result<Self> {
        artifact::check_wasm(wasm)?;
        let mut validator = Validator::new_with_features(WasmFeatures::default());
        validator.validate_all(wasm).map_err(|error| invalid(&error))?;
        let mut facts = Self::default();
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.map_err(|error| invalid(&error))? {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                payload => facts.take(payload, depth)?,
            }
            let names = facts.imports.len() + facts.exports.len() + facts.sections.len();
            ensure!(names <= MAX_NAMES, "it has more than {MAX_NAMES} imports and exports");
        }
        Ok(facts)
    }

    fn take(&mut self, payload: Payload, depth: usize) -> Result<()> {
        match payload {
            Payload::ComponentImportSection(imports) if depth == 1 => {
                ensure!(imports.count() as usize <= MAX_NAMES, "it has too many imports");
                for import in imports {
                    let name = import.map_err(|error| invalid(&error))?.name.name;
                    self.imports.push(checked(name)?);
                }
            }
            Payload::ComponentExportSection(exports) if depth == 1 => {
                ensure!(exports.count() as usize <= MAX_NAMES, "it has too many exports");
                for export in exports {
                    let name = export.map_err(|error| invalid(&error))?.name.name;
                    self.exports.push(checked(name)?);
                }
            }
            Payload::CodeSectionStart { size, .. } => self.code_bytes += u64::from(size),
            Payload::MemorySection(memories) => {
                for memory in memories {
                    let pages = memory.map_err(|error| invalid(&error))?.initial;
                    let bytes = pages.saturating_mul(PAGE_BYTES);
                    self.memory_bytes = self.memory_bytes.saturating_add(bytes);
                }
            }
            Payload::CustomSection(section) => {
                self.custom(section.name(), section.data(), depth)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn custom(&mut self, name: &str, data: &[u8], depth: usize) -> Result<()> {
        if depth == 1 {
            self.sections.push(CustomSection { name: checked(name)?, bytes: data.len() });
        }
        if depth == 1 && name == MANIFEST_SECTION && data.len() <= MAX_MANIFEST_BYTES {
            self.manifest = str::from_utf8(data).ok().map(str::to_owned);
        }
        // The first one is the CLI's: extensions come after it.
        if name == VERSION_SECTION && self.cli_version.is_none() && data.len() <= MAX_VERSION_BYTES
        {
            let text = str::from_utf8(data).unwrap_or_default().trim_end_matches('\0');
            self.cli_version = Some(text.to_owned());
        }
        Ok(())
    }

    /// Encode the facts, as the helper does.
    ///
    /// # Errors
    ///
    /// None that is known.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
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

fn checked(name: &str) -> Result<String> {
    ensure!(name.len() <= MAX_NAME_BYTES, "it has a name of more than {MAX_NAME_BYTES} bytes");
    Ok(name.to_owned())
}

fn invalid(error: &wasmparser::BinaryReaderError) -> anyhow::Error {
    artifact::invalid_because(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn with_section(name: &str, data: &[u8]) -> Vec<u8> {
        let mut wasm = EMPTY.to_vec();
        let length = 1 + name.len() + data.len();
        wasm.extend([0, length as u8, name.len() as u8]);
        wasm.extend(name.as_bytes());
        wasm.extend(data);
        wasm
    }

    #[test]
    fn the_manifest_is_what_the_section_has() {
        let facts = Facts::of(&with_section(MANIFEST_SECTION, b"{}")).unwrap();
        assert_eq!(facts.manifest.as_deref(), Some("{}"));
        assert_eq!(facts.sections[0].bytes, 2);
        assert_eq!(Facts::of(EMPTY).unwrap(), Facts::default());
        assert_eq!(Facts::of(&with_section(MANIFEST_SECTION, b"\xff")).unwrap().manifest, None);
    }

    #[test]
    fn what_the_helper_gives_is_read() {
        let facts = Facts::of(&with_section("a\u{1b}", b"xyz")).unwrap();
        assert_eq!(Facts::decode(&facts.encode().unwrap()).unwrap(), facts);
        assert!(Facts::decode(b"[]").is_err());
    }

    #[test]
    fn damage_is_refused() {
        let mut wasm = with_section("name", b"x");
        wasm.pop();
        assert!(Facts::of(&wasm).is_err());
    }
}
