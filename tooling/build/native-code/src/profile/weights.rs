//! A profile in LLVM's words.

use std::fmt::Write;

use super::{Counts, Known};

/// What follows a branch: the count of each way, if it was reached.
pub fn weights(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or_default();
    if most == 0 {
        return String::new();
    }
    // They have 32 bits.
    let shift = (u64::BITS - most.leading_zeros()).saturating_sub(u32::BITS);
    let weights: String = counts.iter().map(|count| format!(", i32 {}", count >> shift)).collect();
    format!(", !prof !{{!\"branch_weights\"{weights}}}")
}

/// What follows the head of a function, and its attribute.
pub fn entry(counts: Option<&Counts>) -> (&'static str, String) {
    let Some(counts) = counts else { return ("", String::new()) };
    let cold = if counts.calls == 0 { " cold" } else { "" };
    (cold, format!(" !prof !{{!\"function_entry_count\", i64 {}}}", counts.calls))
}

/// How much of all counts the most frequent ones make, in millionths: LLVM looks up from which count on
/// something is hot or cold.
const CUTOFFS: &[u32] = &[
    10_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000,
    950_000, 990_000, 999_000, 999_900, 999_990, 999_999,
];

/// The counts of the whole module, from which LLVM derives how hot something is. Empty if there are none.
pub fn summary(known: &Known) -> String {
    let functions: Vec<_> = known.functions.iter().flatten().collect();
    let inner = functions.iter().flat_map(|counts| counts.branches.iter().flatten().copied());
    let calls = functions.iter().map(|counts| counts.calls);
    let mut counts: Vec<u64> = inner.clone().chain(calls.clone()).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let (Some(most), true) = (counts.first(), total > 0) else { return String::new() };
    let mut detailed = Vec::new();
    let (mut sum, mut seen) = (0_u128, 0);
    for cutoff in CUTOFFS {
        while sum * 1_000_000 < total * u128::from(*cutoff) {
            sum += u128::from(counts[seen]);
            seen += 1;
        }
        let least = counts[seen.saturating_sub(1)];
        detailed.push(format!("!{{i32 {cutoff}, i64 {least}, i32 {seen}}}"));
    }
    let total = u64::try_from(total).unwrap_or(u64::MAX);
    let mut text =
        String::from("!llvm.module.flags = !{!3}\n!3 = !{i32 1, !\"ProfileSummary\", !4}\n");
    let _ = writeln!(
        text,
        "!4 = !{{!{{!\"ProfileFormat\", !\"InstrProf\"}}, !{{!\"TotalCount\", i64 {total}}}, \
         !{{!\"MaxCount\", i64 {most}}}, !{{!\"MaxInternalCount\", i64 {}}}, \
         !{{!\"MaxFunctionCount\", i64 {}}}, !{{!\"NumCounts\", i64 {}}}, \
         !{{!\"NumFunctions\", i64 {}}}, !{{!\"DetailedSummary\", !{{{}}}}}}}",
        inner.max().unwrap_or_default(),
        calls.max().unwrap_or_default(),
        counts.len(),
        functions.len(),
        detailed.join(", ")
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_32_bits_and_keep_their_ratio() {
        assert_eq!(weights(&[3, 0]), ", !prof !{!\"branch_weights\", i32 3, i32 0}");
        let large = weights(&[1 << 40, 1 << 38, 1]);
        assert_eq!(large, ", !prof !{!\"branch_weights\", i32 2147483648, i32 536870912, i32 0}");
        assert_eq!(weights(&[u64::MAX]), ", !prof !{!\"branch_weights\", i32 4294967295}");
    }

    #[test]
    fn what_was_not_reached_has_no_weights() {
        assert_eq!(weights(&[0, 0]), "");
        assert_eq!(weights(&[]), "");
        assert_eq!(summary(&Known::default()), "");
        let never = Known { functions: vec![Some(Counts::default()), None], stale: 0 };
        assert_eq!(summary(&never), "");
    }

    #[test]
    fn the_summary_says_from_which_count_on_code_is_hot() {
        let counts =
            |calls, branch: [u64; 2]| Some(Counts { calls, branches: vec![branch.to_vec()] });
        let known =
            Known { functions: vec![counts(900, [90, 9]), None, counts(1, [0, 0])], stale: 0 };
        let text = summary(&known);
        for part in [
            "!{!\"TotalCount\", i64 1000}, !{!\"MaxCount\", i64 900}, !{!\"MaxInternalCount\", i64 90}",
            "!{!\"MaxFunctionCount\", i64 900}, !{!\"NumCounts\", i64 6}, !{!\"NumFunctions\", i64 2}",
            "!{i32 900000, i64 900, i32 1}, !{i32 950000, i64 90, i32 2}, !{i32 990000, i64 90, i32 2}",
            "!{i32 999000, i64 9, i32 3}, !{i32 999900, i64 1, i32 4}",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
