//! Does the same work by the crate `sqlite-wasm` and by `rusqlite` on the same SQLite, one after
//! the other, and prints the ratio of each pair of runs as its median and the middle half.
//!
//! Usage: `bench-connection DATABASE.cwasm [RUNS [WORDS OF A WORKLOAD]]`

mod memory;
mod native;
mod ours;
mod report;
mod workloads;

use std::error::Error;
use std::path::Path;

/// Pairs of runs of each workload.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let component = words.next().ok_or("usage: bench-connection DATABASE.cwasm [RUNS [WORDS]]")?;
    let runs = words.next().map_or(Ok(RUNS), |runs| runs.parse())?;
    let only = words.collect::<Vec<_>>().join(" ");
    let directory = tempfile::tempdir()?;
    let ours = ours::Engine::new(Path::new(&component), directory.path())?;
    let native = native::Engine::new(directory.path());
    report::head();
    for (index, name) in workloads::NAMES.iter().enumerate() {
        if !name.what.contains(&only) {
            continue;
        }
        let mut pairs = Vec::new();
        for _ in 0..runs.max(1) {
            pairs.push((ours.time(index)?, native.time(index)?));
        }
        report::times(name, &pairs);
    }
    report::memory(memory::of(|| ours.open_memory())?, memory::of(|| native.open_memory())?);
    Ok(())
}
