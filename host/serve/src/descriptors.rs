//! Open files: a shell starts programs with a limit of 1024, which 200 clients exceed.

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Limits;
use crate::server::CONNECTIONS_PER_SESSION;

/// Files of a session: a database, its log and its shared memory. Twice that, since a session that
/// ends closes its files while the next one opens some.
const FILES: u64 = 6;

/// Temporary files of a session, if it may have any: SQLite has few at a time.
const TEMPORARY_FILES: u64 = 16;

/// Files of the server itself: sockets, events, waiting connections, the databases of `--root`.
const OWN: u64 = 256;

/// Let the process open the files of all sessions and the sockets of all connections. Where the
/// system allows fewer, connections wait until others end.
///
/// # Errors
///
/// Where the system refuses what it said that it allows.
pub fn reserve(limits: Limits) -> Result<()> {
    let needed = needed(limits);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let allowed = maximum.map_or(needed, |maximum| maximum.min(needed));
    if allowed < needed {
        tracing::warn!("this many clients may need {needed} open files, and {allowed} are allowed");
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum })
        .context("failed to raise the limit of open files")
}

fn needed(limits: Limits) -> u64 {
    let temporary = if limits.temporary.is_some() { TEMPORARY_FILES } else { 0 };
    let session = CONNECTIONS_PER_SESSION as u64 + FILES + temporary;
    limits.clients as u64 * session + OWN
}
