//! The native `sqlite3` of this machine, which may share databases with the sandbox.

use std::process::{Command, Stdio};

use super::Finding;
use super::version::Version;

/// What to do about the race.
const UPGRADE: &str = "upgrade it to 3.51.3 (3.50.7, 3.44.6) or later, or do not open the same databases in WAL \
                       mode with it: a race can lose pages";

/// The version of `sqlite3` on the `PATH`; none without such a program.
pub fn version() -> Option<Version> {
    let mut program = Command::new("sqlite3");
    let output = program.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    Version::parse(&String::from_utf8_lossy(&output.ok()?.stdout))
}

/// Whether it is safe to use it for the same databases as the sandbox.
pub fn check(version: Option<Version>) -> Finding {
    match version {
        None => Finding::ok("sqlite3", "no native `sqlite3` is on the PATH"),
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
