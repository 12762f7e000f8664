//! The engines for command-line components and extensions, and their settings.

use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Result;
use wasmtime::{Config, Engine, OptLevel};

use crate::address_space::{CHECKED_GUARD_BYTES, FULL_GUARD_BYTES, Reservation};
use crate::memory::MAX_MEMORY_BYTES;

/// Stack for a component's calls, in bytes: the size of a native main thread's,
/// so that SQLite's own depth limits apply first.
pub const MAX_STACK_BYTES: usize = 8 << 20;

/// Stack for an extension's calls, in bytes, on top of the calling component's:
/// the usual size of a native thread's.
pub const MAX_EXTENSION_STACK_BYTES: usize = 2 << 20;

/// An engine for components that run to their end on the calling thread.
///
/// # Errors
///
/// When this processor or system lacks what the engine needs.
pub fn command_engine(reservation: Reservation) -> Result<Engine> {
    let mut config = settings(reservation);
    config
        .max_wasm_stack(MAX_STACK_BYTES)
        // Files are mapped over the memory (see `mapping`), so it must not
        // move: its whole address space is reserved.
        .memory_may_move(false);
    Ok(Engine::new(&config)?)
}

/// An engine for extensions. They are untrusted, so their calls end at a
/// deadline.
///
/// # Errors
///
/// When this processor or system lacks what the engine needs.
pub fn extension_engine(reservation: Reservation) -> Result<Engine> {
    let mut config = settings(reservation);
    config.max_wasm_stack(MAX_EXTENSION_STACK_BYTES).epoch_interruption(true);
    Ok(Engine::new(&config)?)
}

/// A hash of the settings that compiled code depends on. Engines that differ
/// only in the size of a checked reservation have the same.
///
/// # Errors
///
/// As for the engine itself.
pub fn code_settings(engine: &Engine) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    match Reservation::of(engine) {
        Reservation::Full => engine.precompile_compatibility_hash().hash(&mut hasher),
        Reservation::Bytes(_) => {
            let mut config = engine.config().clone();
            config.memory_reservation_for_growth(0);
            Engine::new(&config)?.precompile_compatibility_hash().hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}

/// The settings of both engines.
fn settings(reservation: Reservation) -> Config {
    let mut config = Config::new();
    reserve(&mut config, reservation);
    config
        .cranelift_opt_level(OptLevel::Speed)
        // Unused without asynchronous calls, yet validated against
        // `max_wasm_stack`.
        .async_stack_size(2 * MAX_STACK_BYTES)
        .wasm_component_model(true)
        // Only debuggers and native profilers need it, and its registration
        // takes a twentieth of a start.
        .native_unwind_info(false)
        // Disabling it makes calls across the boundary a third cheaper.
        .concurrency_support(false);
    #[cfg(feature = "profiling")]
    config.profiler(wasmtime::ProfilingStrategy::PerfMap);
    config
}

fn reserve(config: &mut Config, reservation: Reservation) {
    match reservation {
        Reservation::Full => config
            .memory_reservation(MAX_MEMORY_BYTES as u64)
            .memory_guard_size(FULL_GUARD_BYTES as u64),
        Reservation::Bytes(bytes) => config
            // Code for a memory that reserves nothing compares with the
            // memory's size and not with a constant. Address space reserved
            // "for growth" does not affect the code, and is reserved from the
            // start.
            .memory_reservation(0)
            .memory_reservation_for_growth(bytes as u64)
            .memory_guard_size(CHECKED_GUARD_BYTES as u64)
            // Each compiling thread would reserve its own heap.
            .parallel_compilation(false),
    };
}
