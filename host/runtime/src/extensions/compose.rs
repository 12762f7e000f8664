//! Composing: the runner's request to the helper, with the contents of a composed file, and the
//! result.
//!
//! ```no_run
//! use sqlite_wasm_runtime::artifact::compiler::Compiler;
//! use sqlite_wasm_runtime::artifact::component::Loader;
//! use sqlite_wasm_runtime::extensions::compose::{Base, Extension, compose};
//! use sqlite_wasm_runtime::extensions::ExtensionsCtx;
//!
//! let directories = ["extensions".into()];
//! let mut extensions = ExtensionsCtx::new(Vec::new());
//! let series = Extension::find("series", &directories, &mut extensions)?;
//! let cli = Base::read("cli.wasm".as_ref(), &Loader::new(None)?)?;
//! let composed = compose(&Compiler::default(), &cli, &[series], &mut extensions)?;
//! std::fs::write("out.wasm", composed.wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

pub use crate::artifact::compiler::compose::{Base, Extension};
use crate::artifact::compiler::compose::{check_names, encode};
use crate::artifact::compiler::{Compiler, Facts, Task};
use crate::artifact::component::Loader;
use crate::contract::check;
use crate::contract::composition::{Composition, Embedded, Placement};
use crate::contract::script::ENGINE_EXPORT;
use crate::contract::types::Manifest;
use crate::contract::version::{self, COMMAND_EXPORT, CONTRACT_VERSION, DATABASE_EXPORT};
use crate::extensions::ExtensionsCtx;
use crate::extensions::catalog::search;
use crate::words::escape::escaped;

/// The interface with which a CLI calls extensions, in any version.
const DISPATCH: &str = "sqlite-wasm:host/dispatch@";

/// A composed file.
pub struct Composed {
    /// Its content.
    pub wasm: Vec<u8>,
    /// What the file contains.
    pub composition: Composition,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Put `extensions` into `base`, by the helper of `compiler`. Those in `base` describe themselves by
/// `context`.
///
/// # Errors
///
/// When a component is not what it should be, an extension is embedded already, or
/// [`Failed`](crate::artifact::compiler::Failed).
pub fn compose(
    compiler: &Compiler,
    base: &Base,
    extensions: &[Extension],
    context: &mut ExtensionsCtx,
) -> Result<Composed> {
    let warnings = check_names(&base.parts()?.extensions, extensions)?;
    let is_fusing = extensions.iter().any(Extension::is_fused);
    let fused = if is_fusing { base.described(context)? } else { Vec::new() };
    let (header, parts) = encode(base, fused, extensions)?;
    let parts: Vec<&[u8]> = std::iter::once(&header[..]).chain(parts).collect();
    composed(compiler.run(Task::Compose, &parts)?, warnings)
}

/// The result of the helper, after the same checks as any composed file.
///
/// # Errors
///
/// When it is not a composed file.
fn composed(wasm: Vec<u8>, warnings: Vec<String>) -> Result<Composed> {
    let composition = Composition::of(&wasm)?.context("the result is not a composed file")?;
    Ok(Composed { wasm, composition, warnings })
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
            Ok(Self::new(wasm, version))
        };
        read().with_context(|| format!("failed to use the CLI `{}`", escaped(path)))
    }

    /// The manifests of the extensions that are fused into it, as they describe themselves: the list in
    /// the file is whoever's who made it.
    fn described(&self, extensions: &mut ExtensionsCtx) -> Result<Vec<Manifest>> {
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

impl Extension {
    /// The extension `name`, in `directories` or by the path of its `.wasm` file.
    ///
    /// # Errors
    ///
    /// When it does not exist, or is not an extension; the error says what it is.
    pub fn find(
        name: &str,
        directories: &[PathBuf],
        extensions: &mut ExtensionsCtx,
    ) -> Result<Self> {
        let path = search::by_name_or_path(name, directories)?;
        let extension = Self::read(&path, extensions);
        extension.with_context(|| format!("failed to embed `{}`", escaped(name)))
    }

    fn read(path: &Path, extensions: &mut ExtensionsCtx) -> Result<Self> {
        let (wasm, facts) = extensions.inspected(path)?;
        if let Some(wasm) = extensions.standalone(&wasm)? {
            let manifest = extensions.describe(path, &wasm)?;
            return Ok(Self::new(wasm, manifest, true));
        }
        // By its exports first: the message of one that does not start is longer.
        version::check(&facts.exports)?;
        let is_script = facts.exports(ENGINE_EXPORT);
        let manifest = extensions.describe(path, &wasm)?;
        Ok(Self::new(wasm, manifest, is_script))
    }
}
