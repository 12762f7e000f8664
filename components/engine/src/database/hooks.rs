//! Hooks of the program.

use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::rc::Rc;

use wire::Hook;

use super::callbacks::Callback;
use crate::host::dispatch::SqlError;
use crate::program_callbacks::Event;
use crate::sqlite::connection::{ClientData, Connection};
use crate::sqlite::error::failure;
use crate::sqlite::hooks::Hooks;

/// The hooks of a connection, by [`Hook`].
#[derive(Default)]
pub struct ProgramHooks(RefCell<[Option<Rc<Callback>>; 4]>);

impl ClientData for ProgramHooks {
    const NAME: &CStr = c"sqlite-wasm-hooks";
}

/// Set, replace or remove a hook.
pub fn set(db: &Connection, hook: Hook, callback: Option<Callback>) -> Result<(), SqlError> {
    if db.client_data::<ProgramHooks>().is_none() {
        let no_memory = |code| failure(code, "no memory is left for a hook");
        db.set_client_data(ProgramHooks::default()).map_err(no_memory)?;
    }
    let on = callback.is_some();
    if let Some(ProgramHooks(hooks)) = db.client_data() {
        hooks.borrow_mut()[hook as usize] = callback.map(Rc::new);
    }
    match hook {
        Hook::Busy => db.set_busy_hook::<ProgramHooks>(on),
        Hook::Commit => db.set_commit_hook::<ProgramHooks>(on),
        Hook::Rollback => db.set_rollback_hook::<ProgramHooks>(on),
        Hook::Update => db.set_update_hook::<ProgramHooks>(on),
    }
    Ok(())
}

impl ProgramHooks {
    /// Whether the program's reply is an integer other than 0.
    fn call(&self, hook: Hook, event: Event, put: impl FnOnce(&mut wire::Writer)) -> bool {
        let callback = self.0.borrow()[hook as usize].clone();
        callback.and_then(|callback| callback.integer(event, put)).is_some_and(|reply| reply != 0)
    }
}

impl Hooks for ProgramHooks {
    fn busy(&self, calls: c_int) -> bool {
        self.call(Hook::Busy, Event::Busy, |to| to.integer(calls.into()))
    }

    fn commit(&self) -> bool {
        self.call(Hook::Commit, Event::Commit, |_| ())
    }

    fn rollback(&self) {
        self.call(Hook::Rollback, Event::Rollback, |_| ());
    }

    fn update(&self, action: c_int, schema: &CStr, table: &CStr, row_id: i64) {
        self.call(Hook::Update, Event::Update, |to| {
            to.integer(action.into());
            to.text(schema.to_bytes());
            to.text(table.to_bytes());
            to.integer(row_id);
        });
    }
}
