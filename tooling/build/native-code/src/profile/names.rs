//! The names of a module's functions, as they are in every build.

use std::collections::BTreeMap;

use anyhow::Result;
use wasmparser::{KnownCustom, Name, Parser, Payload};

/// The name of each function by its index, of those that have one.
///
/// # Errors
///
/// When the module is not valid.
pub fn of(wasm: &[u8]) -> Result<BTreeMap<u32, String>> {
    let mut names = BTreeMap::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let Payload::CustomSection(custom) = payload? else { continue };
        let KnownCustom::Name(sections) = custom.as_known() else { continue };
        for section in sections {
            let Name::Function(functions) = section? else { continue };
            for function in functions {
                let function = function?;
                let name = stable(function.name);
                // Lines of a profile that are no functions.
                if !name.is_empty() && !name.starts_with('#') {
                    names.insert(function.index, name);
                }
            }
        }
    }
    Ok(names)
}

/// Without the hashes that distinguish crates in Rust, which differ from build to build; and on one line.
fn stable(name: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(name));
    name.replace(|character: char| character.is_control(), "?")
}
