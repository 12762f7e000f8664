//! Hooks: what the program does when SQLite waits, works, or changes something. A hook cannot use
//! the connection.

use runtime::database::wire::{self, Hook, ProgramOperation, Reader};
use runtime::database::{Event, OnProgress};

use crate::callback::{Called, Outcome, callback};
use crate::connection::Connection;
use crate::error::{Error, Result};

/// Steps of SQLite's virtual machine between two calls of a progress handler.
const STEPS_PER_CALL: i32 = 4096;

/// How a row was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(non_camel_case_types, reason = "as in rusqlite and SQLite")]
pub enum Action {
    /// Another way.
    UNKNOWN,
    /// DELETE.
    SQLITE_DELETE,
    /// INSERT.
    SQLITE_INSERT,
    /// UPDATE.
    SQLITE_UPDATE,
}

impl Action {
    fn of(number: i64) -> Self {
        match number {
            9 => Self::SQLITE_DELETE,
            18 => Self::SQLITE_INSERT,
            23 => Self::SQLITE_UPDATE,
            _ => Self::UNKNOWN,
        }
    }
}

/// A hook that gets what comes from the sandbox.
struct Hooked<F>(F);

impl<F: FnMut(&mut Reader) -> Result<bool> + Send> Called for Hooked<F> {
    fn call(&mut self, _: Event, arguments: &[u8]) -> Outcome {
        let reply = (self.0)(&mut Reader(arguments));
        reply.map(|yes| wire::Value::Integer(yes.into())).map_err(|error| error.for_sql())
    }
}

fn integer(reader: &mut Reader) -> Result<i64> {
    match reader.value()? {
        wire::Value::Integer(integer) => Ok(integer),
        _ => Err(Error::MalformedReply),
    }
}

fn text<'a>(reader: &mut Reader<'a>) -> Result<std::borrow::Cow<'a, str>> {
    match reader.value()? {
        wire::Value::Text(text) => Ok(String::from_utf8_lossy(text)),
        _ => Err(Error::MalformedReply),
    }
}

impl Connection {
    fn set_hook(
        &self,
        hook: Hook,
        call: Option<impl FnMut(&mut Reader) -> Result<bool> + Send + 'static>,
    ) -> Result<()> {
        let called = call.map(|call| callback(Hooked(call)));
        self.session.register(called, |callback| ProgramOperation::SetHook { callback, hook })
    }

    /// Call this where a file is locked, with the number of earlier calls for the lock: whether to
    /// try again. Replaces [`Self::busy_timeout`].
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`], as for the functions below.
    pub fn busy_handler<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut(i32) -> bool + Send + 'static,
    {
        let call = call.map(|mut call| {
            move |from: &mut Reader| Ok(call(integer(from)?.clamp(0, i32::MAX.into()) as i32))
        });
        self.set_hook(Hook::Busy, call)
    }

    /// Call this before a transaction is committed: whether to roll it back.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn commit_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut() -> bool + Send + 'static,
    {
        self.set_hook(Hook::Commit, call.map(|mut call| move |_: &mut Reader| Ok(call())))
    }

    /// Call this after a transaction was rolled back.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn rollback_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut() + Send + 'static,
    {
        let call = call.map(|mut call| {
            move |_: &mut Reader| {
                call();
                Ok(false)
            }
        });
        self.set_hook(Hook::Rollback, call)
    }

    /// Call this for each row of a table with row ids that is changed: how, the schema, the table
    /// and the row id.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn update_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut(Action, &str, &str, i64) + Send + 'static,
    {
        let call = call.map(|mut call| {
            move |from: &mut Reader| {
                let action = Action::of(integer(from)?);
                let (schema, table) = (text(from)?, text(from)?);
                call(action, &schema, &table, integer(from)?);
                Ok(false)
            }
        });
        self.set_hook(Hook::Update, call)
    }

    /// Call this every `steps` steps of SQLite's virtual machine, rounded up to a multiple of
    /// 4,096: whether to interrupt the statement.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub fn progress_handler<F>(&self, steps: i32, call: Option<F>) -> Result<()>
    where
        F: FnMut() -> bool + Send + 'static,
    {
        let period = (steps.max(1) as u32).div_ceil(STEPS_PER_CALL as u32);
        let mut calls = 0;
        let call = call.map(|mut call| {
            Box::new(move || {
                calls += 1;
                let is_due = calls >= period;
                calls = if is_due { 0 } else { calls };
                is_due && call()
            }) as OnProgress
        });
        self.session.on_progress(call);
        Ok(())
    }
}
