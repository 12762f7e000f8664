//! How much of the disk the temporary files of a component may take, together.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::io::Errno;

/// Bytes that a component's temporary files may have, and have.
#[derive(Debug, Clone)]
pub struct Budget(Arc<State>);

#[derive(Debug)]
struct State {
    limit: u64,
    used: AtomicU64,
    was_refused: AtomicBool,
}

impl Budget {
    pub fn new(limit: u64) -> Self {
        Self(Arc::new(State {
            limit,
            used: AtomicU64::new(0),
            was_refused: AtomicBool::new(false),
        }))
    }

    /// Whether bytes were refused since the last call.
    pub fn take_refused(&self) -> bool {
        self.0.was_refused.swap(false, Ordering::Relaxed)
    }

    fn take(&self, more: u64) -> io::Result<()> {
        let sum = |used: u64| used.checked_add(more).filter(|sum| *sum <= self.0.limit);
        match self.0.used.try_update(Ordering::Relaxed, Ordering::Relaxed, sum) {
            Ok(_) => Ok(()),
            Err(_) => {
                self.0.was_refused.store(true, Ordering::Relaxed);
                Err(Errno::NOSPC.into())
            }
        }
    }
}

/// What one file has of a budget, given back when it is closed. Holes count too.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    end: AtomicU64,
}

impl Share {
    pub fn of(budget: &Budget) -> Self {
        Self { budget: budget.clone(), end: AtomicU64::new(0) }
    }

    /// The file is to reach to `end`, if it does not already.
    pub fn reach(&self, end: u64) -> io::Result<()> {
        let more = end.saturating_sub(self.end.load(Ordering::Relaxed));
        if more > 0 {
            self.budget.take(more)?;
            self.end.store(end, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The file ends there now.
    pub fn shrink(&self, end: u64) {
        let less = self.end.fetch_min(end, Ordering::Relaxed).saturating_sub(end);
        self.budget.0.used.fetch_sub(less, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_share_a_budget_and_give_it_back() {
        let budget = Budget::new(100);
        let (first, second) = (Share::of(&budget), Share::of(&budget));
        first.reach(60).unwrap();
        first.reach(50).unwrap();
        assert!(!budget.take_refused());
        let refused = second.reach(41).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::StorageFull);
        assert!(budget.take_refused() && !budget.take_refused());
        second.reach(40).unwrap();
        first.shrink(10);
        second.reach(90).unwrap();
        assert!(second.reach(u64::MAX).is_err());
        drop(second);
        first.reach(100).unwrap();
    }
}
