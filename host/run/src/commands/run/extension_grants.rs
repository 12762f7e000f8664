//! The grants of extensions, and the prompt for the user.

use std::io::IsTerminal;

use anyhow::Result;
use sqlite_wasm_runtime::extensions::ExtensionGrants;

use super::RunOptions;
use crate::commands::ask::ask;

/// The grants of the command line, of the shipped `grants.toml`, and of the
/// user at a terminal.
pub fn grants(run: &RunOptions) -> Result<ExtensionGrants> {
    let mut grants = ExtensionGrants::default();
    run.grants.iter().try_for_each(|path| grants.add_file(path))?;
    run.grant.iter().try_for_each(|grant| grants.add(grant))?;
    grants.shipped_with_program();
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        grants.prompt_with(Box::new(ask));
    }
    Ok(grants)
}
