//! SQLite's C interface for extensions that are WebAssembly components.
//!
//! Existing C code is compiled into the component as it is, and calls the
//! `sqlite3_*` functions of this crate; components/shared/wire/c/ROUTINES.md lists them. An extension is
//! a `cdylib` crate whose build script compiles the C with `cc`, with the
//! headers of `DEP_SQLITE_WASM_C_API_INCLUDE` and `SQLITE_CORE` defined, and
//! whose `lib.rs` names the entry point:
//!
//! ```ignore
//! sqlite_wasm_c_api::extension! {
//!     name: "vec0",
//!     version: "0.1.9",
//!     description: "vector search: sqlite-vec",
//!     entry_point: sqlite3_vec_init,
//! }
//! ```
//!
//! Code that insists on the table `sqlite3_api_routines`, such as Rust on the C interface, gets it
//! with `loadable_entry_point` instead of `entry_point`. All routines are then linked, and the
//! extension needs the grant for SQL.

use std::ffi::{c_char, c_int, c_void};

// Linked instead of the libc's functions.
use sqlite_wasm_memory as _;

/// An extension's entry point: database, error message, and table of routines.
pub type EntryPoint = unsafe extern "C" fn(*mut c_void, *mut *mut c_char, *const c_void) -> c_int;

/// The arguments of [`extension!`], as C reads them.
#[doc(hidden)]
#[repr(C)]
pub struct Definition {
    pub name: *const c_char,
    pub version: *const c_char,
    pub description: *const c_char,
    pub entry_point: EntryPoint,
    pub routines: *const c_void,
}

// SAFETY: it points to constants.
unsafe impl Sync for Definition {}

/// Make the crate an extension of the C code that it is linked with.
#[macro_export]
macro_rules! extension {
    (name: $name:literal, version: $version:literal, description: $description:literal,
     entry_point: $entry_point:ident $(,)?) => {
        $crate::extension!(@ $name $version $description $entry_point (std::ptr::null()));
    };
    (name: $name:literal, version: $version:literal, description: $description:literal,
     loadable_entry_point: $entry_point:ident $(,)?) => {
        #[cfg(target_family = "wasm")]
        unsafe extern "C" {
            static sqlite_wasm_routines: std::ffi::c_void;
        }
        $crate::extension!(@ $name $version $description $entry_point
            // Only its address is taken; the C code reads it.
            (&raw const sqlite_wasm_routines));
    };
    (@ $name:literal $version:literal $description:literal $entry_point:ident ($routines:expr)) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            unsafe extern "C" {
                fn $entry_point(
                    database: *mut std::ffi::c_void,
                    error: *mut *mut std::ffi::c_char,
                    routines: *const std::ffi::c_void,
                ) -> std::ffi::c_int;
                fn sqlite_wasm_c_api();
            }

            static DEFINITION: $crate::Definition = $crate::Definition {
                name: concat!($name, "\0").as_ptr().cast(),
                version: concat!($version, "\0").as_ptr().cast(),
                description: concat!($description, "\0").as_ptr().cast(),
                entry_point: $entry_point,
                routines: $routines,
            };

            #[unsafe(no_mangle)]
            extern "C" fn sqlite_wasm_definition() -> *const $crate::Definition {
                &DEFINITION
            }

            // Makes the linker keep the exports of the component.
            #[used]
            static EXPORTS: unsafe extern "C" fn() = sqlite_wasm_c_api;
        };
    };
}
