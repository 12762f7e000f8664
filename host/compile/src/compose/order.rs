//! The CLI's component in front of those of the extensions.
//!
//! wasmtime assigns indices to the types of all core modules in the order of the file, and LLVM's code contains the
//! indices that the types of the CLI have if it is alone.

use std::convert::Infallible;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Reencode, ReencodeComponent};
use wasm_encoder::{Component, ComponentInstanceSection, RawSection};
use wasmparser::Payload;

use crate::sections::{copy, sections};

/// `wasm` with the component `cli` before all other components in it.
///
/// # Errors
///
/// When it is not a component that contains `cli`.
pub fn cli_first(wasm: &[u8], cli: &[u8]) -> Result<Vec<u8>> {
    let components = sections(wasm).filter_map(|payload| component(wasm, &payload.ok()?));
    let index = components.enumerate().find(|(_, bytes)| *bytes == cli);
    let (index, _) = index.context("the CLI is not in the composed component")?;
    let mut moved = Moved { index: index as u32 };
    let mut result = Component::new();
    let mut count = 0;
    for payload in sections(wasm) {
        let payload = payload?;
        let bytes = component(wasm, &payload);
        if bytes.is_some() {
            if count == 0 {
                result.section(&RawSection { id: COMPONENT, data: cli });
            }
            count += 1;
            if count - 1 == index {
                continue;
            }
        }
        match payload {
            Payload::ComponentInstanceSection(section) => {
                let mut instances = ComponentInstanceSection::new();
                let parsed = moved.parse_component_instance_section(&mut instances, section);
                parsed.map_err(|error| anyhow!("{error}"))?;
                result.section(&instances);
            }
            other => copy(&other, wasm, &mut result),
        }
    }
    Ok(result.finish())
}

/// The section of a component that has another one.
const COMPONENT: u8 = 4;

/// The component in this section.
fn component<'a>(wasm: &'a [u8], payload: &Payload<'_>) -> Option<&'a [u8]> {
    let Payload::ComponentSection { unchecked_range: range, .. } = payload else { return None };
    wasm.get(range.start as usize..range.end as usize)
}

/// Writes indices of components anew: that of the CLI becomes the first.
struct Moved {
    index: u32,
}

impl Reencode for Moved {
    type Error = Infallible;
}

impl ReencodeComponent for Moved {
    fn component_index(&mut self, index: u32) -> u32 {
        if index == self.index { 0 } else { index + u32::from(index < self.index) }
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{ComponentExportKind, NestedComponentSection};

    use super::*;

    const NONE: [(&str, ComponentExportKind, u32); 0] = [];

    fn named(name: &str) -> Component {
        let mut component = Component::new();
        component
            .section(&RawSection { id: 0, data: &[&[name.len() as u8], name.as_bytes()].concat() });
        component
    }

    /// Components with these names, each with an instance behind it.
    fn joined(names: &[&str], indices: &[u32]) -> Vec<u8> {
        let mut whole = Component::new();
        for (name, index) in names.iter().zip(indices) {
            whole.section(&NestedComponentSection(&named(name)));
            let mut instances = ComponentInstanceSection::new();
            instances.instantiate(*index, NONE);
            whole.section(&instances);
        }
        whole.finish()
    }

    #[test]
    fn instances_are_of_the_same_components_as_before() {
        for (cli, indices) in [("a", [0, 1, 2]), ("b", [1, 0, 2]), ("c", [1, 2, 0])] {
            let before = joined(&["a", "b", "c"], &[0, 1, 2]);
            let cli = named(cli).finish();
            let after = cli_first(&before, &cli).unwrap();
            wasmparser::validate(&after).unwrap();
            let payloads: Vec<_> = sections(&after).map(Result::unwrap).collect();
            assert_eq!(payloads.iter().find_map(|one| component(&after, one)), Some(&cli[..]));
            let mut found = Vec::new();
            for payload in payloads {
                if let Payload::ComponentInstanceSection(section) = payload {
                    for instance in section {
                        let wasmparser::ComponentInstance::Instantiate { component_index, .. } =
                            instance.unwrap()
                        else {
                            panic!("no instance of a component");
                        };
                        found.push(component_index);
                    }
                }
            }
            assert_eq!(found, indices);
        }
    }

    #[test]
    fn a_component_without_the_cli_is_refused() {
        assert!(cli_first(&joined(&["a"], &[0]), &named("b").finish()).is_err());
    }
}
