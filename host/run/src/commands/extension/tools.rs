//! Languages with a compiler of their own: other programs build the component. They are the author's
//! tools, run as the author, before this program gives up its rights.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use sqlite_wasm_runtime::extensions::BuiltForm;
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::words::complaint::complain;
use sqlite_wasm_runtime::words::escape::escaped;

/// The kits of a package, in the directory of the program: the files of the repository that their scripts read.
const KITS: &str = "kits";

/// The script that copies a template.
const NEW: &str = "tooling/build/new-extension";

/// The most that is shown of what a tool prints, in bytes.
const MAX_SHOWN_BYTES: u64 = 256 << 10;

/// A language of extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Built by this program alone.
    #[value(alias = "js")]
    Javascript,
    /// Built by componentize-py.
    #[value(alias = "py")]
    Python,
    /// Built by Cargo.
    Rust,
    /// Built by clang.
    C,
}

impl Language {
    /// The language of a file, or of the directory of a crate.
    pub fn of(source: &Path) -> Result<Self> {
        match source.extension().and_then(OsStr::to_str) {
            Some("js" | "mjs") => Ok(Self::Javascript),
            Some("py") => Ok(Self::Python),
            Some("c") => Ok(Self::C),
            _ if source.join("Cargo.toml").is_file() => Ok(Self::Rust),
            _ => bail!(
                "`{}` is not a script (`.js`, `.mjs`), a module in Python (`.py`), a C source (`.c`) \
                 or the directory of a crate",
                escaped(source)
            ),
        }
    }

    /// What [`build`](Self::build) writes.
    pub fn form(self) -> BuiltForm {
        if self == Self::C { BuiltForm::Module } else { BuiltForm::Component }
    }

    /// Build `source`: the path of the extension, in `directory` or where Cargo puts it.
    pub fn build(self, source: &Path, kits: Option<&Path>, directory: &Path) -> Result<PathBuf> {
        let script = match self {
            Self::Rust => return build_crate(source),
            Self::Python => "tooling/build/python-extension",
            Self::C => "tooling/build/c-extension",
            Self::Javascript => bail!("scripts need no other program"),
        };
        let stem = source.file_stem().unwrap_or_default();
        let output = directory.join(stem).with_added_extension("wasm");
        let script = script_of(kits, script)?;
        run(Command::new(&script).arg(source).arg(&output), &script.display().to_string())?;
        Ok(output)
    }
}

/// Write a first extension of this `kind` in C or Rust, which the kits have templates of.
pub fn new(kits: Option<&Path>, name: &str, kind: &str, directory: &Path) -> Result<()> {
    let script = script_of(kits, NEW)?;
    run(Command::new(&script).args([name, kind]).arg(directory), NEW)
}

/// A script of the kits: of the named ones, of this program's package, or of the repository in which
/// it was built.
fn script_of(named: Option<&Path>, script: &str) -> Result<PathBuf> {
    let has_kit = |directory: &&Path| directory.join(script).is_file();
    if let Some(named) = named {
        ensure!(has_kit(&named), "`{}` has no `{script}`", escaped(named));
        return Ok(named.join(script));
    }
    let packaged = program_files::path(KITS)?;
    let repository = packaged.ancestors().find(has_kit).with_context(|| {
        format!(
            "there is no `{script}` beside this program; install the package sqlite-wasm-dev if this is Debian's; \
             no package has the kit of Rust: say `--kits DIR`, a clone of the repository"
        )
    })?;
    let script = repository.join(script);
    // Somebody else's script would run as this user. It starts by its path, which it finds the others by.
    program_files::opened(&script)
        .with_context(|| format!("failed to start `{}`", escaped(&script)))?;
    Ok(script)
}

/// Let Cargo build the crate in this directory.
fn build_crate(directory: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--target", "wasm32-wasip2"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).current_dir(directory);
    let output =
        cargo.stderr(Stdio::inherit()).output().map_err(|error| missing("cargo", &error))?;
    ensure!(output.status.success(), "`cargo build` failed, see above");
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let files = lines.filter_map(|line| serde_json::from_slice::<Message>(line).ok());
    let is_wasm = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "wasm");
    // The crate itself comes last.
    let built = files.flat_map(|message| message.filenames).rfind(is_wasm);
    built.context("its `Cargo.toml` builds no component; it needs `crate-type = [\"cdylib\"]`")
}

/// A line of Cargo.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Run a script of the kits. What it and its compiler print is shown with control characters escaped,
/// since it quotes names and sources.
fn run(command: &mut Command, name: &str) -> Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| missing(name, &error))?;
    let mut errors = BufReader::new(child.stderr.take().context("it has no standard error")?);
    for line in errors.by_ref().take(MAX_SHOWN_BYTES).split(b'\n') {
        complain(String::from_utf8_lossy(&line?));
    }
    // It would wait for a reader.
    std::io::copy(&mut errors, &mut std::io::sink())?;
    let status = child.wait()?;
    ensure!(status.success(), "`{}` failed, see above", escaped(name));
    Ok(())
}

fn missing(program: &str, error: &std::io::Error) -> anyhow::Error {
    match (program, error.kind()) {
        ("cargo", ErrorKind::NotFound) => anyhow!(
            "there is no `cargo`; install Rust by rustup, then `rustup target add wasm32-wasip2`"
        ),
        _ => anyhow!("failed to start `{}`: {error}", escaped(program)),
    }
}
