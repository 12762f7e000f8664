//! Hooks of a connection: what SQLite calls when it waits, and when it changes something.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;

use super::connection::{ClientData, Connection};

/// What is called. The connection keeps it as its client data.
pub trait Hooks: ClientData {
    /// A file is locked, and this was called so often for the lock: whether to try again.
    fn busy(&self, calls: c_int) -> bool;

    /// A transaction is about to be committed: whether to roll it back.
    fn commit(&self) -> bool;

    /// A transaction was rolled back.
    fn rollback(&self);

    /// A row was inserted, updated or deleted, as SQLite numbers these actions.
    fn update(&self, action: c_int, schema: &CStr, table: &CStr, row_id: i64);
}

impl Connection {
    /// What SQLite passes to a hook: the connection's [`Hooks`]; null to call none.
    fn hooks<H: Hooks>(&self, on: bool) -> *mut c_void {
        let hooks = self.client_data::<H>().filter(|_| on);
        hooks.map_or(null_mut(), |hooks| std::ptr::from_ref(hooks).cast_mut().cast())
    }

    /// Call [`Hooks::busy`], or fail at once where a file is locked.
    pub fn set_busy_hook<H: Hooks>(&self, on: bool) {
        let hooks = self.hooks::<H>(on);
        let call: Option<unsafe extern "C" fn(_, _) -> _> =
            (!hooks.is_null()).then_some(busy::<H> as _);
        // SAFETY: an open connection, which keeps the hooks until `clear_hooks`.
        unsafe { sqlite::sqlite3_busy_handler(self.as_ptr(), call, hooks) };
    }

    /// Call [`Hooks::commit`].
    pub fn set_commit_hook<H: Hooks>(&self, on: bool) {
        let hooks = self.hooks::<H>(on);
        let call: Option<unsafe extern "C" fn(_) -> _> =
            (!hooks.is_null()).then_some(commit::<H> as _);
        // SAFETY: an open connection, which keeps the hooks until `clear_hooks`.
        unsafe { sqlite::sqlite3_commit_hook(self.as_ptr(), call, hooks) };
    }

    /// Call [`Hooks::rollback`].
    pub fn set_rollback_hook<H: Hooks>(&self, on: bool) {
        let hooks = self.hooks::<H>(on);
        let call: Option<unsafe extern "C" fn(_)> =
            (!hooks.is_null()).then_some(rollback::<H> as _);
        // SAFETY: an open connection, which keeps the hooks until `clear_hooks`.
        unsafe { sqlite::sqlite3_rollback_hook(self.as_ptr(), call, hooks) };
    }

    /// Call [`Hooks::update`].
    pub fn set_update_hook<H: Hooks>(&self, on: bool) {
        let hooks = self.hooks::<H>(on);
        let call: Option<unsafe extern "C" fn(_, _, _, _, _)> =
            (!hooks.is_null()).then_some(update::<H> as _);
        // SAFETY: an open connection, which keeps the hooks until `clear_hooks`.
        unsafe { sqlite::sqlite3_update_hook(self.as_ptr(), call, hooks) };
    }

    /// Call no hook any more. To close a connection rolls back after its client data is gone.
    pub fn clear_hooks<H: Hooks>(&self) {
        self.set_busy_hook::<H>(false);
        self.set_commit_hook::<H>(false);
        self.set_rollback_hook::<H>(false);
        self.set_update_hook::<H>(false);
    }
}

unsafe extern "C" fn busy<H: Hooks>(hooks: *mut c_void, calls: c_int) -> c_int {
    // SAFETY: `set_busy_hook` has given the connection's hooks, which it still has.
    unsafe { &*hooks.cast::<H>() }.busy(calls).into()
}

unsafe extern "C" fn commit<H: Hooks>(hooks: *mut c_void) -> c_int {
    // SAFETY: `set_commit_hook` has given the connection's hooks, which it still has.
    unsafe { &*hooks.cast::<H>() }.commit().into()
}

unsafe extern "C" fn rollback<H: Hooks>(hooks: *mut c_void) {
    // SAFETY: `set_rollback_hook` has given the connection's hooks, which it still has.
    unsafe { &*hooks.cast::<H>() }.rollback();
}

unsafe extern "C" fn update<H: Hooks>(
    hooks: *mut c_void,
    action: c_int,
    schema: *const c_char,
    table: *const c_char,
    row_id: i64,
) {
    // SAFETY: `set_update_hook` has given the connection's hooks, which it still has; SQLite passes
    // two C strings.
    unsafe {
        let (schema, table) = (CStr::from_ptr(schema), CStr::from_ptr(table));
        (*hooks.cast::<H>()).update(action, schema, table, row_id);
    }
}
