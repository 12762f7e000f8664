//! One instance with the connections in it.

use std::cell::{Cell, UnsafeCell};
use std::env;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::null;
use std::slice;
use std::sync::Arc;

use anyhow::{Context, Result};
use runtime::database::wire::{self, Value};
use runtime::database::{Callback, Event, Failure, Instance, Interrupter, OpenFlags, Settings};
use runtime::extensions::{ExtensionGrants, ExtensionsCtx};

use crate::grants;
use crate::settings::Limits;
use crate::template::Sandbox;

/// `SQLITE_MISUSE`.
const MISUSE: i32 = 21;

/// An instance. The C code holds its mutex during every call but [`Engine::interrupt`].
pub struct Engine {
    instance: UnsafeCell<Instance>,
    interrupter: Interrupter,
    limits: Limits,
    /// A call of the instance is in progress: the program's callbacks come from there.
    is_running: Cell<bool>,
    callback: u32,
    /// Kept between calls.
    reply: UnsafeCell<Vec<u8>>,
}

unsafe extern "C" {
    /// Perform a callback of the program; the reply stays where it is until the next one.
    fn library_event(
        engine: *const c_void,
        bytes: *const u8,
        count: usize,
        reply_count: *mut usize,
    ) -> *const u8;
}

/// The program's callbacks, by the engine's number.
struct Events(*const c_void);

// SAFETY: the C code holds the engine's mutex during every call, and so during its callbacks.
unsafe impl Send for Events {}

impl Callback for Events {
    fn call(&mut self, _: Event, bytes: &[u8]) -> Result<Value<Vec<u8>>, (i32, String)> {
        let mut count = 0;
        // SAFETY: the C code reads the bytes, and its reply has `count` bytes until it is called
        // again.
        let reply = unsafe {
            let reply = library_event(self.0, bytes.as_ptr(), bytes.len(), &mut count);
            if reply.is_null() { &[] } else { slice::from_raw_parts(reply, count) }
        };
        Ok(Value::Blob(reply.to_vec()))
    }
}

impl Engine {
    /// Start an instance that may reach the database at `path`. `own` is what C calls it.
    ///
    /// # Errors
    ///
    /// When the limits leave no room, or a grant cannot be opened.
    pub fn start(
        sandbox: &Sandbox,
        path: Option<&Path>,
        limits: Limits,
        own: *const c_void,
    ) -> Result<Self> {
        let settings = Settings {
            grants: Arc::new(grants::of_database(path, &sandbox.own)?),
            directory: env::current_dir().ok(),
            memory_bytes: limits.memory,
            end: None,
            extensions: ExtensionsCtx::new(sandbox.extensions.clone())
                .grants(ExtensionGrants::default())
                .compiler(sandbox.compiler.clone())
                .cache(sandbox.cache.clone()),
        };
        let mut instance = sandbox.template.start(settings)?;
        let callback = instance.add_callback(Box::new(Events(own))).context("it has trapped")?;
        Ok(Self {
            interrupter: instance.interrupter().clone(),
            instance: UnsafeCell::new(instance),
            limits,
            is_running: Cell::new(false),
            callback,
            reply: UnsafeCell::default(),
        })
    }

    /// The number of its callback.
    pub fn callback(&self) -> u32 {
        self.callback
    }

    /// Interrupt what it runs, from any thread.
    pub fn interrupt(&self) {
        self.interrupter.interrupt();
    }

    /// Forget an interruption that nothing has noticed.
    pub fn clear_interruption(&self) {
        self.interrupter.clear();
    }

    /// Whether an interruption waits.
    pub fn is_interrupted(&self) -> bool {
        self.interrupter.is_set()
    }

    /// Open a connection.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn open(&self, path: &[u8], flags: OpenFlags) -> Result<u32, Failure> {
        self.enter(|instance| instance.open(path, flags, 0))
    }

    /// Close a connection.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn close(&self, connection: u32) -> Result<(), Failure> {
        self.enter(|instance| instance.close(connection))
    }

    /// Load an extension of ours.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn load_extension(&self, connection: u32, name: &str) -> Result<(), Failure> {
        self.enter(|instance| instance.load_extension(connection, name))
    }

    /// Perform calls: the reply, until the next one.
    ///
    /// # Errors
    ///
    /// When the instance has trapped.
    pub fn perform(&self, connection: u32, calls: &[u8]) -> Result<(*const u8, usize), Failure> {
        debug_assert_eq!(calls.first(), Some(&wire::LIBRARY));
        // SAFETY: `enter` refuses a call inside another one, so nothing else uses the reply.
        let reply = unsafe { &mut *self.reply.get() };
        self.enter(|instance| {
            instance.limit_statement(self.limits.time);
            instance.perform(connection, calls, reply)
        })?;
        Ok(if reply.is_empty() { (null(), 0) } else { (reply.as_ptr(), reply.len()) })
    }

    fn enter<T>(
        &self,
        call: impl FnOnce(&mut Instance) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.is_running.replace(true) {
            let message = "a callback cannot use the connection that calls it".to_owned();
            return Err(Failure { code: MISUSE, message, reason: None });
        }
        // SAFETY: nothing else uses it: the mutex excludes other threads, and the check above
        // callbacks.
        let result = call(unsafe { &mut *self.instance.get() });
        self.is_running.set(false);
        result
    }
}
