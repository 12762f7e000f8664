//! `serve`: the server is another program, so that the runner stays small.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, ensure};
use sqlite_wasm_runtime::installation::program_files::{self, SERVER};
use sqlite_wasm_runtime::words::escape::escaped;

/// Serve databases to many clients, each in its own sandbox
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Serve {
    /// The arguments of `sqlite-wasm-serve`; `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Serve {
    /// Become the server. Returns only where that fails.
    pub fn execute(self) -> Result<ExitCode> {
        let program = program_files::path(SERVER)?;
        ensure!(
            program.exists(),
            "`{}` does not exist; install the package `{SERVER}`, or the whole build",
            escaped(&program)
        );
        let failed = || format!("failed to start `{}`", escaped(&program));
        let opened = program_files::opened(&program).with_context(failed)?;
        let mut server = Command::new(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        Err(anyhow!(server.arg0(&program).args(self.arguments).exec()).context(failed()))
    }
}
