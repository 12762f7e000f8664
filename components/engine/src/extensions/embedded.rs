//! Extensions that the component was composed with: each connection has them from the start.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{attached, register};
use crate::host::dispatch::{self, Loaded};
use crate::sqlite::connection::Connection;

thread_local! {
    static EMBEDDED: OnceCell<Rc<[Loaded]>> = const { OnceCell::new() };
}

/// All of them, the newest last.
fn all() -> Rc<[Loaded]> {
    EMBEDDED.with(|all| all.get_or_init(|| dispatch::embedded().into()).clone())
}

/// Register the embedded extensions on a connection that was opened, and connect them. `complain`
/// is called for those that fail.
pub fn connect(db: &Connection, complain: impl Fn(&str)) {
    let all = all();
    for loaded in all.iter() {
        if let Err(error) = register::connect(db, loaded) {
            complain(&format!("the extension `{}`: {}", loaded.manifest.name, error.message));
        }
    }
    if !all.is_empty() {
        // A failed statement of an extension does not make opening fail.
        db.clear_error();
    }
}

/// Register the embedded extensions again, after a program has registered functions with the same
/// names.
pub fn register(db: &Connection) {
    for loaded in all().iter() {
        if let Some(handle) = attached::handle(db, loaded.extension) {
            // What fails failed in `connect` too, which reported it.
            let _ = register::register_all(db, loaded, handle);
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
