//! How far the stack is used below its limit.

use std::collections::BTreeMap;

use crate::access::RETURN_BYTES;
use crate::function::{Call, Outcome};
use crate::thunks;

/// How far below its limit the stack may be used, in bytes: two of the largest frames, which the
/// linker allows, and what is pushed in addition.
const MAX_BELOW_LIMIT: i64 = 2 * (2048 + 128);

/// How many bytes functions use of the stack before they look at its limit.
pub struct Depths {
    unchecked: BTreeMap<u32, i64>,
    largest: i64,
}

impl Depths {
    /// Of all functions, by their starts.
    pub fn of(all: &[(u32, &Outcome)]) -> Self {
        let mut unchecked: BTreeMap<u32, i64> = BTreeMap::new();
        // Each call adds to the depth of its caller, so recursion without a check passes the limit.
        for _ in 0..=MAX_BELOW_LIMIT / RETURN_BYTES + 1 {
            let mut next = BTreeMap::new();
            for (start, outcome) in all {
                let calls = outcome.calls.iter().filter(|call| call.checked.is_none());
                let below = calls.map(|call| below(call, &unchecked));
                let depth = below.fold(outcome.frame, i64::max);
                let entry = next.entry(*start).or_insert(0);
                *entry = depth.max(*entry);
            }
            if next == unchecked {
                break;
            }
            unchecked = next;
        }
        let mut depths = Self { unchecked, largest: 0 };
        depths.largest = all.iter().map(|(start, it)| depths.depth(*start, it)).max().unwrap_or(0);
        depths
    }

    /// How far below the limit a function and what it calls may use the stack.
    fn depth(&self, start: u32, outcome: &Outcome) -> i64 {
        let calls = outcome.calls.iter();
        let below = calls.filter_map(|call| {
            let checked = call.checked?;
            Some(below(call, &self.unchecked) - checked)
        });
        below.fold(self.unchecked.get(&start).copied().unwrap_or(0), i64::max)
    }

    /// Why that is too far; `outside` says with how many arguments on the stack it is called from
    /// outside.
    pub fn reason(&self, start: u32, outcome: &Outcome, outside: Option<usize>) -> Option<String> {
        let before = outside.filter(|count| *count > 0).map_or(0, thunks::depth);
        let depth = before + self.depth(start, outcome);
        (depth > MAX_BELOW_LIMIT)
            .then(|| format!("it uses {depth} bytes of the stack without a check"))
    }

    /// How far all of them use it, but for what is before those that are called from outside.
    pub fn largest(&self) -> i64 {
        self.largest
    }
}

/// What a call uses below the start of the caller's frame.
fn below(call: &Call, unchecked: &BTreeMap<u32, i64>) -> i64 {
    let callee = call.callee.and_then(|callee| unchecked.get(&callee)).copied().unwrap_or(0);
    call.frame + RETURN_BYTES + call.between + callee
}
