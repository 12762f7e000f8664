//! A limit for the memory of a component: its linear memories, and the host
//! memory of its tables and instances.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::ResourceLimiter;

/// All that a 32-bit component can address, in bytes.
pub const MAX_MEMORY_BYTES: usize = 4 << 30;

/// Host memory of a table element, in bytes: a pointer, and another one while a
/// growing table is copied.
const TABLE_ELEMENT_BYTES: usize = 16;

/// Limit on elements in all of a component's tables. SQLite's shell has about 5,000 from
/// the start, and its tables do not grow.
const MAX_TABLE_ELEMENTS: usize = 1 << 20;

/// Limit on core instances of a component. Each takes some kilobytes of the host; SQLite's
/// shell has about ten, and so does each extension composed with it.
const MAX_INSTANCES: usize = 2000;

/// Limit on linear memories, and on tables, of a component: the shell and each extension
/// composed with it have one or two. Each memory reserves gigabytes of address space.
const MAX_MEMORIES: usize = 500;

/// Counts a component's memory against a limit.
#[derive(Debug)]
pub struct MemoryLimit {
    limit_bytes: usize,
    used_bytes: usize,
    table_elements: usize,
    reached: Arc<AtomicBool>,
}

impl MemoryLimit {
    /// A limit of `limit_bytes` for all memories and tables together.
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, used_bytes: 0, table_elements: 0, reached: Arc::default() }
    }

    /// Set `reached` when the limit refuses memory.
    #[must_use]
    pub fn reporting_to(mut self, reached: &Arc<AtomicBool>) -> Self {
        self.reached = reached.clone();
        self
    }

    /// Whether the limit has refused memory.
    pub fn was_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    /// The limit in bytes.
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    /// Count `more` bytes; false if they exceed the limit.
    fn take(&mut self, more: usize) -> bool {
        if more > self.limit_bytes.saturating_sub(self.used_bytes) {
            self.reached.store(true, Ordering::Relaxed);
            return false;
        }
        self.used_bytes += more;
        true
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.take(desired.saturating_sub(current)))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current);
        if more > MAX_TABLE_ELEMENTS - self.table_elements {
            return Ok(false);
        }
        let has_room = self.take(more * TABLE_ELEMENT_BYTES);
        self.table_elements += if has_room { more } else { 0 };
        Ok(has_room)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_MEMORIES
    }

    fn memories(&self) -> usize {
        MAX_MEMORIES
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

    #[test]
    fn tables_are_counted_with_memories() {
        let mut limit = MemoryLimit::new(100 * TABLE_ELEMENT_BYTES);
        assert!(limit.table_growing(0, 60, None).unwrap());
        assert!(!limit.table_growing(0, 60, None).unwrap());
        assert!(limit.was_reached());
        assert!(!limit.memory_growing(0, 41 * TABLE_ELEMENT_BYTES, None).unwrap());
        assert!(limit.table_growing(60, 100, None).unwrap());
    }

    #[test]
    fn elements_of_all_tables_are_counted_together() {
        let mut limit = MemoryLimit::new(usize::MAX);
        assert!(limit.table_growing(0, MAX_TABLE_ELEMENTS, None).unwrap());
        assert!(!limit.table_growing(0, 1, None).unwrap());
    }
}
