//! WASI 0.2 for components and extensions alike, and its limits.

use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::WasiView;

use crate::clock::{self, Waiting};

/// Largest number of random bytes of one call. The host makes them before it
/// knows whether the component has room; a seed or key needs hundreds.
pub(crate) const MAX_RANDOM_BYTES: u64 = 4 << 20;

/// Largest number of resources of WASI (streams, descriptors, pollables,
/// errors) and of `sql` that one component holds. The component chooses the
/// number, and each takes some hundred bytes of the host; SQLite's shell holds
/// twenty.
const MAX_RESOURCES: usize = 10_000;

/// A table that holds at most [`MAX_RESOURCES`].
pub(crate) fn resource_table() -> ResourceTable {
    let mut table = ResourceTable::new();
    table.set_max_capacity(MAX_RESOURCES);
    table
}

/// Add WASI 0.2, whose context decides what is granted.
pub(crate) fn add_to_linker<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    waiting: Waiting,
) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    clock::add_to_linker(linker, waiting)
}
