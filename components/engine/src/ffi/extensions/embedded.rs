//! Extensions that the component was composed with: each connection has them
//! from the start.

use std::cell::OnceCell;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::{attached, load};
use crate::host::dispatch::{self, Loaded};

struct Embedded(OnceCell<Vec<Loaded>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Embedded {}

static EMBEDDED: Embedded = Embedded(OnceCell::new());

/// All of them, the newest last.
fn all() -> &'static [Loaded] {
    EMBEDDED.0.get_or_init(dispatch::embedded)
}

/// Register the embedded extensions on a connection that was opened, and connect
/// them. `complain` is called for those that fail; the others are there.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn connect(db: *mut sqlite3, complain: impl Fn(&str)) {
    if all().is_empty() {
        return;
    }
    for loaded in all() {
        // SAFETY: the caller's connection.
        if let Err(error) = unsafe { load::connect(db, loaded) } {
            complain(&format!("the extension `{}`: {}", loaded.manifest.name, error.message));
        }
    }
    // A failed statement of an extension does not make opening fail.
    // SAFETY: the caller's connection; nothing is run.
    unsafe { sqlite::sqlite3_exec(db, c"".as_ptr(), None, null_mut(), null_mut()) };
}

/// Register the embedded extensions again, after a program has registered
/// functions with the same names.
///
/// # Safety
///
/// `db` is an open connection that [`connect`] was called with.
pub unsafe fn register(db: *mut sqlite3) {
    for loaded in all() {
        // SAFETY: the caller's connection.
        unsafe {
            // What fails failed in `connect` too, which reported it.
            if let Some(number) = attached::number(db, loaded.extension) {
                let _ = load::register_all(db, loaded, number);
            }
        }
    }
}

/// Refuse to load an extension whose name an embedded one has.
pub fn refuse(name: &str) -> Result<(), String> {
    match all().iter().find(|loaded| loaded.manifest.name == name) {
        Some(loaded) => Err(format!(
            "`{name}` {} is embedded in this program already; there is nothing to load",
            loaded.manifest.version
        )),
        None => Ok(()),
    }
}
