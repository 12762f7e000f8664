//! Adding up what runs of a module that counts have written.

use anyhow::{Context, Result, ensure};
use sqlite_wasm_native::module::Module;

use super::counting::HASH_BYTES;
use super::{Counted, Counters, Counts, Profile, names};

/// The profile of `wasm` by the outputs of its runs, and how many of these have no counts: a run that
/// traps or is ended writes none.
///
/// # Errors
///
/// When no output has counts, or the module is not valid.
pub fn gathered(wasm: &[u8], outputs: &[Vec<u8>]) -> Result<(Profile, usize)> {
    let module = Module::parse(wasm)?;
    let counters = Counters::of(&module)?;
    let mut sums = vec![0_u64; counters.count];
    let hash = blake3::hash(wasm);
    let added = outputs.iter().filter(|output| add(output, hash.as_bytes(), &mut sums)).count();
    ensure!(added > 0, "no output has counts of this module");
    let names = names::of(wasm)?;
    let mut profile = Profile::default();
    for (index, shape) in counters.shapes.iter().enumerate() {
        let Some(name) = names.get(&((module.imports.len() + index) as u32)) else { continue };
        let mut numbers = sums.iter().skip(counters.first[index]).copied();
        let calls = rounded(numbers.next().context("a counter is missing")?);
        let branches = shape.ways.iter();
        let branches =
            branches.map(|ways| kept(numbers.by_ref().take(*ways as usize).collect())).collect();
        let counted = match calls {
            0 => Counted::Never,
            _ => Counted::Called(shape.hash, Counts { calls, branches }),
        };
        profile.functions.entry(name.clone()).or_default().push(counted);
    }
    Ok((profile, outputs.len() - added))
}

/// Add the counters behind the last hash in an output. False if there are none.
fn add(output: &[u8], hash: &[u8; HASH_BYTES as usize], sums: &mut [u64]) -> bool {
    let at = output.windows(hash.len()).rposition(|window| window == hash);
    let counts = at.and_then(|at| output.get(at + hash.len()..)?.get(..8 * sums.len()));
    let Some(counts) = counts else { return false };
    for (sum, count) in sums.iter_mut().zip(counts.as_chunks::<8>().0) {
        *sum = sum.saturating_add(u64::from_le_bytes(*count));
    }
    true
}

/// What the text has of a branch: of a condition that went one way only that.
fn kept(branch: Vec<u64>) -> Vec<u64> {
    match branch[..] {
        [some, 0] => vec![some.min(1), 0],
        [0, some] => vec![0, some.min(1)],
        _ => branch.into_iter().map(rounded).collect(),
    }
}

/// With two digits: more say nothing about another workload.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or_default().saturating_sub(1));
    number.saturating_add(unit / 2) / unit * unit
}
