//! Calls that may be suspended: they request SQL, and wait for the reply.

use std::any::Any;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use wire::PENDING;

use super::instance::{Answer, Instance, Life, Suspendable, limited};
use crate::bindings::sqlite_wasm::host::dispatch::SqlRequest;
use crate::contract::types::SqlError;
use crate::extensions::error;
use crate::extensions::grants::SqlAccess;

/// A call that was done: an [`Answer`], or what broke.
type Outcome = wasmtime::Result<Box<dyn Any + Send>>;

/// A call in progress; it owns its instance.
pub type Suspended = Pin<Box<dyn Future<Output = (Suspendable, Outcome)> + Send>>;

impl Instance {
    /// Begin a call that may be suspended.
    pub fn begin<T: 'static>(&mut self, call: Suspended) -> Answer<T> {
        self.shared.channel.set_open(self.package.granted.sql != SqlAccess::None);
        self.life = Life::Suspended(call);
        self.go_on();
        self.take_result().unwrap_or_else(|| {
            // Nobody reads a message, and it would be copied with each call.
            Err(SqlError { code: PENDING, message: String::new() })
        })
    }

    /// What became of a call of a suspendable instance that cannot be suspended.
    pub fn concluded_at_once<T>(
        &mut self,
        live: Suspendable,
        outcome: wasmtime::Result<T>,
    ) -> Answer<T> {
        match outcome {
            Ok(value) => {
                self.life = Life::Suspendable(live);
                Ok(value)
            }
            Err(trap) => {
                self.shared.channel.close_all();
                Err(self.trapped(&trap))
            }
        }
    }

    /// Let a suspended call run until its next request or its end.
    fn go_on(&mut self) {
        let Life::Suspended(call) = &mut self.life else { return };
        self.usage.enter();
        let polled = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        self.usage.leave();
        let Poll::Ready((live, outcome)) = polled else { return };
        self.shared.channel.set_open(false);
        self.life = match outcome {
            Ok(answer) => Life::Done(Some(live), Ok(answer)),
            Err(trap) => {
                self.shared.channel.close_all();
                Life::Done(None, Err(self.trapped(&trap)))
            }
        };
    }

    /// The result of a call that is done, and has no request left.
    pub fn take_result<T: 'static>(&mut self) -> Option<Answer<T>> {
        if !matches!(self.life, Life::Done(..)) || self.shared.channel.has_request() {
            return None;
        }
        let Life::Done(live, answer) = std::mem::replace(&mut self.life, Life::Absent) else {
            return None;
        };
        self.life = live.map_or(Life::Absent, Life::Suspendable);
        Some(answer.and_then(|answer| match answer.downcast::<Answer<T>>() {
            Ok(answer) => answer.map_err(limited),
            Err(_) => Err(error("another call was to be repeated".to_owned())),
        }))
    }

    /// The request of a suspended call.
    pub fn request(&mut self) -> Option<SqlRequest> {
        let request = self.shared.channel.take(self.package.granted.sql);
        self.usage.requests += u64::from(request.is_some());
        request
    }

    /// Answer that, and let the call go on.
    pub fn resume(&mut self, reply: Answer<Vec<u8>>) -> Option<SqlRequest> {
        match (&mut self.life, reply) {
            (Life::Suspended(_), reply) => {
                self.shared.channel.put(reply);
                self.go_on();
            }
            // The call is done, but for what it wrote last.
            (Life::Done(_, answer), Err(error)) => *answer = Err(error),
            _ => {}
        }
        self.request()
    }
}

/// The result of a call that cannot be suspended.
pub fn at_once<T>(call: impl Future<Output = wasmtime::Result<T>>) -> wasmtime::Result<T> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(wasmtime::format_err!("it waits where there is nothing to wait for")),
    }
}
