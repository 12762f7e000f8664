//! `wasi:clocks/monotonic-clock`, which waits without an asynchronous runtime.
//!
//! The clock of `wasmtime-wasi` waits with a timer of tokio, and the runner
//! does not drive a runtime that would fire it.

use std::marker::PhantomData;
use std::thread;
use std::time::{Duration, Instant};

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::async_trait;
use wasmtime_wasi::clocks::{WasiClocksCtxView, WasiClocksView};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::{self, Host};
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};

/// Whether a component may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// On the calling thread.
    Allowed,
    /// A wait traps, since it would block the caller.
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
            return Err(wasmtime::format_err!("an extension cannot wait"));
        }
        let end = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
        let wait = self.wasi.table.push(Wait { end })?;
        subscribe(self.wasi.table, wait)
    }
}

/// The end of a wait; `None` for a wait without end.
struct Wait {
    end: Option<Instant>,
}

#[async_trait]
impl Pollable for Wait {
    async fn ready(&mut self) {
        // Other pollables of the same poll may be ready already, and go first.
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

/// Add the interface to the linker, replacing the one of `wasmtime-wasi`.
///
/// # Errors
///
/// When the linker refuses it.
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
