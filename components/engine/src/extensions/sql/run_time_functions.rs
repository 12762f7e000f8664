//! Functions that extensions register later than their manifests say.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::super::abi::failure;
use super::super::load::{called, create_function, refusal};
use super::super::scalar;
use crate::host::dispatch::SqlError;
use crate::host::extension_types::{Function, FunctionKind};

/// What SQLite knows a function by, and who registered it: its connection, the
/// extension, the name in lower case, arguments, encoding, flags and risk.
type Key = (usize, u32, String, i8, u8, u32, u8);

fn key(db: *mut sqlite3, extension: u32, function: &Function) -> Key {
    let Function { name, arguments, encoding, flags, risk, .. } = function;
    let name = name.to_ascii_lowercase();
    (db.addr(), extension, name, *arguments, *encoding as u8, flags.bits().into(), *risk as u8)
}

/// The functions that SQLite has, found both ways: there may be many, and each is
/// looked for when it is registered and dropped.
#[derive(Default)]
struct Functions {
    registered: HashMap<Rc<Key>, *mut scalar::Registered>,
    keys: HashMap<*mut c_void, Rc<Key>>,
}

struct All(RefCell<Option<Functions>>);

// SAFETY: a component has one thread.
unsafe impl Sync for All {}

static ALL: All = All(RefCell::new(None));

fn with_all<T>(with: impl FnOnce(&mut Functions) -> T) -> T {
    with(ALL.0.borrow_mut().get_or_insert_default())
}

/// Register a scalar function that is called by `number`. SQLite replaces none
/// while a statement runs; where the extension itself registered the same one
/// before, only its number changes, and SQLite is not asked.
///
/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn register(
    db: *mut sqlite3,
    extension: u32,
    number: u32,
    function: Function,
) -> Result<(), SqlError> {
    if function.kind != FunctionKind::Scalar {
        return Err(failure(sqlite::SQLITE_MISUSE, "only scalar functions are registered later"));
    }
    let key = Rc::new(key(db, extension, &function));
    let known = with_all(|all| all.registered.get(&key).copied());
    if let Some(known) = known {
        // SAFETY: it is in the list as long as SQLite has it.
        unsafe { &*known }.function.set(number);
        return Ok(());
    }
    let registered = Box::into_raw(Box::new(called(extension, number, &function)));
    // SAFETY: the caller's connection.
    unsafe { create_function(db, &function, registered, forget) }
        .map_err(|(code, name)| failure(code, &refusal(code, &name)))?;
    with_all(|all| {
        all.keys.insert(registered.cast(), key.clone());
        all.registered.insert(key, registered);
    });
    Ok(())
}

/// SQLite drops a registration.
unsafe extern "C" fn forget(registered: *mut c_void) {
    with_all(|all| {
        // Another one may have taken its place.
        if let Some(key) = all.keys.remove(&registered)
            && all.registered.get(&key).is_some_and(|known| known.cast() == registered)
        {
            all.registered.remove(&key);
        }
    });
    // SAFETY: it came from `Box::into_raw`.
    unsafe { scalar::forget(registered) };
}
