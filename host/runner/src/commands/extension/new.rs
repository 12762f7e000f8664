//! `extension new`: a script to begin with, and its test.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::{print, write_whole};

/// Longest name of an extension that is made here: its file has it.
const MAX_NAME_BYTES: usize = 63;

/// The name in the templates.
const TEMPLATE_NAME: &str = "mine";

/// The types for editors.
const TYPES: &str = include_str!("templates/extension.d.ts");

/// Write NAME.js, its test NAME.sql with NAME.expected, and types for editors
#[derive(Debug, clap::Args)]
pub struct New {
    /// The name: small letters, digits and `_`
    #[arg(value_name = "NAME")]
    name: String,

    /// The language; for Rust and C, `make new-extension` in the repository
    #[arg(long, value_enum, default_value = "javascript")]
    language: Language,

    /// What it registers
    #[arg(long, value_enum, default_value = "scalar")]
    kind: Kind,

    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
}

/// A language with templates.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Language {
    Javascript,
}

/// A kind of extension, with its template.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    Scalar,
    Aggregate,
    Collation,
    Table,
}

/// A script, its test, and what the test prints.
struct Template {
    script: &'static str,
    test: &'static str,
    expected: &'static str,
}

macro_rules! template {
    ($kind:literal) => {
        Template {
            script: include_str!(concat!("templates/", $kind, ".js")),
            test: include_str!(concat!("templates/", $kind, ".sql")),
            expected: include_str!(concat!("templates/", $kind, ".expected")),
        }
    };
}

impl Kind {
    fn template(self) -> Template {
        match self {
            Self::Scalar => template!("scalar"),
            Self::Aggregate => template!("aggregate"),
            Self::Collation => template!("collation"),
            Self::Table => template!("table"),
        }
    }
}

impl New {
    /// Write the files; none that exists is replaced.
    pub fn execute(&self) -> Result<ExitCode> {
        check_name(&self.name)?;
        let Language::Javascript = self.language;
        let Template { script, test, expected } = self.kind.template();
        let types = self.directory.join("extension.d.ts");
        let files = [("js", script), ("sql", test), ("expected", expected)];
        let files = files.map(|(ending, text)| {
            let path = self.directory.join(&self.name).with_added_extension(ending);
            (path, text.replace(TEMPLATE_NAME, &self.name))
        });
        for (path, _) in &files {
            ensure!(!path.exists(), "`{}` exists already; choose another name", escaped(path));
        }
        for (path, text) in &files {
            write_whole(path, text.as_bytes())?;
        }
        if !types.exists() {
            write_whole(&types, TYPES.as_bytes())?;
        }
        Ok(print(self.next(&self.directory).as_bytes()))
    }

    /// What to do next.
    fn next(&self, directory: &Path) -> String {
        let name = &self.name;
        format!(
            "{}/{name}.js is an extension that works. Next, in that directory:\n  \
             sqlite-wasm-run extension build {name}.js\n  \
             sqlite-wasm-run --load ./{name}.wasm :memory: <{name}.sql | diff {name}.expected -\n",
            escaped(directory)
        )
    }
}

fn check_name(name: &str) -> Result<()> {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let starts = name.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    ensure!(
        starts && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_small),
        "`{}` is not a name for an extension; use up to {MAX_NAME_BYTES} small letters, digits and `_`, \
         a letter first",
        escaped(name)
    );
    Ok(())
}
