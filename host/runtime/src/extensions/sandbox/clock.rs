//! The clock that limits calls: it counts ticks, and wasmtime interrupts an instance at
//! the tick that is its deadline.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::{Engine, EngineWeak, Store, Trap, UpdateDeadline};

use super::Sandbox;
use crate::deadline::MAX_TIME;
use crate::threads;

/// Time between two ticks.
pub const TICK: Duration = Duration::from_millis(10);

static TICKS: AtomicU64 = AtomicU64::new(0);

/// Ticks since the clock was started.
pub fn ticked() -> u64 {
    TICKS.load(Ordering::Relaxed)
}

/// Start the clock of `engine`. A process has one thread for the engines of all its
/// connections.
///
/// # Errors
///
/// When the system gives no thread: without the clock no call would end.
pub fn start(engine: &Engine) -> anyhow::Result<()> {
    let mut engines = engines();
    if engines.is_empty() {
        threads::start("clock", run)?;
    }
    engines.push(engine.weak());
    Ok(())
}

/// The engines whose epochs the clock increments; without any its thread ends.
fn engines() -> MutexGuard<'static, Vec<EngineWeak>> {
    static ENGINES: Mutex<Vec<EngineWeak>> = Mutex::new(Vec::new());
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run() {
    loop {
        std::thread::sleep(TICK);
        TICKS.fetch_add(1, Ordering::Relaxed);
        let mut engines = engines();
        engines.retain(|engine| engine.upgrade().inspect(Engine::increment_epoch).is_some());
        if engines.is_empty() {
            return;
        }
    }
}

/// Limit the next call to `time`.
#[inline]
pub fn set_deadline(store: &mut Store<Sandbox>, time: Duration) {
    store.set_epoch_deadline(ticks(time));
}

/// Do not count the time for which the instance waits for SQL.
pub fn exclude_sql(store: &mut Store<Sandbox>) {
    store.epoch_deadline_callback(|store| match store.data().channel.take_waited() {
        0 => Err(Trap::Interrupt.into()),
        waited => Ok(UpdateDeadline::Continue(waited + 1)),
    });
}

/// Done for each call, so without a division of 128 bits.
fn ticks(time: Duration) -> u64 {
    const TICKS_PER_SECOND: u64 = 1_000_000_000 / TICK.as_nanos() as u64;
    let parts = u64::from(time.subsec_nanos()) / TICK.as_nanos() as u64;
    // The engine adds the epoch so far, which must not wrap.
    time.as_secs()
        .min(MAX_TIME.as_secs())
        .saturating_mul(TICKS_PER_SECOND)
        .saturating_add(parts + 1)
}
