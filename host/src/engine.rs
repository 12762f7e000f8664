//! The engine for command-line components, one set of settings for all.

use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Result;
use wasmtime::{Config, Engine, OptLevel};

use crate::address_space::{CHECKED_GUARD_BYTES, FULL_GUARD_BYTES, Reservation};
use crate::runner::MAX_MEMORY_BYTES;

/// Stack for a component's calls, in bytes: what a native main thread has, so
/// that SQLite's own depth limits are met before it ends.
pub const MAX_STACK_BYTES: usize = 8 << 20;

/// Stack for an extension's calls, in bytes, on top of the component's that
/// calls it: what a thread of a native program usually has.
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
        // Files are mapped over the memory (see `mapping`), so it has to stay
        // where it is: the address space that it can ever fill is reserved.
        .memory_may_move(false);
    Ok(Engine::new(&config)?)
}

/// An engine for extensions, whose calls end at a deadline: they are not
/// trusted.
///
/// # Errors
///
/// When this processor or system lacks what the engine needs.
pub fn extension_engine(reservation: Reservation) -> Result<Engine> {
    let mut config = settings(reservation);
    config.max_wasm_stack(MAX_EXTENSION_STACK_BYTES).epoch_interruption(true);
    Ok(Engine::new(&config)?)
}

/// What compiled code depends on, as one number. Engines that differ only in
/// what else they reserve have the same.
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

/// What both have in common.
fn settings(reservation: Reservation) -> Config {
    let mut config = Config::new();
    reserve(&mut config, reservation);
    config
        .cranelift_opt_level(OptLevel::Speed)
        // Unused without asynchronous calls, yet checked against the other.
        .async_stack_size(2 * MAX_STACK_BYTES)
        .wasm_component_model(true)
        // For debuggers and native profilers only, and its registration is
        // a twentieth of a start.
        .native_unwind_info(false)
        // Without it a call across the boundary costs a third.
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
            // Code for a memory that reserves nothing takes its size, and not
            // a constant, for the bound. What is reserved "for growth" does
            // not bind the code, and is reserved from the start.
            .memory_reservation(0)
            .memory_reservation_for_growth(bytes as u64)
            .memory_guard_size(CHECKED_GUARD_BYTES as u64)
            // Each thread that compiles would reserve a heap of its own.
            .parallel_compilation(false),
    };
}
