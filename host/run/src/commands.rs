//! The commands, one file each, and the functions that they share.

mod ask;
pub mod completions;
pub mod compose;
mod directories;
pub mod doctor;
pub mod extension;
mod extension_directories;
pub mod man;
pub mod mcp;
pub mod precompile;
pub mod run;
pub mod second_wall;
pub mod serve;
mod server_program;
mod values;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sqlite_wasm_runtime::artifact::component::Loader;
use sqlite_wasm_runtime::limits::address_space::Reservation;
use sqlite_wasm_runtime::limits::threads;
use sqlite_wasm_runtime::sandbox::{Recipe, Timing};
use sqlite_wasm_runtime::wall::exit_code;
use sqlite_wasm_runtime::words::escape::escaped;

/// The loader for components with this reservation. It shows its progress on a terminal.
pub fn loader(recipe: &Recipe, reservation: Reservation) -> Result<Loader> {
    let loader = recipe.loader(reservation, Timing::Unchecked)?;
    Ok(loader.on_compile(|path| Box::new(Progress::of(path))))
}

/// Print a whole text; a reader that goes away sets the exit code.
pub fn print(text: &[u8]) -> ExitCode {
    match std::io::stdout().write_all(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => exit_code::ExitCode::BrokenPipe.into(),
    }
}

/// Print a value as JSON.
pub fn print_json(value: &impl Serialize) -> Result<ExitCode> {
    Ok(print(format!("{}\n", serde_json::to_string_pretty(value)?).as_bytes()))
}

/// The directory of a file.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => ".".as_ref(),
    }
}

/// Write a file completely or not at all.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let directory = directory_of(path);
    let write = || -> Result<()> {
        ensure!(directory.is_dir(), "the directory `{}` does not exist", escaped(directory));
        // The library's own message names its temporary file.
        let mut file = tempfile::NamedTempFile::new_in(directory)
            .map_err(|error| std::io::Error::from(error.kind()))?;
        file.write_all(content)?;
        set_default_mode(file.as_file())?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("failed to write `{}`", escaped(path)))
}

/// Make the file readable by all, as programs are: a temporary file is readable
/// by its owner alone.
fn set_default_mode(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// A spinner on a terminal, nothing elsewhere.
struct Progress(Option<ProgressBar>);

impl Progress {
    fn of(path: &Path) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let name = escaped(path.file_name().unwrap_or(path.as_os_str())).to_string();
        let bar = ProgressBar::new_spinner().with_message(format!("compiling {name}"));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        // The animation needs a thread, which the system may refuse.
        if threads::are_available() {
            bar.enable_steady_tick(Duration::from_millis(100))
        } else {
            bar.tick()
        }
        Self(Some(bar))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
