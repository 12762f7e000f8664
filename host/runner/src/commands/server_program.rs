//! The servers are other programs, so that the runner stays small.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, ensure};
use sqlite_wasm_runtime::installation::program_files::{self, SERVER};
use sqlite_wasm_runtime::words::escape::escaped;

/// Become the server `name`. Returns only where that fails.
pub fn become_server(name: &str, arguments: Vec<OsString>) -> Result<ExitCode> {
    let program = program_files::path(name)?;
    ensure!(
        program.exists(),
        "`{}` does not exist; install the package `{SERVER}`, or the whole build",
        escaped(&program)
    );
    let failed = || format!("failed to start `{}`", escaped(&program));
    let opened = program_files::opened(&program).with_context(failed)?;
    let mut server = Command::new(format!("/proc/self/fd/{}", opened.as_raw_fd()));
    Err(anyhow!(server.arg0(&program).args(arguments).exec()).context(failed()))
}
