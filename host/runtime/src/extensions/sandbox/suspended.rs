//! Calls that may be suspended: they request SQL, and wait for the reply.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use wire::code;

use super::instance::{Answer, Instance, Life, Suspendable, limited};
use super::start::waits_for_nothing;
use crate::contract::bindings::sqlite_wasm::host::dispatch::{Request, Unfinished};
use crate::contract::types::SqlError;
use crate::extensions::grants::SqlAccess;

/// A [`Call`] with any result type; it owns its instance.
pub type Suspended = Box<dyn Any + Send>;

/// A call that has begun.
struct Call<T> {
    progress: Progress<T>,
    /// Called with the result.
    then: Box<Then<T>>,
}

/// The progress of a call.
enum Progress<T> {
    Running(Pin<Box<Running<T>>>),
    /// The function has returned, but its last work may still wait. After a trap the instance
    /// is `None`.
    Done(Option<Suspendable>, Answer<T>),
}

/// A running call. It also returns the instance.
type Running<T> = dyn Future<Output = (Suspendable, Outcome<T>)> + Send;

/// Converts the instance's result to the result of the call.
type Then<T> = dyn FnOnce(&mut Instance, Answer<T>) -> Answer<T> + Send;

/// The result of a function, or its trap.
type Outcome<T> = wasmtime::Result<Answer<T>>;

impl Instance {
    /// Begin a call that may be suspended. Returns its result or its request.
    pub fn begin<T: Send + 'static>(
        &mut self,
        call: impl Future<Output = (Suspendable, Outcome<T>)> + Send + 'static,
        then: impl FnOnce(&mut Self, Answer<T>) -> Answer<T> + Send + 'static,
    ) -> Result<T, Unfinished> {
        self.shared.channel.set_open(self.package.granted.sql != SqlAccess::None);
        let progress = Progress::Running(Box::pin(call));
        self.advance(Box::new(Call { progress, then: Box::new(then) }))
    }

    /// Continue a suspended call with the reply to its request.
    pub fn resume<T: Send + 'static>(&mut self, reply: Answer<Vec<u8>>) -> Result<T, Unfinished> {
        let life = std::mem::replace(&mut self.life, Life::Absent);
        let mut call = match life {
            Life::Suspended(call) => call.downcast::<Call<T>>().map_err(Life::Suspended),
            other => Err(other),
        }
        .map_err(|other| {
            self.life = other;
            another_type()
        })?;
        match (&mut call.progress, reply) {
            (Progress::Running(_), reply) => self.shared.channel.put(reply),
            // The failure of the call's last writes.
            (Progress::Done(_, answer), Err(failure)) => *answer = Err(failure),
            _ => {}
        }
        self.advance(call)
    }

    /// Let a call run until its next request or its end.
    fn advance<T: Send + 'static>(&mut self, mut call: Box<Call<T>>) -> Result<T, Unfinished> {
        if let Progress::Running(running) = &mut call.progress {
            self.usage.enter();
            let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            self.usage.leave();
            if let Poll::Ready((started, outcome)) = polled {
                call.progress = self.done(started, outcome);
            }
        }
        if let Some(request) = self.request() {
            self.life = Life::Suspended(call);
            return Err(Unfinished::Pending(request));
        }
        let Call { progress, then } = *call;
        let answer = match progress {
            Progress::Done(started, answer) => {
                self.life = started.map_or(Life::Absent, Life::Suspendable);
                answer.map_err(limited)
            }
            Progress::Running(_) => Err(self.trapped(&waits_for_nothing())),
        };
        then(self, answer).map_err(Unfinished::Failed)
    }

    fn done<T>(&mut self, started: Suspendable, outcome: Outcome<T>) -> Progress<T> {
        self.shared.channel.set_open(false);
        match outcome {
            Ok(answer) => {
                self.was_connected |= started.is_connected;
                Progress::Done(Some(started), answer)
            }
            Err(trap) => {
                self.shared.channel.close_all();
                Progress::Done(None, Err(self.trapped(&trap)))
            }
        }
    }

    /// The request of a call, or its remaining work.
    fn request(&mut self) -> Option<Request> {
        let request = self.shared.channel.take(self.package.granted.sql);
        self.usage.requests += u64::from(request.is_some());
        request
    }

    /// The outcome of a call to a suspendable instance that cannot be suspended here.
    pub fn concluded_at_once<T>(
        &mut self,
        started: Suspendable,
        outcome: wasmtime::Result<T>,
    ) -> Answer<T> {
        match outcome {
            Ok(value) => {
                self.life = Life::Suspendable(started);
                Ok(value)
            }
            Err(trap) => {
                self.shared.channel.close_all();
                Err(self.trapped(&trap))
            }
        }
    }
}

/// What waits for room in the caller's memory.
pub enum Held {
    /// The result of a call that is done.
    Result(Box<dyn Any + Send>),
    /// A request of a call that goes on with the reply.
    Request(Request),
}

/// The failure of a call that is continued as one with another result.
pub fn another_type() -> SqlError {
    let message = "no call with such a result waits for a reply".to_owned();
    SqlError { code: code::MISUSE, message }
}
