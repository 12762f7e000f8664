//! Joining the CLI with the fused extensions: an extension's exports become the imports
//! of the CLI's dispatch trampolines, and all other imports become those of the whole.

use std::collections::HashMap;

use anyhow::{Context, Result, anyhow, bail};
use wac_graph::types::{Interface, ItemKind, Package};
use wac_graph::{CompositionGraph, EncodeOptions, NodeId, PackageId};

use super::contract::INTERFACES;
use sqlite_wasm_runtime::contract::types::Manifest;

/// What of WASI an extension does not share with the CLI: the ways out of a sandbox.
const CLOSED: &[&str] = &[
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:cli/terminal-stderr",
    "wasi:filesystem/preopens",
];

/// What an extension shares with the CLI: types, or functions that give nothing away.
const SHARED: &[&str] = &[
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// The contract with extensions, in any version.
const CONTRACT: &str = "sqlite-wasm:extension/";

/// The import of a CLI for an interface of the fused extension at `index`.
pub fn import_name(index: usize, interface: &str) -> String {
    format!("{IMPORT}{index}-{interface}")
}

/// Whether a CLI has this import from an earlier composition.
pub fn is_import_name(name: &str) -> bool {
    name.strip_prefix(IMPORT).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

const IMPORT: &str = "extension";

/// An extension that is fused.
pub struct Fused<'a> {
    /// The contract's interfaces that it exports: by name, and by name with version.
    pub exports: Vec<(&'static str, String)>,
    /// What it registers.
    pub manifest: &'a Manifest,
    package: Package,
}

impl Fused<'_> {
    /// Whether it exports this interface of the contract.
    pub fn exports(&self, interface: &str) -> bool {
        self.exports.iter().any(|(name, _)| *name == interface)
    }
}

/// An instance in the graph.
#[derive(Clone, Copy)]
struct Instance {
    package: PackageId,
    node: NodeId,
}

/// The CLI and the fused extensions.
#[derive(Default)]
pub struct Graph {
    graph: CompositionGraph,
    /// What the extensions import instead of WASI's own interfaces, by name.
    sandbox: HashMap<String, NodeId>,
    /// Extensions read so far.
    count: usize,
}

impl Graph {
    /// Read an extension.
    ///
    /// # Errors
    ///
    /// When it is not a component, or has an import that no fused extension can have.
    pub fn read<'a>(&mut self, wasm: &[u8], manifest: &'a Manifest) -> Result<Fused<'a>> {
        let name = format!("sqlite-wasm:extension{}", self.count);
        self.count += 1;
        let package = Package::from_bytes(&name, None, wasm, self.graph.types_mut())
            .map_err(|error| anyhow!("it is not a valid component: {error:#}; build it again"))?;
        let world = &self.graph.types()[package.ty()];
        world.imports.keys().try_for_each(|import| check_import(import))?;
        let names = || world.exports.keys();
        let export = |name| names().find(|export| interface_of(export) == Some(name));
        let exports = INTERFACES.iter().filter_map(|name| Some((*name, export(name)?.clone())));
        Ok(Fused { exports: exports.collect(), manifest, package })
    }

    /// Join `cli` with `extensions`.
    ///
    /// # Errors
    ///
    /// When the type of an export is not that of the import.
    pub fn join(mut self, cli: Vec<u8>, extensions: Vec<Fused>) -> Result<Vec<u8>> {
        let cli = Package::from_bytes("sqlite-wasm:cli", None, cli, self.graph.types_mut())?;
        let cli = self.instantiate(cli)?;
        let wanted: Vec<String> = self.imports(cli).into_iter().map(|(name, _)| name).collect();
        for (index, Fused { exports, package, .. }) in extensions.into_iter().enumerate() {
            let extension = self.instantiate(package)?;
            self.close(extension)?;
            for (interface, export) in exports {
                let import = import_name(index, interface);
                if wanted.contains(&import) {
                    let export = self.graph.alias_instance_export(extension.node, &export)?;
                    self.graph.set_instantiation_argument(cli.node, &import, export)?;
                }
            }
        }
        self.export_all(cli)?;
        let options = EncodeOptions { define_components: true, ..Default::default() };
        self.graph.encode(options).context("failed to join the components")
    }

    fn instantiate(&mut self, package: Package) -> Result<Instance> {
        let package = self.graph.register_package(package)?;
        Ok(Instance { package, node: self.graph.instantiate(package) })
    }

    fn imports(&self, of: Instance) -> Vec<(String, ItemKind)> {
        let world = self.graph[of.package].ty();
        let imports = &self.graph.types()[world].imports;
        imports.iter().map(|(name, kind)| (name.clone(), *kind)).collect()
    }

    /// Import what leads out of the sandbox by another name, so that an extension has not
    /// what the CLI has.
    fn close(&mut self, extension: Instance) -> Result<()> {
        for (name, kind) in self.imports(extension) {
            if CLOSED.contains(&without_version(&name)) {
                let node = self.sandbox(&format!("extension-{name}"), kind)?;
                self.graph.set_instantiation_argument(extension.node, &name, node)?;
            }
        }
        Ok(())
    }

    fn sandbox(&mut self, name: &str, kind: ItemKind) -> Result<NodeId> {
        if let Some(node) = self.sandbox.get(name) {
            return Ok(*node);
        }
        let kind = match kind {
            ItemKind::Instance(id) => {
                let types = self.graph.types_mut();
                let renamed = Interface { id: Some(name.to_owned()), ..types[id].clone() };
                ItemKind::Instance(types.add_interface(renamed))
            }
            kind => kind,
        };
        let node = self.graph.import(name, kind)?;
        self.sandbox.insert(name.to_owned(), node);
        Ok(node)
    }

    fn export_all(&mut self, of: Instance) -> Result<()> {
        let world = self.graph[of.package].ty();
        let names: Vec<String> = self.graph.types()[world].exports.keys().cloned().collect();
        for name in names {
            let export = self.graph.alias_instance_export(of.node, &name)?;
            self.graph.export(export, name)?;
        }
        Ok(())
    }
}

fn without_version(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

/// The interface of the contract that an export is.
fn interface_of(export: &str) -> Option<&str> {
    without_version(export).strip_prefix(CONTRACT)
}

/// Refuse an import that no fused extension can have.
fn check_import(import: &str) -> Result<()> {
    let name = without_version(import);
    if CLOSED.contains(&name) || SHARED.contains(&name) || name.starts_with(CONTRACT) {
        return Ok(());
    }
    bail!("it imports `{import}`, which no embedded extension can have; load it instead")
}
