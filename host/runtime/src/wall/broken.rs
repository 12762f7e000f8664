//! A broken first wall, for tests of the second one: a build with the feature
//! `break-first-wall` accepts any native code if an environment variable is
//! set. No released build has the feature.

/// Whether native code is accepted without checking its owner and seal.
pub fn is_broken() -> bool {
    #[cfg(feature = "break-first-wall")]
    return std::env::var_os("SQLITE_WASM_RUN_BREAK_FIRST_WALL").is_some();
    #[cfg(not(feature = "break-first-wall"))]
    false
}
