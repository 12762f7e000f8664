//! The CLI that extensions are put into.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::Extension;
use crate::artifact::compiler::Facts;
use crate::artifact::component::Loader;
use crate::contract::check;
use crate::contract::composition::{Composition, Embedded, Placement};
use crate::contract::types::Manifest;
use crate::contract::version::{COMMAND_EXPORT, CONTRACT_VERSION, DATABASE_EXPORT};
use crate::extensions::ExtensionsCtx;
use crate::words::escape::escaped;

/// The interface with which a CLI calls extensions, in any version.
const DISPATCH: &str = "sqlite-wasm:host/dispatch@";

/// What takes extensions: a CLI, which may be composed already.
pub struct Base {
    wasm: Vec<u8>,
    version: Option<String>,
}

impl Base {
    /// Read the file at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or takes no extensions.
    pub fn read(path: &Path, loader: &Loader) -> Result<Self> {
        let read = || -> Result<Self> {
            let (wasm, facts) = loader.inspect(path)?;
            check_cli(&facts)?;
            let recorded = Composition::of(&wasm)?.and_then(|before| before.cli_version);
            let version = recorded.or(facts.cli_version);
            let version = version.filter(|version| check::line("version", version).is_ok());
            Ok(Self { wasm, version })
        };
        read().with_context(|| format!("failed to use the CLI `{}`", escaped(path)))
    }

    /// One whose file was read, and checked, by the caller.
    pub(super) fn new(wasm: Vec<u8>, version: Option<String>) -> Self {
        Self { wasm, version }
    }

    /// The manifests of the extensions that are fused into it, as they describe themselves: the list in
    /// the file is whoever's who made it.
    pub(super) fn described(&self, extensions: &mut ExtensionsCtx) -> Result<Vec<Manifest>> {
        let parts = self.parts()?;
        let manifests = parts.fused().map(|(listed, wasm)| {
            let (name, wasm) = (escaped(&listed.name), wasm?);
            let manifest = extensions.describe(Path::new(&listed.name), wasm);
            let manifest = manifest.with_context(|| format!("failed to use `{name}` in the CLI"))?;
            let found = Extension::new(wasm.to_vec(), manifest.clone(), false).embedded();
            let placement = found.placement;
            let found = Embedded { placement: listed.placement.clone(), ..found };
            ensure!(
                found == *listed && matches!(placement, Placement::Fused(_)),
                "the CLI's list of extensions says something else of `{name}` than `{name}` itself; \
                 compose it again from its parts"
            );
            Ok(manifest)
        });
        manifests.collect()
    }

    pub(super) fn wasm(&self) -> &[u8] {
        &self.wasm
    }

    /// The version of SQLite, where the CLI has it.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The CLI and the extensions in the file.
    ///
    /// # Errors
    ///
    /// When its list of extensions is damaged.
    pub fn parts(&self) -> Result<Parts<'_>> {
        let file = &self.wasm[..];
        let parts = match Composition::of(file)? {
            None => Parts { file, component: file, cli: 0..file.len(), extensions: Vec::new() },
            Some(Composition { component_bytes, cli, extensions, .. }) => {
                Parts { file, component: &file[..component_bytes], cli, extensions }
            }
        };
        Ok(parts)
    }
}

/// Refuse a component that is not a CLI, or one for another version.
fn check_cli(facts: &Facts) -> Result<()> {
    let wanted = format!("{DISPATCH}{CONTRACT_VERSION}");
    let is_program = facts.exports(COMMAND_EXPORT) || facts.exports(DATABASE_EXPORT);
    ensure!(
        is_program,
        "it is neither a command-line component nor a database: it does not export \
         `wasi:cli/run` or `sqlite-wasm:database/connections`"
    );
    match facts.imports.iter().find(|name| name.starts_with(DISPATCH)) {
        Some(found) if *found == wanted => Ok(()),
        Some(found) => bail!("it was made for `{found}`, not for `{wanted}`; build it again"),
        None => bail!("it takes no extensions: it does not import `{wanted}`"),
    }
}

/// The parts of a base.
pub struct Parts<'a> {
    file: &'a [u8],
    /// The component, without what follows it in the file.
    pub component: &'a [u8],
    /// Where the CLI is in the component.
    pub cli: Range<usize>,
    /// Its embedded extensions.
    pub extensions: Vec<Embedded>,
}

impl<'a> Parts<'a> {
    /// The bytes of one part.
    ///
    /// # Errors
    ///
    /// When the file has no such part.
    pub fn wasm(&self, range: &Range<usize>) -> Result<&'a [u8]> {
        self.file.get(range.clone()).context("its list of extensions is damaged")
    }

    /// The extensions that are fused.
    pub fn fused(&self) -> impl Iterator<Item = (&Embedded, Result<&'a [u8]>)> {
        self.extensions.iter().filter_map(|one| match &one.placement {
            Placement::Fused(range) => Some((one, self.wasm(range))),
            Placement::Bundled { .. } => None,
        })
    }
}
