//! `extension build`: a script becomes an extension.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use sqlite_wasm_runtime::contract::script::MAX_SOURCE_BYTES;
use sqlite_wasm_runtime::extensions::Built;
use sqlite_wasm_runtime::words::escape::escaped;

use super::super::values::parse_output;
use super::super::{directory_of, print, print_json, second_wall, write_whole};
use super::{Lines, extension_directories, registered, searching};

/// The file is replaced if it exists. The script runs once, without any grant, and what it
/// registers is recorded in the file.
#[derive(Debug, clap::Args)]
pub struct Build {
    /// The script, in JavaScript
    #[arg(value_name = "FILE.js")]
    script: PathBuf,

    /// Output file [default: FILE.wasm, in the working directory]
    #[arg(short, long, value_name = "NAME.wasm", value_parser = parse_output)]
    output: Option<PathBuf>,

    /// Write a complete component, which needs no engine beside it: for other hosts
    #[arg(long)]
    standalone: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Build {
    /// Write the extension completely or not at all.
    pub fn execute(&self) -> Result<ExitCode> {
        let output = self.output()?;
        let directories = extension_directories(&[]);
        let mut extensions = searching(&directories).extensions();
        extensions.prepare_engine()?;
        let read: Vec<_> = directories.into_iter().chain([self.script.clone()]).collect();
        second_wall::raise_for_looking(&read, &[directory_of(&output).to_owned()])?;
        let mut build = || {
            let source = read_script(&self.script)?;
            extensions.build(&self.script, &source, self.standalone)
        };
        let named = || format!("failed to build `{}`", escaped(&self.script));
        let built = build().with_context(named)?;
        write_whole(&output, &built.wasm)?;
        self.report(&output, &built)
    }

    /// The output file, whose name is that of the script if none was chosen.
    fn output(&self) -> Result<PathBuf> {
        let is_javascript = self.script.extension().is_some_and(|it| it == "js" || it == "mjs");
        match (is_javascript, &self.output, self.script.file_stem()) {
            (true, Some(output), _) => Ok(output.clone()),
            (true, None, Some(stem)) => Ok(Path::new(stem).with_added_extension("wasm")),
            _ => bail!(
                "`{}` is not a script in JavaScript, which ends in `.js` or `.mjs`",
                escaped(&self.script)
            ),
        }
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
