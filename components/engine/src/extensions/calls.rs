//! Calls of extensions, with the SQL that they request meanwhile.
//!
//! A call that fails with [`PENDING`] waits for SQL; [`call`] runs that, and repeats the call for
//! its result.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use libsqlite3_sys as sqlite;
use wire::PENDING;

use super::pointers;
use super::scalar::{Function, create_function};
use super::sql::caller::Caller;
use super::sql::depth;
use super::sql::open_handles;
use super::sql::perform::perform;
use crate::host::dispatch::{self, SqlError, SqlRequest};
use crate::host::extension_types::{self, FunctionKind};
use crate::read_only::Request;
use crate::sqlite::connection::{Connection, ConnectionId};
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;
use crate::sqlite::function::Scalar;
use crate::sqlite::value::Value;

/// Call an extension for `db`, and run the SQL that it requests before it returns.
#[inline]
pub fn call<T>(
    db: &Connection,
    extension: u32,
    mut import: impl FnMut() -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    call_once(db, extension, |_| import())
}

/// The same for a call with large arguments: `import` learns whether the call has begun, when the
/// extension does not read them any more.
#[inline]
pub fn call_once<T>(
    db: &Connection,
    extension: u32,
    mut import: impl FnMut(bool) -> Result<T, SqlError>,
) -> Result<T, SqlError> {
    let mut has_begun = false;
    loop {
        match import(has_begun) {
            Err(error) if error.code == PENDING => has_begun = error.message.is_empty(),
            result => return result,
        }
        if !handle_requests(db, extension) {
            let message = "the extension waits for SQL and asks for none";
            return Err(failure(sqlite::SQLITE_MISUSE, message));
        }
    }
}

/// Handle an extension's requests until there are no more; whether there was one.
fn handle_requests(db: &Connection, extension: u32) -> bool {
    depth::deeper(|| {
        let mut next = dispatch::request(extension);
        let has_requested = next.is_some();
        while let Some(request) = next {
            let reply = handle(db, extension, request);
            next = dispatch::resume(extension, reply.as_deref());
        }
        open_handles::end_call(db, extension);
        has_requested
    })
}

fn handle(db: &Connection, extension: u32, request: SqlRequest) -> Result<Vec<u8>, SqlError> {
    let SqlRequest { work, read_only, function } = request;
    let _request = Request::begin(db, read_only);
    let reply = perform(Caller { db, extension }, &work)?;
    if let Some((index, function)) = function {
        depth::check()?;
        register_function(db, extension, index, &function)?;
    }
    Ok(reply)
}

/// Report to an extension which of its pointers SQLite has dropped.
pub fn forget_pointers(db: &Connection, extension: u32) {
    let numbers = pointers::take(extension);
    if !numbers.is_empty() {
        // The call that follows does not depend on it.
        let _ = call(db, extension, || dispatch::pointers_forget(extension, &numbers));
    }
}

/// What SQLite finds a function by, and who registered it: its connection, the extension, the name
/// in lower case, arguments, encoding, flags and risk.
type Key = (ConnectionId, u32, String, i8, u8, u32, u8);

thread_local! {
    /// The functions that extensions have registered at run time.
    static REGISTERED: RefCell<Option<HashMap<Rc<Key>, Weak<RunTimeFunction>>>> =
        const { RefCell::new(None) };
}

/// A function that an extension has registered at run time. SQLite owns it.
struct RunTimeFunction {
    function: Function,
    key: Rc<Key>,
}

impl Scalar for RunTimeFunction {
    fn call(&self, context: &Context, arguments: &[&Value]) {
        self.function.call(context, arguments);
    }
}

impl Drop for RunTimeFunction {
    fn drop(&mut self) {
        REGISTERED.with_borrow_mut(|registered| {
            let registered = registered.get_or_insert_default();
            // Another one may have taken its place.
            if registered.get(&self.key).is_some_and(|known| std::ptr::eq(known.as_ptr(), self)) {
                registered.remove(&self.key);
            }
        });
    }
}

/// Register a scalar function that the extension knows by `index`. SQLite replaces none while a
/// statement runs; where the extension itself has registered the same one, only its index changes.
fn register_function(
    db: &Connection,
    extension: u32,
    index: u32,
    function: &extension_types::Function,
) -> Result<(), SqlError> {
    if function.kind != FunctionKind::Scalar {
        return Err(failure(sqlite::SQLITE_MISUSE, "only scalar functions are registered later"));
    }
    let extension_types::Function { name, arguments, encoding, flags, risk, .. } = function;
    let (name, flags) = (name.to_ascii_lowercase(), flags.bits().into());
    let key = Rc::new((db.id(), extension, name, *arguments, *encoding as u8, flags, *risk as u8));
    let known = REGISTERED.with_borrow(|registered| registered.as_ref()?.get(&key)?.upgrade());
    if let Some(known) = known {
        known.function.index.set(index);
        return Ok(());
    }
    let called = Function::new(extension, index, function);
    let registered = Rc::new(RunTimeFunction { function: called, key: key.clone() });
    let weak = Rc::downgrade(&registered);
    create_function(db, function, registered)?;
    REGISTERED.with_borrow_mut(|registered| registered.get_or_insert_default().insert(key, weak));
    Ok(())
}
