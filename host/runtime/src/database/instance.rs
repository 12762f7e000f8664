//! One instance, for the program that uses it.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use wasmtime::Store;
use wasmtime::component::InstancePre;
use wire::code;

use super::callbacks::{Answer, Callback, OnProgress, answer};
use super::exports::Exports;
use super::failure::{Failure, Reason};
use super::fiber::{Fiber, Left};
use super::live;
use super::mailbox;
use super::messages::{Call, Input, Output};
use crate::filesystem::mapping;
use crate::imports::data::Data;
use crate::limits::statement::Interrupter;
use crate::limits::stop::Stop;

/// An instance, until it traps. Only one thread may use it at a time; a callback inside a call uses
/// it on the same thread.
pub struct Instance {
    fiber: RefCell<Fiber<Input, Output>>,
    /// Memory for the next call.
    call: Cell<Option<Box<Call>>>,
    /// By id.
    callbacks: RefCell<Vec<Arc<dyn Callback>>>,
    /// The memory of the last arguments, for the reply of the next callback.
    spare: Cell<Vec<u8>>,
    on_progress: RefCell<Option<OnProgress>>,
    interrupter: Interrupter,
    /// It has lost a page of a mapped file.
    has_lost_page: Cell<bool>,
    /// Why it has trapped.
    trap: RefCell<Option<String>>,
}

impl Instance {
    pub(super) fn start(
        store: Store<Data>,
        pre: InstancePre<Data>,
        exports: Arc<Exports>,
        interrupter: Interrupter,
    ) -> Result<Self> {
        let run = move |exit, _| live::run(store, &pre, &exports, exit);
        let fiber = Fiber::new(run).context("no address space is left for a stack")?;
        let instance = Self {
            fiber: RefCell::new(fiber),
            call: Cell::default(),
            callbacks: RefCell::default(),
            spare: Cell::default(),
            on_progress: RefCell::default(),
            interrupter,
            has_lost_page: Cell::new(false),
            trap: RefCell::default(),
        };
        match instance.resume(Input::Start) {
            Left::With(Output::Started(started)) => started.map(|()| instance),
            _ => Err(anyhow!("the database did not start")),
        }
    }

    /// Interrupts its statements from other threads.
    pub fn interrupter(&self) -> &Interrupter {
        &self.interrupter
    }

    /// Whether it has trapped.
    pub fn is_gone(&self) -> bool {
        self.trap.borrow().is_some()
    }

    /// Call this every few thousand steps of a statement.
    pub fn on_progress(&self, call: Option<OnProgress>) {
        // Drop the old one after the borrow has ended.
        let _old = self.on_progress.replace(call);
    }

    /// Register a callback, which stays as long as the instance. Returns its id for `call-connect`.
    pub fn add(&self, callback: Arc<dyn Callback>) -> u32 {
        let mut all = self.callbacks.borrow_mut();
        all.push(callback);
        (all.len() - 1) as u32
    }

    /// Perform operations on a connection (see `connections` in `wit/database`), and put the reply
    /// into `reply`. The reply comes from the sandbox, so it can be any bytes, at most
    /// [`MAX_REPLY_BYTES`](live::MAX_REPLY_BYTES). A statement that is still running at
    /// `statement_end` is interrupted; in a callback, the end of the enclosing call applies.
    ///
    /// # Errors
    ///
    /// SQLite's, or the host's [`Reason`]. SQLITE_MISUSE while this thread is in a callback of this
    /// instance and, inside it, in a callback of another instance.
    pub fn perform(
        &self,
        connection: u32,
        operations: &[u8],
        statement_end: Option<Instant>,
        reply: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        reply.clear();
        if self.is_gone() {
            return Err(self.gone());
        }
        let is_in_call = self.fiber.borrow().is_in_call();
        let input = if is_in_call {
            let operations = operations.to_vec();
            Input::Answer(Answer::Request { connection, operations })
        } else {
            let mut call = self.call.take().unwrap_or_default();
            call.connection = connection;
            call.operations.clear();
            call.operations.extend_from_slice(operations);
            call.statement_end = statement_end;
            std::mem::swap(&mut call.reply, reply);
            Input::Perform(call)
        };
        match self.until_done(input) {
            Left::With(Output::Performed(mut call)) if !is_in_call => {
                std::mem::swap(&mut call.reply, reply);
                let result = std::mem::replace(&mut call.result, Ok(()));
                self.call.set(Some(call));
                result
            }
            Left::With(Output::Reply(result)) if is_in_call => result.map(|bytes| *reply = bytes),
            Left::Busy => Err(misused()),
            Left::With(Output::Trapped(why, None)) => Err(self.end(why)),
            // The instance is gone, and its program learns that by the next call.
            Left::With(Output::Trapped(why, reason)) => {
                Err(Failure { code: code::INTERRUPT, reason, ..self.end(why) })
            }
            Left::With(_) | Left::Ended => Err(self.end("it broke the protocol".to_owned())),
        }
    }

    /// Continue until the component is done, with the calls of the program that it makes.
    fn until_done(&self, input: Input) -> Left<Output> {
        let mut left = self.resume(input);
        loop {
            let answer = match left {
                Left::With(Output::Event { callback, arguments }) => {
                    let callback = self.callbacks.borrow().get(callback as usize).cloned();
                    let mut reply = self.spare.take();
                    answer(callback.as_ref(), &arguments, &mut reply);
                    self.keep(arguments);
                    Answer::Reply(reply)
                }
                Left::With(Output::Progress) => Answer::Interrupt(self.interrupts()),
                left => return self.checked(left),
            };
            left = self.resume(Input::Answer(answer));
        }
    }

    /// Keep memory for a later reply; few are longer than the mailbox.
    fn keep(&self, mut memory: Vec<u8>) {
        memory.clear();
        memory.shrink_to(mailbox::BYTES);
        self.spare.set(memory);
    }

    /// Whether the program interrupts the statement; a panic interrupts it.
    fn interrupts(&self) -> bool {
        let Some(mut call) = self.on_progress.take() else { return false };
        let interrupts = catch_unwind(AssertUnwindSafe(&mut call)).unwrap_or(true);
        // The callback may have set another one.
        self.on_progress.borrow_mut().get_or_insert(call);
        interrupts
    }

    fn resume(&self, input: Input) -> Left<Output> {
        // Do not charge this instance for a page that another instance on this thread has lost.
        let outer = mapping::replace_lost(self.has_lost_page.get());
        let left = self.fiber.borrow_mut().resume(input, Output::is_end);
        self.has_lost_page.set(mapping::replace_lost(outer));
        left
    }

    /// A reply is not valid if it was computed from a lost page.
    fn checked(&self, left: Left<Output>) -> Left<Output> {
        if !self.has_lost_page.get() || !matches!(left, Left::With(Output::Performed(..))) {
            return left;
        }
        Left::With(Output::Trapped(Stop::LostPage.to_string(), None))
    }

    /// Discard the instance, with its files and locks.
    fn end(&self, why: String) -> Failure {
        self.trap.borrow_mut().get_or_insert(why);
        self.finish();
        self.gone()
    }

    /// Drop the store, on its own stack.
    fn finish(&self) {
        // If it waits for the program, it traps first.
        while let Left::With(_) = self.resume(Input::End) {}
    }

    fn gone(&self) -> Failure {
        let trap = self.trap.borrow();
        let why = trap.as_deref().unwrap_or_default();
        let message = format!("the sandboxed database trapped and is gone: {why}");
        Failure { code: code::ERROR, message, reason: Some(Reason::Trapped) }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.finish();
    }
}

fn misused() -> Failure {
    let message = "another database that this thread uses waits for this call".to_owned();
    Failure { code: code::MISUSE, message, reason: None }
}
