//! Loading the program to run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use sqlite_wasm_runtime::artifact::component::{Loader, Program};
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::limits::address_space::Reservation;

/// The shell of this build, to be compiled.
pub const PORTABLE_SHELL: &str = "cli.wasm";

/// Load the program, in the form that fits this process's address space.
pub fn program(
    loader: impl Fn(Reservation) -> Result<Loader>,
    component: Option<&Path>,
    limit_bytes: usize,
) -> Result<Program> {
    let load = |reservation| load(&loader(reservation)?, component);
    let for_one = Reservation::for_command(1, limit_bytes);
    let program = load(for_one)?;
    if component.is_none() {
        return Ok(program);
    }
    // The count of memories is known only after loading.
    match Reservation::for_command(program.memories().max(1), limit_bytes) {
        for_all if for_all == for_one => Ok(program),
        for_all => load(for_all),
    }
}

fn load(loader: &Loader, component: Option<&Path>) -> Result<Program> {
    match component {
        Some(path) => loader.load(path),
        None => own_shell(loader),
    }
}

/// The shell of this build, which is installed with the program: `cli.cwasm`, or
/// `cli.wasm` where the processor cannot run the compiled form.
fn own_shell(loader: &Loader) -> Result<Program> {
    let first = first_shell()?;
    let portable = first.with_file_name(PORTABLE_SHELL);
    match loader.load(&first) {
        Err(_) if portable != first && portable.is_file() => loader.load(&portable),
        result => result,
    }
}

/// The file that is tried first. Where `cli.wasm` is compiled into the cache, each
/// start would make an error of the absent `cli.cwasm`.
pub fn first_shell() -> Result<PathBuf> {
    let compiled = program_files::path("cli.cwasm")?;
    let portable = compiled.with_file_name(PORTABLE_SHELL);
    Ok(if !compiled.exists() && portable.is_file() { portable } else { compiled })
}
