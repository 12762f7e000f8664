//! Composing: extensions put into the CLI, from their compiled form.
//!
//! The result is one component with the CLI and the *fused* extensions, each with its own
//! memory. Generated [dispatch trampolines](dispatch), in a core module of their own,
//! call them without the host; the CLI's module stays as it was, byte for byte, so that it has
//! the same code (`native`). The price: a trap of a fused extension ends the program,
//! since a component is entered or left as a whole. An extension that needs a grant
//! cannot be fused, as a component must not be entered again while it waits for SQL. Such
//! an extension is *bundled*: it is in the same file, and the runner gives it its own
//! sandbox.

mod cli;
mod contract;
mod dispatch;
mod graph;
mod order;

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use sqlite_wasm_runtime::artifact::compiler::compose::{Extension, Parts, Request, check_names};
use sqlite_wasm_runtime::contract::composition::{
    BUNDLED_SECTION, Composition, Embedded, Placement, SECTION, layout,
};
use sqlite_wasm_runtime::contract::types::Manifest;

use cli::Cli;
use graph::Graph;

/// The composed file of a request. The same input gives the same bytes.
///
/// # Errors
///
/// When a component is of another kind, or an extension is embedded already.
pub fn compose(Request { base, fused, extensions }: &Request) -> Result<Vec<u8>> {
    let before = base.parts()?;
    check_names(&before.extensions, extensions)?;
    let (mut wasm, cli) = fuse(&before, fused, extensions)?;
    let component_bytes = wasm.len();
    let extensions = embed(&mut wasm, &before, extensions)?;
    let cli_version = base.version().map(str::to_owned);
    let composition = Composition { component_bytes, cli, cli_version, extensions };
    layout::append_section(&mut wasm, SECTION, &composition.encode()?);
    Ok(wasm)
}

/// The component with the CLI and all fused extensions, and the position of the CLI in it.
fn fuse(
    before: &Parts,
    manifests: &[Manifest],
    extensions: &[Extension],
) -> Result<(Vec<u8>, Range<usize>)> {
    let new = || extensions.iter().filter(|extension| extension.is_fused());
    if new().next().is_none() {
        return Ok((before.component.to_vec(), before.cli.clone()));
    }
    let mut graph = Graph::default();
    let mut fused = Vec::new();
    ensure!(before.fused().count() == manifests.len(), "a manifest is missing");
    for ((_, wasm), manifest) in before.fused().zip(manifests) {
        fused.push(graph.read(wasm?, manifest)?);
    }
    for one in new() {
        let read = graph.read(one.wasm(), one.manifest());
        fused.push(read.with_context(|| format!("failed to embed `{}`", one.name()))?);
    }
    let cli = Cli::open(before.wasm(&before.cli)?)
        .and_then(|cli| cli.with(&fused))
        .context("failed to use the CLI")?;
    let wasm = order::cli_first(&graph.join(cli.clone(), fused)?, &cli)?;
    let position = layout::find(&wasm, &layout::components(&wasm)?, &cli)?;
    Ok((wasm, position))
}

/// Append the bundled extensions to the component `wasm`, and the list of everything in it.
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
