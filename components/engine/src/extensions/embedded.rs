//! Extensions that the component was composed with: each connection has them from the start.

use std::cell::OnceCell;
use std::rc::Rc;

use super::attached;
use super::register::{self, register_function};
use crate::host::dispatch::{self, Loaded};
use crate::host::extension_types::FunctionFlags;
use crate::sqlite::connection::Connection;

/// An extension, and the number by which its stateless functions are called faster.
struct Embedded {
    loaded: Loaded,
    stateless: Option<u32>,
}

thread_local! {
    static ALL: OnceCell<Rc<[Embedded]>> = const { OnceCell::new() };
}

/// All of them, the newest last.
fn all() -> Rc<[Embedded]> {
    ALL.with(|all| all.get_or_init(load_all).clone())
}

fn load_all() -> Rc<[Embedded]> {
    let mut all: Vec<Embedded> = Vec::new();
    for loaded in dispatch::embedded() {
        let name = &loaded.manifest.name;
        let earlier = all.iter().position(|other| other.loaded.manifest.name == *name);
        let stateless = earlier.map(|index| all.remove(index).loaded.extension);
        all.push(Embedded { loaded, stateless });
    }
    all.into()
}

/// Give a connection that was opened the embedded extensions. `complain` is called for those that
/// fail.
pub fn connect(db: &Connection, complain: impl Fn(&str)) {
    let all = all();
    if all.is_empty() {
        return;
    }
    for Embedded { loaded, stateless } in all.iter() {
        match register::connect(db, loaded) {
            Ok(()) => register_stateless(db, loaded, *stateless),
            Err(error) => {
                let name = &loaded.manifest.name;
                complain(&format!("the extension `{name}`: {}", error.message));
            }
        }
    }
    // A statement of an extension that failed does not mean that opening failed.
    db.clear_error();
}

/// Register again what the extensions have, after a program has registered functions of its own:
/// theirs take the place of those.
pub fn register(db: &Connection) {
    for Embedded { loaded, stateless } in all().iter() {
        // `connect` has reported what fails.
        if let Some(number) = attached::number(db, loaded.extension) {
            let _ = register::register_all(db, loaded, number);
        }
        register_stateless(db, loaded, *stateless);
    }
}

fn register_stateless(db: &Connection, loaded: &Loaded, stateless: Option<u32>) {
    let Some(number) = stateless else { return };
    for (index, function) in (0..).zip(&loaded.manifest.functions) {
        if function.flags.contains(FunctionFlags::STATELESS) {
            // Without it the slower call stays.
            let _ = register_function(db, number, &loaded.manifest.name, index, function);
        }
    }
}

/// Fails for an embedded extension, which is not to be loaded once more.
pub fn refuse(name: &str) -> Result<(), String> {
    match all().iter().find(|embedded| embedded.loaded.manifest.name == name) {
        Some(Embedded { loaded, .. }) => Err(format!(
            "`{name}` {} is embedded in this program already; there is nothing to load",
            loaded.manifest.version
        )),
        None => Ok(()),
    }
}
