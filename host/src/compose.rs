//! Composing: extensions put into the CLI, from their compiled form.
//!
//! ```no_run
//! use sqlite_wasm_run::component::Loader;
//! use sqlite_wasm_run::compose::{Base, Source, compose};
//! use sqlite_wasm_run::extensions::ExtensionsCtx;
//!
//! let directories = ["extensions".into()];
//! let mut extensions = ExtensionsCtx::new(Vec::new());
//! let series = Source::find("series", &directories, &mut extensions)?;
//! let cli = Base::read("cli.wasm".as_ref(), &Loader::new(None)?)?;
//! let composed = compose(&cli, &[series])?;
//! std::fs::write("out.wasm", composed.wasm)?;
//! # Ok::<(), anyhow::Error>(())
//! ```
//!
//! The result is a component that has the CLI and the extensions as parts, each
//! with a memory of its own, and in the CLI's core module a generated *front*.
//! Calls go from one to the other without the host. The price is that a trap of such an
//! extension ends the program, since a component is entered or left as a whole.
//! What an extension needs a grant for cannot be inside, since a component may
//! not be entered again while it waits: such an extension travels *beside*, in
//! the same file, and the runner gives it a sandbox of its own.

mod answers;
mod cli;
mod component;
mod composition;
mod contents;
mod contract;
mod front;
mod graph;
mod layout;
mod listing;
mod offer;
mod request;
mod source;
mod splice;

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use wasm_encoder::{ComponentSection, CustomSection};
use wasmparser::{Parser, Payload};

pub use composition::{Composition, Embedded};
pub use contents::{Contained, Contents};
pub(crate) use request::{answer, composed, request};
pub use source::{Source, known};

use crate::component::Loader;
use crate::escape::escaped;
use crate::extensions::check;
use cli::Cli;
use component::Shape;
use composition::{BESIDE_SECTION, SECTION};
use contract::Contract;
use graph::Inside;
use source::Way;

/// Most extensions in one file: as many as can be loaded at run time.
const MAX_EMBEDDED: usize = 256;

/// A composed file.
pub struct Composed {
    /// Its content.
    pub wasm: Vec<u8>,
    /// What it has.
    pub composition: Composition,
    /// What the user should know, one line each.
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

/// Put `extensions` into `base`. The same input gives the same bytes.
///
/// # Errors
///
/// When a component is not what it should be, or an extension is in there
/// already.
pub fn compose(base: &Base, extensions: &[Source]) -> Result<Composed> {
    let contract = Contract::read()?;
    let before = Before::of(&base.wasm)?;
    let mut parts = Vec::new();
    for source in extensions {
        let part = Part::of(source, &contract);
        parts.push(part.with_context(|| format!("failed to embed `{}`", source.name()))?);
    }
    let warnings = check_names(&before.extensions, extensions)?;
    let mut file = File::join(&before, &contract, &parts)?;
    let component_bytes = file.bytes.len();
    file.carry(&base.wasm, &before)?;
    file.add(&parts)?;
    let composition = Composition {
        component_bytes,
        cli: file.cli,
        cli_version: base.version.clone(),
        extensions: file.extensions,
    };
    section(&mut file.bytes, SECTION, &composition.encode()?);
    Ok(Composed { wasm: file.bytes, composition, warnings })
}

/// What takes extensions: a CLI, which may be composed already.
pub struct Base {
    wasm: Vec<u8>,
    version: Option<String>,
}

impl Base {
    /// Read the one at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or takes none.
    pub fn read(path: &Path, loader: &Loader) -> Result<Self> {
        let read = || -> Result<Self> {
            let (wasm, facts) = loader.inspect(path)?;
            let recorded = Composition::of(&wasm)?.and_then(|before| before.cli_version);
            Shape::known(&facts).check_cli(&Contract::read()?)?;
            let version = recorded.or(facts.cli_version);
            let version = version.filter(|version| check::line("version", version).is_ok());
            Ok(Self { wasm, version })
        };
        read().with_context(|| format!("failed to use the CLI `{}`", escaped(path)))
    }
}

/// What is composed with something: a CLI, which may have extensions already.
struct Before<'a> {
    /// The component, without what is behind it.
    whole: &'a [u8],
    /// The CLI in it.
    cli: &'a [u8],
    extensions: Vec<Embedded>,
}

impl<'a> Before<'a> {
    fn of(file: &'a [u8]) -> Result<Self> {
        let Some(composition) = Composition::of(file)? else {
            return Ok(Self { whole: file, cli: file, extensions: Vec::new() });
        };
        let whole = &file[..composition.component_bytes];
        let cli = whole.get(composition.cli).context("its list of extensions is damaged")?;
        Ok(Self { whole, cli, extensions: composition.extensions })
    }

    /// The extensions that are inside.
    fn inside(&self) -> Result<Vec<&'a [u8]>> {
        let ranges = self.extensions.iter().filter_map(|one| one.inside.clone());
        let found = ranges.map(|range| self.whole.get(range));
        found.collect::<Option<Vec<_>>>().context("its list of extensions is damaged")
    }
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
        if way == Way::Inside {
            shape.check_imports()?;
        }
        Ok(Self { source, interfaces, way })
    }

    fn fronted(&self) -> front::Extension<'_> {
        front::Extension { interfaces: &self.interfaces, manifest: self.source.manifest() }
    }
}

/// What the user should know of composing these, one line each.
///
/// # Errors
///
/// When an extension is in there already.
pub(crate) fn warnings(base: &Base, extensions: &[Source]) -> Result<Vec<String>> {
    check_names(&Before::of(&base.wasm)?.extensions, extensions)
}

/// Refuse an extension that is there twice, and warn of names that are.
fn check_names(before: &[Embedded], extensions: &[Source]) -> Result<Vec<String>> {
    let mut names: Vec<(&str, Vec<String>)> =
        before.iter().map(|one| (one.name.as_str(), one.registers.clone())).collect();
    let mut warnings = Vec::new();
    for source in extensions {
        let is_there = names.iter().any(|(name, _)| *name == source.name());
        ensure!(!is_there, "`{}` is embedded already; name it once", source.name());
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
    /// Where the CLI is.
    cli: Range<usize>,
    extensions: Vec<Embedded>,
}

impl File {
    /// Join what there was and what goes inside.
    fn join(before: &Before, contract: &Contract, parts: &[Part]) -> Result<Self> {
        let new: Vec<&Part> = parts.iter().filter(|part| part.way == Way::Inside).collect();
        let earlier = before.inside()?;
        if new.is_empty() {
            let bytes = before.whole.to_vec();
            let cli = match earlier.is_empty() {
                true => 0..bytes.len(),
                false => position(&bytes, before.cli)?,
            };
            return Ok(Self { bytes, cli, extensions: Vec::new() });
        }
        let fronted: Vec<front::Extension> = new.iter().map(|part| part.fronted()).collect();
        let cli = Cli::open(before.cli)
            .and_then(|cli| cli.with(earlier.len(), &fronted))
            .context("failed to use the CLI")?;
        let mut inside = Vec::new();
        for wasm in earlier {
            inside.push(Inside { wasm, interfaces: Shape::of(wasm)?.interfaces(contract)? });
        }
        for part in new {
            inside.push(Inside { wasm: part.source.wasm(), interfaces: part.interfaces.clone() });
        }
        let bytes = graph::join(cli.clone(), &inside)?;
        Ok(Self { cli: position(&bytes, &cli)?, bytes, extensions: Vec::new() })
    }

    /// Keep what the CLI was composed with before.
    fn carry(&mut self, file: &[u8], before: &Before) -> Result<()> {
        for one in &before.extensions {
            let inside = match &one.inside {
                Some(range) => Some(position(&self.bytes, &before.whole[range.clone()])?),
                None => None,
            };
            let beside = match &one.beside {
                Some(range) => Some(section(&mut self.bytes, BESIDE_SECTION, &file[range.clone()])),
                None => None,
            };
            self.extensions.push(Embedded { inside, beside, ..one.clone() });
        }
        Ok(())
    }

    /// Add what is new.
    fn add(&mut self, parts: &[Part]) -> Result<()> {
        for Part { source, way, .. } in parts {
            self.extensions.push(match way {
                Way::Inside => source.embedded(Some(position(&self.bytes, source.wasm())?), None),
                Way::Beside => {
                    let beside = section(&mut self.bytes, BESIDE_SECTION, source.wasm());
                    source.embedded(None, Some(beside))
                }
            });
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

/// The component `wasm` with one custom section of this name.
///
/// # Errors
///
/// When it is no component.
pub(crate) fn replace_section(wasm: &[u8], name: &str, content: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = layout::without_section(wasm, name)?;
    section(&mut bytes, name, content);
    Ok(bytes)
}

/// Append a custom section; where its content is.
fn section(bytes: &mut Vec<u8>, name: &str, content: &[u8]) -> Range<usize> {
    let section = CustomSection { name: name.into(), data: Cow::Borrowed(content) };
    section.append_to_component(bytes);
    bytes.len() - content.len()..bytes.len()
}
