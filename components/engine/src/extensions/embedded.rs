//! Extensions that the component was composed with: each connection has them
//! from the start.

use std::cell::OnceCell;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::attached;
use super::load::{self, register_function};
use crate::host::dispatch::{self, Loaded};
use crate::host::extension_types::FunctionFlags;

/// An extension, and the number by which its stateless functions are called
/// faster.
struct Embedded {
    loaded: Loaded,
    stateless: Option<u32>,
}

struct All(OnceCell<Vec<Embedded>>);

// SAFETY: a component has one thread.
unsafe impl Sync for All {}

static ALL: All = All(OnceCell::new());

/// All of them, the newest last.
fn all() -> &'static [Embedded] {
    ALL.0.get_or_init(|| {
        let mut all: Vec<Embedded> = Vec::new();
        for loaded in dispatch::embedded() {
            let name = &loaded.manifest.name;
            let earlier = all.iter().position(|other| other.loaded.manifest.name == *name);
            let stateless = earlier.map(|place| all.remove(place).loaded.extension);
            all.push(Embedded { loaded, stateless });
        }
        all
    })
}

/// Give them a connection that was opened: they register what they have, and
/// may use it. `complain` is told of those that fail; the others are there.
///
/// # Safety
///
/// `db` is an open connection.
pub unsafe fn connect(db: *mut sqlite3, complain: impl Fn(&str)) {
    if all().is_empty() {
        return;
    }
    for Embedded { loaded, stateless } in all() {
        // SAFETY: the caller's connection.
        let connected = unsafe { load::connect(db, loaded) };
        if let Err(error) = connected {
            complain(&format!("the extension `{}`: {}", loaded.manifest.name, error.message));
            continue;
        }
        // SAFETY: the caller's connection.
        unsafe { register_stateless(db, loaded, *stateless) };
    }
    // A statement of an extension that failed is no failure to open.
    // SAFETY: the caller's connection; nothing is run.
    unsafe { sqlite::sqlite3_exec(db, c"".as_ptr(), None, null_mut(), null_mut()) };
}

/// Register again what they have, after a program has registered functions of
/// its own: theirs take the place of those.
///
/// # Safety
///
/// `db` is an open connection that [`connect`] was called with.
pub unsafe fn register(db: *mut sqlite3) {
    for Embedded { loaded, stateless } in all() {
        // SAFETY: the caller's connection.
        unsafe {
            // What fails has failed before, and was told then.
            if let Some(number) = attached::number(db, loaded.extension) {
                let _ = load::register_all(db, loaded, number);
            }
            register_stateless(db, loaded, *stateless);
        }
    }
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn register_stateless(db: *mut sqlite3, loaded: &Loaded, inside: Option<u32>) {
    let Some(inside) = inside else { return };
    for (place, function) in loaded.manifest.functions.iter().enumerate() {
        if function.flags.contains(FunctionFlags::STATELESS) {
            // Without it the slower way stays.
            // SAFETY: the caller's connection.
            let _ = unsafe { register_function(db, inside, place as u32, function) };
        }
    }
}

/// What the extension is called whose stateless functions have this number.
pub fn name(inside: u32) -> Option<&'static str> {
    let is_it = |embedded: &&Embedded| embedded.stateless == Some(inside);
    all().iter().find(is_it).map(|embedded| embedded.loaded.manifest.name.as_str())
}

/// Why an extension by this name is not loaded: it is there already.
pub fn refuse(name: &str) -> Result<(), String> {
    match all().iter().find(|embedded| embedded.loaded.manifest.name == name) {
        Some(Embedded { loaded, .. }) => Err(format!(
            "`{name}` {} is embedded in this program already; there is nothing to load",
            loaded.manifest.version
        )),
        None => Ok(()),
    }
}
