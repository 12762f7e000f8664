//! `mcp`.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use sqlite_wasm_runtime::installation::program_files::AGENTS;

use super::server_program::become_server;

/// Offer databases to agents by the Model Context Protocol, each call in its own sandbox
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Mcp {
    /// The arguments of `sqlite-wasm-mcp`; `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Mcp {
    /// Become the server. Returns only where that fails.
    pub fn execute(self) -> Result<ExitCode> {
        become_server(AGENTS, self.arguments)
    }
}
