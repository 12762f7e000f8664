//! Limits of time and memory, and the clocks and threads that enforce them.
//!
//! How a limit ends a component's work is here; what a limit is for says whoever sets it.

pub mod address_space;
pub(crate) mod call_clock;
pub mod deadline;
pub(crate) mod memory;
pub(crate) mod statement;
pub(crate) mod stop;
pub mod threads;
pub mod units;

pub use memory::MAX_MEMORY_BYTES;
