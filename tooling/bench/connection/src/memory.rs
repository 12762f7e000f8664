//! What an idle connection takes.

use std::error::Error;
use std::fs;

/// Open at a time.
const CONNECTIONS: u32 = 50;

/// Bytes of memory of one connection, when the first one is there.
pub fn of<C, E: Error + 'static>(open: impl Fn() -> Result<C, E>) -> Result<f64, Box<dyn Error>> {
    let _first = open()?;
    let before = resident()?;
    let connections: Vec<C> = (0..CONNECTIONS).map(|_| open()).collect::<Result<_, _>>()?;
    let used = resident()?.saturating_sub(before);
    drop(connections);
    Ok(used as f64 / f64::from(CONNECTIONS))
}

fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?;
    Ok(kilobytes.parse::<u64>()? * 1024)
}
