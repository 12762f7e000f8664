//! Hooks: callbacks for waiting, progress and changes. A hook cannot use the connection.

mod authorizer;
mod called;
mod changes;
mod preupdate;
mod trace;

use std::borrow::Cow;

use runtime::database::OnProgress;
use runtime::database::wire::{Event, Reader};

use crate::connection::Connection;
use crate::error::Result;
use called::Hooked;

pub use authorizer::{AuthAction, AuthContext, Authorization};
pub use changes::{ChangedRows, Changes, Key, TransactionStep};
pub use preupdate::PreUpdate;
pub use trace::{TraceEvent, TraceEventCodes};

pub(crate) use called::Hooks;

/// Steps of SQLite's virtual machine between two calls of a progress handler.
const STEPS_PER_CALL: i32 = 4096;

/// The kind of a change to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(non_camel_case_types, reason = "as in rusqlite and SQLite")]
pub enum Action {
    /// A kind that SQLite does not define.
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

/// A hook that calls a closure.
fn hooked(call: impl FnMut(&mut Reader) -> Result<i32> + Send + 'static) -> Hooked {
    Box::new(call)
}

fn text<'a>(from: &mut Reader<'a>) -> Result<Cow<'a, str>> {
    Ok(String::from_utf8_lossy(from.bytes()?))
}

impl Connection {
    /// Call this when a file is locked, with the count of earlier calls for the lock; return true
    /// to try again. Replaces [`Self::busy_timeout`].
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped), as for the functions below.
    pub fn busy_handler<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut(i32) -> bool + Send + 'static,
    {
        let call = call
            .map(|mut call| hooked(move |from| Ok(call(from.u32()?.cast_signed().max(0)).into())));
        self.client.set_hook(Event::Busy, call, 0)
    }

    /// Call this before a transaction is committed; true to roll it back.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn commit_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut() -> bool + Send + 'static,
    {
        let call = call.map(|mut call| hooked(move |_| Ok(call().into())));
        self.client.set_hook(Event::Commit, call, 0)
    }

    /// Call this after a transaction has been rolled back.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn rollback_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut() + Send + 'static,
    {
        let call = call.map(|mut call| {
            hooked(move |_| {
                call();
                Ok(0)
            })
        });
        self.client.set_hook(Event::Rollback, call, 0)
    }

    /// Call this for each changed row of a table with row ids: with the kind of change, the schema,
    /// the table and the row id.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn update_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut(Action, &str, &str, i64) + Send + 'static,
    {
        let call = call.map(|mut call| {
            hooked(move |from| {
                let action = Action::of(from.u32()?.into());
                let (schema, table) = (text(from)?, text(from)?);
                call(action, &schema, &table, from.i64()?);
                Ok(0)
            })
        });
        self.client.set_hook(Event::Update, call, 0)
    }

    /// Call this after a transaction of a WAL database has been committed, with the schema and the
    /// count of pages in the log. Without a hook, SQLite runs checkpoints automatically.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn wal_hook<F>(&self, call: Option<F>) -> Result<()>
    where
        F: FnMut(&str, u32) -> Result<()> + Send + 'static,
    {
        let call = call.map(|mut call| {
            hooked(move |from| {
                let schema = text(from)?;
                let told = call(&schema, from.u32()?);
                Ok(told.map_or_else(|error| error.for_sql().0, |()| 0))
            })
        });
        self.client.set_hook(Event::Wal, call, 0)
    }

    /// Call this every `steps` steps of SQLite's virtual machine, rounded up to a multiple of
    /// 4,096; true to interrupt the statement.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
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
        self.client.on_progress(call);
        Ok(())
    }
}
