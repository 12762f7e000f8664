//! The process of an instance: interruption, time limits and waiting.

use std::fmt;
use std::time::{Duration, Instant};

use super::failure::Reason;
use crate::contract::bindings::sqlite_wasm::host::process::Interruption;
use crate::limits::statement::Interrupter;

/// Interval at which a wait checks for interruption.
const WAIT_STEP: Duration = Duration::from_millis(10);

/// How long a component may continue after the end of its time, before it traps:
/// SQLite ends a statement within milliseconds, and a rollback may take longer.
pub const GRACE: Duration = Duration::from_secs(2);

/// Called with each refused path, escaped for a terminal.
pub type OnRefused = fn(&str);

/// The state of an instance's process.
pub struct Process {
    pub interrupter: Interrupter,
    /// The end of the time of all statements.
    pub end: Option<Instant>,
    /// The end of the time of the running statement.
    pub statement_end: Option<Instant>,
    /// The start of the call, if it has a time limit.
    pub begun: Option<Instant>,
    /// How often SQLite has polled for interruption; and when the time was over, the count at that
    /// moment and whether SQLite had been notified.
    pub polls: u64,
    pub polls_at_end: Option<(u64, bool)>,
    /// Since when an interruption waits for SQLite to notice it.
    pub unnoticed: Option<Instant>,
    /// Why the last statement was interrupted.
    pub stopped: Option<Reason>,
    /// The last refused path.
    pub refused: Option<String>,
    /// Called with a refused path instead of storing it.
    pub on_refused: Option<OnRefused>,
}

impl Process {
    /// The earlier limit, and which one it is.
    pub fn next_end(&self) -> Option<(Instant, Reason)> {
        let ends = [(self.end, Reason::Time), (self.statement_end, Reason::StatementTime)];
        let ends = ends.into_iter().filter_map(|(end, reason)| Some((end?, reason)));
        ends.min_by_key(|(end, _)| *end)
    }

    /// Why the statement must stop, and since when.
    pub fn over(&self) -> Option<(Instant, Reason)> {
        self.next_end().filter(|(end, _)| Instant::now() >= *end)
    }

    /// Why the statement has ended: SQLite need not have polled, where an extension ended first.
    pub fn why_ended(&self) -> Option<Reason> {
        let interrupted = || self.interrupter.take().then_some(Reason::Interrupted);
        let over = || self.over().map(|(_, reason)| reason);
        self.stopped.or_else(interrupted).or_else(over)
    }

    /// Whether to interrupt the statement. Traps if the statement continues after its time.
    pub fn poll(&mut self) -> wasmtime::Result<Option<Interruption>> {
        self.polls = self.polls.wrapping_add(1);
        if self.interrupter.take() {
            self.stopped = Some(Reason::Interrupted);
            return Ok(Some(Interruption::User));
        }
        let Some((end, reason)) = self.over() else { return Ok(None) };
        if self.stopped == Some(reason) && end.elapsed() > GRACE {
            return Err(continued(reason));
        }
        self.stopped = Some(reason);
        Ok(Some(Interruption::Deadline))
    }

    /// Wait for this duration, or until the statement is to be interrupted.
    pub fn sleep(&self, duration: Duration) {
        let end = Instant::now() + duration;
        while !self.interrupter.is_set() && self.over().is_none() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(WAIT_STEP));
        }
    }
}

/// A component continued after it had to end, for this reason.
#[derive(Debug)]
pub struct Continued(pub Reason);

impl fmt::Display for Continued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Reason::Interrupted => "it continued after it was interrupted",
            _ => "it continued after its time was over",
        })
    }
}

impl std::error::Error for Continued {}

/// The trap of a component that continues after it had to end.
pub fn continued(reason: Reason) -> wasmtime::Error {
    Continued(reason).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process() -> Process {
        Process {
            interrupter: Interrupter::default(),
            end: None,
            statement_end: None,
            begun: None,
            polls: 0,
            polls_at_end: None,
            unnoticed: None,
            stopped: None,
            refused: None,
            on_refused: None,
        }
    }

    #[test]
    fn an_interruption_is_noticed_once() {
        let mut process = process();
        process.interrupter.interrupt();
        assert_eq!(process.poll().unwrap(), Some(Interruption::User));
        assert_eq!(process.poll().unwrap(), None);
        assert_eq!(process.stopped, Some(Reason::Interrupted));
    }

    #[test]
    fn the_earlier_limit_counts_and_who_continues_traps() {
        let mut process = process();
        let now = Instant::now();
        process.end = now.checked_sub(Duration::from_secs(3));
        process.statement_end = Some(now + Duration::from_secs(60));
        assert_eq!(process.poll().unwrap(), Some(Interruption::Deadline));
        assert_eq!(process.stopped, Some(Reason::Time));
        assert!(process.poll().is_err());
        process.sleep(Duration::from_secs(60));
    }
}
