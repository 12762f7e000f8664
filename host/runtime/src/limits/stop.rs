//! Why the host ends a program, and the notice of its deadline.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why the host ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The reader of the output went away.
    BrokenPipe,
    /// The time limit was reached.
    Timeout,
    /// A mapped file was truncated, or cannot be read.
    LostPage,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BrokenPipe => "the reader of the output went away",
            Self::Timeout => "the time limit was reached",
            Self::LostPage => {
                "another program truncated a mapped file, or the file could not be read"
            }
        })
    }
}

impl std::error::Error for Stop {}

/// Set when a program was notified of its deadline. It may then end its
/// statement and report that, and nothing more.
#[derive(Debug, Clone, Default)]
pub struct DeadlineFlag(Arc<AtomicBool>);

impl DeadlineFlag {
    /// Fail for a program that continues after the notification.
    ///
    /// # Errors
    ///
    /// [`Stop::Timeout`], which the caller turns into a trap.
    pub fn check(&self) -> wasmtime::Result<()> {
        if self.is_set() { Err(wasmtime::Error::new(Stop::Timeout)) } else { Ok(()) }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
