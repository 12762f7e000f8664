//! Building: a script, or a component that another program has built, becomes an extension.

use std::path::Path;

use anyhow::Result;

use super::ExtensionsCtx;
use super::inspect::Offer;
use crate::contract::script::{Script, standalone};
use crate::contract::version;

/// What a compiler wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltForm {
    /// A component.
    Component,
    /// A core module that contains the types of its interfaces.
    Module,
}

/// An extension that was built.
pub struct Built {
    /// Its file.
    pub wasm: Vec<u8>,
    /// What it registers and needs.
    pub offer: Offer,
}

impl ExtensionsCtx {
    /// Compile the engine of JavaScript unless it is in the cache. Behind the second wall nothing
    /// would be written there.
    ///
    /// # Errors
    ///
    /// When it is missing, or cannot be used.
    pub fn prepare_engine(&mut self) -> Result<()> {
        let nothing = Script::javascript(b"")?;
        self.loader()?.load_bytes("engine".as_ref(), &nothing).map(drop)
    }

    /// The extension whose script in JavaScript this is, with a record of its manifest: with its
    /// engine, if it `is_standalone`. To get the manifest, this runs the script with the usual
    /// limits and without any grant.
    ///
    /// # Errors
    ///
    /// When the script fails, or exports no extension.
    pub fn build(&mut self, path: &Path, source: &[u8], is_standalone: bool) -> Result<Built> {
        let mut wasm = Script::javascript(source)?;
        if is_standalone {
            wasm = self.standalone(&wasm)?.unwrap_or(wasm);
        }
        let (wasm, manifest) = self.recorded(path, &wasm)?;
        Ok(Built { wasm, offer: Offer::from(&manifest) })
    }

    /// What another program has built at `path`, as a component with a record of its manifest. To get
    /// that, this runs the extension with the usual limits and without any grant. Its code is in the
    /// cache afterwards.
    ///
    /// # Errors
    ///
    /// When it is not an extension, or cannot be used.
    pub fn complete(&mut self, path: &Path, form: BuiltForm) -> Result<Built> {
        let loader = self.loader()?;
        let mut wasm = loader.bytes(path)?;
        if form == BuiltForm::Module {
            wasm = loader.encode(path, &wasm)?;
        }
        let facts = loader.facts(path, &wasm)?;
        version::check(&facts.exports)?;
        let (wasm, manifest) = self.recorded(path, &wasm)?;
        self.compile_ahead(path, &wasm)?;
        Ok(Built { wasm, offer: Offer::from(&manifest) })
    }

    /// A script's file with its engine as one component; `None` for a file that is not a script.
    pub(super) fn standalone(&mut self, wasm: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some(script) = Script::of(wasm)? else { return Ok(None) };
        let path = script.engine_file(self.directories())?;
        let engine = self.loader()?.bytes(&path)?;
        standalone(&engine, &script.source).map(Some)
    }
}
