//! Functions and collations with SQLite's callbacks.

use std::cmp::Ordering;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_context, sqlite3_value};
use wire::code;

use super::connection::{Connection, encoding_code};
use super::context::{Context, drop_rc};
use super::error::failure;
use super::value::{Arguments, Form};
use crate::host::dispatch::SqlError;
use crate::host::extension_types::TextEncoding;

/// A scalar function. It sets its result in the context.
pub trait Scalar: 'static {
    /// The form in which it reads its arguments.
    fn form(&self) -> Form;

    fn call(&self, context: &Context, arguments: Arguments);
}

/// The direction in which rows change a window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Add,
    /// Rows leave the window.
    Remove,
}

/// An aggregate or window function.
pub trait Aggregate: 'static {
    /// The accumulator of a group.
    type Group;

    /// The form in which it reads its arguments.
    fn form(&self) -> Form;

    fn start(&self, db: &Connection) -> Result<Self::Group, SqlError>;

    fn step(
        &self,
        db: &Connection,
        group: &mut Self::Group,
        direction: Direction,
        arguments: Arguments,
    ) -> Result<(), SqlError>;

    /// Set the result for the rows in the window.
    fn value(&self, context: &Context, group: &mut Self::Group) -> Result<(), SqlError>;

    /// Set the result of a group that ends. If the statement ends early, SQLite ignores it.
    fn finish(&self, context: &Context, group: Self::Group) -> Result<(), SqlError>;
}

/// A collation.
pub trait Collation: 'static {
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering;
}

impl Connection {
    /// Register a scalar function. Returns the result code.
    pub fn create_scalar<F: Scalar>(
        &self,
        name: &CStr,
        arguments: c_int,
        flags: c_int,
        function: Rc<F>,
    ) -> c_int {
        let function = Rc::into_raw(function).cast_mut().cast();
        let drop_function = Some(drop_rc::<F> as unsafe extern "C" fn(*mut c_void));
        // SAFETY: an open connection. `call` takes the function for an `F`, and SQLite drops it
        // once, also when this fails.
        unsafe {
            let (db, name) = (self.as_ptr(), name.as_ptr());
            let call = Some(call::<F> as _);
            sqlite::sqlite3_create_function_v2(
                db,
                name,
                arguments,
                flags,
                function,
                call,
                None,
                None,
                drop_function,
            )
        }
    }

    /// Register an aggregate or window function. Returns the result code.
    pub fn create_aggregate<A: Aggregate>(
        &self,
        name: &CStr,
        arguments: c_int,
        flags: c_int,
        is_window: bool,
        function: Rc<A>,
    ) -> c_int {
        let function = Rc::into_raw(function).cast_mut().cast();
        // SAFETY: an open connection. The callbacks take the function for an `A`, and SQLite drops
        // it once, also when this fails.
        unsafe {
            sqlite::sqlite3_create_window_function(
                self.as_ptr(),
                name.as_ptr(),
                arguments,
                flags,
                function,
                Some(step::<A>),
                Some(finish::<A>),
                is_window.then_some(value::<A>),
                is_window.then_some(inverse::<A>),
                Some(drop_rc::<A>),
            )
        }
    }

    /// Register a collation. Returns the result code.
    pub fn create_collation<C: Collation>(
        &self,
        name: &CStr,
        encoding: TextEncoding,
        collation: Rc<C>,
    ) -> c_int {
        let collation = Rc::into_raw(collation).cast_mut().cast();
        let (db, encoding) = (self.as_ptr(), encoding_code(encoding));
        // SAFETY: an open connection. `compare` takes the collation for a `C`. SQLite drops it
        // once, but not when this fails.
        unsafe {
            let (compare, drop) = (Some(compare::<C> as _), Some(drop_rc::<C> as _));
            let name = name.as_ptr();
            let code =
                sqlite::sqlite3_create_collation_v2(db, name, encoding, collation, compare, drop);
            if code != code::OK {
                drop_rc::<C>(collation);
            }
            code
        }
    }
}

/// xFunc of `F`.
///
/// # Safety
///
/// SQLite calls it with a function of this type as its user data.
pub unsafe extern "C" fn call<F: Scalar>(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: SQLite holds the function at least until the call ends, and passes its own context
    // and arguments.
    unsafe {
        let function = &*sqlite::sqlite3_user_data(context).cast::<F>();
        let arguments = Arguments::new(values, count, function.form());
        function.call(Context::from_ptr(context), arguments);
    }
}

/// The function whose aggregate callback is running.
///
/// # Safety
///
/// `context` is that of a callback of an `A`.
unsafe fn called<'a, A: Aggregate>(context: *mut sqlite3_context) -> (&'a A, &'a Context) {
    // SAFETY: `create_aggregate` has registered an `A`, which SQLite holds during the call.
    unsafe { (&*sqlite::sqlite3_user_data(context).cast::<A>(), Context::from_ptr(context)) }
}

/// Where SQLite keeps the group, null before its first row; null as a whole without memory, and
/// where `bytes` is 0 and there was no row.
///
/// # Safety
///
/// `context` is that of a callback of an `A`.
unsafe fn slot<A: Aggregate>(context: *mut sqlite3_context, bytes: usize) -> *mut *mut A::Group {
    // SAFETY: the caller's promise. SQLite allocates zeros.
    unsafe { sqlite::sqlite3_aggregate_context(context, bytes as c_int).cast() }
}

/// The group of a callback; it is started if it does not exist yet.
///
/// # Safety
///
/// `context` is that of a callback of an `A`, which uses one group at a time.
unsafe fn group<'a, A: Aggregate>(
    context: *mut sqlite3_context,
) -> Result<&'a mut A::Group, SqlError> {
    // SAFETY: the slot holds null, or the group that was stored here and that `finish` takes out.
    unsafe {
        let slot = slot::<A>(context, size_of::<*mut A::Group>());
        if slot.is_null() {
            return Err(failure(code::NOMEM, ""));
        }
        if (*slot).is_null() {
            let (function, context) = called::<A>(context);
            *slot = Box::into_raw(Box::new(function.start(context.connection())?));
        }
        Ok(&mut **slot)
    }
}

/// # Safety
///
/// As SQLite calls xStep and xInverse of an `A`.
unsafe fn collect<A: Aggregate>(
    context: *mut sqlite3_context,
    direction: Direction,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: the caller's promise.
    let (function, group, context, arguments) = unsafe {
        let (function, safe) = called::<A>(context);
        let arguments = Arguments::new(values, count, function.form());
        (function, group::<A>(context), safe, arguments)
    };
    let collected =
        group.and_then(|group| function.step(context.connection(), group, direction, arguments));
    if let Err(error) = collected {
        context.set_error(&error);
    }
}

unsafe extern "C" fn step<A: Aggregate>(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: SQLite calls xStep of an `A`.
    unsafe { collect::<A>(context, Direction::Add, count, values) };
}

unsafe extern "C" fn inverse<A: Aggregate>(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: SQLite calls xInverse of an `A`.
    unsafe { collect::<A>(context, Direction::Remove, count, values) };
}

unsafe extern "C" fn value<A: Aggregate>(context: *mut sqlite3_context) {
    // SAFETY: SQLite calls xValue of an `A`; a frame without rows has no group yet.
    let (group, (function, context)) = unsafe { (group::<A>(context), called::<A>(context)) };
    if let Err(error) = group.and_then(|group| function.value(context, group)) {
        context.set_error(&error);
    }
}

unsafe extern "C" fn finish<A: Aggregate>(context: *mut sqlite3_context) {
    // SAFETY: SQLite calls xFinal of an `A` once for a group. The slot holds null, or a group that
    // `group` has boxed, and ends with this call.
    let (group, (function, context)) = unsafe {
        let slot = slot::<A>(context, 0);
        let is_started = !slot.is_null() && !(*slot).is_null();
        let group = is_started.then(|| *Box::from_raw(slot.replace(null_mut())));
        (group, called::<A>(context))
    };
    let group = group.map_or_else(|| function.start(context.connection()), Ok);
    if let Err(error) = group.and_then(|group| function.finish(context, group)) {
        context.set_error(&error);
    }
}

unsafe extern "C" fn compare<C: Collation>(
    collation: *mut c_void,
    left_bytes: c_int,
    left: *const c_void,
    right_bytes: c_int,
    right: *const c_void,
) -> c_int {
    // SAFETY: SQLite calls xCompare of a `C`, which it holds, with two texts of these lengths.
    let (collation, left, right) =
        unsafe { (&*collation.cast::<C>(), text(left, left_bytes), text(right, right_bytes)) };
    collation.compare(left, right) as c_int
}

/// # Safety
///
/// `text` has `bytes` bytes during `'a`.
unsafe fn text<'a>(text: *const c_void, bytes: c_int) -> &'a [u8] {
    if bytes <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(text.cast(), bytes as usize) }
}
