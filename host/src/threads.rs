//! Threads, where the system may refuse one: a limit on processes is the
//! user's to set, and not a reason to panic.

use std::thread;

use anyhow::{Context, Result};

/// Start a thread that ends with the process.
///
/// # Errors
///
/// When the system gives no thread.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(body);
    thread
        .map(drop)
        .context("failed to start a thread; a limit on processes (`ulimit -u`) may be reached")
}

/// Whether the system gives a thread at the moment.
pub fn are_available() -> bool {
    thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok())
}
