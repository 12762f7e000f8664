//! The CLI, decomposed into its core module and its world, and encoded again with dispatch
//! trampolines.

use anyhow::{Context, Result, anyhow, bail, ensure};
use sqlite_wasm_native::component;
use wasmparser::{Parser, Payload};
use wit_component::{
    ComponentEncoder, DecodedWasm, LibraryInfo, StringEncoding, decode, embed_component_metadata,
};
use wit_parser::{Docs, InterfaceId, Span, Stability, World, WorldId, WorldItem, WorldKey};

use super::contract::Contract;
use super::dispatch;
use super::graph::{Fused, is_import_name};

/// The CLI in pieces.
pub struct Cli<'a> {
    /// Its core module.
    pub module: &'a [u8],
    /// The contract, as the CLI has it.
    pub contract: Contract,
    /// Of the core module, without trampolines of an earlier composition.
    world: WorldId,
    /// Of the trampolines.
    trampolines: WorldId,
}

impl<'a> Cli<'a> {
    /// Take the component `wasm` apart.
    ///
    /// # Errors
    ///
    /// When it has no core module of its own, or was made for another contract.
    pub fn open(wasm: &'a [u8]) -> Result<Self> {
        let DecodedWasm::Component(resolve, world) = decode(wasm)? else {
            bail!("it is WIT and not a component");
        };
        let mut contract = Contract::read(resolve)?;
        let worlds = &mut contract.resolve.worlds;
        let is_own = |key: &WorldKey| !matches!(key, WorldKey::Name(name) if is_import_name(name));
        worlds[world].imports.retain(|key, _| is_own(key));
        let without_exports = World {
            name: TRAMPOLINES.into(),
            exports: Default::default(),
            ..worlds[world].clone()
        };
        let trampolines = worlds.alloc(without_exports);
        Ok(Self { module: main_module(wasm)?, contract, world, trampolines })
    }

    /// Let the trampolines import the interface `name` of one extension as `key`.
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
        self.contract.resolve.worlds[self.trampolines].imports.insert(key.clone(), item);
        Ok((key, copy))
    }

    /// The same CLI with trampolines that call `extensions`.
    ///
    /// # Errors
    ///
    /// When the contract has a function without a trampoline.
    pub fn with(mut self, extensions: &[Fused]) -> Result<Vec<u8>> {
        let trampolines = dispatch::trampolines(&mut self, extensions)?;
        let trampolines = self.described(trampolines, self.trampolines)?;
        let module = self.described(self.module.to_vec(), self.world)?;
        let dispatch = self.contract.dispatch_module()?;
        let library = LibraryInfo { arguments: Vec::new() };
        let cli = ComponentEncoder::default()
            .validate(true)
            .module(&module)
            .and_then(|encoder| encoder.library(&dispatch, &trampolines, library))
            .and_then(|encoder| encoder.encode())
            .map_err(|error| anyhow!(error))
            .context("failed to put the CLI together again")?;
        // The encoder notes in the module which tools have made it.
        let place = component::modules(&cli)?.into_iter().next().context(NO_CODE)?;
        Ok(component::replaced(&cli, &place, self.module))
    }

    /// A core module with its world, as the encoder needs it.
    fn described(&self, mut module: Vec<u8>, world: WorldId) -> Result<Vec<u8>> {
        let resolve = &self.contract.resolve;
        embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8)?;
        Ok(module)
    }
}

/// The name of the trampolines' world.
const TRAMPOLINES: &str = "trampolines";

const NO_CODE: &str = "it contains no core module";

/// The module of a component that was made of a single one: `wit-component` puts it first, and
/// behind it trampolines and its own adapters, which are made anew. Other modules are lost.
fn main_module(wasm: &[u8]) -> Result<&[u8]> {
    let main = component::modules(wasm)?.into_iter().find(|module| !module.is_nested());
    let main = &wasm[main.context(NO_CODE)?.content];
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
