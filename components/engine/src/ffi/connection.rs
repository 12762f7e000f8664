//! What every connection gets when it is opened: interruption, the authorizer, and
//! the extensions that are embedded.
//!
//! Ctrl-C and time limits must not slow the engine down, so no compiled code
//! is checked for them; SQLite's progress handler asks the host. SQLite has
//! one such handler for a connection: a program that wants its own goes
//! through [`set_progress_handler`], and ours stands in front of it.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;

use super::authorizer;
use crate::extensions;
use crate::host::process::{Interruption, poll_interruption};

/// Virtual machine steps between two questions to the host. A question costs
/// some 40 ns and this many steps 50 µs or more, so that nobody can measure
/// the one or feel the other.
const STEPS_PER_POLL: c_int = 4096;

/// A progress handler of SQLite.
pub type ProgressCallback = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The program's own handler, which stands behind ours.
#[derive(Clone, Copy)]
struct ProgramHandler {
    steps: c_int,
    callback: Option<ProgressCallback>,
    argument: *mut c_void,
    /// Steps since it was called.
    waited: c_int,
}

/// What the program does for each connection, and when its person interrupts.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Called with each connection that is opened; a result code.
    pub opened: unsafe extern "C" fn(*mut sqlite::sqlite3) -> c_int,
    /// Called when the user interrupts, before the statement ends.
    pub interrupted: fn(),
    /// Called when an embedded extension cannot use a connection, with the
    /// reason.
    pub complain: fn(&str),
}

struct State {
    handler: Cell<ProgramHandler>,
    hooks: Cell<Option<Hooks>>,
}

// SAFETY: a component has one thread.
unsafe impl Sync for State {}

static STATE: State = State {
    handler: Cell::new(ProgramHandler {
        steps: 0,
        callback: None,
        argument: null_mut(),
        waited: 0,
    }),
    hooks: Cell::new(None),
};

/// Set the program's hooks, before SQLite is used.
pub fn set_hooks(hooks: Hooks) {
    STATE.hooks.set(Some(hooks));
}

/// Called by SQLite for each connection (`SQLITE_EXTRA_AUTOEXT`).
///
/// # Safety
///
/// `db` is an open connection.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_connection_opened(db: *mut sqlite::sqlite3) -> c_int {
    // SAFETY: the caller's connection.
    unsafe {
        sqlite::sqlite3_progress_handler(db, STEPS_PER_POLL, Some(on_progress), null_mut());
        authorizer::install(db);
        let Some(hooks) = STATE.hooks.get() else {
            extensions::embedded::connect(db, |_| ());
            return sqlite::SQLITE_OK;
        };
        extensions::embedded::connect(db, hooks.complain);
        (hooks.opened)(db)
    }
}

/// What `sqlite3_close` does, after the statements that extensions keep are
/// closed: SQLite refuses to close a connection that has any.
///
/// # Safety
///
/// As `sqlite3_close`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_close(db: *mut sqlite::sqlite3) -> c_int {
    // SAFETY: the caller's connection, on which nothing runs.
    unsafe {
        if !db.is_null() {
            extensions::sql::close_all(db);
        }
        sqlite::sqlite3_close(db)
    }
}

/// What `sqlite3_progress_handler` does, with interruption kept.
///
/// # Safety
///
/// As `sqlite3_progress_handler`.
pub unsafe fn set_progress_handler(
    db: *mut sqlite::sqlite3,
    steps: c_int,
    callback: Option<ProgressCallback>,
    argument: *mut c_void,
) {
    let wanted = callback.filter(|_| steps > 0);
    STATE.handler.set(ProgramHandler { steps, callback: wanted, argument, waited: 0 });
    let period = if wanted.is_some() { steps.min(STEPS_PER_POLL) } else { STEPS_PER_POLL };
    // SAFETY: the caller's connection.
    unsafe { sqlite::sqlite3_progress_handler(db, period, Some(on_progress), null_mut()) };
}

/// Whether the statement that runs is to stop; the program has been told when
/// it is the user who says so.
pub fn poll() -> bool {
    let Some(reason) = poll_interruption() else {
        return false;
    };
    if let (Interruption::User, Some(hooks)) = (reason, STATE.hooks.get()) {
        (hooks.interrupted)();
    }
    true
}

unsafe extern "C" fn on_progress(_: *mut c_void) -> c_int {
    if poll() {
        return 1;
    }
    let mut handler = STATE.handler.get();
    let Some(callback) = handler.callback else {
        return 0;
    };
    handler.waited += handler.steps.min(STEPS_PER_POLL);
    let is_due = handler.waited >= handler.steps;
    if is_due {
        handler.waited = 0;
    }
    STATE.handler.set(handler);
    // SAFETY: the program's callback with the program's argument.
    if is_due { unsafe { callback(handler.argument) } } else { 0 }
}
