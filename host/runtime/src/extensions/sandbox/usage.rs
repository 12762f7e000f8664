//! The usage of a sandbox, which is only counted: calls, time and memory. `store` and `instance` have
//! the limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wasmtime::ResourceLimiter;

use crate::limits::call_clock::ticked;
use crate::limits::memory::MemoryLimit;

/// Counts since the extension was loaded.
#[derive(Debug, Default)]
pub struct Usage {
    pub calls: u64,
    /// Calls that carried many rows.
    pub batches: u64,
    /// Requests to SQLite.
    pub requests: u64,
    pub starts: u32,
    /// Ticks of the clock while its code was running: a sample of its time, which costs a call
    /// nothing.
    pub ticks: u64,
    entered: u64,
    peak_bytes: Arc<AtomicUsize>,
}

impl Usage {
    /// Its code begins to run. Returns whether the clock has ticked since it ran last.
    pub fn enter(&mut self) -> bool {
        let now = ticked();
        std::mem::replace(&mut self.entered, now) != now
    }

    /// Its code stops running.
    pub fn leave(&mut self) {
        self.ticks += ticked() - self.entered;
    }

    /// Add the counts of another sandbox.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.batches += other.batches;
        self.requests += other.requests;
        self.starts += other.starts;
        self.ticks += other.ticks;
        self.peak_bytes.fetch_max(other.peak_bytes(), Ordering::Relaxed);
    }

    /// A memory limit that records its peak here.
    pub fn watched(&self, limit: MemoryLimit) -> WatchedMemory {
        WatchedMemory { limit, bytes: 0, peak_bytes: self.peak_bytes.clone() }
    }

    /// The largest linear memory of an instance, in bytes.
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes.load(Ordering::Relaxed)
    }
}

/// A memory limit that records the peak.
pub struct WatchedMemory {
    limit: MemoryLimit,
    bytes: usize,
    peak_bytes: Arc<AtomicUsize>,
}

impl ResourceLimiter for WatchedMemory {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let is_allowed = self.limit.memory_growing(current, desired, maximum)?;
        if is_allowed {
            self.bytes += desired.saturating_sub(current);
            self.peak_bytes.fetch_max(self.bytes, Ordering::Relaxed);
        }
        Ok(is_allowed)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.limit.table_growing(current, desired, maximum)
    }

    fn instances(&self) -> usize {
        self.limit.instances()
    }

    fn tables(&self) -> usize {
        self.limit.tables()
    }

    fn memories(&self) -> usize {
        self.limit.memories()
    }
}
