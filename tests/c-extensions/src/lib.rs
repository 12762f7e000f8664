//! Existing C extensions as components, and probes of the C interface, for the
//! tests. `tooling/test/c-sources/build` fetches the C and builds them.

#[doc(hidden)]
pub use sqlite_wasm_c_api as c_api;

/// The extension of a library of C that the build script has made.
#[macro_export]
macro_rules! extension {
    ($name:literal) => {
        $crate::extension!($name, entry_point);
    };
    ($name:literal, $entry_point:ident) => {
        #[cfg(target_family = "wasm")]
        #[link(name = $name, kind = "static")]
        unsafe extern "C" {}

        $crate::c_api::extension! {
            name: $name,
            version: "0.0.0",
            description: "an existing extension, for the tests",
            $entry_point: sqlite3_extension_init,
        }
    };
}
