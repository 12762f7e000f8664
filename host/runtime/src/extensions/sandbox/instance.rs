//! An instance of an extension: its life cycle, its state, and the limit on the time of each call.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use wasmtime::Store;
use wire::code;

use super::exports;
use super::handles::{FIRST_DYNAMIC, Handles};
use super::start::{self, Started, at_once};
use super::store::limit_call;
use super::suspended::{Held, Suspended};
use super::trap::Shared;
use super::{Calls, Code, Sandbox, Usage};
use crate::contract::bindings::sqlite_wasm::host::dispatch::Unfinished;
use crate::contract::types::{Connecting, Manifest, Output, SqlError};
use crate::extensions::grants::Granted;
use crate::extensions::package::Package;
use crate::extensions::{Limits, error};
use crate::filesystem::masks::Masks;
use crate::imports::data::Data;
use crate::words::shown as text;

pub use super::start::Answer;

/// An instance whose calls may be suspended.
pub type Suspendable = Box<Started<exports::suspendable::Exports>>;

/// An instance for one call. A suspendable one belongs to the call.
pub enum Ready<'a> {
    Direct(&'a mut Started<exports::direct::Exports>),
    Suspendable(Suspendable),
}

/// The life cycle of an instance.
pub enum Life {
    /// The next call starts an instance.
    Absent,
    /// It waits for a call, which is complete when it returns.
    Direct(Box<Started<exports::direct::Exports>>),
    /// It waits for a call, which may be suspended.
    Suspendable(Suspendable),
    /// Its call is suspended and waits for SQL.
    Suspended(Suspended),
}

impl Life {
    /// Start an instance in `store`, which was made with `shared` and `limits`; `is_lost` as in
    /// [`Started`].
    fn start(
        code: &Code,
        store: Store<Data>,
        is_lost: bool,
        made_with: (&Shared, &Limits),
    ) -> Result<Self> {
        Ok(match code.calls {
            Calls::Direct => {
                Self::Direct(Box::new(start::direct(code, store, is_lost, made_with)?))
            }
            Calls::Suspendable => {
                Self::Suspendable(Box::new(start::suspendable(code, store, is_lost, made_with)?))
            }
        })
    }

    fn describe(&mut self) -> wasmtime::Result<Manifest> {
        match self {
            Self::Direct(started) => started.exports.extension()?.call_describe(&mut started.store),
            Self::Suspendable(started) => {
                at_once(started.exports.extension()?.call_describe(&mut started.store))
            }
            _ => Err(wasmtime::format_err!("it did not start")),
        }
    }
}

/// An instance that has returned its manifest, without any grant.
pub struct Described {
    pub manifest: Manifest,
    shared: Shared,
    usage: Usage,
    life: Life,
}

/// Start an instance of `code` without any grant, and get its manifest.
///
/// # Errors
///
/// When it does not start, or `describe` fails.
pub fn describe(code: &Code, limits: &Limits) -> Result<Described> {
    let (shared, mut usage) = (Shared::new(limits), Usage::default());
    let store = code.store(limits, &Granted::default(), &Masks::default(), &shared, &usage)?;
    let mut life = Life::start(code, store, false, (&shared, limits))?;
    usage.starts += 1;
    let manifest = life.describe().map_err(|trap| anyhow!(shared.message(&trap, limits)))?;
    Ok(Described { manifest, shared, usage, life })
}

/// An instance of an extension, or an empty slot in which the next call starts one.
pub struct Instance {
    pub package: Arc<Package>,
    pub handles: Handles,
    pub usage: Usage,
    pub(super) shared: Shared,
    pub(super) life: Life,
    /// An instance was connected, so the one that replaces it must be, too.
    pub(super) was_connected: bool,
    /// SQLite does not show a failure of the suspended call.
    pub reports_trap: bool,
    generation: u32,
    /// The index of the function that is called, if it is one of the manifest's.
    pub(super) called: Option<u32>,
    trap: Option<String>,
    /// The result of an inline call that was too long to be returned inline, until it is taken.
    pub pending_result: Option<Answer<Output>>,
    /// What the caller has no room for yet.
    pub held: Option<Held>,
}

impl Instance {
    /// An instance that the first call starts.
    pub fn new(package: Arc<Package>) -> Self {
        Self {
            handles: Handles::new(0),
            usage: Usage::default(),
            shared: Shared::new(&package.limits),
            life: Life::Absent,
            was_connected: false,
            reports_trap: false,
            generation: 0,
            called: None,
            trap: None,
            pending_result: None,
            held: None,
            package,
        }
    }

    /// The instance that has returned the manifest. If it has grants, it is started again.
    pub fn of(package: Arc<Package>, described: Described) -> Self {
        let mut instance = Self::new(package);
        instance.usage = described.usage;
        if instance.package.granted == Granted::default() {
            (instance.shared, instance.life) = (described.shared, described.life);
            instance.generation = 1;
        }
        instance
    }

    fn start(&mut self) -> Result<()> {
        let Some(code) = self.package.code() else { bail!("it has no code yet") };
        let package = &self.package;
        let functions = self.shared.channel.functions(|functions| functions.next());
        self.shared = Shared::new(&package.limits);
        self.shared.channel.functions(|fresh| *fresh = functions);
        let Package { limits, granted, masks, .. } = &**package;
        let store = code.store(limits, granted, masks, &self.shared, &self.usage)?;
        let mut life = Life::start(code, store, self.was_connected, (&self.shared, limits))?;
        package.check(|| {
            life.describe().map_err(|trap| anyhow!(self.shared.message(&trap, &package.limits)))
        })?;
        self.life = life;
        self.handles = Handles::new(self.generation);
        self.generation += 1;
        self.usage.starts += 1;
        Ok(())
    }

    fn start_named(&mut self) -> Answer<()> {
        self.start().map_err(|cause| error(format!("{}: {cause:#}", self.name())))
    }

    /// The instance for a call; a new one is started if necessary.
    pub fn instance(&mut self) -> Answer<Ready<'_>> {
        if matches!(self.life, Life::Absent) {
            self.start_named()?;
        }
        if matches!(self.life, Life::Suspendable(_)) {
            let Life::Suspendable(mut started) = std::mem::replace(&mut self.life, Life::Absent)
            else {
                return Err(busy(&self.package.manifest.name));
            };
            // Reset the waiting time of earlier calls.
            self.shared.channel.take_waited();
            limit_call(&mut started.store, self.package.limits.call_time);
            self.usage.calls += 1;
            return Ok(Ready::Suspendable(started));
        }
        match &mut self.life {
            Life::Direct(started) => {
                self.usage.calls += 1;
                // The deadline changes only with the clock's next tick.
                if self.usage.enter() {
                    limit_call(&mut started.store, self.package.limits.call_time);
                }
                Ok(Ready::Direct(started))
            }
            _ => Err(busy(&self.package.manifest.name)),
        }
    }

    /// The result of a direct call. An instance that traps is dropped.
    pub fn concluded<T>(&mut self, outcome: wasmtime::Result<Answer<T>>) -> Answer<T> {
        self.usage.leave();
        match outcome {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(failure)) => Err(limited(failure)),
            Err(trap) => {
                self.life = Life::Absent;
                Err(self.trapped(&trap))
            }
        }
    }

    pub(super) fn trapped(&mut self, trap: &wasmtime::Error) -> SqlError {
        let error = self.shared.error(trap, &self.package.limits, self.name(), &self.place());
        self.trap = Some(error.message.clone());
        // Its ids are not valid for the next instance.
        self.handles = Handles::new(self.generation);
        error
    }

    /// Whether the instance must be called when its connection ends. An instance that belongs to a
    /// connection and is never connected ends with the connection.
    pub fn awaits_disconnect(&self) -> bool {
        let never = self.package.manifest.connects == Connecting::Never;
        match &self.life {
            Life::Direct(started) => started.is_connected,
            Life::Suspendable(started) => started.is_connected || never,
            Life::Absent | Life::Suspended(_) => false,
        }
    }

    /// Connect an instance that replaces one that trapped. A suspendable one connects in the call
    /// itself.
    #[inline]
    pub fn ready(&mut self) -> Answer<()> {
        if self.was_connected { self.reconnect() } else { Ok(()) }
    }

    fn reconnect(&mut self) -> Answer<()> {
        if matches!(self.life, Life::Absent) {
            self.start_named()?;
        }
        match &self.life {
            Life::Direct(started) if !started.is_connected => match self.connect() {
                Err(Unfinished::Failed(failure)) => Err(failure),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Called when a connection begins to use the extension.
    pub fn connect(&mut self) -> Result<(), Unfinished> {
        match self.instance()? {
            Ready::Direct(started) => {
                let outcome = started.connect();
                self.was_connected |= matches!(outcome, Ok(Ok(())));
                self.concluded(outcome).map_err(Unfinished::Failed)
            }
            Ready::Suspendable(mut started) => self.begin(
                async move {
                    let outcome = started.connect().await;
                    (started, outcome)
                },
                |_, answer| answer,
            ),
        }
    }

    /// Whether a call waits for SQL.
    pub fn is_suspended(&self) -> bool {
        matches!(self.life, Life::Suspended(_))
    }

    /// The message of the last trap, if it was not taken already.
    pub fn take_trap(&mut self) -> Option<String> {
        self.trap.take()
    }

    /// The function behind the caller's `handle`.
    #[inline]
    pub fn function(&mut self, handle: u32) -> FunctionHandle {
        self.called = (handle < FIRST_DYNAMIC).then_some(handle);
        if handle < FIRST_DYNAMIC {
            FunctionHandle::Listed(handle)
        } else {
            FunctionHandle::Late(handle, self.lost("load it again"))
        }
    }

    /// A handle for a function that only a table offers.
    pub fn offer(&self, function: u32) -> Answer<u32> {
        self.shared.channel.functions(|functions| functions.offer(function))
    }

    pub(super) fn name(&self) -> &str {
        &self.package.manifest.name
    }

    pub(super) fn lost(&self, way_out: &str) -> SqlError {
        let name = self.name();
        error(format!("its state was lost when the extension `{name}` trapped; {way_out}"))
    }
}

/// The caller's handle of a function.
pub enum FunctionHandle {
    /// Its index in the manifest.
    Listed(u32),
    /// The handle of a function registered at run time, and the error if this instance does not
    /// have it.
    Late(u32, SqlError),
}

impl FunctionHandle {
    /// The extension's id. An instance that replaces one that trapped has its functions registered
    /// at run time only after it is connected.
    #[inline]
    pub fn id<E>(self, started: &Started<E>) -> Answer<u32> {
        match self {
            Self::Listed(index) => Ok(index),
            Self::Late(handle, lost) => {
                let channel = &started.store.data().of::<Sandbox>().channel;
                channel.functions(|functions| functions.get(handle)).ok_or(lost)
            }
        }
    }
}

fn busy(name: &str) -> SqlError {
    let message = format!(
        "the extension `{name}` waits for the SQL that it asked for, and cannot be called from it"
    );
    SqlError { code: code::MISUSE, message }
}

/// Limit the length of a failure's message.
pub(super) fn limited(failure: SqlError) -> SqlError {
    SqlError { message: text::shortened(failure.message), ..failure }
}
