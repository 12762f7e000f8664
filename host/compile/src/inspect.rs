//! Facts about a component, read from its bytes without running it.

use anyhow::{Result, ensure};
use sqlite_wasm_runtime::artifact;
use sqlite_wasm_runtime::artifact::compiler::{
    CustomSection, Facts, MANIFEST_SECTION, MAX_MANIFEST_BYTES, MAX_NAME_BYTES, MAX_NAMES,
};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// The custom section of a CLI's module with SQLite's version.
const VERSION_SECTION: &str = "sqlite-wasm:cli-version";

/// Longest version that is shown, in bytes.
const MAX_VERSION_BYTES: usize = 200;

/// A page of linear memory.
const PAGE_BYTES: u64 = 64 << 10;

/// The facts about the component `wasm`.
///
/// # Errors
///
/// When `wasm` is not a valid component.
pub fn inspect(wasm: &[u8]) -> Result<Facts> {
    artifact::check_wasm(wasm)?;
    let mut validator = Validator::new_with_features(WasmFeatures::default());
    validator.validate_all(wasm).map_err(|error| invalid(&error))?;
    let mut facts = Facts::default();
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(|error| invalid(&error))? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            payload => take(&mut facts, payload, depth)?,
        }
        let names = facts.imports.len() + facts.exports.len() + facts.sections.len();
        ensure!(names <= MAX_NAMES, "it has more than {MAX_NAMES} imports and exports");
    }
    Ok(facts)
}

fn take(facts: &mut Facts, payload: Payload, depth: usize) -> Result<()> {
    match payload {
        Payload::ComponentImportSection(imports) if depth == 1 => {
            ensure!(imports.count() as usize <= MAX_NAMES, "it has too many imports");
            for import in imports {
                let name = import.map_err(|error| invalid(&error))?.name.name;
                facts.imports.push(checked(name)?);
            }
        }
        Payload::ComponentExportSection(exports) if depth == 1 => {
            ensure!(exports.count() as usize <= MAX_NAMES, "it has too many exports");
            for export in exports {
                let name = export.map_err(|error| invalid(&error))?.name.name;
                facts.exports.push(checked(name)?);
            }
        }
        Payload::CodeSectionStart { size, .. } => facts.code_bytes += u64::from(size),
        Payload::MemorySection(memories) => {
            for memory in memories {
                let pages = memory.map_err(|error| invalid(&error))?.initial;
                let bytes = pages.saturating_mul(PAGE_BYTES);
                facts.memory_bytes = facts.memory_bytes.saturating_add(bytes);
            }
        }
        Payload::CustomSection(section) => {
            custom(facts, section.name(), section.data(), depth)?;
        }
        _ => {}
    }
    Ok(())
}

fn custom(facts: &mut Facts, name: &str, data: &[u8], depth: usize) -> Result<()> {
    if depth == 1 {
        facts.sections.push(CustomSection { name: checked(name)?, bytes: data.len() });
    }
    if depth == 1 && name == MANIFEST_SECTION && data.len() <= MAX_MANIFEST_BYTES {
        facts.manifest = str::from_utf8(data).ok().map(str::to_owned);
    }
    // The first one is the CLI's: extensions come after it.
    if name == VERSION_SECTION && facts.cli_version.is_none() && data.len() <= MAX_VERSION_BYTES {
        let text = str::from_utf8(data).unwrap_or_default().trim_end_matches('\0');
        facts.cli_version = Some(text.to_owned());
    }
    Ok(())
}

fn checked(name: &str) -> Result<String> {
    ensure!(name.len() <= MAX_NAME_BYTES, "it has a name of more than {MAX_NAME_BYTES} bytes");
    Ok(name.to_owned())
}

fn invalid(error: &wasmparser::BinaryReaderError) -> anyhow::Error {
    artifact::invalid(&error.to_string())
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
        let facts = inspect(&with_section(MANIFEST_SECTION, b"{}")).unwrap();
        assert_eq!(facts.manifest.as_deref(), Some("{}"));
        assert_eq!(facts.sections[0].bytes, 2);
        assert_eq!(inspect(EMPTY).unwrap(), Facts::default());
        assert_eq!(inspect(&with_section(MANIFEST_SECTION, b"\xff")).unwrap().manifest, None);
    }

    #[test]
    fn damage_is_refused() {
        let mut wasm = with_section("name", b"x");
        wasm.pop();
        assert!(inspect(&wasm).is_err());
    }
}
