//! Questions of an extension on their way to SQLite, and the answers back.
//!
//! A component must not be entered while it waits. So the call of an extension
//! that asks for SQL is a future: it puts its question here and waits, the host
//! lets the caller's call end, the caller runs the SQL, brings the answer, and
//! the future goes on.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use super::handles::LateFunctions;
use super::permissions::SqlAccess;
use crate::bindings::sqlite_wasm::host::dispatch::{SqlAction, SqlReply, SqlRequest};
use crate::extensions::types::SqlError;

/// `SQLITE_MISUSE`.
pub const SQLITE_MISUSE: i32 = 21;

/// Most statements and blobs of one extension at once. The extension chooses;
/// each has memory on the caller's side.
const MAX_OPEN: usize = 10_000;

/// Most bytes that wait to be written into blobs. The extension chooses them,
/// and the host keeps them until the next question.
const MAX_WRITE_BYTES: usize = 1 << 20;

/// One instance's place for a question and its answer.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// There is a caller who can run SQL.
    is_open: bool,
    question: Option<SqlAction>,
    answer: Option<SqlReply>,
    /// What goes along with the next question.
    write: Vec<(u32, u32, Vec<u8>)>,
    write_bytes: usize,
    reset: Vec<u32>,
    close: Vec<u32>,
    /// Statements and blobs that the caller keeps for this instance.
    kept: BTreeSet<u32>,
    functions: LateFunctions,
    /// Questions and writes so far.
    asked: u64,
    asked_at: Option<Instant>,
    waited: Duration,
}

impl State {
    fn check_open(&self) -> Result<(), SqlError> {
        if self.is_open {
            return Ok(());
        }
        let message = "there is no SQL in this call".to_owned();
        Err(SqlError { code: SQLITE_MISUSE, message })
    }
}

impl Exchange {
    /// Whether questions can be asked from now on.
    pub fn set_open(&self, is_open: bool) {
        self.state().is_open = is_open;
    }

    /// Ask, and wait for the answer.
    pub async fn ask(&self, question: SqlAction) -> Result<SqlReply, SqlError> {
        {
            let mut state = self.state();
            state.check_open()?;
            state.question = Some(question);
            state.asked += 1;
            state.asked_at = Some(Instant::now());
        }
        let reply = poll_fn(|_| match self.state().answer.take() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        });
        match reply.await {
            SqlReply::Failed(error) => Err(error),
            reply => Ok(reply),
        }
    }

    /// How often something was asked: what was read is as it was, until then.
    pub fn asked(&self) -> u64 {
        self.state().asked
    }

    /// Write into a blob, together with the next question.
    pub async fn write(&self, handle: u32, offset: u32, data: Vec<u8>) -> Result<(), SqlError> {
        let is_enough = {
            let mut state = self.state();
            state.check_open()?;
            state.asked += 1;
            state.write_bytes += data.len();
            state.write.push((handle, offset, data));
            state.write_bytes > MAX_WRITE_BYTES
        };
        if is_enough { self.ask(SqlAction::Nothing).await.map(|_| ()) } else { Ok(()) }
    }

    /// A statement or blob that the caller keeps from now on.
    pub fn keep(&self, handle: u32) -> Result<(), SqlError> {
        let mut state = self.state();
        if state.kept.len() >= MAX_OPEN {
            state.close.push(handle);
            let message = format!("{MAX_OPEN} statements and blobs are open already");
            return Err(SqlError { code: SQLITE_MISUSE, message });
        }
        state.kept.insert(handle);
        Ok(())
    }

    /// A statement is to be reset before anything else is asked.
    pub fn reset(&self, handle: u32) {
        self.state().reset.push(handle);
    }

    /// A statement or blob is not used any more.
    pub fn close(&self, handle: u32) {
        let mut state = self.state();
        state.kept.remove(&handle);
        state.reset.retain(|reset| *reset != handle);
        state.close.push(handle);
    }

    /// The instance is gone, and with it all that it used.
    pub fn close_all(&self) {
        let mut state = self.state();
        let kept = std::mem::take(&mut state.kept);
        state.close.extend(kept);
        state.reset.clear();
        state.write.clear();
        state.question = None;
    }

    /// The functions that this instance registers beyond its manifest.
    pub fn functions<T>(&self, with: impl FnOnce(&mut LateFunctions) -> T) -> T {
        with(&mut self.state().functions)
    }

    /// The question that waits, and what goes along with it; none when there is
    /// nothing to do.
    pub fn take(&self, access: SqlAccess) -> Option<SqlRequest> {
        let mut state = self.state();
        state.has_question().then(|| {
            state.write_bytes = 0;
            SqlRequest {
                write: std::mem::take(&mut state.write),
                reset: std::mem::take(&mut state.reset),
                close: std::mem::take(&mut state.close),
                action: state.question.take().unwrap_or(SqlAction::Nothing),
                read_only: access == SqlAccess::ReadOnly,
            }
        })
    }

    /// Whether [`Self::take`] would give anything.
    pub fn has_question(&self) -> bool {
        self.state().has_question()
    }

    /// The answer to the question that was taken.
    pub fn put(&self, answer: SqlReply) {
        let mut state = self.state();
        state.answer = Some(answer);
        if let Some(asked_at) = state.asked_at.take() {
            state.waited += asked_at.elapsed();
        }
    }

    /// How long the instance has waited for answers since this was asked last.
    pub fn take_waited(&self) -> Duration {
        std::mem::take(&mut self.state().waited)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_question(&self) -> bool {
        let is_idle = self.question.is_none()
            && self.write.is_empty()
            && self.reset.is_empty()
            && self.close.is_empty();
        !is_idle
    }
}
