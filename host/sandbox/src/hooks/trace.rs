//! Traces of SQLite's statements.

use std::borrow::Cow;
use std::ops::BitOr;
use std::time::Duration;

use runtime::database::wire::Event;

use crate::connection::Connection;
use crate::error::Result;

/// The events to trace, with SQLite's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceEventCodes(u32);

impl TraceEventCodes {
    /// A statement begins.
    pub const SQLITE_TRACE_STMT: Self = Self(1);
    /// A statement has ended.
    pub const SQLITE_TRACE_PROFILE: Self = Self(2);
    /// A statement has returned a row.
    pub const SQLITE_TRACE_ROW: Self = Self(4);
}

impl BitOr for TraceEventCodes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A traced event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent<'a> {
    /// A statement begins: its text, or a comment for one in a trigger; and the text with its
    /// parameters.
    Stmt(Cow<'a, str>, Cow<'a, str>),
    /// A statement has ended: its text, and its running time.
    Profile(Cow<'a, str>, Duration),
    /// A statement has returned a row: its text.
    Row(Cow<'a, str>),
}

impl Connection {
    /// Call this for each of these events.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn trace_v2<F>(&self, codes: TraceEventCodes, call: Option<F>) -> Result<()>
    where
        F: FnMut(TraceEvent<'_>) + Send + 'static,
    {
        let call = call.map(|mut call| {
            super::hooked(move |from| {
                let kind = from.u32()?;
                let _statement = from.u32()?;
                let time = Duration::from_nanos(from.i64()?.max(0).cast_unsigned());
                let mut text = || -> Result<_> {
                    Ok(from.optional_bytes()?.map(String::from_utf8_lossy).unwrap_or_default())
                };
                let (told, sql, expanded) = (text()?, text()?, text()?);
                match TraceEventCodes(kind) {
                    TraceEventCodes::SQLITE_TRACE_STMT => call(TraceEvent::Stmt(told, expanded)),
                    TraceEventCodes::SQLITE_TRACE_PROFILE => call(TraceEvent::Profile(sql, time)),
                    TraceEventCodes::SQLITE_TRACE_ROW => call(TraceEvent::Row(sql)),
                    _ => (),
                }
                Ok(0)
            })
        });
        self.client.set_hook(Event::Trace, call, codes.0)
    }
}
