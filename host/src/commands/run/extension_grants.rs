//! What extensions are granted, and the question to the user.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal};

use anyhow::Result;
use rustix::termios::{QueueSelector, tcflush};
use sqlite_wasm_run::extensions::Permits;

use super::RunOptions;

/// What extensions are granted: by the command line, by the file beside the
/// shipped ones, and by the user.
pub fn permits(run: &RunOptions) -> Result<Permits> {
    let mut permits = Permits::default();
    run.grants.iter().try_for_each(|path| permits.add_file(path))?;
    run.grant.iter().try_for_each(|grant| permits.add(grant))?;
    if let Ok(program) = env::current_exe() {
        permits.shipped(program.with_file_name("extensions").join("grants.toml"));
    }
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        permits.ask_by(Box::new(ask));
    }
    Ok(permits)
}

/// Ask a question that `y` or `yes` answers with yes, and all else with no.
fn ask(question: &str) -> bool {
    let Ok(terminal) = fs::File::open("/dev/tty") else { return false };
    // What was typed or pasted before the question was seen does not answer it.
    let flushed = tcflush(&terminal, QueueSelector::IFlush);
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    let read = BufReader::new(terminal).read_line(&mut answer);
    flushed.is_ok() && read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}
