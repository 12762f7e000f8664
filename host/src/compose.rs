//! Composing: extensions put into the CLI, from their compiled form.
//!
//! ```no_run
//! use sqlite_wasm_run::compose::{Source, compose};
//! use sqlite_wasm_run::extensions::ExtensionsCtx;
//!
//! let folders = ["extensions".into()];
//! let mut extensions = ExtensionsCtx::new(Vec::new());
//! let series = Source::find("series", &folders, &mut extensions)?;
//! let composed = compose(&std::fs::read("cli.wasm")?, &[series])?;
//! std::fs::write("out.wasm", composed.wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! The result is a component that has the CLI and the extensions as parts, each
//! with a memory of its own, and a generated *front* between them. Calls go
//! from one to the other without the host. The price is that a trap of such an
//! extension ends the program, since a component is entered or left as a whole.
//! What an extension needs a grant for cannot be inside, since a component may
//! not be entered again while it waits: such an extension travels *beside*, in
//! the same file, and the runner gives it a sandbox of its own.

mod component;
mod composition;
mod contract;
mod front;
mod graph;
mod module;
mod source;

use std::borrow::Cow;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{ComponentSection, CustomSection};
use wasmparser::{Parser, Payload};

pub use composition::{Composition, Embedded};
pub use source::{Source, known};

use component::Shape;
use composition::{BESIDE_SECTION, SECTION};
use contract::Contract;
use source::Way;

/// Most extensions in one file: as many as can be loaded at run time.
const MAX_EMBEDDED: usize = 256;

/// A composed file.
pub struct Composed {
    /// Its content.
    pub wasm: Vec<u8>,
    /// What it has.
    pub composition: Composition,
    /// What the person should know, one line each.
    pub warnings: Vec<String>,
}

/// What the composed file `wasm` has; none for one that is not composed.
///
/// # Errors
///
/// When the list is damaged.
pub fn embedded(wasm: &[u8]) -> Result<Option<Composition>> {
    Composition::of(wasm)
}

/// Put `extensions` into `cli`, which may be composed already. The same input
/// gives the same bytes.
///
/// # Errors
///
/// When a component is not what it should be, or an extension is in there
/// already.
pub fn compose(cli: &[u8], extensions: &[Source]) -> Result<Composed> {
    let contract = Contract::read()?;
    let before = Composition::of(cli)?;
    let bare = before.as_ref().map_or(cli, |before| &cli[..before.component_bytes]);
    Shape::of(bare)
        .and_then(|shape| shape.check_cli(&contract))
        .context("failed to use the CLI")?;
    let mut parts = Vec::new();
    for source in extensions {
        let part = Part::of(source, &contract);
        parts.push(part.with_context(|| format!("failed to embed `{}`", source.name()))?);
    }
    let before = before.map_or_else(Vec::new, |before| before.extensions);
    let warnings = check_names(&before, extensions)?;
    let mut file = File { bytes: join(contract, bare, &parts)?, extensions: Vec::new() };
    let component_bytes = file.bytes.len();
    file.carry(cli, bare, &before)?;
    file.add(&parts)?;
    let composition = Composition { component_bytes, extensions: file.extensions };
    section(&mut file.bytes, SECTION, &composition.encode()?);
    Ok(Composed { wasm: file.bytes, composition, warnings })
}

/// An extension, and what of it is used.
struct Part<'a> {
    source: &'a Source,
    interfaces: Vec<(String, String)>,
    way: Way,
}

impl<'a> Part<'a> {
    fn of(source: &'a Source, contract: &Contract) -> Result<Self> {
        let shape = Shape::of(source.wasm())?;
        let interfaces = shape.interfaces(contract)?;
        source.check_offer(&interfaces)?;
        let way = source.way(&shape);
        if way != Way::Beside {
            shape.check_imports()?;
        }
        Ok(Self { source, interfaces, way })
    }
}

fn join(contract: Contract, cli: &[u8], parts: &[Part]) -> Result<Vec<u8>> {
    let inside: Vec<&Part> = parts.iter().filter(|part| part.way != Way::Beside).collect();
    if inside.is_empty() {
        return Ok(cli.to_vec());
    }
    let dispatch = contract.id(contract.dispatch()?)?;
    let exports: Vec<Vec<String>> = inside
        .iter()
        .map(|part| part.interfaces.iter().map(|(name, _)| name.clone()).collect())
        .collect();
    let front = front::component(contract, &exports)?;
    let extensions: Vec<graph::Inside> = inside
        .iter()
        .map(|part| graph::Inside { wasm: part.source.wasm(), interfaces: &part.interfaces })
        .collect();
    graph::join(cli, &dispatch, front, &extensions)
}

/// Refuse an extension that is there twice, and warn of names that are.
fn check_names(before: &[Embedded], extensions: &[Source]) -> Result<Vec<String>> {
    let mut names: Vec<(&str, Vec<String>)> =
        before.iter().map(|one| (one.name.as_str(), one.registers.clone())).collect();
    let mut warnings = Vec::new();
    for source in extensions {
        let is_there = names.iter().any(|(name, _)| *name == source.name());
        ensure!(!is_there, "`{}` is embedded already", source.name());
        let registers = source.registers();
        for (other, theirs) in &names {
            for what in registers.iter().filter(|what| theirs.contains(what)) {
                warnings
                    .push(format!("`{what}` of `{}` replaces that of `{other}`", source.name()));
            }
        }
        names.push((source.name(), registers));
    }
    ensure!(names.len() <= MAX_EMBEDDED, "a file has at most {MAX_EMBEDDED} extensions");
    Ok(warnings)
}

/// A composed file in the making.
struct File {
    bytes: Vec<u8>,
    extensions: Vec<Embedded>,
}

impl File {
    /// Keep what the CLI was composed with before.
    fn carry(&mut self, cli: &[u8], bare: &[u8], before: &[Embedded]) -> Result<()> {
        let inner = if self.bytes == bare { 0 } else { position(&self.bytes, bare)?.start };
        for one in before {
            let inside = one.inside.clone().map(|range| range.start + inner..range.end + inner);
            let beside = match &one.beside {
                Some(range) => Some(section(&mut self.bytes, BESIDE_SECTION, &cli[range.clone()])),
                None => None,
            };
            self.extensions.push(Embedded { inside, beside, ..one.clone() });
        }
        Ok(())
    }

    /// Add what is new.
    fn add(&mut self, parts: &[Part]) -> Result<()> {
        for Part { source, way, .. } in parts {
            let inside = match way {
                Way::Inside | Way::Both => Some(position(&self.bytes, source.wasm())?),
                Way::Beside => None,
            };
            let beside = match way {
                Way::Beside | Way::Both => {
                    Some(section(&mut self.bytes, BESIDE_SECTION, source.wasm()))
                }
                Way::Inside => None,
            };
            self.extensions.push(source.embedded(inside, beside));
        }
        Ok(())
    }
}

/// Where the component `part` stands in the component `whole`.
fn position(whole: &[u8], part: &[u8]) -> Result<Range<usize>> {
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(whole) {
        match payload? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentSection { unchecked_range, .. } if depth == 1 => {
                let range = unchecked_range.start as usize..unchecked_range.end as usize;
                if whole[range.clone()] == *part {
                    return Ok(range);
                }
            }
            _ => {}
        }
    }
    anyhow::bail!("a part of the composed component is missing")
}

/// Append a custom section; where its content is.
fn section(bytes: &mut Vec<u8>, name: &str, content: &[u8]) -> Range<usize> {
    let section = CustomSection { name: name.into(), data: Cow::Borrowed(content) };
    section.append_to_component(bytes);
    bytes.len() - content.len()..bytes.len()
}
