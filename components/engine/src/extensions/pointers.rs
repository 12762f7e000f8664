//! Pointers of extensions: to SQLite a pointer of ours, to the extension the
//! number that it chose.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_context, sqlite3_value};

use super::abi::{self, INTEGER, Payload, RawValue};
use super::scalar::Registered;
use super::sql::served;
use crate::host::dispatch;

/// The subtype of pointers, here as in SQLite: `p`.
pub const SUBTYPE: u8 = b'p';

/// What SQLite calls pointers of ours.
const TYPE: &CStr = c"sqlite-wasm-extension";

/// A pointer that SQLite has, or may ask for.
pub struct Pointer {
    extension: u32,
    number: i64,
}

impl Drop for Pointer {
    /// It may be in the middle of anything, so the extension is told later.
    fn drop(&mut self) {
        DROPPED.0.borrow_mut().push((self.extension, self.number));
    }
}

/// Those that are dropped, with their extensions, which do not know it yet.
struct Dropped(RefCell<Vec<(u32, i64)>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Dropped {}

static DROPPED: Dropped = Dropped(RefCell::new(Vec::new()));

impl Pointer {
    /// What an extension gave that may give pointers, if it is one.
    pub fn of(value: &RawValue, subtype: u8, extension: u32) -> Option<Rc<Self>> {
        let is_one = value.tag == INTEGER && subtype == SUBTYPE;
        // SAFETY: the tag says what the payload is.
        is_one.then(|| Rc::new(Self { extension, number: unsafe { value.payload.integer } }))
    }

    /// Give it to SQLite.
    ///
    /// # Safety
    ///
    /// `context` is the call's.
    pub unsafe fn give(self: Rc<Self>, context: *mut sqlite3_context) {
        let pointer = Rc::into_raw(self).cast_mut().cast();
        // SAFETY: the caller's promise; SQLite drops the pointer once.
        unsafe { sqlite::sqlite3_result_pointer(context, pointer, TYPE.as_ptr(), Some(dropped)) };
    }
}

unsafe extern "C" fn dropped(pointer: *mut c_void) {
    // SAFETY: it came from `Rc::into_raw`, and is dropped once.
    drop(unsafe { Rc::from_raw(pointer.cast::<Pointer>()) });
}

/// The extension's number of a pointer; none for all else, and for those of
/// others.
///
/// # Safety
///
/// `value` is one that SQLite protects until the call ends.
pub unsafe fn number(value: *mut sqlite3_value, extension: u32) -> Option<i64> {
    // SAFETY: the caller's promise; what has our type is one of ours.
    let pointer =
        unsafe { sqlite::sqlite3_value_pointer(value, TYPE.as_ptr()).cast::<Pointer>().as_ref() }?;
    (pointer.extension == extension).then_some(pointer.number)
}

/// An argument of a function that takes pointers.
///
/// # Safety
///
/// As [`number`].
pub unsafe fn lower(value: *mut sqlite3_value, registered: &Registered) -> RawValue {
    // SAFETY: the caller's promise.
    unsafe {
        match number(value, registered.extension) {
            Some(integer) => RawValue { tag: INTEGER, payload: Payload { integer } },
            None => abi::lower(value, registered.encoding, registered.numbers),
        }
    }
}

/// The subtypes of arguments; empty where none has one. Only the extension's own
/// pointers have that of pointers.
///
/// # Safety
///
/// As [`number`], for each.
pub unsafe fn subtypes(values: &[*mut sqlite3_value], extension: u32) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let subtype = |value: &*mut _| unsafe {
        match sqlite::sqlite3_value_subtype(*value) as u8 {
            SUBTYPE if number(*value, extension).is_none() => 0,
            subtype => subtype,
        }
    };
    let subtypes: Vec<u8> = values.iter().map(subtype).collect();
    if subtypes.iter().all(|subtype| *subtype == 0) { Vec::new() } else { subtypes }
}

/// Tell an extension which of its pointers SQLite has dropped.
///
/// # Safety
///
/// `db` is the connection that calls it.
pub unsafe fn forget(db: *mut sqlite3, extension: u32) {
    let numbers = take(extension);
    if !numbers.is_empty() {
        // Nobody is there to be told of a failure.
        // SAFETY: the caller's connection.
        let _ = unsafe { served(db, extension, || dispatch::pointers_forget(extension, &numbers)) };
    }
}

/// Those that SQLite has dropped: an instance that ends takes all with it.
pub fn take(extension: u32) -> Vec<i64> {
    let mut dropped = DROPPED.0.borrow_mut();
    if dropped.is_empty() {
        return Vec::new();
    }
    let taken = dropped.extract_if(.., |(owner, _)| *owner == extension);
    taken.map(|(_, number)| number).collect()
}
