//! Requests of an extension on their way to SQLite, and the replies.
//!
//! A component cannot be entered while it waits. So a call of an extension that uses SQL is a
//! future: it puts its request here and waits, the host completes the caller's call, the caller
//! runs the SQL and passes the reply, and the future continues.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use wire::room::asked;
use wire::{Operations, code};

use crate::contract::bindings::sqlite_wasm::host::dispatch::Request;
use crate::contract::types::{Function, SqlError};
use crate::extensions::grants::SqlAccess;
use crate::extensions::sandbox::DynamicFunctions;
use crate::limits::call_clock::ticked;

/// Most bytes of work that an extension passes without waiting for a reply. The extension chooses
/// the work, and the host keeps it until the next request.
const MAX_LATER_BYTES: usize = 16 << 20;

/// SQLite's reply, or its error.
pub type Reply = Result<Vec<u8>, SqlError>;

/// The request of one instance, and its reply.
#[derive(Clone, Default)]
pub struct Channel(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Whether a caller can run SQL now.
    is_open: bool,
    /// The request, after the work that has waited for it.
    work: Operations,
    function: Option<(u32, Function)>,
    /// Whether the instance waits for a reply.
    is_requested: bool,
    reply: Option<Reply>,
    functions: DynamicFunctions,
    requested_at: u64,
    waited: u64,
}

impl State {
    fn check_open(&self) -> Result<(), SqlError> {
        if self.is_open {
            return Ok(());
        }
        let message = "there is no SQL in this call".to_owned();
        Err(SqlError { code: code::MISUSE, message })
    }

    fn has_request(&self) -> bool {
        self.is_requested || !self.work.is_empty()
    }
}

impl Channel {
    /// Set whether requests are possible.
    pub fn set_open(&self, is_open: bool) {
        self.state().is_open = is_open;
    }

    /// Make a request, and wait for the reply.
    pub async fn request(&self, work: Operations) -> Reply {
        self.put_request(work, None)?;
        self.reply().await
    }

    /// Have a function registered.
    pub async fn register(&self, number: u32, function: Function) -> Result<(), SqlError> {
        self.put_request(Operations::default(), Some((number, function)))?;
        self.reply().await.map(|_| ())
    }

    fn put_request(
        &self,
        work: Operations,
        function: Option<(u32, Function)>,
    ) -> Result<(), SqlError> {
        let mut state = self.state();
        state.check_open()?;
        state.work.append(work);
        state.function = function;
        state.is_requested = true;
        state.requested_at = ticked();
        Ok(())
    }

    async fn reply(&self) -> Reply {
        poll_fn(|_| match self.state().reply.take() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        })
        .await
    }

    /// Perform this work before the next request, unless too much waits.
    pub fn later(&self, work: Operations) -> Result<(), SqlError> {
        let mut state = self.state();
        if !work.only_release() {
            state.check_open()?;
        }
        if state.work.len() + work.len() > MAX_LATER_BYTES {
            let message = format!("more than {MAX_LATER_BYTES} bytes wait to be done");
            return Err(SqlError { code: code::TOOBIG, message });
        }
        state.work.append(work);
        Ok(())
    }

    /// Drop the work of an instance that has ended, and close its handles.
    pub fn close_all(&self) {
        let mut state = self.state();
        state.work = Operations::default().close_all();
        state.function = None;
        state.is_requested = false;
    }

    /// The functions that this instance registers beyond its manifest.
    pub fn functions<T>(&self, with: impl FnOnce(&mut DynamicFunctions) -> T) -> T {
        with(&mut self.state().functions)
    }

    /// The waiting request, after the work that waits for it; `None` if nothing waits.
    pub fn take(&self, access: SqlAccess) -> Option<Request> {
        let mut state = self.state();
        state.has_request().then(|| {
            state.is_requested = false;
            let mut operations = std::mem::take(&mut state.work).into_bytes();
            if asked(&operations).is_some() {
                // The caller would mistake it for a request from the host. Incomplete, it is refused.
                operations.truncate(1);
            }
            Request {
                operations,
                read_only: access == SqlAccess::ReadOnly,
                function: state.function.take(),
            }
        })
    }

    /// The reply to the request that was taken.
    pub fn put(&self, reply: Reply) {
        let mut state = self.state();
        state.reply = Some(reply);
        state.waited += ticked() - state.requested_at;
    }

    /// The time for which the instance has waited for replies since this was last called, in ticks
    /// of the clock that limits calls.
    pub fn take_waited(&self) -> u64 {
        std::mem::take(&mut self.state().waited)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
