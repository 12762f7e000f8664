//! The first wall broken on purpose, to prove the second one: a build with the
//! feature `break-first-wall` takes any file for native code that may run, if
//! the environment says so. No build that is handed out has the feature.

/// Whether native code is taken without a look at its owner and seal.
pub fn is_broken() -> bool {
    #[cfg(feature = "break-first-wall")]
    return std::env::var_os("SQLITE_WASM_RUN_BREAK_FIRST_WALL").is_some();
    #[cfg(not(feature = "break-first-wall"))]
    false
}
