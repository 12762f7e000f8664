//! `extension`: which extensions there are, and what one of them is.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use sqlite_wasm_run::cache::Folder;
use sqlite_wasm_run::compose::Contents;
use sqlite_wasm_run::exit_code;
use sqlite_wasm_run::extensions::inspect::{Function, Inspection, Offer};
use sqlite_wasm_run::extensions::{ExtensionsCtx, search};

use super::run::extension_folders;
use super::{Cache, complain, loader, print, second_wall};

/// Look at extensions
#[derive(Debug, clap::Args)]
pub struct Extension {
    #[command(subcommand)]
    action: Action,
}

/// What is looked at.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Which are found, and where
    List(Common),
    /// What one registers and needs, and why it would not load; of a program, what is in it
    Inspect(Inspect),
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Look for extensions in this folder first
    #[arg(long, value_name = "FOLDER")]
    extension_dir: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Inspect {
    /// The file of an extension or of a composed program, or an extension's name
    #[arg(value_name = "FILE|NAME")]
    extension: String,

    #[command(flatten)]
    common: Common,
}

impl Extension {
    /// Do it.
    ///
    /// # Errors
    ///
    /// When the extension is not found or cannot be read.
    pub fn execute(&self) -> Result<ExitCode> {
        match &self.action {
            Action::List(common) => list(common),
            Action::Inspect(inspect) => inspect.execute(),
        }
    }
}

fn json(value: &impl Serialize) -> Result<ExitCode> {
    Ok(print(format!("{}\n", serde_json::to_string_pretty(value)?).as_bytes()))
}

fn list(common: &Common) -> Result<ExitCode> {
    let found = search::all(&extension_folders(&common.extension_dir));
    if common.json {
        return json(&found);
    }
    let width = found.iter().map(|found| found.name.len()).max().unwrap_or(0);
    let line = |found: &search::Found| {
        let hidden = if found.hidden { "  (hidden by one above)" } else { "" };
        format!("{:width$}  {}{hidden}\n", found.name, found.path.display())
    };
    Ok(print(found.iter().map(line).collect::<String>().as_bytes()))
}

impl Inspect {
    fn execute(&self) -> Result<ExitCode> {
        let folders = extension_folders(&self.common.extension_dir);
        let given = Path::new(&self.extension);
        let path = match given.is_file() || self.extension.contains('/') {
            true => given.to_owned(),
            false => search::by_name(&self.extension, &folders)?,
        };
        second_wall::raise_for_looking(std::slice::from_ref(&path), None)?;
        if path.is_file()
            && let Some(program) = Contents::of(&path, &loader(Cache::Xdg)?)?
        {
            return match self.common.json {
                true => json(&program),
                false => Ok(print(contents(&program).as_bytes())),
            };
        }
        let mut extensions = ExtensionsCtx::new(folders).cache(Folder::by_xdg());
        let inspection = extensions.inspect(&self.extension, &path)?;
        let printed = match self.common.json {
            true => json(&inspection)?,
            false => print(table(&inspection).as_bytes()),
        };
        let Some(refusal) = &inspection.refusal else {
            return Ok(printed);
        };
        complain(&format!("error: {refusal}"));
        Ok(exit_code::ExitCode::Artifact.into())
    }
}

/// A program for people: a line for each extension.
fn contents(program: &Contents) -> String {
    let mut lines = Lines::default();
    let kind = if program.precompiled { ", precompiled" } else { "" };
    lines.add("cli", &program.cli_version);
    lines.add("file", program.path.display());
    lines.add("size", format!("{} bytes{kind}", program.file_bytes));
    lines.add("sha256", &program.sha256);
    for extension in &program.extensions {
        lines.add("extension", format!("{} {}", extension.name, extension.version));
        lines.add("  sha256", &extension.sha256);
        lines.add("  where", &extension.why);
        lines.add("  registers", extension.registers.join(", "));
    }
    lines.0
}

/// The inspection for people: what there is, a line for each kind of thing.
fn table(inspection: &Inspection) -> String {
    let mut lines = Lines::default();
    if let Some(offer) = &inspection.offer {
        lines.add("name", format!("{} {}", offer.name, offer.version));
        lines.add("description", &offer.description);
    }
    let kind = if inspection.precompiled { ", precompiled" } else { "" };
    lines.add("file", inspection.path.display());
    lines.add("size", format!("{} bytes{kind}", inspection.file_bytes));
    lines.add("sha256", &inspection.sha256);
    lines.add_some("contract", inspection.contract.as_ref());
    lines.add_some("code", inspection.code_bytes.map(|count| format!("{count} bytes")));
    let memory = inspection.memory_bytes.map(|count| format!("{count} bytes to begin with"));
    lines.add_some("memory", memory);
    if let Some(offer) = &inspection.offer {
        registered(offer, &mut lines);
    }
    lines.add_list("imports", inspection.imports.iter().cloned());
    lines.0
}

fn registered(offer: &Offer, lines: &mut Lines) {
    for kind in ["scalar", "aggregate", "window"] {
        let functions = offer.functions.iter().filter(|function| function.kind == kind);
        lines.add_list(kind, functions.map(signature));
    }
    lines.add_list("collation", offer.collations.iter().cloned());
    let module = |module: &sqlite_wasm_run::extensions::inspect::Module| {
        let writable = if module.writable { ", writable" } else { "" };
        format!("{} ({}{writable})", module.name, module.kind)
    };
    lines.add_list("table", offer.modules.iter().map(module));
    lines.add_list("needs", offer.needs.iter().cloned());
}

fn signature(function: &Function) -> String {
    match function.arguments {
        -1 => format!("{}(…)", function.name),
        count => format!("{}({count})", function.name),
    }
}

/// Lines with a word in front.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, word: &str, text: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{word:12} {text}");
    }

    fn add_some(&mut self, word: &str, text: Option<impl std::fmt::Display>) {
        if let Some(text) = text {
            self.add(word, text);
        }
    }

    fn add_list(&mut self, word: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        if !items.is_empty() {
            self.add(word, items.join(", "));
        }
    }
}
