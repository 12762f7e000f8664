//! What operations took.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hdrhistogram::Histogram;
use serde_json::{Value as Json, json};

/// Three digits of each time are kept.
const DIGITS: u8 = 3;

/// Longer times count as this one. A histogram has its bounds from the start: one that
/// grows by itself does so only for records that may fail.
const LONGEST: Duration = Duration::from_secs(600);

/// Readings of the clock that show what one costs.
const READINGS: u32 = 1000;

pub struct Times {
    /// On the clock that all processes share.
    began: SystemTime,
    histogram: Histogram<u64>,
    total: Duration,
    operations: u64,
    rows: u64,
}

impl Times {
    /// From now on.
    pub fn new() -> Result<Self, hdrhistogram::errors::CreationError> {
        Ok(Self {
            began: SystemTime::now(),
            histogram: Histogram::new_with_bounds(1, LONGEST.as_nanos() as u64, DIGITS)?,
            total: Duration::ZERO,
            operations: 0,
            rows: 0,
        })
    }

    /// A block of operations that were timed together.
    pub fn add(&mut self, took: Duration, operations: usize) {
        let each = took.as_nanos() / operations.max(1) as u128;
        self.histogram
            .saturating_record_n(u64::try_from(each).unwrap_or(u64::MAX).max(1), operations as u64);
        self.total += took;
        self.operations += operations as u64;
    }

    /// What belongs to all of them.
    pub fn add_rest(&mut self, took: Duration) {
        self.total += took;
    }

    pub fn rows(&mut self, rows: u64) {
        self.rows += rows;
    }

    pub fn json(&self) -> Json {
        let at = |part| self.histogram.value_at_quantile(part);
        let began = self.began.duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "began_ns": began.as_nanos() as u64, "total_ns": self.total.as_nanos() as u64,
            "operations": self.operations, "rows": self.rows,
            "p50_ns": at(0.5), "p95_ns": at(0.95), "p99_ns": at(0.99), "p999_ns": at(0.999),
            "max_ns": self.histogram.max(), "clock_ns": clock_ns(),
        })
    }
}

fn clock_ns() -> f64 {
    let start = Instant::now();
    for _ in 0..READINGS {
        std::hint::black_box(Instant::now());
    }
    start.elapsed().as_nanos() as f64 / f64::from(READINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_operations_are_told_from_short_ones() {
        let mut times = Times::new().expect("the bounds fit");
        times.add(Duration::from_nanos(990 * 900), 990);
        times.add(Duration::from_millis(30), 10);
        let found = times.json();
        let about = |name: &str, expected: u64| {
            let value = found[name].as_u64().expect("a number");
            assert!(value.abs_diff(expected) <= expected / 1000, "{name}: {value}");
        };
        about("p50_ns", 900);
        about("p95_ns", 900);
        about("p999_ns", 3_000_000);
        about("max_ns", 3_000_000);
    }
}
