//! The native `sqlite3` of this machine, which may share databases with the sandbox.

use std::env;
use std::io::Read;
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, access};

use super::Finding;
use super::version::Version;

/// What to do about the race.
const UPGRADE: &str = "upgrade it to 3.51.3 (3.50.7, 3.44.6) or later, or do not open the same databases in WAL \
                       mode with it: a race can lose pages";

/// How long it may take to print its version.
const TIME_LIMIT: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// Longest version with a line's beginning.
const MAX_BYTES: usize = 64;

/// The version that `sqlite3` on the `PATH` prints; none without such a program.
pub fn version() -> Option<Version> {
    let mut program = Command::new(program()?);
    program.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = program.spawn().ok()?;
    let text = child.stdout.take().and_then(first_text);
    // Both do nothing to a process that has ended.
    let _ = child.kill();
    let _ = child.wait();
    Version::parse(&String::from_utf8_lossy(&text?))
}

/// As a shell finds it. Directories that are relative to the working directory are left out, since
/// SQL may have written there.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let directories = env::split_paths(&path).filter(|directory| directory.is_absolute());
    directories
        .map(|directory| directory.join("sqlite3"))
        .find(|program| program.is_file() && access(program, Access::EXEC_OK).is_ok())
}

/// What the program writes first.
fn first_text(mut stdout: ChildStdout) -> Option<Vec<u8>> {
    let mut ready = [PollFd::new(&stdout, PollFlags::IN)];
    if poll(&mut ready, Some(&TIME_LIMIT)) != Ok(1) {
        return None;
    }
    let mut text = vec![0; MAX_BYTES];
    let count = stdout.read(&mut text).ok()?;
    text.truncate(count);
    Some(text)
}

/// Whether it is safe to use it for the same databases as the sandbox.
pub fn check(version: Option<Version>) -> Finding {
    match version {
        None => Finding::ok("sqlite3", "no native `sqlite3` on the PATH prints its version"),
        Some(version) if version.has_reset_race() => {
            Finding::note("sqlite3", format!("native `sqlite3` {version} is on the PATH"), UPGRADE)
        }
        Some(version) => Finding::ok("sqlite3", format!("native `sqlite3` {version}")),
    }
}

/// The same for a database in WAL mode.
pub fn check_shared(version: Option<Version>) -> Option<Finding> {
    let version = version.filter(|version| version.has_reset_race())?;
    let found = format!("in WAL mode, which native `sqlite3` {version} can damage");
    Some(Finding::problem("journal", found, UPGRADE))
}
