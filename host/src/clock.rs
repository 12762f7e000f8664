//! `wasi:clocks/monotonic-clock`, with waiting that needs no runtime.
//!
//! That of `wasmtime-wasi` waits by a timer of tokio, and the runner drives no
//! runtime that would let one go off.

use std::marker::PhantomData;
use std::thread;
use std::time::{Duration, Instant};

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::async_trait;
use wasmtime_wasi::clocks::{WasiClocksCtxView, WasiClocksView};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::{self, Host};
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};

/// Whether a component may wait for a time to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// On the calling thread.
    Allowed,
    /// Asking for it traps: it would hold up who called.
    Refused,
}

struct ClockView<'a> {
    wasi: WasiClocksCtxView<'a>,
    waiting: Waiting,
}

impl Host for ClockView<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        monotonic_clock::Host::now(&mut self.wasi)
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        monotonic_clock::Host::resolution(&mut self.wasi)
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let nanoseconds = when.saturating_sub(self.now()?);
        self.subscribe_duration(nanoseconds)
    }

    fn subscribe_duration(&mut self, nanoseconds: u64) -> wasmtime::Result<Resource<DynPollable>> {
        if self.waiting == Waiting::Refused && nanoseconds > 0 {
            return Err(wasmtime::format_err!("it asked to wait, which it may not"));
        }
        let end = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
        let wait = self.wasi.table.push(Wait { end })?;
        subscribe(self.wasi.table, wait)
    }
}

/// A time to come; none for one that never does.
struct Wait {
    end: Option<Instant>,
}

#[async_trait]
impl Pollable for Wait {
    async fn ready(&mut self) {
        // What else is polled may be ready already, and gets its turn first.
        tokio::task::yield_now().await;
        match self.end {
            Some(end) => thread::sleep(end.saturating_duration_since(Instant::now())),
            None => std::future::pending().await,
        }
    }
}

struct HasClock<T>(PhantomData<T>);

impl<T: 'static> HasData for HasClock<T> {
    type Data<'a> = ClockView<'a>;
}

/// Offer the interface to components, in place of that which is there already.
///
/// # Errors
///
/// When it cannot be put in its place.
pub fn add_to_linker<T: WasiClocksView + 'static>(
    linker: &mut Linker<T>,
    waiting: Waiting,
) -> wasmtime::Result<()> {
    let view: fn(&mut T) -> ClockView<'_> = match waiting {
        Waiting::Allowed => |host| ClockView { wasi: host.clocks(), waiting: Waiting::Allowed },
        Waiting::Refused => |host| ClockView { wasi: host.clocks(), waiting: Waiting::Refused },
    };
    linker.allow_shadowing(true);
    monotonic_clock::add_to_linker::<T, HasClock<T>>(linker, view)?;
    linker.allow_shadowing(false);
    Ok(())
}
