//! An extension that is being composed.

use crate::artifact::sha256::sha256;
use crate::contract::composition::{Embedded, Placement};
use crate::contract::types::Manifest;

/// An extension that is being composed.
pub struct Extension {
    wasm: Vec<u8>,
    manifest: Manifest,
    /// It was a script: its engine imports SQL, whether the script needs it or not.
    is_script: bool,
}

impl Extension {
    /// One whose file was read, and checked, by the caller.
    pub(crate) fn new(wasm: Vec<u8>, manifest: Manifest, is_script: bool) -> Self {
        Self { wasm, manifest, is_script }
    }

    /// The component.
    pub fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// Its name, by its manifest.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// What it registers and needs.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether it is a script with its engine.
    pub(super) fn is_script(&self) -> bool {
        self.is_script
    }

    /// Whether it becomes a part of the component. What needs a grant does not: a
    /// component must not be entered again while it waits for SQL, and its files and
    /// environment are the CLI's. Nor does an engine, which imports SQL.
    pub fn is_fused(&self) -> bool {
        self.manifest.needs.is_empty() && !self.is_script
    }

    /// What it registers, as `function/arguments`, or the name of a collation or module.
    pub(super) fn registers(&self) -> Vec<String> {
        let functions = self.manifest.functions.iter().map(|function| match function.arguments {
            -1 => format!("{}/any", function.name),
            count => format!("{}/{count}", function.name),
        });
        let collations = self.manifest.collations.iter().map(|one| one.name.clone());
        let modules = self.manifest.modules.iter().map(|one| one.name.clone());
        functions.chain(collations).chain(modules).collect()
    }

    /// Its entry in the list of a composed file, without its position.
    pub fn embedded(&self) -> Embedded {
        let placement = if self.is_fused() {
            Placement::Fused(0..0)
        } else {
            Placement::Bundled { range: 0..0, manifest: self.manifest.clone() }
        };
        Embedded {
            name: self.manifest.name.clone(),
            version: self.manifest.version.clone(),
            sha256: sha256(&self.wasm),
            registers: self.registers(),
            placement,
        }
    }
}
