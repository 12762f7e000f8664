//! A limit for the memory of a component.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::ResourceLimiter;

/// Most entries of a component's tables of functions. SQLite's shell has about
/// 5,000; they are made at start, and nothing makes them grow.
const MAX_TABLE_ELEMENTS: usize = 1 << 20;

/// Counts a component's linear memory against a limit.
#[derive(Debug)]
pub struct MemoryLimit {
    limit_bytes: usize,
    used_bytes: usize,
    reached: Arc<AtomicBool>,
}

impl MemoryLimit {
    /// At most `limit_bytes` for all memories together.
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, used_bytes: 0, reached: Arc::default() }
    }

    /// The same, and `reached` becomes true when memory is refused.
    #[must_use]
    pub fn reporting_to(mut self, reached: &Arc<AtomicBool>) -> Self {
        self.reached = reached.clone();
        self
    }

    /// Whether memory has been refused.
    pub fn was_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    /// The limit in bytes.
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current);
        if more > self.limit_bytes.saturating_sub(self.used_bytes) {
            self.reached.store(true, Ordering::Relaxed);
            return Ok(false);
        }
        self.used_bytes += more;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_counted_together() {
        let mut limit = MemoryLimit::new(100);
        assert!(limit.memory_growing(0, 60, None).unwrap());
        assert!(!limit.memory_growing(0, 60, None).unwrap());
        assert!(limit.was_reached());
        assert!(limit.memory_growing(60, 100, None).unwrap());
    }
}
