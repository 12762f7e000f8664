//! Counters, in the text format of Prometheus.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// The counters of the server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    sessions: Gauge,
    connections: Gauge,
    refused: Counter,
    failed: Counter,
    seconds: Histogram,
    bytes: Counter<u64, AtomicU64>,
}

/// Counts something that exists; dropped when it ends.
#[derive(Debug)]
pub struct Present(Gauge);

impl Present {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("sqlite_wasm");
        // 50 µs to 26 s.
        let seconds = Histogram::new(exponential_buckets(50e-6, 3.0, 13));
        let metrics = Self {
            sessions: Gauge::default(),
            connections: Gauge::default(),
            refused: Counter::default(),
            failed: Counter::default(),
            seconds,
            bytes: Counter::default(),
            registry: Registry::default(),
        };
        registry.register("sessions", "Open sessions", metrics.sessions.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        let text = "Clients that were refused, for want of room or of a valid token";
        registry.register("refused", text, metrics.refused.clone());
        registry.register("failed_statements", "Failed statements", metrics.failed.clone());
        registry.register("statement_seconds", "Time of statements", metrics.seconds.clone());
        registry.register("reply_bytes", "Bytes of replies", metrics.bytes.clone());
        Self { registry, ..metrics }
    }

    pub fn session(&self) -> Present {
        Present::new(&self.sessions)
    }

    pub fn connection(&self) -> Present {
        Present::new(&self.connections)
    }

    pub fn refused(&self) {
        self.refused.inc();
    }

    pub fn statement(&self, took: Duration, is_ok: bool) {
        self.seconds.observe(took.as_secs_f64());
        if !is_ok {
            self.failed.inc();
        }
    }

    pub fn replied(&self, bytes: usize) {
        self.bytes.inc_by(bytes as u64);
    }

    /// All of them as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_is_not_counted() {
        let metrics = Metrics::new();
        let session = metrics.session();
        assert!(metrics.text().contains("\nsqlite_wasm_sessions 1\n"));
        drop(session);
        metrics.statement(Duration::from_millis(1), false);
        let text = metrics.text();
        assert!(text.contains("\nsqlite_wasm_sessions 0\n"));
        assert!(text.contains("\nsqlite_wasm_failed_statements_total 1\n"));
        assert!(text.contains("\nsqlite_wasm_statement_seconds_count 1\n"));
    }
}
