//! Existing extensions in Rust on SQLite's C interface, as components and as
//! native libraries, for the tests. `tooling/test/c-sources` builds both.

#[doc(hidden)]
pub use sqlite_wasm_c_api as c_api;

/// The extension of a crate that has an entry point.
#[macro_export]
macro_rules! extension {
    ($name:literal, $version:literal, $description:literal, $entry_point:ident) => {
        $crate::c_api::extension! {
            name: $name,
            version: $version,
            description: $description,
            loadable_entry_point: $entry_point,
        }
    };
}

/// The extension of a crate that registers its functions on a connection of
/// `rusqlite`.
#[macro_export]
macro_rules! registered_extension {
    ($name:literal, $version:literal, $description:literal, $library:ident, $register:ident) => {
        use std::ffi::{c_char, c_int};

        use $library::rusqlite::{Connection, Result, ffi};

        fn register(connection: Connection) -> Result<bool> {
            $library::$register(&connection)?;
            Ok(false)
        }

        /// The entry point that SQLite looks for.
        ///
        /// # Safety
        ///
        /// It is for SQLite to call.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn sqlite3_extension_init(
            db: *mut ffi::sqlite3,
            error: *mut *mut c_char,
            routines: *mut ffi::sqlite3_api_routines,
        ) -> c_int {
            // SAFETY: SQLite's own arguments.
            unsafe { Connection::extension_init2(db, error, routines, register) }
        }

        $crate::extension!($name, $version, $description, sqlite3_extension_init);
    };
}
