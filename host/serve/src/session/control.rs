//! Controls a session from other threads: ends it, and reports why it has ended.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use sqlite_sandbox::InterruptHandle;

use super::error::Error;

/// No end of a transaction is set.
const NEVER: u64 = u64::MAX;

/// The times of a session.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Of a statement.
    pub statement: Duration,
    /// Of a transaction, from its beginning.
    pub transaction: Duration,
    /// Without a request.
    pub idle: Duration,
    /// Log statements that take at least this long; `None` disables the log.
    pub slow: Option<Duration>,
}

/// Why a session has ended on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its client sent nothing.
    Idle(Duration),
    /// Its transaction took too long.
    Transaction(Duration),
}

/// Shared by the thread of a session, and by those who wait for it.
#[derive(Debug)]
pub struct Control {
    start: Instant,
    is_cancelled: AtomicBool,
    is_leaving: AtomicBool,
    /// When the transaction ends, in milliseconds since `start`.
    transaction_end: AtomicU64,
    /// Whether the statement that runs, or its transaction, keeps others from writing.
    is_writing: AtomicBool,
    interrupt: OnceLock<InterruptHandle>,
    ended: OnceLock<Ended>,
    /// Why it could not begin, for the first request.
    failure: Mutex<Option<Error>>,
}

impl Control {
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            is_cancelled: AtomicBool::new(false),
            is_leaving: AtomicBool::new(false),
            transaction_end: AtomicU64::new(NEVER),
            is_writing: AtomicBool::new(false),
            interrupt: OnceLock::new(),
            ended: OnceLock::new(),
            failure: Mutex::default(),
        }
    }

    /// Let [`Self::cancel`] interrupt this.
    pub fn interrupts(&self, handle: InterruptHandle) {
        // It is set once.
        let _ = self.interrupt.set(handle);
    }

    /// End the statement that runs, and all later ones.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
        self.interrupt();
    }

    /// End the statement that runs.
    pub fn interrupt(&self) {
        if let Some(handle) = self.interrupt.get() {
            handle.interrupt();
        }
    }

    /// Whether the statement that runs is to end, and SQLite has not noticed that yet.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.get().is_some_and(InterruptHandle::is_interrupted)
    }

    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Let it end when it waits for its client, since the server ends.
    pub fn leave(&self) {
        self.is_leaving.store(true, Ordering::Release);
    }

    pub fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Acquire)
    }

    /// Limit a transaction, which ends then at the latest; `None` outside one.
    pub fn limit_transaction(&self, end: Option<Instant>) {
        let end = end.map_or(NEVER, |end| self.milliseconds(end));
        self.transaction_end.store(end, Ordering::Release);
    }

    /// When the transaction ends at the latest; `None` outside one.
    pub fn transaction_end(&self) -> Option<Instant> {
        let end = self.transaction_end.load(Ordering::Acquire);
        (end != NEVER).then(|| self.start.checked_add(Duration::from_millis(end))).flatten()
    }

    /// Others cannot write from now on, or can again.
    pub fn note_writing(&self, is_writing: bool) {
        self.is_writing.store(is_writing, Ordering::Release);
    }

    pub fn is_writing(&self) -> bool {
        self.is_writing.load(Ordering::Acquire)
    }

    fn milliseconds(&self, time: Instant) -> u64 {
        let since = time.saturating_duration_since(self.start).as_millis();
        u64::try_from(since).unwrap_or(NEVER)
    }

    pub fn is_transaction_over(&self) -> bool {
        let end = self.transaction_end.load(Ordering::Acquire);
        end != NEVER && self.milliseconds(Instant::now()) >= end
    }

    /// Whether the statement that runs must end. SQLite calls this every few thousand steps.
    pub fn must_end(&self) -> bool {
        self.is_cancelled() || self.is_transaction_over()
    }

    /// The session could not begin.
    pub fn fail(&self, error: Error) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// The session has ended on its own. The first reason counts.
    pub fn end(&self, ended: Ended) {
        let _ = self.ended.set(ended);
    }

    /// Why it has ended on its own, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.get().copied()
    }

    /// Why it accepts no request.
    pub fn why_gone(&self) -> Error {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.unwrap_or_else(|| self.ended().map_or(Error::Gone, Error::Ended))
    }
}
