//! The engine for command-line components, one set of settings for all.

use anyhow::Result;
use wasmtime::{Config, Engine, OptLevel};

/// Stack for a component's calls, in bytes: what a native main thread has, so
/// that SQLite's own depth limits are met before it ends.
pub const MAX_STACK_BYTES: usize = 8 << 20;

/// An engine for components that run to their end on the calling thread.
///
/// # Errors
///
/// When this processor or system lacks what the engine needs.
pub fn command_engine() -> Result<Engine> {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(MAX_STACK_BYTES)
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
    Ok(Engine::new(&config)?)
}
