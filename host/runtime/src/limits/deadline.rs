//! The time limit of a whole command. It starts before anything is loaded or
//! compiled.
//!
//! ```
//! use sqlite_wasm_runtime::limits::deadline::Deadline;
//! use std::time::Duration;
//!
//! let deadline = Deadline::after(Some(Duration::from_secs(5)));
//! assert!(!deadline.is_over());
//! assert!(!Deadline::default().is_over());
//! ```

use std::time::{Duration, Instant};

/// Longest time limit: a hundred years. An [`Instant`] cannot be much later.
pub const MAX_TIME: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// When a command must end; by default never.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline {
    limit: Option<Duration>,
    end: Option<Instant>,
}

impl Deadline {
    /// A deadline `limit` from now.
    pub fn after(limit: Option<Duration>) -> Self {
        // A time beyond the clock's range is not a limit.
        Self { limit, end: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// The whole time limit, as given by the user.
    pub fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// The end; none without a limit.
    pub fn end(&self) -> Option<Instant> {
        self.end
    }

    /// The time left; none without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the deadline has passed.
    pub fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_reaches_is_no_limit() {
        let deadline = Deadline::after(Some(Duration::MAX));
        assert!(!deadline.is_over() && deadline.left().is_none());
        assert!(Deadline::after(Some(MAX_TIME)).left().is_some());
    }

    #[test]
    fn a_deadline_is_over_when_its_time_is_used_up() {
        let deadline = Deadline::after(Some(Duration::ZERO));
        assert!(deadline.is_over());
        assert_eq!(deadline.left(), Some(Duration::ZERO));
    }
}
