//! The CLI, decomposed into its core module and its world, and encoded again with dispatch
//! trampolines.

use anyhow::{Context, Result, anyhow, bail, ensure};
use wasmparser::{Parser, Payload};
use wit_component::{
    ComponentEncoder, DecodedWasm, StringEncoding, decode, embed_component_metadata,
};
use wit_parser::{Docs, InterfaceId, Span, Stability, WorldId, WorldItem, WorldKey};

use super::contract::Contract;
use super::dispatch;
use super::graph::Fused;

/// The CLI in pieces.
pub struct Cli<'a> {
    /// Its core module.
    pub module: &'a [u8],
    /// The contract, as the CLI has it.
    pub contract: Contract,
    world: WorldId,
}

impl<'a> Cli<'a> {
    /// Take the component `wasm` apart.
    ///
    /// # Errors
    ///
    /// When it was not made of one core module.
    pub fn open(wasm: &'a [u8]) -> Result<Self> {
        let DecodedWasm::Component(resolve, world) = decode(wasm)? else {
            bail!("it is WIT and not a component");
        };
        let contract = Contract::read(resolve)?;
        Ok(Self { module: main_module(wasm)?, contract, world })
    }

    /// Import the interface `name` of one extension as `key`.
    pub fn import(&mut self, name: &str, key: String) -> Result<(WorldKey, InterfaceId)> {
        let original = self.contract.interface(name)?;
        let copy = self.contract.copy(original)?;
        let key = WorldKey::Name(key);
        let item = WorldItem::Interface {
            id: copy,
            stability: Stability::Unknown,
            external_id: None,
            docs: Docs::default(),
            span: Span::default(),
        };
        self.contract.resolve.worlds[self.world].imports.insert(key.clone(), item);
        Ok((key, copy))
    }

    /// The same CLI with trampolines that call `extensions`.
    ///
    /// # Errors
    ///
    /// When the contract has a function for which there is no trampoline.
    pub fn with(mut self, extensions: &[Fused]) -> Result<Vec<u8>> {
        let mut module = dispatch::add_trampolines(&mut self, extensions)?;
        let resolve = &self.contract.resolve;
        embed_component_metadata(&mut module, resolve, self.world, StringEncoding::UTF8)?;
        ComponentEncoder::default()
            .validate(true)
            .module(&module)
            .and_then(|encoder| encoder.encode())
            .map_err(|error| anyhow!(error))
            .context("failed to put the CLI together again")
    }
}

/// The module of a component that was made of a single one: `wit-component` puts it first, and its
/// own adapters after it. Other modules would be lost.
fn main_module(wasm: &[u8]) -> Result<&[u8]> {
    let mut main = None;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ModuleSection { unchecked_range: range, .. } if main.is_none() => {
                main = wasm.get(range.start as usize..range.end as usize);
            }
            _ => {}
        }
    }
    let main = main.context("it has no code of its own")?;
    for payload in Parser::new(0).parse_all(main) {
        if let Payload::ImportSection(imports) = payload? {
            for import in imports.into_imports() {
                let module = import?.module;
                ensure!(
                    module != "wasi_snapshot_preview1",
                    "it was made for WASI 0.1; build it for wasm32-wasip2"
                );
            }
        }
    }
    Ok(main)
}
