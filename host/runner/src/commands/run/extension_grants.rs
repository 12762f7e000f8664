//! The grants of extensions, and the prompt for the user.

use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Write};

use anyhow::Result;
use rustix::termios::{QueueSelector, tcflush};
use sqlite_wasm_runtime::extensions::ExtensionGrants;

use super::RunOptions;

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

/// Prompt the user: true for `y` or `yes`, false for everything else.
fn ask(question: &str) -> bool {
    let Ok(terminal) = fs::File::open("/dev/tty") else { return false };
    // Discard input that was typed or pasted before the prompt appeared.
    let flushed = tcflush(&terminal, QueueSelector::IFlush);
    let _ = write!(std::io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = BufReader::new(terminal).read_line(&mut answer);
    flushed.is_ok() && read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}
