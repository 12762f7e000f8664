//! Composing: extensions put into the CLI, from their compiled form.
//!
//! ```no_run
//! use sqlite_wasm_run::component::Loader;
//! use sqlite_wasm_run::compose::{Base, Extension, compose};
//! use sqlite_wasm_run::extensions::ExtensionsCtx;
//!
//! let directories = ["extensions".into()];
//! let mut extensions = ExtensionsCtx::new(Vec::new());
//! let series = Extension::find("series", &directories, &mut extensions)?;
//! let cli = Base::read("cli.wasm".as_ref(), &Loader::new(None)?)?;
//! let composed = compose(&cli, &[series])?;
//! std::fs::write("out.wasm", composed.wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! The result is one component with the CLI and the *fused* extensions, each with its own
//! memory. Generated [dispatch trampolines](dispatch) in the CLI's core module
//! call them without the host. The price: a trap of a fused extension ends the program,
//! since a component is entered or left as a whole. An extension that needs a grant
//! cannot be fused, as a component must not be entered again while it waits for SQL. Such
//! an extension is *bundled*: it is in the same file, and the runner gives it its own
//! sandbox.

mod base;
mod cli;
mod contract;
mod dispatch;
mod extension;
mod graph;
mod request;

use std::ops::Range;

use anyhow::{Context, Result, ensure};

pub use base::Base;
pub use extension::Extension;
pub use request::compose_by;
pub(crate) use request::handle;

use crate::composition::{
    BUNDLED_SECTION, Composition, Embedded, MAX_EMBEDDED, Placement, SECTION, layout,
};
use base::Parts;
use cli::Cli;
use graph::Graph;

/// A composed file.
pub struct Composed {
    /// Its content.
    pub wasm: Vec<u8>,
    /// What the file contains.
    pub composition: Composition,
    /// What the user should know, one line each.
    pub warnings: Vec<String>,
}

/// Put `extensions` into `base`. The same input gives the same bytes.
///
/// # Errors
///
/// When a component is not what it should be, or an extension is embedded already.
pub fn compose(base: &Base, extensions: &[Extension]) -> Result<Composed> {
    let before = base.parts()?;
    let warnings = check_names(&before.extensions, extensions)?;
    let (mut wasm, cli) = fuse(&before, extensions)?;
    let component_bytes = wasm.len();
    let extensions = embed(&mut wasm, &before, extensions)?;
    let cli_version = base.version().map(str::to_owned);
    let composition = Composition { component_bytes, cli, cli_version, extensions };
    layout::append_section(&mut wasm, SECTION, &composition.encode()?);
    Ok(Composed { wasm, composition, warnings })
}

/// What the user should know of composing these, one line each.
///
/// # Errors
///
/// When an extension is embedded already.
pub(crate) fn warnings(base: &Base, extensions: &[Extension]) -> Result<Vec<String>> {
    check_names(&base.parts()?.extensions, extensions)
}

/// Refuse an extension that is embedded twice, and warn of names that are registered twice.
fn check_names(before: &[Embedded], extensions: &[Extension]) -> Result<Vec<String>> {
    let mut known: Vec<(&str, Vec<String>)> =
        before.iter().map(|one| (one.name.as_str(), one.registers.clone())).collect();
    let mut warnings = Vec::new();
    for extension in extensions {
        let name = extension.name();
        let is_known = known.iter().any(|(other, _)| *other == name);
        ensure!(!is_known, "`{name}` is embedded already; name it once");
        let registers = extension.registers();
        for (other, theirs) in &known {
            let replaced = registers.iter().filter(|what| theirs.contains(what));
            warnings.extend(
                replaced.map(|what| format!("`{what}` of `{name}` replaces that of `{other}`")),
            );
        }
        known.push((name, registers));
    }
    ensure!(known.len() <= MAX_EMBEDDED, "a file has at most {MAX_EMBEDDED} extensions");
    Ok(warnings)
}

/// The component with the CLI and all that is fused, and where the CLI is in it.
fn fuse(before: &Parts, extensions: &[Extension]) -> Result<(Vec<u8>, Range<usize>)> {
    let new = || extensions.iter().filter(|extension| extension.is_fused());
    if new().next().is_none() {
        return Ok((before.component.to_vec(), before.cli.clone()));
    }
    let mut graph = Graph::default();
    let mut fused = Vec::new();
    for wasm in before.fused() {
        fused.push(graph.read(wasm?, None)?);
    }
    for one in new() {
        let read = graph.read(one.wasm(), Some(one.manifest()));
        fused.push(read.with_context(|| format!("failed to embed `{}`", one.name()))?);
    }
    let cli = Cli::open(before.wasm(&before.cli)?)
        .and_then(|cli| cli.with(&fused))
        .context("failed to use the CLI")?;
    let wasm = graph.join(cli.clone(), fused)?;
    let position = layout::find(&wasm, &layout::components(&wasm)?, &cli)?;
    Ok((wasm, position))
}

/// Append the bundled extensions to the component `wasm`, and list all that it contains.
fn embed(wasm: &mut Vec<u8>, before: &Parts, new: &[Extension]) -> Result<Vec<Embedded>> {
    let components = layout::components(wasm)?;
    let earlier = before.extensions.iter().map(|one| {
        let bytes = before.wasm(one.placement.range());
        bytes.map(|bytes| (one.clone(), bytes))
    });
    let new = new.iter().map(|one| Ok((one.embedded(), one.wasm())));
    earlier
        .chain(new)
        .map(|one| {
            let (mut embedded, bytes) = one?;
            *embedded.placement.range_mut() = match embedded.placement {
                Placement::Fused(_) => layout::find(wasm, &components, bytes)?,
                Placement::Bundled { .. } => layout::append_section(wasm, BUNDLED_SECTION, bytes),
            };
            Ok(embedded)
        })
        .collect()
}
