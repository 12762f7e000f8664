//! Extensions with which the component was composed: each connection has them from the start.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{attached, load};
use crate::host::dispatch::{self, Loaded};
use crate::sqlite::connection::Connection;

thread_local! {
    static EMBEDDED: OnceCell<Rc<[Loaded]>> = const { OnceCell::new() };
}

/// All of them, the newest last.
fn all() -> Rc<[Loaded]> {
    EMBEDDED.with(|all| all.get_or_init(|| dispatch::embedded().into()).clone())
}

/// Register the embedded extensions on a new connection, and connect them. Calls `complain` for
/// those that fail.
pub fn connect(db: &Connection, complain: impl Fn(&str)) {
    let all = all();
    for loaded in all.iter() {
        if let Err(error) = load::connect(db, loaded) {
            complain(&format!("the extension `{}`: {}", loaded.manifest.name, error.message));
        }
    }
    if !all.is_empty() {
        // A failed statement of an extension must not let opening fail.
        db.clear_error();
    }
}

/// Register the embedded extensions again, after a program has registered functions with the same
/// names.
pub fn register(db: &Connection) {
    for loaded in all().iter() {
        if let Some(handle) = attached::handle(db, loaded.extension) {
            // A failure here has already happened in `connect`, which reported it.
            let _ = load::register_all(db, loaded, handle);
        }
    }
}

/// Refuse to load an extension with the name of an embedded one.
pub fn refuse(name: &str) -> Result<(), String> {
    match all().iter().find(|loaded| loaded.manifest.name == name) {
        Some(loaded) => Err(format!(
            "`{name}` {} is embedded in this program already; there is nothing to load",
            loaded.manifest.version
        )),
        None => Ok(()),
    }
}
