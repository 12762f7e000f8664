//! Threads and their stacks. Starting one does not panic if the system refuses it, as
//! it does at the user's limit on processes.

use std::thread;

use anyhow::{Context, Result};
use nix::libc::rlim_t;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{getpid, gettid};

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

/// Most bytes of arguments and environment, the kernel's limit. They are on the main
/// thread's stack.
const ARGUMENT_BYTES: usize = 6 << 20;

/// Let the main thread's stack grow to `bytes` and its arguments, if this is the main
/// thread. False in other threads, and where the hard limit is lower.
///
/// The kernel puts mappings far below the main stack, at random distances of gigabytes, so the
/// stack has room to grow beyond its initial limit.
pub fn grow_main_stack(bytes: usize) -> bool {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_STACK) else { return false };
    let wanted = (bytes + ARGUMENT_BYTES) as rlim_t;
    let is_enough = || soft >= wanted || setrlimit(Resource::RLIMIT_STACK, wanted, hard).is_ok();
    gettid() == getpid() && hard >= wanted && is_enough()
}

/// Whether this process has one thread. True if `/proc` is missing.
pub(crate) fn is_single_thread() -> bool {
    // Each thread is a subdirectory, which adds a link to the directory.
    let tasks = rustix::fs::stat("/proc/self/task");
    tasks.map_or(true, |tasks| tasks.st_nlink <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted() {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || stopped.recv());
        assert!(!is_single_thread());
        drop(stop);
        assert!(thread.join().unwrap().is_err());
    }
}
