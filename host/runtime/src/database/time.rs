//! The hard limit on a statement's time. SQLite checks the clock between steps of its program, and
//! ends a statement whose time is over. A single step can take very long, such as `instr` of long
//! texts: code that checks the time traps there, also where it was interrupted.

use std::time::{Duration, Instant};

use wasmtime::{Store, UpdateDeadline};

use super::failure::Reason;
use super::host::Host;
use super::process::{GRACE, Process, continued};
use crate::imports::data::Data;
use crate::limits::call_clock::{self, LOOK};
use crate::limits::deadline::MAX_TIME;

/// Let the store trap when the time of a call and [`GRACE`] are over.
pub fn limit(store: &mut Store<Data>) {
    call_clock::set_deadline(store, MAX_TIME);
    store.epoch_deadline_callback(|mut store| {
        let process = &mut store.data_mut().of_mut::<Host>().process;
        match process.over() {
            // A look at the interruption, or the deadline of an earlier call.
            None if process.ignores_interruption() => Err(continued(Reason::Interrupted)),
            None => Ok(UpdateDeadline::Continue(call_clock::ticks(process.left()).min(LOOK))),
            Some((_, reason)) => {
                let seen = (process.polls, process.stopped.is_some());
                if process.polls_at_end.replace(seen) == Some(seen) {
                    return Err(continued(reason));
                }
                Ok(UpdateDeadline::Continue(call_clock::ticks(process.grace())))
            }
        }
    });
}

/// Begin a call with this end of the statement's time.
pub fn begin(store: &mut Store<Data>, statement_end: Option<Instant>) {
    let process = &mut store.data_mut().of_mut::<Host>().process;
    process.stopped = None;
    process.statement_end = statement_end;
    if process.next_end().is_none() {
        return;
    }
    process.begun = Some(Instant::now());
    (process.polls_at_end, process.unnoticed) = (None, None);
    let left = process.left();
    store.set_epoch_deadline(call_clock::ticks(left).min(LOOK));
}

impl Process {
    /// The time until the earlier end.
    fn left(&self) -> Duration {
        let end = self.next_end().map(|(end, _)| end.saturating_duration_since(Instant::now()));
        end.unwrap_or(MAX_TIME)
    }

    /// Whether an interruption waits for longer than [`GRACE`]: SQLite polls between steps.
    fn ignores_interruption(&mut self) -> bool {
        if !self.interrupter.is_set() {
            self.unnoticed = None;
            return false;
        }
        self.unnoticed.get_or_insert_with(Instant::now).elapsed() > GRACE
    }

    /// How long the call may go on. Undoing the changes of a statement takes about as long as making them; before SQLite
    /// knows that its time is over it undoes nothing.
    fn grace(&self) -> Duration {
        match (self.stopped, self.begun) {
            (Some(_), Some(begun)) => GRACE + begun.elapsed(),
            _ => GRACE,
        }
    }
}
