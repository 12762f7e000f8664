//! Random input where nobody is trusted: files, seals, lists, paths and calls.
//!
//! Each test takes some seconds; `make fuzz` is the long form. A failure names
//! a seed, with which it happens again (`ARBTEST_SEED`).

#[path = "../support/mod.rs"]
mod support;

mod calls;
mod composed;
mod extensions;
mod malformed_replies;
mod paths;
mod seals;
mod sections;
mod work;

use arbtest::arbitrary::{Result, Unstructured};

use support::{End, Outcome};

/// Fails unless the program ended by itself, as it may.
#[track_caller]
fn ended(run: &Outcome) {
    // Usage, and the runner's own codes; 101 is a panic, 120 a failure of the host.
    let is_known = matches!(run.end, End::Exited(0..=2 | 120..=124));
    assert!(is_known, "it panicked, crashed or hung\n{run}");
    let panicked = run.err().contains("panicked at") && run.err().contains("host/runtime/src");
    assert!(!panicked, "the host panicked\n{run}");
}

/// Changes some bytes, or the length, or puts parts of `other` in.
fn damage(random: &mut Unstructured<'_>, whole: &[u8], other: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = whole.to_vec();
    for _ in 0..random.int_in_range(1..=4)? {
        if bytes.is_empty() {
            return Ok(bytes);
        }
        let last = bytes.len() - 1;
        // Most of what decides is near the end.
        let near_end = bytes.len().saturating_sub(200);
        let first = if random.ratio(1, 2)? { near_end } else { 0 };
        let place = random.int_in_range(first..=last)?;
        match random.int_in_range(0..=5)? {
            0 => bytes[place] ^= 1 << random.int_in_range(0..=7)?,
            1 => bytes[place] = random.arbitrary()?,
            2 => bytes.truncate(place),
            3 => {
                let end = (place + random.int_in_range(1..=64)?).min(bytes.len());
                bytes.drain(place..end);
            }
            4 => {
                let more: [u8; 16] = random.arbitrary()?;
                bytes.splice(place..place, more);
            }
            _ => {
                let start = random.int_in_range(0..=other.len().saturating_sub(1))?;
                let end = (start + random.int_in_range(1..=400)?).min(other.len());
                let until = (place + end - start).min(bytes.len());
                bytes.splice(place..until, other[start..end].iter().copied());
            }
        }
    }
    Ok(bytes)
}
