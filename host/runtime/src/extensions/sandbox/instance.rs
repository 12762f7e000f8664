//! An instance of an extension, of one connection or of all: its life, and what belongs
//! to it.

use std::any::Any;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use wasmtime::Store;
use wire::PENDING;

use super::exports::{direct, suspendable};
use super::handles::{FIRST_LATE, Handles};
use super::suspended::{Suspended, at_once};
use super::trap::Shared;
use super::{Calls, Code, Sandbox, Usage, clock};
use crate::address_space::{self, NoAddressSpace};
use crate::contract::types::{Connecting, Manifest, Output, SqlError};
use crate::extensions::grants::Granted;
use crate::extensions::package::Package;
use crate::extensions::sandbox::sql::SQLITE_MISUSE;
use crate::extensions::{Limits, error};
use crate::text;

/// The message of a call that has not begun, and waits for SQL.
const UNBEGUN: &str = "again";

/// A store, and the exports of the instance in it.
pub struct Started<E> {
    pub store: Store<Sandbox>,
    pub exports: E,
}

/// An instance whose calls may be suspended.
pub type Suspendable = Box<Started<suspendable::Exports>>;

/// An instance for one call. One that may be suspended belongs to its call.
pub enum Ready<'a> {
    Direct(&'a mut Started<direct::Exports>),
    Suspendable(Suspendable),
}

pub type Answer<T> = Result<T, SqlError>;

/// The life cycle of an instance.
pub enum Life {
    /// The next call starts an instance.
    Absent,
    /// It waits for a call, which is done when it returns.
    Direct(Box<Started<direct::Exports>>),
    /// It waits for a call, which may be suspended.
    Suspendable(Suspendable),
    /// Its call waits for SQL.
    Suspended(Suspended),
    /// Its call is done, and the result waits to be taken. A trap has
    /// ended the instance.
    Done(Option<Suspendable>, Answer<Box<dyn Any + Send>>),
}

impl Life {
    /// Start an instance.
    fn start(code: &Code, store: Store<Sandbox>) -> Result<Self> {
        match code.calls {
            Calls::Direct => direct(code, store).map(Box::new).map(Self::Direct),
            Calls::Suspendable => suspendable(code, store).map(Box::new).map(Self::Suspendable),
        }
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

fn direct(code: &Code, mut store: Store<Sandbox>) -> Result<Started<direct::Exports>> {
    let instance = code.pre.instantiate(&mut store).map_err(not_started)?;
    let exports = direct::Exports::find(&code.pre, &mut store, &instance).map_err(other_type)?;
    Ok(Started { store, exports })
}

fn suspendable(code: &Code, mut store: Store<Sandbox>) -> Result<Started<suspendable::Exports>> {
    let instance = at_once(code.pre.instantiate_async(&mut store)).map_err(not_started)?;
    let exports =
        suspendable::Exports::find(&code.pre, &mut store, &instance).map_err(other_type)?;
    Ok(Started { store, exports })
}

/// What became of the extension's `connect`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Connection {
    /// It was not called.
    New,
    Connected,
    /// The connected instance trapped; the next call connects its successor.
    Lost,
}

/// An instance that has given its manifest, and is granted nothing.
pub struct Described {
    pub manifest: Manifest,
    shared: Shared,
    usage: Usage,
    life: Life,
}

/// Start an instance of `code` without any grant, and ask it for its manifest.
///
/// # Errors
///
/// When it does not start or answer.
pub fn describe(code: &Code, limits: &Limits) -> Result<Described> {
    let (shared, mut usage) = (Shared::new(limits), Usage::default());
    let store = code.store(limits, &Granted::default(), &shared, &usage)?;
    let mut life = Life::start(code, store)?;
    usage.starts += 1;
    let manifest = life.describe().map_err(|trap| anyhow!(shared.message(&trap, limits)))?;
    Ok(Described { manifest, shared, usage, life })
}

/// An instance of an extension, or the one that the next call starts.
pub struct Instance {
    pub package: Arc<Package>,
    pub handles: Handles,
    pub usage: Usage,
    pub(super) shared: Shared,
    pub(super) life: Life,
    connection: Connection,
    generation: u32,
    trap: Option<String>,
    /// The result of a unary call that has returned nothing, until it is taken.
    pub pending_result: Option<Answer<Output>>,
}

impl Instance {
    /// One that the first call starts.
    pub fn new(package: Arc<Package>) -> Self {
        Self {
            handles: Handles::new(0),
            usage: Usage::default(),
            shared: Shared::new(&package.limits),
            life: Life::Absent,
            connection: Connection::New,
            generation: 0,
            trap: None,
            pending_result: None,
            package,
        }
    }

    /// The one that has given the manifest. With a grant it is started again.
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
        let store = code.store(&package.limits, &package.granted, &self.shared, &self.usage)?;
        self.life = Life::start(code, store)?;
        self.handles = Handles::new(self.generation);
        self.generation += 1;
        self.usage.starts += 1;
        Ok(())
    }

    /// The instance for a call, or a fresh one where there is none.
    pub fn instance(&mut self) -> Answer<Ready<'_>> {
        if matches!(self.life, Life::Absent) {
            self.start().map_err(|cause| error(format!("{}: {cause:#}", self.name())))?;
        }
        if matches!(self.life, Life::Suspendable(_)) {
            let Life::Suspendable(mut started) = std::mem::replace(&mut self.life, Life::Absent)
            else {
                return Err(busy(&self.package.manifest.name));
            };
            clock::set_deadline(&mut started.store, self.package.limits.call_time);
            self.usage.calls += 1;
            return Ok(Ready::Suspendable(started));
        }
        match &mut self.life {
            Life::Direct(started) => {
                self.usage.calls += 1;
                // Within a tick it would stay what it is.
                if self.usage.enter() {
                    clock::set_deadline(&mut started.store, self.package.limits.call_time);
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
        let message = self.shared.message(trap, &self.package.limits);
        let message = format!("the extension `{}` trapped: {message}", self.name());
        self.trap = Some(message.clone());
        // None of its ids means anything to the next instance.
        self.handles = Handles::new(self.generation);
        if self.connection == Connection::Connected {
            self.connection = Connection::Lost;
        }
        error(message)
    }

    /// Whether the instance is called at the end of its connection. One that is never
    /// connected, and belongs to a connection, ends with it.
    pub fn awaits_disconnect(&self) -> bool {
        let never = self.package.manifest.connects == Connecting::Never;
        let is_alive = matches!(self.life, Life::Suspendable(_));
        self.connection == Connection::Connected || (never && is_alive)
    }

    /// Connect an instance that takes the place of one that trapped. Called first in each
    /// call, so that a call which waits for SQL repeats it.
    #[inline]
    pub fn ready(&mut self) -> Answer<()> {
        match self.connection {
            Connection::Lost => self.connect().map_err(unbegun),
            _ => Ok(()),
        }
    }

    /// A connection begins to use the extension.
    pub fn connect(&mut self) -> Answer<()> {
        let answer = match self.take_result() {
            Some(answer) => answer,
            None => match self.instance()? {
                Ready::Direct(started) => {
                    let outcome = started
                        .exports
                        .extension()
                        .and_then(|exports| exports.call_connect(&mut started.store));
                    self.concluded(outcome)
                }
                Ready::Suspendable(mut started) => self.begin(Box::pin(async move {
                    let outcome = match started.exports.extension() {
                        Ok(exports) => exports.call_connect(&mut started.store).await,
                        Err(error) => Err(error),
                    };
                    (started, outcome.map(|answer| Box::new(answer) as Box<_>))
                })),
            },
        };
        if answer.is_ok() {
            self.connection = Connection::Connected;
        }
        answer
    }

    /// The message of the last trap, if it was not taken yet.
    pub fn take_trap(&mut self) -> Option<String> {
        self.trap.take()
    }

    /// The extension's own id of a table, cursor or accumulator.
    pub fn number_of(&self, handle: u32) -> Answer<u32> {
        self.handles.get(handle).ok_or_else(|| self.lost("open the database again"))
    }

    /// The extension's own id of a function.
    #[inline]
    pub fn function(&self, function: u32) -> Answer<u32> {
        if function < FIRST_LATE { Ok(function) } else { self.late_function(function) }
    }

    fn late_function(&self, handle: u32) -> Answer<u32> {
        let number = self.shared.channel.functions(|functions| functions.get(handle));
        number.ok_or_else(|| self.lost("load it again"))
    }

    /// An id for a function that only a table offers.
    pub fn late_number(&self, function: u32) -> Answer<u32> {
        self.shared.channel.functions(|functions| functions.add(function))
    }

    /// A table, cursor or accumulator ends with its call, whatever the result is; but not
    /// while the call waits for SQL.
    pub fn forget_handle<T>(&mut self, handle: u32, answer: Answer<T>) -> Answer<T> {
        let is_pending = matches!(&answer, Err(error) if error.code == PENDING);
        if !is_pending {
            self.handles.remove(handle);
        }
        answer
    }

    fn name(&self) -> &str {
        &self.package.manifest.name
    }

    fn lost(&self, way_out: &str) -> SqlError {
        let name = self.name();
        error(format!("its state was lost when the extension `{name}` trapped; {way_out}"))
    }
}

fn busy(name: &str) -> SqlError {
    let message = format!(
        "the extension `{name}` waits for the SQL that it asked for, and cannot be called from it"
    );
    SqlError { code: SQLITE_MISUSE, message }
}

/// Why an instance could not be started.
fn not_started(error: wasmtime::Error) -> anyhow::Error {
    match address_space::is_missing(&error) {
        true => anyhow!(NoAddressSpace),
        false => error.into(),
    }
}

/// An interface lacks a function, or has other types.
fn other_type(error: wasmtime::Error) -> anyhow::Error {
    let cause = text::one_line(&error.root_cause().to_string());
    anyhow!("its exports do not have the types of the contract: {cause}; build it again")
}

/// The same failure, of a call that has not begun: its arguments are needed again.
fn unbegun(failure: SqlError) -> SqlError {
    match failure.code {
        PENDING => SqlError { message: UNBEGUN.to_owned(), ..failure },
        _ => failure,
    }
}

/// A failure without the host's own code, and with a message of bounded length.
pub(super) fn limited(failure: SqlError) -> SqlError {
    let message = text::shortened(failure.message);
    match failure.code {
        PENDING => error(message),
        code => SqlError { code, message },
    }
}
