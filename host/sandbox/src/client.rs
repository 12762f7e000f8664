//! One connection's side of the wire: sends operations, and checks everything in the replies.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use runtime::database::wire::{Operations, Reader, ReplyHead, Returned, code};
use runtime::database::{Callback, Instance, Interrupter, OnProgress};

use crate::builder::Limits;
use crate::error::{Error, Limit, Result};
use crate::events::Events;

/// Maximum size of closing and resetting operations that wait for the next request.
const MAX_LATER_BYTES: usize = 4096;

/// An instance with one connection.
pub struct EngineClient {
    instance: Instance,
    pub connection: u32,
    pub limits: Limits,
    /// Of the next statements: that of `limits`, or less.
    pub statement_time: Cell<Option<Duration>>,
    /// Sent with the next request.
    later: RefCell<Operations>,
    /// The sandbox has broken the protocol.
    is_broken: Cell<bool>,
    requests: Cell<u64>,
    /// The end of the connection's time.
    end: Option<Instant>,
    is_closed: Cell<bool>,
    /// What the program has registered, and the address of the connection in the sandbox; set when
    /// first needed.
    pub events: OnceCell<(Arc<Events>, u32)>,
}

impl EngineClient {
    /// Open a database in a separate instance.
    pub fn open(
        instance: Instance,
        open: &Operations,
        limits: Limits,
        end: Option<Instant>,
    ) -> Result<Self> {
        let mut client = Self {
            instance,
            connection: 0,
            limits,
            statement_time: Cell::new(limits.statement_time),
            later: RefCell::default(),
            is_broken: Cell::new(false),
            requests: Cell::new(0),
            end,
            // True until it is open.
            is_closed: Cell::new(true),
            events: OnceCell::new(),
        };
        client.connection = client.program(open, |reply| Ok(reply.u32()?))?;
        client.is_closed.set(false);
        Ok(client)
    }

    /// Perform an operation of the program, and read the reply.
    pub fn program<T>(
        &self,
        operation: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        self.program_on(self.connection, operation, read)
    }

    /// The same on another connection of the instance.
    pub fn program_on<T>(
        &self,
        connection: u32,
        operation: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        if self.is_broken.get() {
            return Err(Error::MalformedReply);
        }
        self.send_later()?;
        let mut reply = Vec::new();
        let time = self.statement_time.get();
        self.send_on(connection, operation.as_bytes(), time, &mut reply)?;
        self.checked(read(&mut Reader(&reply)))
    }

    /// The state of the connection, such as its counters.
    pub fn state(&self) -> Result<ReplyHead> {
        self.request(&Operations::default().state(), |reply| Ok(ReplyHead::read(reply)?))
    }

    /// Call one of SQLite's functions, and decode its results.
    pub fn call<T>(
        &self,
        call: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        self.call_on(self.connection, call, read)
    }

    /// The same on another connection of the instance.
    pub fn call_on<T>(
        &self,
        connection: u32,
        call: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        let bytes = self.perform_call(connection, call)?;
        let mut returned = self.checked(Returned::read(&bytes).map_err(Error::from))?;
        if returned.code != code::OK {
            let message = returned.message.unwrap_or_default();
            return Err(Error::sqlite(returned.code, String::from_utf8_lossy(message)));
        }
        self.checked(read(&mut returned.reply))
    }

    /// The same for a function whose result code can be more than a failure.
    pub fn code_on<T>(
        &self,
        connection: u32,
        call: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<(i32, T)> {
        let bytes = self.perform_call(connection, call)?;
        let mut returned = self.checked(Returned::read(&bytes).map_err(Error::from))?;
        Ok((returned.code, self.checked(read(&mut returned.reply))?))
    }

    fn perform_call(&self, connection: u32, call: &Operations) -> Result<Vec<u8>> {
        self.usable()?;
        self.send_later()?;
        let mut bytes = Vec::new();
        self.send_on(connection, call.as_bytes(), self.statement_time.get(), &mut bytes)?;
        Ok(bytes)
    }

    /// Connect another connection of the instance to a callback. Returns its address in the
    /// sandbox.
    pub fn address_of(&self, connection: u32, callback: u32) -> Result<u32> {
        let connect = Operations::default().call_connect(callback, connection);
        self.call_on(connection, &connect, |reply| Ok(reply.u32()?))
    }

    /// Add a callback. Returns its id for the sandbox.
    pub fn add(&self, callback: Arc<dyn Callback>) -> u32 {
        self.instance.add(callback)
    }

    /// Call this every few thousand steps of a statement.
    pub fn on_progress(&self, call: Option<OnProgress>) {
        self.instance.on_progress(call);
    }

    /// The handle that interrupts its statements.
    pub fn interrupter(&self) -> &Interrupter {
        self.instance.interrupter()
    }

    /// How many requests it has sent so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    fn send(&self, operations: &[u8], time: Option<Duration>, reply: &mut Vec<u8>) -> Result<()> {
        self.send_on(self.connection, operations, time, reply)
    }

    fn send_on(
        &self,
        connection: u32,
        operations: &[u8],
        time: Option<Duration>,
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.requests.set(self.requests.get() + 1);
        let end = time.and_then(|time| Instant::now().checked_add(time));
        let sent = self.instance.perform(connection, operations, end, reply);
        let limits = || Limits { statement_time: self.statement_time.get(), ..self.limits };
        sent.map_err(|failure| Error::of(failure, &limits()))
    }

    /// Perform operations, and put the reply into `reply`.
    pub fn perform(&self, operations: &Operations, reply: &mut Vec<u8>) -> Result<()> {
        self.perform_within(operations, reply, self.statement_time.get()).1
    }

    /// The same with a time limit. Returns the time that it took, if there is a limit.
    pub fn perform_within(
        &self,
        operations: &Operations,
        reply: &mut Vec<u8>,
        time: Option<Duration>,
    ) -> (Duration, Result<()>) {
        if let Err(error) = self.usable() {
            return (Duration::ZERO, Err(error));
        }
        let start = time.map(|_| Instant::now());
        let mut later = self.later.take();
        let performed = if later.is_empty() {
            self.send(operations.as_bytes(), time, reply)
        } else {
            later.append(operations.clone());
            self.send(later.as_bytes(), time, reply)
        };
        later.clear();
        self.keep_room(later);
        (start.map_or(Duration::ZERO, |start| start.elapsed()), performed)
    }

    /// Reuse the memory, unless a callback has left operations meanwhile.
    fn keep_room(&self, room: Operations) {
        let mut later = self.later.borrow_mut();
        if later.is_empty() {
            *later = room;
        }
    }

    fn send_later(&self) -> Result<()> {
        let is_empty = self.later.borrow().is_empty();
        if is_empty { Ok(()) } else { self.perform(&Operations::default(), &mut Vec::new()) }
    }

    /// Perform operations, and read the reply.
    pub fn request<T>(
        &self,
        operations: &Operations,
        read: impl FnOnce(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        let mut reply = Vec::new();
        self.perform(operations, &mut reply)?;
        self.checked(read(&mut Reader(&reply)))
    }

    /// After an invalid reply no requests are sent any more.
    pub fn checked<T>(&self, read: Result<T>) -> Result<T> {
        if matches!(read, Err(Error::MalformedReply)) {
            self.is_broken.set(true);
        }
        read
    }

    /// Close a statement or blob with the next request.
    pub fn close_later(&self, handle: u32) {
        self.perform_later(Operations::default().close(handle));
    }

    /// Perform operations without a reply, which cannot fail, with the next request.
    pub fn perform_later(&self, operations: Operations) {
        let mut later = self.later.borrow_mut();
        later.append(operations);
        let is_full = later.len() > MAX_LATER_BYTES;
        drop(later);
        if is_full {
            // The next request reports a failure of the connection.
            let _ = self.perform(&Operations::default(), &mut Vec::new());
        }
    }

    /// Whether it can no longer be used.
    pub fn is_gone(&self) -> bool {
        self.is_broken.get() || self.instance.is_gone()
    }

    /// Check that the connection can do more than close.
    ///
    /// # Errors
    ///
    /// The sandbox has broken the protocol, or the time of the connection is over.
    pub fn usable(&self) -> Result<()> {
        if self.is_broken.get() {
            return Err(Error::MalformedReply);
        }
        match (self.end, self.limits.time) {
            // SQLite checks the clock only in statements of thousands of steps.
            (Some(end), Some(time)) if end <= Instant::now() => {
                Err(Error::LimitReached(Limit::Time(time)))
            }
            _ => Ok(()),
        }
    }

    /// Close the connection, once.
    pub fn close(&self) -> Result<()> {
        if self.is_closed.replace(true) {
            return Ok(());
        }
        // An interruption would end the last checkpoint.
        self.clear_interruption();
        let cleared = self.clear_hooks();
        cleared.and(self.program(&Operations::default().close_connection(), |_| Ok(())))
    }

    /// Clear an interruption if no statement is running.
    pub fn clear_interruption(&self) {
        self.interrupter().clear();
    }

    /// Whether an interruption is pending for a statement that has begun; it is then cleared.
    pub fn take_interruption(&self) -> bool {
        let is_set = self.interrupter().is_set();
        self.interrupter().clear();
        is_set
    }
}

/// The last connection to a WAL database copies the log into it, and extensions are disconnected.
impl Drop for EngineClient {
    fn drop(&mut self) {
        if !self.is_gone() {
            // The connection is dropped, so a failure cannot be reported.
            let _ = self.close();
        }
    }
}
