//! `extension new`: an extension to begin with, and its test.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use sqlite_wasm_catalogue::names::check_name;
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::{print, write_whole};
use super::tools::{self, Language};

/// The name in the templates.
const TEMPLATE_NAME: &str = "mine";

/// The types for editors.
const TYPES: &str = include_str!("templates/extension.d.ts");

/// Write an extension to begin with, and its test: NAME.sql with NAME.expected.
///
/// In Rust it is a crate, with tests of its own. A script in JavaScript comes with types for editors.
#[derive(Debug, clap::Args)]
pub struct New {
    /// The name: small letters, digits and `_`
    #[arg(value_name = "NAME")]
    name: String,

    /// The language
    #[arg(long, value_enum, default_value = "javascript")]
    language: Language,

    /// What it registers
    #[arg(long, value_enum, default_value = "scalar")]
    kind: Kind,

    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,

    /// The repository of this program, which has the templates for Rust [default: the one in which it
    /// was built]
    #[arg(long, value_name = "DIR")]
    kits: Option<PathBuf>,
}

/// A kind of extension, with its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Scalar,
    Aggregate,
    Collation,
    Table,
}

/// One extension in three languages, its test, and what the test prints.
struct Template {
    javascript: &'static str,
    python: &'static str,
    c: &'static str,
    test: &'static str,
    expected: &'static str,
}

macro_rules! template {
    ($kind:literal) => {
        Template {
            javascript: include_str!(concat!("templates/", $kind, ".js")),
            python: include_str!(concat!("templates/", $kind, ".py")),
            c: include_str!(concat!("templates/", $kind, ".c")),
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

    /// The name of the template in Rust.
    fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Aggregate => "aggregate",
            Self::Collation => "collation",
            Self::Table => "table",
        }
    }
}

impl New {
    /// Write the files; none that exists is replaced.
    pub fn execute(&self) -> Result<ExitCode> {
        check_name(&self.name).with_context(|| format!("`{}`", escaped(&self.name)))?;
        let template = self.kind.template();
        let Some((ending, source)) = self.source(&template) else {
            tools::new(self.kits.as_deref(), &self.name, self.kind.name(), &self.directory)?;
            return Ok(print(self.next_of_crate().as_bytes()));
        };
        let files = [(ending, source), ("sql", template.test), ("expected", template.expected)];
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
        let types = self.directory.join("extension.d.ts");
        if self.language == Language::Javascript && !types.exists() {
            write_whole(&types, TYPES.as_bytes())?;
        }
        Ok(print(self.next(ending).as_bytes()))
    }

    /// The ending of the source's file, and its text; `None` for a crate.
    fn source(&self, template: &Template) -> Option<(&'static str, &'static str)> {
        match self.language {
            Language::Javascript => Some(("js", template.javascript)),
            Language::Python => Some(("py", template.python)),
            Language::C => Some(("c", template.c)),
            Language::Rust => None,
        }
    }

    /// What to do next.
    fn next(&self, ending: &str) -> String {
        let name = &self.name;
        format!(
            "{}/{name}.{ending} is an extension that works. Next, in that directory:\n  \
             sqlite-wasm-run extension build {name}.{ending}\n  \
             sqlite-wasm-run --load ./{name}.wasm :memory: <{name}.sql | diff {name}.expected -\n",
            escaped(&self.directory)
        )
    }

    fn next_of_crate(&self) -> String {
        let name = &self.name;
        format!(
            "{}/{name} is an extension that works. Next, in that directory:\n  \
             cargo test\n  \
             sqlite-wasm-run extension build .\n  \
             sqlite-wasm-run --load ./{name}.wasm :memory:\n",
            escaped(&self.directory)
        )
    }
}
