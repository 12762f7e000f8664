//! The processor that code is compiled for.

use wasmtime::Config;

/// Features that compiled code does not use where the processor has them. Cranelift needs them for
/// a few instructions on vectors, of which SQLite has none. Without them code fits nearly every
/// processor since 2013, also one that an emulator or valgrind imitates.
#[cfg(target_arch = "x86_64")]
const UNUSED: &[&str] = &[
    "has_avx_vnni",
    "has_avx512f",
    "has_avx512dq",
    "has_avx512vl",
    "has_avx512bitalg",
    "has_avx512vbmi",
    "has_avx512vnni",
];
#[cfg(not(target_arch = "x86_64"))]
const UNUSED: &[&str] = &[];

/// Compile for this processor, without the features of few.
pub fn limit(config: &mut Config) {
    for feature in UNUSED {
        // SAFETY: a feature that is off only takes instructions from the compiler's choice; each
        // of them has another form, since processors without the feature need it.
        unsafe { config.cranelift_flag_set(feature, "false") };
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use wasmtime::Engine;

    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    /// What compiled code says about a feature: its name, the kind of a flag, its value.
    fn uses(code: &[u8], feature: &str) -> bool {
        let mut named =
            code.windows(feature.len() + 2).filter(|w| w.starts_with(feature.as_bytes()));
        match named.next().map(|found| &found[feature.len()..]) {
            Some([2, value @ (0 | 1)]) => *value == 1,
            other => panic!("`{feature}` is not described as a flag: {other:?}"),
        }
    }

    #[test]
    fn code_uses_no_feature_of_few_processors() {
        let mut config = Config::new();
        limit(&mut config);
        let code = Engine::new(&config).unwrap().precompile_component(EMPTY).unwrap();
        assert_eq!(uses(&code, "has_avx2"), std::is_x86_feature_detected!("avx2"));
        for feature in UNUSED {
            assert!(!uses(&code, feature), "{feature}");
        }
    }
}
