//! What the host did: a log of its calls, and what it has not given back.

use std::cell::{Cell, RefCell};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static NUMBER: Cell<i64> = const { Cell::new(0) };
    static ALIVE: Cell<i64> = const { Cell::new(0) };
}

/// Note a call.
pub fn note(call: impl Into<String>) {
    LOG.with_borrow_mut(|log| log.push(call.into()));
}

/// All calls since the last time.
pub fn take_log() -> String {
    LOG.take().join(" ")
}

/// 1, 2, 3, …
pub fn next_number() -> i64 {
    NUMBER.set(NUMBER.get() + 1);
    NUMBER.get()
}

/// How many groups, tables and cursors there are.
pub fn alive() -> i64 {
    ALIVE.get()
}

/// Counts as alive until it is dropped.
#[derive(Debug)]
pub struct Alive(());

impl Default for Alive {
    fn default() -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}
