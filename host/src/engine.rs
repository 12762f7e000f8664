//! The engine for command-line components, one set of settings for all.

use anyhow::Result;
use wasmtime::{Config, Engine, OptLevel};

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
pub fn command_engine() -> Result<Engine> {
    let mut config = settings();
    config
        .max_wasm_stack(MAX_STACK_BYTES)
        // Files are mapped over the memory (see `mapping`), so it has to stay
        // where it is: the address space that it can ever fill is reserved.
        .memory_may_move(false)
        .memory_reservation(MAX_MEMORY_BYTES as u64);
    Ok(Engine::new(&config)?)
}

/// An engine for extensions, whose calls end at a deadline: they are not
/// trusted.
///
/// # Errors
///
/// When this processor or system lacks what the engine needs.
pub fn extension_engine() -> Result<Engine> {
    let mut config = settings();
    config.max_wasm_stack(MAX_EXTENSION_STACK_BYTES).epoch_interruption(true);
    Ok(Engine::new(&config)?)
}

/// What both have in common.
fn settings() -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        // Unused without asynchronous calls, yet checked against the other.
        .async_stack_size(2 * MAX_STACK_BYTES)
        .wasm_component_model(true)
        // The compiler's threads would stay outside of the second wall, which
        // goes up after a program was compiled.
        .parallel_compilation(false)
        // For debuggers and native profilers only, and its registration is
        // a twentieth of a start.
        .native_unwind_info(false)
        // Without it a call across the boundary costs a third.
        .concurrency_support(false);
    #[cfg(feature = "profiling")]
    config.profiler(wasmtime::ProfilingStrategy::PerfMap);
    config
}
