//! Joining: what the CLI's front imports is answered by the extensions, and
//! what is left becomes the imports of the whole.

use std::collections::HashMap;

use anyhow::{Context, Result};
use wac_graph::types::{Interface, ItemKind, Package};
use wac_graph::{CompositionGraph, EncodeOptions, NodeId, PackageId};

use super::component::{is_closed, sandbox_name};
use super::front::import_name;

/// An extension that goes inside.
pub struct Inside<'a> {
    pub wasm: &'a [u8],
    /// The contract's interfaces that it exports, and their names with version.
    pub interfaces: Vec<(String, String)>,
}

/// Join the components.
///
/// # Errors
///
/// When an export does not have the form that an import asks for.
pub fn join(cli: Vec<u8>, extensions: &[Inside]) -> Result<Vec<u8>> {
    let mut graph = Graph::default();
    let cli = graph.add("sqlite-wasm:cli", cli)?;
    let wanted: Vec<String> = graph.imports(cli).into_iter().map(|(name, _)| name).collect();
    for (place, Inside { wasm, interfaces }) in extensions.iter().enumerate() {
        let extension = graph.add(&format!("sqlite-wasm:extension{place}"), wasm.to_vec())?;
        graph.close(extension)?;
        for (interface, export) in interfaces {
            let import = import_name(place, interface);
            if wanted.contains(&import) {
                graph.connect(extension, export, cli, &import)?;
            }
        }
    }
    graph.export_all(cli)?;
    graph.encode()
}

/// A component in the graph.
#[derive(Clone, Copy)]
struct Part {
    package: PackageId,
    instance: NodeId,
}

#[derive(Default)]
struct Graph {
    graph: CompositionGraph,
    /// What the extensions have in place of WASI's own, by its name.
    sandbox: HashMap<String, NodeId>,
}

impl Graph {
    fn add(&mut self, name: &str, wasm: Vec<u8>) -> Result<Part> {
        let package = Package::from_bytes(name, None, wasm, self.graph.types_mut())?;
        let package = self.graph.register_package(package)?;
        Ok(Part { package, instance: self.graph.instantiate(package) })
    }

    fn imports(&self, part: Part) -> Vec<(String, ItemKind)> {
        let world = self.graph[part.package].ty();
        let imports = &self.graph.types()[world].imports;
        imports.iter().map(|(name, kind)| (name.clone(), *kind)).collect()
    }

    fn connect(&mut self, from: Part, export: &str, to: Part, import: &str) -> Result<()> {
        let export = self.graph.alias_instance_export(from.instance, export)?;
        self.graph.set_instantiation_argument(to.instance, import, export)?;
        Ok(())
    }

    /// What leads out of the sandbox is imported by another name, so that an
    /// extension does not have what the CLI has.
    fn close(&mut self, part: Part) -> Result<()> {
        for (name, kind) in self.imports(part) {
            if is_closed(&name) {
                let node = self.sandbox(&sandbox_name(&name), kind)?;
                self.graph.set_instantiation_argument(part.instance, &name, node)?;
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

    fn export_all(&mut self, part: Part) -> Result<()> {
        let world = self.graph[part.package].ty();
        let names: Vec<String> = self.graph.types()[world].exports.keys().cloned().collect();
        for name in names {
            let export = self.graph.alias_instance_export(part.instance, &name)?;
            self.graph.export(export, name)?;
        }
        Ok(())
    }

    fn encode(self) -> Result<Vec<u8>> {
        let options = EncodeOptions { define_components: true, ..Default::default() };
        self.graph.encode(options).context("failed to join the components")
    }
}
