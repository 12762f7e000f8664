//! One connection's side of the wire: operations out, replies in. All that comes back is checked.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use runtime::database::wire::{Operations, Reader};
use runtime::database::{Failure, Instance};

use crate::builder::Limits;
use crate::error::{Error, Limit, Result};

/// Closing and resetting wait for the next request up to this many bytes.
const MAX_LATER_BYTES: usize = 4096;

/// An instance with one connection in it.
pub struct Session {
    instance: RefCell<Instance>,
    pub connection: u32,
    pub limits: Limits,
    /// Sent with the next request.
    later: RefCell<Operations>,
    /// The sandbox broke the protocol.
    is_broken: Cell<bool>,
    /// When the time of the connection is over.
    end: Option<Instant>,
    is_closed: Cell<bool>,
}

impl Session {
    pub fn new(instance: Instance, connection: u32, limits: Limits, end: Option<Instant>) -> Self {
        Self {
            instance: RefCell::new(instance),
            connection,
            limits,
            later: RefCell::default(),
            is_broken: Cell::new(false),
            end,
            is_closed: Cell::new(false),
        }
    }

    /// Call a function of the instance. Functions of the program run inside and have no
    /// connection, so the instance is never borrowed twice.
    pub fn call<T>(
        &self,
        call: impl FnOnce(&mut Instance, u32) -> Result<T, Failure>,
    ) -> Result<T> {
        if self.is_broken.get() {
            return Err(Error::MalformedReply);
        }
        let mut instance = self.instance.borrow_mut();
        instance.limit_statement(self.limits.statement_time);
        call(&mut instance, self.connection).map_err(|failure| Error::of(failure, &self.limits))
    }

    /// Perform operations; the reply is put into `reply`.
    pub fn perform(&self, operations: &Operations, reply: &mut Vec<u8>) -> Result<()> {
        self.perform_within(operations, reply, self.limits.statement_time).1
    }

    /// The same within some time: the time that it took, which is measured where there is a limit.
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
        let mut instance = self.instance.borrow_mut();
        if time.is_some() {
            instance.limit_statement(time);
        }
        let mut later = self.later.borrow_mut();
        let performed = match later.is_empty() {
            true => instance.perform(self.connection, operations.as_bytes(), reply),
            false => {
                later.append(operations.clone());
                let performed = instance.perform(self.connection, later.as_bytes(), reply);
                later.clear();
                performed
            }
        };
        let took = start.map_or(Duration::ZERO, |start| start.elapsed());
        (took, performed.map_err(|failure| Error::of(failure, &self.limits)))
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

    /// After a reply that no SQLite sends, nothing is sent any more.
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
            // A failure is that of the connection, which the next request reports.
            let _ = self.perform(&Operations::default(), &mut Vec::new());
        }
    }

    /// Whether it can never be used again.
    pub fn is_gone(&self) -> bool {
        self.is_broken.get() || self.instance.borrow().is_gone()
    }

    /// Whether the connection can do anything but close.
    ///
    /// # Errors
    ///
    /// Why not: the sandbox broke the protocol, or the time of the connection is over.
    pub fn usable(&self) -> Result<()> {
        if self.is_broken.get() {
            return Err(Error::MalformedReply);
        }
        match (self.end, self.limits.time) {
            // SQLite itself sees the clock only in statements of thousands of steps.
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
        self.call(|instance, connection| instance.close(connection))
    }

    /// Forget an interruption where nothing runs that it could mean.
    pub fn clear_interruption(&self) {
        self.instance.borrow().interrupter().clear();
    }

    /// Whether an interruption waits for a statement that has begun; it is then over.
    pub fn take_interruption(&self) -> bool {
        let instance = self.instance.borrow();
        let is_set = instance.interrupter().is_set();
        instance.interrupter().clear();
        is_set
    }
}

/// The last connection to a WAL database copies the log into it, and extensions are disconnected.
impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_gone() {
            // Nobody is left to be told of a failure.
            let _ = self.close();
        }
    }
}
