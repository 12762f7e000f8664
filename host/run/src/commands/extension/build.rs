//! `extension build`: a script, a module, a crate or a C source becomes an extension.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use sqlite_wasm_runtime::contract::script::MAX_SOURCE_BYTES;
use sqlite_wasm_runtime::extensions::Built;
use sqlite_wasm_runtime::installation::user_directories;
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::values::parse_output;
use super::super::{directory_of, print, print_json, second_wall, write_whole};
use super::tools::Language;
use super::{Lines, extension_directories, registered, searching};

/// Make an extension of a script in JavaScript, a module in Python, a C source or a crate.
///
/// The file is replaced if it exists. The extension runs once, without any grant, and what it
/// registers is recorded in the file. Its code is compiled, so that loading it is quick.
#[derive(Debug, clap::Args)]
pub struct Build {
    /// The script (`.js`), module (`.py`) or source (`.c`), or the directory of a crate
    #[arg(value_name = "FILE|DIR")]
    source: PathBuf,

    /// Output file [default: FILE.wasm, in the working directory]
    #[arg(short, long, value_name = "NAME.wasm", value_parser = parse_output)]
    output: Option<PathBuf>,

    /// Of a script, write a complete component, which needs no engine beside it: for other hosts
    #[arg(long)]
    standalone: bool,

    /// A clone of the repository, whose kits build Python and C [default: those of this program's
    /// package, or of the repository in which it was built]
    #[arg(long, value_name = "DIR")]
    kits: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Build {
    /// Write the extension completely or not at all.
    pub fn execute(&self) -> Result<ExitCode> {
        let named = || format!("failed to build `{}`", escaped(&self.source));
        let language = Language::of(&self.source)?;
        let (output, built) = match language {
            Language::Javascript => self.script(),
            _ => self.component(language),
        }
        .with_context(named)?;
        write_whole(&output, &built.wasm)?;
        self.report(&output, &built)
    }

    /// A script, by the engine of this program.
    fn script(&self) -> Result<(PathBuf, Built)> {
        let output = self.output(&self.source)?;
        let directories = extension_directories(&[]);
        let mut extensions = searching(&directories).extensions();
        extensions.prepare_engine()?;
        let read: Vec<_> = directories.into_iter().chain([self.source.clone()]).collect();
        second_wall::raise_for_looking(&read, &[directory_of(&output).to_owned()])?;
        let source = read_script(&self.source)?;
        let built = extensions.build(&self.source, &source, self.standalone)?;
        Ok((output, built))
    }

    /// A component that other programs have built.
    fn component(&self, language: Language) -> Result<(PathBuf, Built)> {
        ensure!(!self.standalone, "only scripts need `--standalone`");
        let directory = tempfile::tempdir()?;
        let compiled = language.build(&self.source, self.kits.as_deref(), directory.path())?;
        let output = self.output(&compiled)?;
        let mut extensions = searching(&extension_directories(&[])).extensions();
        let mut write = vec![directory_of(&output).to_owned(), directory.path().to_owned()];
        write.extend(user_directories::cache());
        second_wall::raise_for_looking(std::slice::from_ref(&compiled), &write)?;
        let built = extensions.complete(&compiled, language.form())?;
        Ok((output, built))
    }

    /// The output file, whose name is that of `source` if none was chosen.
    fn output(&self, source: &Path) -> Result<PathBuf> {
        let stem = source.file_stem().context("it has no name")?;
        let chosen = self.output.clone();
        Ok(chosen.unwrap_or_else(|| Path::new(stem).with_added_extension("wasm")))
    }

    fn report(&self, output: &Path, built: &Built) -> Result<ExitCode> {
        if self.json {
            return print_json(&built.offer);
        }
        let mut lines = Lines::default();
        lines.add("name", format!("{} {}", built.offer.name, escaped(&built.offer.version)));
        lines.add("file", escaped(output));
        lines.add("size", format!("{} bytes", built.wasm.len()));
        registered(&built.offer, &mut lines);
        Ok(print(lines.0.as_bytes()))
    }
}

/// The content of a script, which is limited: it may be a device.
fn read_script(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut source = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(MAX_SOURCE_BYTES as u64 + 1).read_to_end(&mut source)?;
    Ok(source)
}
