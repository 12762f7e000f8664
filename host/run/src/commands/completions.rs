//! `completions`: completion scripts for shells.

use std::process::ExitCode;

use clap_complete::Shell;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Print the script.
    pub fn execute(self, mut command: clap::Command) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "sqlite-wasm-run", &mut script);
        super::print(&script)
    }
}
