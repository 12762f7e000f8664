//! One instance: a store with the component in it, and the calls of its functions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use wasmtime::Store;
use wasmtime::component::{self, ComponentType, Lower, TypedFunc, WasmList};

use super::bindings::exports::sqlite_wasm::database::connections::{
    Guest, GuestIndices, Hook, OpenFlags, Progress,
};
use super::callbacks::Callback;
use super::exports::Exports;
use super::failure::{Failure, Reason};
use super::host::Host;
use super::process::{Interrupter, OnProgress};
use super::stack::Stack;
use crate::contract::types::{Function, SqlError};
use crate::extensions::trap_message;
use crate::mapping;
use crate::received;
use crate::stop::Stop;

/// Longest reply of one call, in bytes: SQLite's longest value. The component chooses, and the
/// host makes a copy.
pub const MAX_REPLY_BYTES: usize = 1 << 30;

/// Longest operations in registers, in bytes; see `connections.inline-operations`.
const MAX_INLINE_BYTES: usize = 96;

/// `SQLITE_ERROR`.
const ERROR: i32 = 1;

/// `SQLITE_NOMEM`.
const NO_MEMORY: i32 = 7;

/// `SQLITE_INTERRUPT`.
const INTERRUPT: i32 = 9;

/// Operations of at most 96 bytes.
#[derive(ComponentType, Lower)]
#[component(record)]
struct InlineOperations {
    length: u32,
    words: Words,
}

type Words = (u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);

type Reply = (Result<WasmList<u8>, SqlError>,);

/// A store with an instance that has not trapped.
struct Live {
    store: Store<Host>,
    instance: component::Instance,
    perform: TypedFunc<(u32, Vec<u8>), Reply>,
    perform_inline: TypedFunc<(u32, InlineOperations), Reply>,
    /// The other functions, when one of them is called.
    others: Option<Guest>,
}

/// An instance, until it traps.
pub struct Instance {
    live: Option<Live>,
    stack: Stack,
    exports: Arc<Exports>,
    interrupter: Interrupter,
    /// Why it is gone.
    trap: String,
}

/// A call of one of the functions that are not [`Instance::perform`].
macro_rules! call {
    ($self:ident, $store:ident, $guest:ident => $call:expr) => {
        $self.call(|live, functions| {
            let $guest = match live.others.take() {
                Some(guest) => guest,
                None => functions.load(&mut live.store, &live.instance)?,
            };
            let $store = &mut live.store;
            let result = $call;
            live.others = Some($guest);
            result
        })
    };
}

impl Instance {
    pub(super) fn new(
        mut store: Store<Host>,
        instance: component::Instance,
        stack: Stack,
        exports: Arc<Exports>,
        interrupter: Interrupter,
    ) -> Result<Self> {
        let perform = instance.get_typed_func(&mut store, exports.perform)?;
        let perform_inline = instance.get_typed_func(&mut store, exports.perform_inline)?;
        let live = Live { store, instance, perform, perform_inline, others: None };
        Ok(Self { live: Some(live), stack, exports, interrupter, trap: String::new() })
    }

    /// What interrupts its statements from other threads.
    pub fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }

    /// Whether it has trapped.
    pub fn is_gone(&self) -> bool {
        self.live.is_none()
    }

    /// End the statement of the next call after this time, in which the call waits too.
    pub fn limit_statement(&mut self, time: Option<Duration>) {
        if let Some(live) = &mut self.live {
            let end = time.and_then(|time| Instant::now().checked_add(time));
            live.store.data_mut().process.statement_end = end;
        }
    }

    /// Call this every few thousand steps of a statement.
    pub fn on_progress(&mut self, call: Option<OnProgress>) {
        if let Some(live) = &mut self.live {
            live.store.data_mut().process.on_progress = call;
        }
    }

    /// Open a connection: its number.
    ///
    /// # Errors
    ///
    /// SQLite's, or the host's [`Reason`].
    pub fn open(
        &mut self,
        path: &[u8],
        flags: OpenFlags,
        busy_milliseconds: u32,
    ) -> Result<u32, Failure> {
        let path = path.to_vec();
        call!(self, store, guest => guest.call_open(store, &path, flags, busy_milliseconds))
    }

    /// Close a connection.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn close(&mut self, connection: u32) -> Result<(), Failure> {
        call!(self, store, guest => guest.call_close(store, connection))
    }

    /// Perform operations, and put the reply into `reply`. It comes from the sandbox and may be
    /// any bytes, at most [`MAX_REPLY_BYTES`].
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn perform(
        &mut self,
        connection: u32,
        operations: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        reply.clear();
        self.call(|live, _| {
            let store = &mut live.store;
            let (result,) = match inline(operations) {
                Some(operations) => {
                    live.perform_inline.call(&mut *store, (connection, operations))?
                }
                None => {
                    let operations = operations.to_vec();
                    live.perform.call(&mut *store, (connection, operations))?
                }
            };
            Ok(match result {
                Ok(list) => {
                    let bytes = list.as_le_slice(&*store);
                    if bytes.len() > MAX_REPLY_BYTES {
                        return Err(wasmtime::format_err!("its reply is too long"));
                    }
                    reply.extend_from_slice(bytes);
                    Ok(())
                }
                Err(error) => Err(error),
            })
        })
    }

    /// Let SQL call `callback` as a function; without one the function is removed.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn create_function(
        &mut self,
        connection: u32,
        callback: Option<Box<dyn Callback>>,
        function: &Function,
    ) -> Result<(), Failure> {
        let number = self.add(callback);
        call!(self, store, guest => guest.call_create_function(store, connection, number, function))
    }

    /// Let SQL call `callback` as a collation; without one the collation is removed.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn create_collation(
        &mut self,
        connection: u32,
        callback: Option<Box<dyn Callback>>,
        name: &str,
    ) -> Result<(), Failure> {
        let number = self.add(callback);
        call!(self, store, guest => guest.call_create_collation(store, connection, number, name))
    }

    /// Set, replace or remove a hook.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn set_hook(
        &mut self,
        connection: u32,
        hook: Hook,
        callback: Option<Box<dyn Callback>>,
    ) -> Result<(), Failure> {
        let number = self.add(callback);
        call!(self, store, guest => guest.call_set_hook(store, connection, hook, number))
    }

    /// Load an extension by its name or path.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn load_extension(&mut self, connection: u32, name: &str) -> Result<(), Failure> {
        call!(self, store, guest => guest.call_load_extension(store, connection, name))
    }

    /// Begin a backup of a database to the file at `path`, or with `restore` from there.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn backup_start(
        &mut self,
        connection: u32,
        schema: &str,
        path: &[u8],
        restore: bool,
    ) -> Result<u32, Failure> {
        let path = path.to_vec();
        call!(self, store, guest =>
            guest.call_backup_start(store, connection, schema, &path, restore))
    }

    /// Copy pages of a backup; fewer than 0 means all.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn backup_step(&mut self, backup: u32, pages: i32) -> Result<Progress, Failure> {
        call!(self, store, guest => guest.call_backup_step(store, backup, pages))
    }

    /// End a backup.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn backup_finish(&mut self, backup: u32) -> Result<(), Failure> {
        call!(self, store, guest => guest.call_backup_finish(store, backup))
    }

    /// Add a callback that nothing is registered for: its number.
    pub fn add_callback(&mut self, callback: Box<dyn Callback>) -> Option<u32> {
        self.add(Some(callback))
    }

    fn add(&mut self, callback: Option<Box<dyn Callback>>) -> Option<u32> {
        let live = self.live.as_mut()?;
        callback.map(|callback| live.store.data_mut().callbacks.add(callback))
    }

    /// Run one call. After a trap the instance is gone.
    fn call<T>(
        &mut self,
        call: impl FnOnce(&mut Live, &GuestIndices) -> wasmtime::Result<Result<T, SqlError>>,
    ) -> Result<T, Failure> {
        let Self { live: Some(live), stack, .. } = self else { return Err(self.gone()) };
        live.store.data_mut().process.stopped = None;
        let functions = &self.exports.all;
        // A page that another connection on this thread has lost is not this one's.
        let outer = mapping::replace_lost(false);
        // The host's own code does not panic; if it did, only this instance would end.
        let result = stack.run(|| call(live, functions));
        if mapping::replace_lost(outer) {
            self.trap = Stop::LostPage.to_string();
            return self.end();
        }
        match result {
            Ok(Ok(Ok(value))) => Ok(value),
            Ok(Ok(Err(error))) => Err(failure(live.store.data_mut(), error)),
            Ok(Err(trap)) => {
                self.trap = trap_message(&trap, &live.store.data().log.contents());
                self.end()
            }
            Err(_) => {
                self.trap = "the host panicked".to_owned();
                self.end()
            }
        }
    }

    /// Drop what has trapped, with its files and locks.
    fn end<T>(&mut self) -> Result<T, Failure> {
        self.live = None;
        Err(self.gone())
    }

    fn gone(&self) -> Failure {
        let message = format!("the sandboxed database trapped and is gone: {}", self.trap);
        Failure { code: ERROR, message, reason: Some(Reason::Trapped) }
    }
}

/// A failure of SQLite, with what the host knows of its reason.
fn failure(host: &mut Host, error: SqlError) -> Failure {
    let SqlError { code, message } = error;
    let reason = match code & 0xff {
        INTERRUPT => host.process.stopped,
        NO_MEMORY if host.memory.was_reached() => Some(Reason::Memory),
        _ => None,
    };
    let mut message = received::text(message);
    if let Some(path) = host.process.refused.take() {
        message = format!("{message}; `{path}` is outside the granted directories");
    }
    Failure { code, message, reason }
}

/// Operations as words, if they are so few.
fn inline(operations: &[u8]) -> Option<InlineOperations> {
    let mut bytes = [0; MAX_INLINE_BYTES];
    bytes.get_mut(..operations.len())?.copy_from_slice(operations);
    let (words, _) = bytes.as_chunks();
    let word = |index: usize| u64::from_le_bytes(words[index]);
    let words = (
        word(0),
        word(1),
        word(2),
        word(3),
        word(4),
        word(5),
        word(6),
        word(7),
        word(8),
        word(9),
        word(10),
        word(11),
    );
    Some(InlineOperations { length: operations.len() as u32, words })
}
