//! The processor, as far as compiled code depends on it.

use std::env::consts::ARCH;

/// Whether the processor has each of these features.
macro_rules! detected {
    ($has:ident: $($feature:tt)*) => { [$(std::arch::$has!($feature)),*] };
}

/// The kind of processor, and a bit for each feature that the compile helper uses where it finds
/// it. The loader of compiled code looks for the same ones, so that finding them costs nothing.
pub fn level() -> (&'static str, u32) {
    #[cfg(target_arch = "x86_64")]
    let features = detected!(is_x86_feature_detected:
        "cmpxchg16b" "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "lzcnt" "bmi1" "bmi2" "fma" "avx" "avx2");
    #[cfg(target_arch = "aarch64")]
    let features = detected!(is_aarch64_feature_detected: "lse" "paca" "fp16" "dotprod" "i8mm");
    (ARCH, features.into_iter().fold(0, |bits, has| bits << 1 | u32::from(has)))
}
