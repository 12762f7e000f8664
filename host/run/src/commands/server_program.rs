//! The servers, and what has the network, are other programs, so that the runner stays small.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, ensure};
use sqlite_wasm_runtime::installation::program_files::{self, SERVER};
use sqlite_wasm_runtime::words::escape::escaped;

/// Become the server `name`. Returns only where that fails.
pub fn become_server(name: &str, arguments: Vec<OsString>) -> Result<ExitCode> {
    let (mut server, _opened) = program(name, &format!("install the package `{SERVER}`"))?;
    let failed = || format!("failed to start `{name}`");
    Err(anyhow!(server.args(arguments).exec()).context(failed()))
}

/// How to start the program `name` of this installation, as long as the handle lives: exactly the
/// file that was checked. The `remedy` is for one that is missing.
pub fn program(name: &str, remedy: &str) -> Result<(Command, File)> {
    let program = program_files::path(name)?;
    ensure!(
        program.exists(),
        "`{}` does not exist; {remedy}, or the whole build",
        escaped(&program)
    );
    let failed = || format!("failed to start `{}`", escaped(&program));
    let opened = program_files::opened(&program).with_context(failed)?;
    let mut command = Command::new(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    command.arg0(&program);
    Ok((command, opened))
}
