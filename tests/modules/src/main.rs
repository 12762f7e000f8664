//! Prints one module that consists of random ones:
//!
//! ```text
//! native-modules FIRST COUNT
//! ```
//!
//! The seeds of these are `FIRST` and the following integers. Each exports its functions and globals as `SEED.NUMBER`;
//! the memory is `memory`. Together they are compiled many times as fast as one by one.

mod joined;
mod random;

use std::io::Write;

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [first, count] = &words[..] else { bail!("usage: native-modules FIRST COUNT") };
    let first: u64 = first.parse().context("FIRST is not a number")?;
    let count: u64 = count.parse().context("COUNT is not a number")?;
    let mut joined = joined::Joined::new(&random::imports())?;
    for seed in first..first + count {
        let module =
            random::module(seed).with_context(|| format!("seed {seed} gives no module"))?;
        joined
            .add(seed, &module)
            .with_context(|| format!("the module of {seed} cannot be added"))?;
    }
    let module = joined.finish();
    wasmparser::validate(&module).context("the modules together are not valid")?;
    std::io::stdout().write_all(&module).context("failed to print the module")
}
