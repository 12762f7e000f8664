//! Functions that extensions register later than their manifests say.

use std::cell::RefCell;
use std::ffi::c_void;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::super::abi::failure;
use super::super::load::{called, create_function, refusal};
use super::super::scalar;
use crate::host::dispatch::SqlError;
use crate::host::extension_types::{Function, FunctionKind};

/// A function that SQLite has.
struct Entry {
    db: *mut sqlite3,
    function: Function,
    registered: *mut scalar::Registered,
}

struct All(RefCell<Vec<Entry>>);

// SAFETY: a component has one thread.
unsafe impl Sync for All {}

static ALL: All = All(RefCell::new(Vec::new()));

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
    if let Some(known) = find(db, extension, &function) {
        // SAFETY: it is in the list as long as SQLite has it.
        unsafe { &*known }.function.set(number);
        return Ok(());
    }
    let registered = Box::into_raw(Box::new(called(extension, number, &function)));
    // SAFETY: the caller's connection.
    unsafe { create_function(db, &function, registered, forget) }
        .map_err(|(code, name)| failure(code, &refusal(code, &name)))?;
    ALL.0.borrow_mut().push(Entry { db, function, registered });
    Ok(())
}

fn find(db: *mut sqlite3, extension: u32, function: &Function) -> Option<*mut scalar::Registered> {
    let all = ALL.0.borrow();
    let is_it = |entry: &&Entry| {
        // SAFETY: it is in the list as long as SQLite has it.
        let owner = unsafe { &*entry.registered }.extension;
        entry.db == db && owner == extension && is_same(&entry.function, function)
    };
    all.iter().find(is_it).map(|entry| entry.registered)
}

/// SQLite has one function for a name, a number of arguments and an encoding.
fn is_same(one: &Function, other: &Function) -> bool {
    one.name.eq_ignore_ascii_case(&other.name)
        && one.arguments == other.arguments
        && one.encoding == other.encoding
        && one.flags == other.flags
        && one.risk == other.risk
}

/// SQLite drops a registration.
unsafe extern "C" fn forget(registered: *mut c_void) {
    ALL.0.borrow_mut().retain(|entry| entry.registered.cast() != registered);
    // SAFETY: it came from `Box::into_raw`.
    unsafe { scalar::forget(registered) };
}
