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
        $crate::extension!(@ $name, "0.0.0", "an existing extension, for the tests", $entry_point: sqlite3_extension_init);
    };
    (@ $name:literal, $version:literal, $description:literal, $kind:ident: $entry_point:ident) => {
        #[cfg(target_family = "wasm")]
        #[link(name = $name, kind = "static")]
        unsafe extern "C" {}

        $crate::c_api::extension! {
            name: $name,
            version: $version,
            description: $description,
            $kind: $entry_point,
        }
    };
}

/// One of SQLite's own, whose version is that of the source.
#[macro_export]
macro_rules! sqlite_extension {
    ($name:literal, $description:literal, $entry_point:ident) => {
        $crate::extension!(@ $name, "3.46.1", $description, entry_point: $entry_point);
    };
}

/// One of sqlean, whose version is that of SQLite in its source distribution.
#[macro_export]
macro_rules! sqlean_extension {
    ($name:literal, $description:literal) => {
        $crate::extension!(@ $name, "3.50.4", $description, entry_point: sqlite3_extension_init);
    };
}
