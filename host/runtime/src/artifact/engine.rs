//! The engines for command-line components and extensions, and their settings.

use anyhow::Result;
use wasmtime::{Config, Engine};

use crate::limits::MAX_MEMORY_BYTES;
use crate::limits::address_space::{CHECKED_GUARD_BYTES, FULL_GUARD_BYTES, Form, Reservation};

/// The wasmtime in this program.
pub const WASMTIME_VERSION: &str = env!("WASMTIME_VERSION");

/// Stack for a component's calls, in bytes: the size of a native main thread's,
/// so that SQLite's own depth limits apply first.
pub const MAX_STACK_BYTES: usize = 8 << 20;

/// Stack for an extension's calls, in bytes, on top of the calling component's:
/// the usual size of a native thread's.
pub const MAX_EXTENSION_STACK_BYTES: usize = 2 << 20;

/// The engine that runs the code, with all settings that the code depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// For components that run to their end on the calling thread.
    Command(Form),
    /// For databases with a limit of time: each loop checks a deadline, so that even one long
    /// call inside SQLite ends. A mix of statements takes 1.2 times as long.
    Timed(Form),
    /// For extensions. They are untrusted, so their calls end at a deadline.
    Extension(Form),
}

impl EngineKind {
    /// The engine for components with this reservation.
    ///
    /// # Errors
    ///
    /// When this processor or system lacks what the engine needs.
    pub fn engine(self, reservation: Reservation) -> Result<Engine> {
        Ok(Engine::new(&self.config(reservation))?)
    }

    /// The settings of the engine, as far as it needs no compiler.
    pub fn config(self, reservation: Reservation) -> Config {
        let mut config = settings(reservation);
        match self {
            Self::Command(_) | Self::Timed(_) => config
                .max_wasm_stack(MAX_STACK_BYTES)
                // Files are mapped over the memory (see `mapping`), so it must not
                // move: its whole address space is reserved.
                .memory_may_move(false),
            Self::Extension(_) => config.max_wasm_stack(MAX_EXTENSION_STACK_BYTES),
        };
        config.epoch_interruption(self.checks_time());
        config
    }

    /// Whether the code checks a deadline.
    pub fn checks_time(self) -> bool {
        !matches!(self, Self::Command(_))
    }

    /// The form of the code.
    pub fn form(self) -> Form {
        match self {
            Self::Command(form) | Self::Timed(form) | Self::Extension(form) => form,
        }
    }

    /// The kind for the bundled extensions of a program of this kind.
    pub fn of_extensions(self) -> Self {
        Self::Extension(self.form())
    }
}

/// The settings of both engines.
fn settings(reservation: Reservation) -> Config {
    let mut config = Config::new();
    reserve(&mut config, reservation);
    config
        // Unused without asynchronous calls, yet validated against
        // `max_wasm_stack`.
        .async_stack_size(2 * MAX_STACK_BYTES)
        .wasm_component_model(true)
        // Only debuggers and native profilers need it, and its registration
        // takes a twentieth of a start.
        .native_unwind_info(false)
        // Disabling it makes calls across the boundary a third cheaper.
        .concurrency_support(false);
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
            .memory_guard_size(CHECKED_GUARD_BYTES as u64),
        // A guard would only matter with a handler.
        Reservation::Unsignalled(bytes) => config
            .signals_based_traps(false)
            .memory_reservation(0)
            .memory_reservation_for_growth(bytes as u64)
            .memory_guard_size(0),
    };
}
