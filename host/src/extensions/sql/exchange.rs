//! Questions of an extension on their way to SQLite, and the answers back.
//!
//! A component must not be entered while it waits. So the call of an extension
//! that asks for SQL is a future: it puts its question here and waits, the host
//! lets the caller's call end, the caller runs the SQL, brings the answer, and
//! the future goes on.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use super::work::Work;
use crate::bindings::sqlite_wasm::host::dispatch::SqlRequest;
use crate::extensions::grants::SqlAccess;
use crate::extensions::sandbox::{LateFunctions, ticked};
use crate::extensions::types::{Function, SqlError};

/// `SQLITE_TOOBIG` and `SQLITE_MISUSE`.
const SQLITE_TOOBIG: i32 = 18;
pub const SQLITE_MISUSE: i32 = 21;

/// Bytes of what waits for the next question, after which it does not wait
/// longer.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// Most bytes of what an extension lets wait by itself. It chooses them, and the
/// host keeps them until the next question.
const MAX_LATER_BYTES: usize = 16 << 20;

/// What SQLite gives back, or why it does not.
pub type Answer = Result<Vec<u8>, SqlError>;

/// One instance's place for a question and its answer.
#[derive(Clone, Default)]
pub struct Exchange(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// There is a caller who can run SQL.
    is_open: bool,
    /// What is asked, and before it what waited for a question.
    work: Work,
    function: Option<(u32, Function)>,
    /// The instance waits for an answer.
    is_asked: bool,
    answer: Option<Answer>,
    functions: LateFunctions,
    /// Questions and writes so far.
    asked: u64,
    asked_at: u64,
    waited: u64,
}

impl State {
    fn check_open(&self) -> Result<(), SqlError> {
        if self.is_open {
            return Ok(());
        }
        let message = "there is no SQL in this call".to_owned();
        Err(SqlError { code: SQLITE_MISUSE, message })
    }

    fn has_question(&self) -> bool {
        self.is_asked || !self.work.is_empty()
    }
}

impl Exchange {
    /// Whether questions can be asked from now on.
    pub fn set_open(&self, is_open: bool) {
        self.state().is_open = is_open;
    }

    /// Ask, and wait for the answer.
    pub async fn ask(&self, work: Work) -> Answer {
        self.put_question(work, None)?;
        self.answer().await
    }

    /// Have a function registered.
    pub async fn register(&self, number: u32, function: Function) -> Result<(), SqlError> {
        self.put_question(Work::default(), Some((number, function)))?;
        self.answer().await.map(|_| ())
    }

    fn put_question(&self, work: Work, function: Option<(u32, Function)>) -> Result<(), SqlError> {
        let mut state = self.state();
        state.check_open()?;
        state.work.append(work);
        state.function = function;
        state.is_asked = true;
        state.asked += 1;
        state.asked_at = ticked();
        Ok(())
    }

    async fn answer(&self) -> Answer {
        poll_fn(|_| match self.state().answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        })
        .await
    }

    /// How often something was asked: what was read is as it was, until then.
    pub fn asked(&self) -> u64 {
        self.state().asked
    }

    /// Write into a blob, together with the next question.
    pub async fn write(&self, work: Work) -> Result<(), SqlError> {
        let is_enough = {
            let mut state = self.state();
            state.check_open()?;
            state.asked += 1;
            state.work.append(work);
            state.work.size_bytes() > MAX_WAITING_BYTES
        };
        if is_enough { self.ask(Work::default()).await.map(|_| ()) } else { Ok(()) }
    }

    /// To be done before anything else is asked.
    pub fn later(&self, work: Work) {
        self.state().work.append(work);
    }

    /// The same for what an extension has made itself.
    pub fn later_bounded(&self, work: Work) -> Result<(), SqlError> {
        let mut state = self.state();
        if state.work.size_bytes() + work.size_bytes() > MAX_LATER_BYTES {
            let message = format!("more than {MAX_LATER_BYTES} bytes wait to be done");
            return Err(SqlError { code: SQLITE_TOOBIG, message });
        }
        state.work.append(work);
        Ok(())
    }

    /// The instance is gone, and with it all that it used.
    pub fn close_all(&self) {
        let mut state = self.state();
        state.work = Work::close_all();
        state.function = None;
        state.is_asked = false;
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
            state.is_asked = false;
            SqlRequest {
                work: std::mem::take(&mut state.work).into_bytes(),
                read_only: access == SqlAccess::ReadOnly,
                function: state.function.take(),
            }
        })
    }

    /// Whether [`Self::take`] would give anything.
    pub fn has_question(&self) -> bool {
        self.state().has_question()
    }

    /// The answer to the question that was taken.
    pub fn put(&self, answer: Answer) {
        let mut state = self.state();
        state.answer = Some(answer);
        state.waited += ticked() - state.asked_at;
    }

    /// How long the instance has waited for answers since this was asked last,
    /// in ticks of the clock that limits calls.
    pub fn take_waited(&self) -> u64 {
        std::mem::take(&mut self.state().waited)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
