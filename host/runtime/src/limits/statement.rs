//! The statement that runs on this thread. The extensions that it calls end with it: SQLite, which
//! looks at the clock, waits for them meanwhile.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

thread_local! {
    static CURRENT: RefCell<Option<Statement>> = const { RefCell::new(None) };
}

/// Interrupts the statement of an instance, from any thread. It can outlive the instance.
#[derive(Debug, Clone, Default)]
pub struct Interrupter(Arc<AtomicBool>);

impl Interrupter {
    /// Interrupt the running statement, or the next one.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Clear an interruption that nothing has noticed.
    pub fn clear(&self) {
        if self.is_set() {
            self.0.store(false, Ordering::Relaxed);
        }
    }

    /// Whether there is an interruption that nothing has noticed.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Notice an interruption: whether there was one.
    pub fn take(&self) -> bool {
        self.is_set() && self.0.swap(false, Ordering::Relaxed)
    }
}

struct Statement {
    end: Option<Instant>,
    interrupter: Interrupter,
}

/// The statement runs until this is dropped.
pub struct Running {
    outer: Option<Statement>,
}

impl Running {
    /// It must have ended at `end`, if that is given, or when it is interrupted.
    pub fn begin(end: Option<Instant>, interrupter: Interrupter) -> Self {
        Self { outer: replace(Some(Statement { end, interrupter })) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        replace(self.outer.take());
    }
}

/// A thread that ends may still close its connections when it has no statement any more.
fn replace(with: Option<Statement>) -> Option<Statement> {
    CURRENT.try_with(|current| current.replace(with)).ok().flatten()
}

/// Whether the statement must end.
pub fn must_end() -> bool {
    let is_over = |Statement { end, interrupter }: &Statement| {
        interrupter.is_set() || end.is_some_and(|end| Instant::now() >= end)
    };
    CURRENT.try_with(|current| current.borrow().as_ref().is_some_and(is_over)).unwrap_or_default()
}

/// Why the call of an extension was ended: the statement that made it must end.
#[derive(Debug)]
pub struct MustEnd;

impl fmt::Display for MustEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the statement that called it was interrupted")
    }
}

impl std::error::Error for MustEnd {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_statement_counts() {
        let (outer, inner) = (Interrupter::default(), Interrupter::default());
        assert!(!must_end());
        let running = Running::begin(None, outer.clone());
        outer.interrupt();
        assert!(must_end());
        let nested = Running::begin(None, inner);
        assert!(!must_end());
        drop(nested);
        assert!(must_end());
        drop(running);
        assert!(!must_end());
        let _late = Running::begin(Some(Instant::now()), Interrupter::default());
        assert!(must_end());
    }
}
