//! Loading the program to run.

use std::path::Path;

use anyhow::Result;
use sqlite_wasm_runtime::address_space::Reservation;
use sqlite_wasm_runtime::component::{Loader, Program};
use sqlite_wasm_runtime::program_files;

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
    // The number of memories is known only after loading.
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
    let [compiled, portable] =
        [program_files::path("cli.cwasm")?, program_files::path("cli.wasm")?];
    // Where it is compiled into the cache, each start would make an error of the absent file.
    if !compiled.exists() && portable.is_file() {
        return loader.load(&portable);
    }
    match loader.load(&compiled) {
        Err(_) if portable.is_file() => loader.load(&portable),
        result => result,
    }
}
