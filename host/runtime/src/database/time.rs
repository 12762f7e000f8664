//! The hard limit on a statement's time. SQLite checks the clock between steps of its program, and
//! ends a statement whose time is over. A single step can take very long, such as `instr` of long
//! texts: code that checks the time traps there.

use std::time::{Duration, Instant};

use wasmtime::{Store, UpdateDeadline};

use super::host::Host;
use super::process::{GRACE, Process, continued};
use crate::call_clock;
use crate::data::Data;
use crate::deadline::MAX_TIME;

/// Let the store trap when the time of a call and [`GRACE`] are over.
pub fn limit(store: &mut Store<Data>) {
    call_clock::set_deadline(store, MAX_TIME);
    store.epoch_deadline_callback(|mut store| {
        let process = &mut store.data_mut().of_mut::<Host>().process;
        match process.over() {
            // A tick too early, or the deadline of an earlier call.
            None => Ok(UpdateDeadline::Continue(call_clock::ticks(process.left()))),
            Some(_) => {
                let seen = (process.polls, process.stopped.is_some());
                if process.polls_at_end.replace(seen) == Some(seen) {
                    return Err(continued());
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
    process.polls_at_end = None;
    let left = process.left();
    call_clock::set_deadline(store, left);
}

impl Process {
    /// The time until the earlier end.
    fn left(&self) -> Duration {
        let end = self.next_end().map(|(end, _)| end.saturating_duration_since(Instant::now()));
        end.unwrap_or(MAX_TIME)
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
