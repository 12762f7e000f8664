//! A program run to its end, and what it used.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use nix::libc;

use super::End;

/// How a program ended, and the most memory that it had.
#[derive(Debug)]
pub struct Measured {
    /// How it ended.
    pub end: End,
    /// What it printed on standard output.
    pub out: String,
    /// What it printed on standard error.
    pub err: String,
    /// Its largest resident set, in bytes.
    pub peak_bytes: u64,
}

/// Runs `command` with nothing to read. Its output must be less than a
/// gigabyte: it is held in files.
#[allow(clippy::zombie_processes)]
pub fn measured(mut command: Command) -> Measured {
    let file = || tempfile::NamedTempFile::new().expect("the system has a place for files");
    let (out, err) = (file(), file());
    let stdio = |file: &tempfile::NamedTempFile| Stdio::from(file.reopen().expect("it is ours"));
    command.stdin(Stdio::null()).stdout(stdio(&out)).stderr(stdio(&err));
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut status = 0;
    // SAFETY: the structure is plain data.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both may be written, and the child is ours.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    assert_eq!(waited, child.id() as i32, "our own child can be waited for");
    let text = |file: &tempfile::NamedTempFile| {
        let bytes = std::fs::read(file.path()).expect("it is ours");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Measured {
        end: ExitStatus::from_raw(status).into(),
        out: text(&out),
        err: text(&err),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    }
}
