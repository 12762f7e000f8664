//! `extension`: create, build, list, inspect and record extensions, and install those of others.

mod build;
mod catalogue;
mod new;
mod tools;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use sqlite_wasm_runtime::artifact::compiler::CustomSection;
use sqlite_wasm_runtime::contract::composition::Contents;
use sqlite_wasm_runtime::extensions::inspect::{Describe, Function, Inspection, Offer};
use sqlite_wasm_runtime::extensions::search;
use sqlite_wasm_runtime::sandbox::Recipe;
use sqlite_wasm_runtime::wall::exit_code;
use sqlite_wasm_runtime::words::escape::escaped;

use build::Build;
use catalogue::index::Index;
use catalogue::install::{Install, Update};
use catalogue::installed::{Remove, Verify, origin_of};
use catalogue::search::Search;
use catalogue::source::Source;
use new::New;

use super::extension_directories::extension_directories;
use super::{print, print_json, second_wall, write_whole};
use sqlite_wasm_runtime::words::complaint::complain;

/// Create, build, list and inspect extensions; install those of others
#[derive(Debug, clap::Args)]
pub struct Extension {
    #[command(subcommand)]
    action: Action,
}

/// The subcommands of `extension`.
#[derive(Debug, clap::Subcommand)]
enum Action {
    New(New),
    Build(Build),
    /// List the extensions that can be found, with their paths
    List(Common),
    /// Show what an extension registers and needs, and why it would not load; for a composed
    /// program, show its extensions. Does not run the file
    Inspect(Inspect),
    /// Store the manifest of an extension in its file, for `inspect`
    Record(Record),
    Install(Install),
    Update(Update),
    Remove(Remove),
    Search(Search),
    Verify(Verify),
    Source(Source),
    Index(Index),
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Search for extensions in this directory first
    #[arg(long, value_name = "DIR")]
    extension_dir: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Inspect {
    /// The name of an extension, or the file of an extension or a composed program
    #[arg(value_name = "FILE|NAME")]
    extension: String,

    /// Run the extension without any grant to get its manifest
    #[arg(long)]
    describe: bool,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Record {
    /// The files; each is replaced
    #[arg(value_name = "FILE.wasm", required = true)]
    files: Vec<PathBuf>,
}

impl Extension {
    /// Run the subcommand.
    ///
    /// # Errors
    ///
    /// When the extension is not found or cannot be read.
    pub fn execute(&self) -> Result<ExitCode> {
        match &self.action {
            Action::New(new) => new.execute(),
            Action::Build(build) => build.execute(),
            Action::List(common) => {
                list(&extension_directories(&common.extension_dir), common.json)
            }
            Action::Inspect(inspect) => inspect.execute(),
            Action::Record(record) => record.execute(),
            Action::Install(install) => install.execute(),
            Action::Update(update) => update.execute(),
            Action::Remove(remove) => remove.execute(),
            Action::Search(search) => search.execute(),
            Action::Verify(verify) => verify.execute(),
            Action::Source(source) => source.execute(),
            Action::Index(index) => index.execute(),
        }
    }
}

/// Print the extensions in `directories`.
///
/// # Errors
///
/// When the JSON cannot be made.
pub fn list(directories: &[PathBuf], as_json: bool) -> Result<ExitCode> {
    let found = search::all(directories);
    if as_json {
        return print_json(&found);
    }
    let width = found.iter().map(|found| found.name.len()).max().unwrap_or(0);
    let installed = catalogue::installed();
    let line = |found: &search::Found| {
        let hidden = if found.hidden { "  (hidden by one above)" } else { "" };
        let origin = origin_of(&found.path, &installed);
        let origin = origin.map(|origin| format!("  ({origin})")).unwrap_or_default();
        let name = escaped(&found.name).to_string();
        format!("{name:width$}  {}{origin}{hidden}\n", escaped(&found.path))
    };
    Ok(print(found.iter().map(line).collect::<String>().as_bytes()))
}

impl Inspect {
    fn execute(&self) -> Result<ExitCode> {
        let directories = extension_directories(&self.common.extension_dir);
        let path = search::by_name_or_path(&self.extension, &directories)?;
        let describe = if self.describe { Describe::Run } else { Describe::Recorded };
        let mut extensions = searching(&directories).extensions();
        let read: Vec<_> = directories.into_iter().chain([path.clone()]).collect();
        second_wall::raise_for_looking(&read, &[])?;
        let inspection = extensions.inspect(&self.extension, &path, describe)?;
        let printed = match (self.common.json, &inspection.program) {
            (true, Some(program)) => print_json(program)?,
            (true, None) => print_json(&inspection)?,
            (false, Some(program)) => print(contents(program).as_bytes()),
            (false, None) => print(table(&inspection).as_bytes()),
        };
        let Some(refusal) = &inspection.refusal else {
            return Ok(printed);
        };
        complain(format!("error: {refusal}"));
        Ok(exit_code::ExitCode::Artifact.into())
    }
}

impl Record {
    fn execute(&self) -> Result<ExitCode> {
        let mut extensions = searching(&extension_directories(&[])).extensions();
        for path in &self.files {
            let recorded = extensions.record(path);
            let recorded =
                recorded.with_context(|| format!("failed to record `{}`", escaped(path)))?;
            write_whole(path, &recorded)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The user's recipe, with these directories of extensions and engines.
fn searching(directories: &[PathBuf]) -> Recipe {
    let mut recipe = Recipe::of_user();
    recipe.search_extensions(directories.to_vec());
    recipe
}

/// A composed program as text: a few lines for each extension.
fn contents(program: &Contents) -> String {
    let mut lines = Lines::default();
    let kind = if program.precompiled { ", precompiled" } else { "" };
    lines.add("cli", escaped(program.cli_version.as_deref().unwrap_or("unknown")));
    lines.add("file", escaped(&program.path));
    lines.add("size", format!("{} bytes{kind}", program.file_bytes));
    lines.add("sha256", &program.sha256);
    for extension in &program.extensions {
        lines.add("extension", format!("{} {}", extension.name, escaped(&extension.version)));
        lines.add("  sha256", &extension.sha256);
        lines.add("  placement", &extension.placement);
        lines.add_list("  registers", extension.registers.iter());
    }
    lines.0
}

/// The inspection as text: a line for each kind of item.
fn table(inspection: &Inspection) -> String {
    let mut lines = Lines::default();
    if let Some(offer) = &inspection.offer {
        lines.add("name", format!("{} {}", offer.name, escaped(&offer.version)));
        lines.add("description", escaped(&offer.description));
    }
    let kind = if inspection.precompiled { ", precompiled" } else { "" };
    lines.add("file", escaped(&inspection.path));
    lines.add("size", format!("{} bytes{kind}", inspection.file_bytes));
    lines.add("sha256", &inspection.sha256);
    if inspection.precompiled && inspection.refusal.is_none() {
        lines.add("seal", "valid; native code is not inspected");
    }
    lines.add_some("engine", inspection.engine.as_ref());
    lines.add_some("contract", inspection.contract.as_ref().map(escaped));
    lines.add_some("code", inspection.code_bytes.map(|count| format!("{count} bytes")));
    let memory = inspection.memory_bytes.map(|count| format!("{count} bytes to begin with"));
    lines.add_some("memory", memory);
    lines.add_some("manifest", source(inspection));
    if let Some(offer) = &inspection.offer {
        registered(offer, &mut lines);
    }
    lines.add_list("imports", inspection.imports.iter());
    let section = |section: &CustomSection| format!("{} ({} bytes)", section.name, section.bytes);
    lines.add_list("sections", inspection.sections.iter().map(section));
    lines.0
}

/// Where the lines about functions come from.
fn source(inspection: &Inspection) -> Option<&'static str> {
    match inspection.offer_source {
        Some("recorded") => Some("recorded in the file; `--describe` runs the extension"),
        Some(_) => Some("reported by the extension"),
        None if inspection.precompiled || inspection.refusal.is_some() => None,
        None => Some("not recorded; `--describe` runs the extension"),
    }
}

fn registered(offer: &Offer, lines: &mut Lines) {
    for kind in ["scalar", "aggregate", "window", "tokenizer"] {
        let functions = offer.functions.iter().filter(|function| function.kind == kind);
        lines.add_list(kind, functions.map(signature));
    }
    lines.add_list("collation", offer.collations.iter());
    let module = |module: &sqlite_wasm_runtime::extensions::inspect::Module| {
        let writable = if module.writable { ", writable" } else { "" };
        format!("{} ({}{writable})", module.name, module.kind)
    };
    lines.add_list("table", offer.modules.iter().map(module));
    lines.add_list("needs", offer.needs.iter());
}

fn signature(function: &Function) -> String {
    match function.arguments {
        -1 => format!("{}(…)", function.name),
        count => format!("{}({count})", function.name),
    }
}

/// Lines that begin with a label.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, word: &str, text: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{word:12} {text}");
    }

    fn add_some(&mut self, word: &str, text: Option<impl std::fmt::Display>) {
        if let Some(text) = text {
            self.add(word, text);
        }
    }

    /// Escapes each item, since extensions choose the names.
    fn add_list(&mut self, word: &str, items: impl Iterator<Item = impl AsRef<str>>) {
        let items: Vec<String> = items.map(|item| escaped(item.as_ref()).to_string()).collect();
        if !items.is_empty() {
            self.add(word, items.join(", "));
        }
    }
}
