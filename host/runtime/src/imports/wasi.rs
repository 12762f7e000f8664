//! WASI 0.2 for components and extensions alike, and its limits.

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2;
use wasmtime_wasi::p2::bindings::sync::{cli, filesystem, random};
use wasmtime_wasi::random::WasiRandom;

use crate::imports::clock::{self, Waiting};

/// Limit on random bytes that one call returns. The host makes them before it knows whether
/// the component has room; a seed or key needs hundreds.
pub(crate) const MAX_RANDOM_BYTES: u64 = 4 << 20;

/// Limit on WASI resources (streams, descriptors, pollables, errors) that one component
/// holds. The component chooses how many it creates, and each takes some hundred bytes of the host;
/// SQLite's shell holds twenty.
const MAX_RESOURCES: usize = 10_000;

/// A table that holds at most [`MAX_RESOURCES`].
pub(crate) fn resource_table() -> ResourceTable {
    let mut table = ResourceTable::new();
    table.set_max_capacity(MAX_RESOURCES);
    table
}

/// Add WASI 0.2, whose context determines the grants. Its sockets are a third of it, and added
/// only for a component that imports them, as hardly any does.
pub(crate) fn add_to_linker<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    component: &Component,
    waiting: Waiting,
) -> wasmtime::Result<()> {
    let ty = component.component_type();
    if ty.imports(component.engine()).any(|(name, _)| name.starts_with("wasi:sockets/")) {
        p2::add_to_linker_sync(linker)?
    } else {
        add_without_sockets(linker)?
    }
    clock::add_to_linker(linker, waiting)
}

/// What [`p2::add_to_linker_sync`] adds, without sockets.
fn add_without_sockets<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    p2::add_to_linker_proxy_interfaces_sync(linker)?;
    random::insecure::add_to_linker::<T, WasiRandom>(linker, |host| host.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<T, WasiRandom>(linker, |host| host.ctx().ctx.random())?;
    cli::exit::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::environment::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_input::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_output::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stdin::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stdout::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    cli::terminal_stderr::add_to_linker::<T, WasiCli>(linker, T::cli)?;
    filesystem::preopens::add_to_linker::<T, WasiFilesystem>(linker, T::filesystem)?;
    filesystem::types::add_to_linker::<T, WasiFilesystem>(linker, T::filesystem)
}
