//! Does the same work by the crate `sqlite-sandbox` and by `rusqlite` on the same SQLite, one after
//! the other. The suite `crate` of `tooling/bench` runs it: each line is the name of an operation,
//! our nanoseconds and those of rusqlite; the last one has the bytes of an idle connection.
//!
//! Usage: `bench-connection DATABASE.cwasm`

mod memory;
mod native;
mod ours;
mod workloads;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let component = std::env::args().nth(1).ok_or("usage: bench-connection DATABASE.cwasm")?;
    let directory = tempfile::tempdir()?;
    let ours = ours::Engine::new(Path::new(&component), directory.path())?;
    let native = native::Engine::new(directory.path());
    for (index, name) in workloads::NAMES.iter().enumerate() {
        let [ours, native] =
            [ours.time(index)?, native.time(index)?].map(|time| nanoseconds(time, name.units));
        println!("{}\t{ours}\t{native}", name.what);
    }
    let ours = memory::of(|| ours.open_memory())?;
    println!("memory\t{ours}\t{}", memory::of(|| native.open_memory())?);
    Ok(())
}

/// Of one unit.
fn nanoseconds(time: Duration, units: u32) -> f64 {
    time.as_secs_f64() * 1e9 / f64::from(units)
}
