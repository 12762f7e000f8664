//! One instance and its connections.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::ptr::null;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use runtime::database::wire::{Operations, Reader, code};
use runtime::database::{Callback, Failure, Instance, Interrupter, Settings};
use runtime::extensions::{ExtensionGrants, Limits as ExtensionLimits};

use crate::grants;
use crate::refusals;
use crate::settings::Limits;
use crate::template::Sandbox;

/// What the program decides for a connection.
pub struct Terms<'a> {
    /// The limits.
    pub limits: Limits,
    /// The grants besides those of the environment: see [`grants::of_program`].
    pub grants: &'a [&'a [u8]],
}

/// An instance. The C code holds its mutex during every call but [`EngineInstance::interrupt`].
pub struct EngineInstance {
    instance: Instance,
    interrupter: Interrupter,
    limits: Limits,
    callback: u32,
    /// The secret key of its seals.
    seals: RandomState,
    /// The last reply, which C reads until the next call.
    reply: RefCell<Vec<u8>>,
}

unsafe extern "C" {
    /// Perform a callback of the program; the reply stays valid until the next one.
    fn library_event(
        engine: *const c_void,
        bytes: *const u8,
        count: usize,
        reply_count: *mut usize,
    ) -> *const u8;

    /// Start a helper. Returns its process, or a negated `errno`.
    fn helper_start(
        program: c_int,
        words: *const *const c_char,
        settings: *const *const c_char,
        streams: *const c_int,
    ) -> c_int;

    /// Returns 1 when it has ended, 0 before, or a negated `errno`.
    fn helper_ended(process: c_int, status: *mut c_int) -> c_int;

    /// Kill it, and wait for its end.
    fn helper_end(process: c_int);
}

/// A process that is hidden from the program.
pub struct Hidden {
    process: c_int,
    has_ended: bool,
}

impl Hidden {
    /// Start it.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn start(
        program: &OwnedFd,
        words: &[CString],
        settings: &[CString],
        streams: &[File; 3],
    ) -> io::Result<Self> {
        let listed = |texts: &[CString]| -> Vec<*const c_char> {
            texts.iter().map(|text| text.as_ptr()).chain([null()]).collect()
        };
        let (words, settings) = (listed(words), listed(settings));
        let streams = streams.each_ref().map(File::as_raw_fd);
        // SAFETY: lists of C strings that end with a null pointer, and three descriptors.
        let process = unsafe {
            let program = program.as_raw_fd();
            helper_start(program, words.as_ptr(), settings.as_ptr(), streams.as_ptr())
        };
        if process < 0 {
            return Err(io::Error::from_raw_os_error(-process));
        }
        Ok(Self { process, has_ended: false })
    }

    /// Its exit status, if it has ended.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let mut status = 0;
        // SAFETY: a process that this value owns and that has not been waited for, and a variable.
        match unsafe { helper_ended(self.process, &mut status) } {
            0 => Ok(None),
            1 => {
                self.has_ended = true;
                Ok(Some(ExitStatus::from_raw(status)))
            }
            error => {
                // The program has waited for it, so its id may belong to another process.
                self.has_ended = true;
                Err(io::Error::from_raw_os_error(-error))
            }
        }
    }

    /// Kill it, if it has not ended.
    pub fn end(&mut self) {
        if !self.has_ended {
            self.has_ended = true;
            // SAFETY: as above.
            unsafe { helper_end(self.process) };
        }
    }
}

/// The program's callbacks, for the C code's pointer.
struct Events(*const c_void);

// SAFETY: the C code holds the engine's mutex during every call, and so during its callbacks.
unsafe impl Send for Events {}
// SAFETY: the same.
unsafe impl Sync for Events {}

impl Callback for Events {
    fn call(&self, arguments: &[u8], reply: &mut Vec<u8>) {
        let mut count = 0;
        // SAFETY: the C code reads the bytes, and its reply has `count` bytes until it is called
        // again.
        let written = unsafe {
            let written = library_event(self.0, arguments.as_ptr(), arguments.len(), &mut count);
            if written.is_null() { &[] } else { slice::from_raw_parts(written, count) }
        };
        reply.extend_from_slice(written);
    }
}

impl EngineInstance {
    /// Start an instance that may use the database at `path`. C identifies it by `own`.
    ///
    /// # Errors
    ///
    /// When the limits leave no room, or a grant cannot be opened.
    pub fn start(
        sandbox: &Sandbox,
        path: Option<&Path>,
        terms: &Terms<'_>,
        own: *const c_void,
    ) -> Result<Self> {
        let limits = terms.limits;
        let mut extension_grants = ExtensionGrants::default();
        extension_grants.without_options();
        sandbox.shipped.iter().for_each(|directory| extension_grants.shipped(directory));
        let mut recipe = Cow::Borrowed(&sandbox.recipe);
        if !terms.grants.is_empty() {
            grants::of_program(recipe.to_mut(), &mut extension_grants, terms.grants)
                .context("the program's grants")?;
        }
        let settings = Settings {
            grants: grants::of_database(&recipe, path),
            masks: recipe.masks.clone(),
            memory_bytes: limits.memory,
            temporary_bytes: None,
            end: None,
            on_refused: Some(refusals::report),
            extensions: recipe
                .extensions()
                .limits(ExtensionLimits::within(limits.memory))
                .grants(extension_grants),
        };
        let instance = sandbox.template.start(settings)?;
        Ok(Self {
            interrupter: instance.interrupter().clone(),
            callback: instance.add(Arc::new(Events(own))),
            instance,
            limits,
            seals: RandomState::new(),
            reply: RefCell::default(),
        })
    }

    /// The id of its callback.
    pub fn callback(&self) -> u32 {
        self.callback
    }

    /// A keyed hash that the sandbox cannot compute: it proves that bytes are unchanged.
    pub fn seal(&self, bytes: &[u8]) -> u64 {
        self.seals.hash_one(bytes)
    }

    /// Interrupt its statement, from any thread.
    pub fn interrupt(&self) {
        self.interrupter.interrupt();
    }

    /// Clear an interruption that nothing has noticed.
    pub fn clear_interruption(&self) {
        self.interrupter.clear();
    }

    /// Whether there is an interruption that nothing has noticed.
    pub fn is_interrupted(&self) -> bool {
        self.interrupter.is_set()
    }

    /// Open a connection with SQLite's flags. Returns its id.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn open(&self, path: &[u8], flags: u32) -> Result<u32, Failure> {
        self.send(0, Operations::default().open_connection(flags, 0, path).as_bytes())?;
        let malformed = |_| Failure { code: code::INTERNAL, message: String::new(), reason: None };
        Reader(&self.reply.borrow()).u32().map_err(malformed)
    }

    /// Close a connection.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn close(&self, connection: u32) -> Result<(), Failure> {
        // An interruption would end the last checkpoint.
        self.interrupter.clear();
        self.send(connection, Operations::default().close_connection().as_bytes())
    }

    /// Load a WebAssembly extension.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn load_extension(&self, connection: u32, name: &str) -> Result<(), Failure> {
        self.send(connection, Operations::default().load_extension(name).as_bytes())
    }

    /// Perform calls. The reply is valid until the next call.
    ///
    /// # Errors
    ///
    /// When the instance has trapped.
    pub fn perform(&self, connection: u32, calls: &[u8]) -> Result<(*const u8, usize), Failure> {
        self.send(connection, calls)?;
        let reply = self.reply.borrow();
        Ok((reply.as_ptr(), reply.len()))
    }

    fn send(&self, connection: u32, operations: &[u8]) -> Result<(), Failure> {
        // A callback may send other calls meanwhile, whose replies are read then.
        let mut reply = self.reply.take();
        let end = self.limits.time.and_then(|time| Instant::now().checked_add(time));
        let sent = self.instance.perform(connection, operations, end, &mut reply);
        self.reply.replace(reply);
        sent
    }
}
