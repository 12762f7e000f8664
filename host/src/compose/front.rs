//! The front: a component that answers `dispatch` for the extensions that are
//! inside, and passes calls for others on to the next `dispatch`.

use std::collections::HashMap;

use anyhow::{Context, Result, anyhow};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Docs, InterfaceId, Span, Stability, WorldItem, WorldKey};

use super::contract::Contract;
use super::module;

/// The name by which a front imports the interface `interface` of the
/// extension at `place`.
pub fn import_name(place: usize, interface: &str) -> String {
    format!("extension{place}-{interface}")
}

/// The interfaces of an extension that is inside, and the keys by which the
/// front's world imports them.
pub type Inside = HashMap<String, (WorldKey, InterfaceId)>;

/// Make a front for extensions, each of which exports these interfaces.
///
/// # Errors
///
/// When the contract has a function that a front cannot answer.
pub fn component(mut contract: Contract, exports: &[Vec<String>]) -> Result<Vec<u8>> {
    let mut inside = Vec::with_capacity(exports.len());
    for (place, interfaces) in exports.iter().enumerate() {
        inside.push(import(&mut contract, place, interfaces)?);
    }
    contract.measure();
    let mut module = module::generate(&contract, &inside)?;
    embed_component_metadata(&mut module, &contract.resolve, contract.front, StringEncoding::UTF8)
        .map_err(|error| anyhow!(error))?;
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|encoder| encoder.encode())
        .map_err(|error| anyhow!(error))
        .context("failed to make the component in front of the extensions")
}

fn import(contract: &mut Contract, place: usize, interfaces: &[String]) -> Result<Inside> {
    let mut inside = Inside::new();
    for name in interfaces {
        let original = contract.interface(name)?;
        let copy = contract.copy(original)?;
        let key = WorldKey::Name(import_name(place, name));
        let item = WorldItem::Interface {
            id: copy,
            stability: Stability::Unknown,
            external_id: None,
            docs: Docs::default(),
            span: Span::default(),
        };
        contract.resolve.worlds[contract.front].imports.insert(key.clone(), item);
        inside.insert(name.clone(), (key, copy));
    }
    Ok(inside)
}
