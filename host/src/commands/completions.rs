//! `completions`: scripts for shells.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Print the script.
    pub fn execute(self) -> ExitCode {
        let mut command = crate::arguments::Cli::command();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "sqlite-wasm-run", &mut script);
        super::print(&script)
    }
}
