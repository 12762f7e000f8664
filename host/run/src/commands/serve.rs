//! `serve`.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use sqlite_wasm_runtime::installation::program_files::SERVER;

use super::server_program::become_server;

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
        become_server(SERVER, self.arguments)
    }
}
