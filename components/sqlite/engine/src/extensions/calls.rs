//! Calls of extensions, and the SQL that they request during a call.
//!
//! A call that needs SQL returns a request; [`call`] runs it and resumes the call with the reply,
//! until the call returns its result.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use wire::{Sender, code};

use super::pointers;
use super::scalar::{Function, create_function};
use crate::ffi::imports::{Reply, resume_batch, resume_output};
use crate::ffi::layout::{Batch, Output};
use crate::host::dispatch::{self, Connected, IndexPlan, Overload, SqlError, Unfinished};
use crate::host::extension_types::{self, FunctionKind};
use crate::operations::{Caller, depth, open_handles, perform};
use crate::read_only;
use crate::room;
use crate::sqlite::connection::Connection;
use crate::sqlite::context::Context;
use crate::sqlite::error::failure;
use crate::sqlite::function::Scalar;
use crate::sqlite::value::{Arguments, Form};

/// The result of a call; its type determines how `dispatch` resumes the call.
pub trait Returned: Sized {
    /// Continue a call that waits for `reply`.
    fn resume(extension: u32, reply: &Reply) -> Result<Self, Unfinished>;
}

macro_rules! returned {
    ($($type:ty: $resume:ident;)*) => {$(
        impl Returned for $type {
            fn resume(extension: u32, reply: &Reply) -> Result<Self, Unfinished> {
                dispatch::$resume(extension, reply.as_deref())
            }
        }
    )*};
}

returned! {
    (): resume_nothing;
    u32: resume_handle;
    Connected: resume_connected;
    Option<IndexPlan>: resume_plan;
    i64: resume_row_id;
    Option<String>: resume_text;
    Option<Overload>: resume_overload;
}

impl Returned for Output {
    fn resume(extension: u32, reply: &Reply) -> Result<Self, Unfinished> {
        resume_output(extension, reply)
    }
}

impl Returned for Batch {
    fn resume(extension: u32, reply: &Reply) -> Result<Self, Unfinished> {
        resume_batch(extension, reply)
    }
}

/// Finish a call of `extension` for `db`: run the SQL that it requests, and return its result.
#[inline]
pub fn call<T: Returned>(
    db: &Connection,
    extension: u32,
    begun: Result<T, Unfinished>,
) -> Result<T, SqlError> {
    begun.or_else(|why| finish(db, extension, why))
}

/// The loop of a call that requests SQL.
#[cold]
pub fn finish<T: Returned>(
    db: &Connection,
    extension: u32,
    mut why: Unfinished,
) -> Result<T, SqlError> {
    let result = loop {
        let request = match why {
            Unfinished::Failed(error) => break Err(error),
            Unfinished::Pending(request) => request,
        };
        let reply = depth::deeper(|| handle(db, extension, request));
        match T::resume(extension, &reply) {
            Ok(result) => break Ok(result),
            Err(next) => why = next,
        }
    };
    depth::deeper(|| open_handles::end_call(db, extension));
    result
}

fn handle(db: &Connection, extension: u32, request: dispatch::Request) -> Reply {
    let dispatch::Request { operations, read_only, function } = request;
    if let Some(answer) = room::answer(&operations) {
        return answer;
    }
    let _request = read_only::Request::begin(db, read_only);
    let reply = perform(Caller { db, extension, sender: Sender::Extension }, &operations)?;
    if let Some((handle, function)) = function {
        depth::check()?;
        register_function(db, extension, handle, &function)?;
    }
    Ok(reply)
}

/// Report to an extension the pointers that SQLite has dropped.
pub fn forget_pointers(db: &Connection, extension: u32) {
    let numbers = pointers::take(extension);
    if !numbers.is_empty() {
        // The next call does not depend on the result.
        let _ = call(db, extension, dispatch::pointers_forget(extension, &numbers));
    }
}

/// A function that an extension registered at run time: the extension, and its handle.
type Key = (u32, u32);

thread_local! {
    /// The functions that extensions have registered at run time and that SQLite still has.
    static REGISTERED: RefCell<BTreeMap<Key, Weak<RunTimeFunction>>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// A function that an extension has registered at run time. SQLite owns it.
struct RunTimeFunction(Function);

impl RunTimeFunction {
    fn key(&self) -> Key {
        (self.0.extension, self.0.index)
    }
}

impl Scalar for RunTimeFunction {
    fn form(&self) -> Form {
        self.0.form
    }

    fn call(&self, context: &Context, arguments: Arguments) {
        self.0.call(context, arguments);
    }
}

impl Drop for RunTimeFunction {
    fn drop(&mut self) {
        REGISTERED.with_borrow_mut(|registered| {
            // Another function may have replaced it.
            let known = registered.get(&self.key());
            if known.is_some_and(|known| std::ptr::eq(known.as_ptr(), self)) {
                registered.remove(&self.key());
            }
        });
    }
}

/// Register a scalar function by its `handle`. The handle stays the same when the extension
/// registers the function again: SQLite replaces no function while a statement runs.
fn register_function(
    db: &Connection,
    extension: u32,
    handle: u32,
    function: &extension_types::Function,
) -> Result<(), SqlError> {
    if function.kind != FunctionKind::Scalar {
        return Err(failure(code::MISUSE, "only scalar functions are registered later"));
    }
    let registered = Rc::new(RunTimeFunction(Function::new(extension, handle, function)));
    let key = registered.key();
    let is_known =
        REGISTERED.with_borrow(|all| all.get(&key).is_some_and(|it| it.strong_count() > 0));
    if is_known {
        return Ok(());
    }
    let weak = Rc::downgrade(&registered);
    create_function(db, function, registered)?;
    REGISTERED.with_borrow_mut(|registered| registered.insert(key, weak));
    Ok(())
}
