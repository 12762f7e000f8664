//! `precompile`: a `.cwasm` from a `.wasm`, ahead of time.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{Cache, loader};

/// Compile a component ahead of time
#[derive(Debug, clap::Args)]
pub struct Precompile {
    /// The component
    #[arg(value_name = "IN.wasm")]
    input: PathBuf,

    /// The result [default: the input's name with `.cwasm`]
    #[arg(short, long, value_name = "OUT.cwasm")]
    output: Option<PathBuf>,
}

impl Precompile {
    /// Write the result whole or not at all.
    pub fn execute(self) -> Result<ExitCode> {
        let output = self.output.unwrap_or_else(|| self.input.with_extension("cwasm"));
        let code = loader(Cache::Off)?.precompile(&self.input)?;
        let folder = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => ".".as_ref(),
        };
        let write = || -> Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&code)?;
            set_default_mode(file.as_file())?;
            file.persist(&output)?;
            Ok(())
        };
        write().with_context(|| format!("failed to write `{}`", output.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Readable by all, as any program is: a temporary file is its owner's alone.
fn set_default_mode(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
