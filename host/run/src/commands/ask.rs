//! Prompts for the user at the terminal.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use rustix::termios::{QueueSelector, tcflush};

/// Prompt the user: true for `y` or `yes`, false for everything else.
pub fn ask(question: &str) -> bool {
    let Ok(terminal) = fs::File::open("/dev/tty") else { return false };
    // Discard input that was typed or pasted before the prompt appeared.
    let flushed = tcflush(&terminal, QueueSelector::IFlush);
    let _ = write!(std::io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = BufReader::new(terminal).read_line(&mut answer);
    flushed.is_ok() && read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}
