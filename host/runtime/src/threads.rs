//! Starting threads without a panic if the system refuses one, as it does at
//! the user's limit on processes.

use std::thread;

use anyhow::{Context, Result};

/// Start a thread that ends with the process.
///
/// # Errors
///
/// When the system refuses the thread.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(body);
    thread
        .map(drop)
        .context("failed to start a thread; a limit on processes (`ulimit -u`) may be reached")
}

/// Whether the system currently allows another thread.
pub fn are_available() -> bool {
    thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok())
}
