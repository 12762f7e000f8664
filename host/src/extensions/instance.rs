//! One sandbox of an extension: the instance that answers at the moment, and
//! the call that it is in.

mod suspended;

use std::any::Any;

use anyhow::{Result, anyhow, bail};
use wasmtime::Store;
use wasmtime::component::{Component, InstancePre};

use super::contract::{direct, suspendable};
use super::exchange::SQLITE_MISUSE;
use super::handles::{FIRST_LATE, Handles};
use super::permissions::Permissions;
use super::sandbox::{self, Calls, Outside, Sandbox};
use super::usage::Usage;
use super::{Limits, error, text};
use crate::address_space::{self, NoAddressSpace};
use crate::extensions::types::{Manifest, Output, SqlError};

use suspended::Suspended;
pub use suspended::at_once;

/// The code of a call that waits for SQL; see `dispatch`.
pub const PENDING: i32 = i32::MAX;

/// The message of a call that has not begun, and waits for SQL.
const UNBEGUN: &str = "again";

/// An instance that answers.
pub struct Live<E> {
    pub store: Store<Sandbox>,
    pub exports: E,
}

/// An instance that its call owns, since it may be suspended.
pub type Lent = Box<Live<suspendable::Exports>>;

/// An instance on its way into a call.
pub enum Instance<'a> {
    Direct(&'a mut Live<direct::Exports>),
    Suspendable(Lent),
}

type Answer<T> = Result<T, SqlError>;

enum State {
    /// The next call makes an instance.
    Absent,
    Direct(Box<Live<direct::Exports>>),
    Suspendable(Lent),
    /// A call waits for SQL.
    Suspended(Suspended),
    /// A call is done, and its answer waits to be taken.
    Answered(Option<Lent>, Answer<Box<dyn Any + Send>>),
}

/// One sandbox of an extension, and the instance in it.
pub struct Sandboxed {
    pub handles: Handles,
    pub usage: Usage,
    /// The extension's, for messages.
    name: String,
    pre: InstancePre<Sandbox>,
    calls: Calls,
    limits: Limits,
    permissions: Permissions,
    outside: Outside,
    state: State,
    generation: u32,
    trap: Option<String>,
    is_connected: bool,
    /// The next call connects the instance, since the connected one trapped.
    to_connect: bool,
    /// It is never connected, and told of the end of its connection all the same.
    is_told_of_end: bool,
    /// The answer of a unary call that has given nothing, until it is asked for.
    pub set_aside: Option<Answer<Output>>,
}

impl Sandboxed {
    /// A sandbox whose instance the first call makes.
    ///
    /// # Errors
    ///
    /// When `component` asks for what no extension can have.
    pub fn new(component: &Component, calls: Calls, limits: Limits) -> Result<Self> {
        let pre = sandbox::linker(component, calls)?
            .instantiate_pre(component)
            .map_err(|error| anyhow!(error).context("it asks for what no extension can have"))?;
        Ok(Self {
            handles: Handles::new(0),
            usage: Usage::default(),
            name: String::new(),
            calls,
            limits,
            permissions: Permissions::default(),
            outside: Outside::new(&limits),
            state: State::Absent,
            generation: 0,
            pre,
            trap: None,
            is_connected: false,
            to_connect: false,
            is_told_of_end: false,
            set_aside: None,
        })
    }

    /// The same sandbox for another connection: without an instance yet.
    pub fn another(&self) -> Self {
        Self {
            handles: Handles::new(0),
            usage: Usage::default(),
            name: self.name.clone(),
            calls: self.calls,
            limits: self.limits,
            permissions: self.permissions.clone(),
            outside: Outside::new(&self.limits),
            state: State::Absent,
            generation: 0,
            set_aside: None,
            pre: self.pre.clone(),
            trap: None,
            is_connected: false,
            to_connect: self.to_connect,
            is_told_of_end: self.is_told_of_end,
        }
    }

    /// Whether its calls may wait for SQL.
    pub fn may_wait(&self) -> bool {
        self.calls == Calls::Suspendable
    }

    /// Called so in messages.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Grant it something; what it had before ends, with its instance.
    pub fn permit(&mut self, permissions: &Permissions) {
        // Where nothing is granted, only a needless instance would go.
        if *permissions != self.permissions {
            self.permissions = permissions.clone();
            self.state = State::Absent;
        }
    }

    /// Ask what it registers.
    ///
    /// # Errors
    ///
    /// When it does not start or answer, or is not an extension.
    pub fn describe(&mut self) -> Result<Manifest> {
        self.start()?;
        let manifest = match &mut self.state {
            State::Direct(live) => live.exports.extension()?.call_describe(&mut live.store),
            State::Suspendable(live) => {
                at_once(live.exports.extension()?.call_describe(&mut live.store))
            }
            _ => bail!("it did not start"),
        };
        manifest.map_err(|trap| anyhow!(self.outside.story(&trap, &self.limits)))
    }

    fn start(&mut self) -> Result<()> {
        let functions = self.outside.exchange.functions(|functions| functions.next());
        self.outside = Outside::new(&self.limits);
        self.outside.exchange.functions(|fresh| *fresh = functions);
        let mut store =
            sandbox::store(&self.pre, &self.limits, &self.permissions, &self.outside, &self.usage)?;
        self.state = if self.calls == Calls::Suspendable {
            sandbox::forgive_waiting(&mut store);
            let instance = at_once(self.pre.instantiate_async(&mut store)).map_err(not_started)?;
            let exports = suspendable::Exports::find(&self.pre, &mut store, &instance)
                .map_err(other_shape)?;
            State::Suspendable(Box::new(Live { store, exports }))
        } else {
            let instance = self.pre.instantiate(&mut store).map_err(not_started)?;
            let exports =
                direct::Exports::find(&self.pre, &mut store, &instance).map_err(other_shape)?;
            State::Direct(Box::new(Live { store, exports }))
        };
        self.handles = Handles::new(self.generation);
        self.generation += 1;
        self.usage.starts += 1;
        Ok(())
    }

    /// The instance for a call, or a fresh one where there is none.
    pub fn instance(&mut self) -> Answer<Instance<'_>> {
        if matches!(self.state, State::Absent) {
            self.start().map_err(|cause| error(format!("{}: {cause:#}", self.name)))?;
        }
        if matches!(self.state, State::Suspendable(_)) {
            let State::Suspendable(mut live) = std::mem::replace(&mut self.state, State::Absent)
            else {
                return Err(busy(&self.name));
            };
            sandbox::set_deadline(&mut live.store, self.limits.call_time);
            self.usage.calls += 1;
            return Ok(Instance::Suspendable(live));
        }
        match &mut self.state {
            State::Direct(live) => {
                self.usage.calls += 1;
                // Within a tick it would stay what it is.
                if self.usage.enter() {
                    sandbox::set_deadline(&mut live.store, self.limits.call_time);
                }
                Ok(Instance::Direct(live))
            }
            _ => Err(busy(&self.name)),
        }
    }

    /// What became of a direct call. An instance that traps is dropped.
    pub fn concluded<T>(&mut self, outcome: wasmtime::Result<Answer<T>>) -> Answer<T> {
        self.usage.leave();
        match outcome {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(failure)) => Err(honest(failure)),
            Err(trap) => {
                self.state = State::Absent;
                Err(self.broke_down(&trap))
            }
        }
    }

    fn broke_down(&mut self, trap: &wasmtime::Error) -> SqlError {
        let story = self.outside.story(trap, &self.limits);
        let story = format!("the extension `{}` trapped: {story}", self.name);
        self.trap = Some(story.clone());
        // None of its numbers means anything to the next instance.
        self.handles = Handles::new(self.generation);
        self.to_connect |= self.is_connected;
        error(story)
    }

    /// Never to be connected. Where each connection has an instance, that ends
    /// with it, so it is told.
    pub fn connecting_never(mut self) -> Self {
        self.is_told_of_end = self.may_wait();
        self
    }

    /// Whether there is an instance that is to know that its connection is closed.
    pub fn awaits_end(&self) -> bool {
        let has_connected = self.is_connected && !self.to_connect;
        has_connected || (self.is_told_of_end && matches!(self.state, State::Suspendable(_)))
    }

    /// Connect an instance that takes the place of one that trapped. Called first
    /// in each call, so that a call which waits for SQL repeats it.
    #[inline]
    pub fn ready(&mut self) -> Answer<()> {
        if self.to_connect { self.connect().map_err(unbegun) } else { Ok(()) }
    }

    /// A connection begins to use the extension.
    pub fn connect(&mut self) -> Answer<()> {
        let answer = match self.take_answer() {
            Some(answer) => answer,
            None => match self.instance()? {
                Instance::Direct(live) => {
                    let outcome = live
                        .exports
                        .extension()
                        .and_then(|exports| exports.call_connect(&mut live.store));
                    self.concluded(outcome)
                }
                Instance::Suspendable(mut live) => self.begin(Box::pin(async move {
                    let outcome = match live.exports.extension() {
                        Ok(exports) => exports.call_connect(&mut live.store).await,
                        Err(error) => Err(error),
                    };
                    (live, outcome.map(|answer| Box::new(answer) as Box<_>))
                })),
            },
        };
        if answer.is_ok() {
            (self.is_connected, self.to_connect) = (true, false);
        }
        answer
    }

    /// How the last call trapped, if it did and nobody has asked yet.
    pub fn take_trap(&mut self) -> Option<String> {
        self.trap.take()
    }

    /// The extension's own number of a table, cursor or computation.
    pub fn number_of(&self, handle: u32) -> Answer<u32> {
        self.handles.get(handle).ok_or_else(|| self.lost("open the database again"))
    }

    /// The extension's own number of a function.
    #[inline]
    pub fn function(&self, function: u32) -> Answer<u32> {
        if function < FIRST_LATE { Ok(function) } else { self.late_function(function) }
    }

    fn late_function(&self, handle: u32) -> Answer<u32> {
        let number = self.outside.exchange.functions(|functions| functions.get(handle));
        number.ok_or_else(|| self.lost("load it again"))
    }

    /// A number for a function that only a table offers.
    pub fn late_number(&self, function: u32) -> Answer<u32> {
        self.outside.exchange.functions(|functions| functions.add(function))
    }

    fn lost(&self, way_out: &str) -> SqlError {
        error(format!("its state was lost when the extension `{}` trapped; {way_out}", self.name))
    }

    /// A table, cursor or computation ends with the answer, whatever it is; but
    /// not while its call waits for SQL.
    pub fn forget_handle<T>(&mut self, handle: u32, answer: Answer<T>) -> Answer<T> {
        let is_pending = matches!(&answer, Err(error) if error.code == PENDING);
        if !is_pending {
            self.handles.remove(handle);
        }
        answer
    }
}

/// Why an instance could not be made.
fn not_started(error: wasmtime::Error) -> anyhow::Error {
    match address_space::is_missing(&error) {
        true => anyhow!(NoAddressSpace),
        false => error.into(),
    }
}

/// An interface lacks a function, or has other types.
fn other_shape(error: wasmtime::Error) -> anyhow::Error {
    let cause = text::one_line(&error.root_cause().to_string());
    anyhow!("what it exports is of another shape than the contract has: {cause}; build it anew")
}

/// The same failure, of a call that has not begun: who waits for SQL brings its
/// arguments again.
fn unbegun(failure: SqlError) -> SqlError {
    match failure.code {
        PENDING => SqlError { message: UNBEGUN.to_owned(), ..failure },
        _ => failure,
    }
}

fn busy(name: &str) -> SqlError {
    let message = format!(
        "the extension `{name}` waits for the SQL that it asked for, and cannot be called from it"
    );
    SqlError { code: SQLITE_MISUSE, message }
}

/// The extension cannot give the host's own code, or a book for a message.
fn honest(failure: SqlError) -> SqlError {
    let message = text::shortened(failure.message);
    match failure.code {
        PENDING => error(message),
        code => SqlError { code, message },
    }
}
