//! The clock that limits calls: it counts ticks, and wasmtime interrupts an instance at
//! the tick that is its deadline, if its code checks the time (see
//! [`EngineKind::checks_time`](crate::artifact::engine::EngineKind::checks_time)).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wasmtime::{Engine, EngineWeak, Store};

use crate::limits::deadline::MAX_TIME;
use crate::limits::threads;

/// Time between two ticks.
pub const TICK: Duration = Duration::from_millis(10);

/// Ticks between two looks at whether a long call must end early.
pub const LOOK: u64 = 10;

static TICKS: AtomicU64 = AtomicU64::new(0);

static CLOCK: Mutex<Clock> = Mutex::new(Clock { process: None, engines: Vec::new() });

/// The one thread for the engines of all connections.
pub struct Clock {
    /// The process whose thread runs: a forked child has none.
    process: Option<u32>,
    /// The engines whose epochs it increments; without any it ends.
    engines: Vec<EngineWeak>,
}

/// Ticks since the clock was started.
pub fn ticked() -> u64 {
    TICKS.load(Ordering::Relaxed)
}

/// Start the clock of `engine`, unless it runs: counted twice, its time would pass twice as fast.
///
/// # Errors
///
/// When the system gives no thread: without the clock no call would end.
pub fn start(engine: &Engine) -> anyhow::Result<()> {
    let mut clock = clock();
    let process = Some(std::process::id());
    if clock.process != process {
        threads::start("clock", run)?;
        clock.process = process;
    }
    let mut engines = clock.engines.iter().filter_map(EngineWeak::upgrade);
    if !engines.any(|other| Engine::same(&other, engine)) {
        clock.engines.push(engine.weak());
    }
    Ok(())
}

/// The clock, which nobody changes meanwhile.
pub fn clock() -> MutexGuard<'static, Clock> {
    CLOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run() {
    loop {
        std::thread::sleep(TICK);
        TICKS.fetch_add(1, Ordering::Relaxed);
        let mut clock = clock();
        clock.engines.retain(|engine| engine.upgrade().inspect(Engine::increment_epoch).is_some());
        if clock.engines.is_empty() {
            clock.process = None;
            return;
        }
    }
}

/// Limit the next call to `time`.
#[inline]
pub fn set_deadline<T>(store: &mut Store<T>, time: Duration) {
    store.set_epoch_deadline(ticks(time));
}

/// The ticks in `time`, and one more. Done for each call, so without a division of 128 bits.
pub fn ticks(time: Duration) -> u64 {
    const TICKS_PER_SECOND: u64 = 1_000_000_000 / TICK.as_nanos() as u64;
    let parts = u64::from(time.subsec_nanos()) / TICK.as_nanos() as u64;
    // The engine adds the epoch so far, which must not wrap.
    time.as_secs()
        .min(MAX_TIME.as_secs())
        .saturating_mul(TICKS_PER_SECOND)
        .saturating_add(parts + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_counted_once() {
        let engines = [Engine::default(), Engine::default()];
        for engine in engines.iter().cycle().take(6) {
            start(engine).unwrap();
        }
        let clock = clock();
        for engine in &engines {
            let counted = clock.engines.iter().filter_map(EngineWeak::upgrade);
            assert_eq!(counted.filter(|other| Engine::same(other, engine)).count(), 1);
        }
    }
}
