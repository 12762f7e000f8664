//! Pointers of extensions (`sqlite3_result_pointer`): SQLite has a pointer to a [`Pointer`], and
//! the extension knows it by a number that it chose.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use wire::{POINTER_SUBTYPE, Value as Content};

use crate::ffi::layout::HostValue;
use crate::sqlite::value::{Pointee, Value};

/// A pointer that SQLite holds, or may hold.
pub struct Pointer {
    extension: u32,
    number: i64,
}

impl Pointee for Pointer {
    const TYPE: &CStr = c"sqlite-wasm-extension";
}

impl Drop for Pointer {
    /// SQLite may be in the middle of anything, so the extension learns it later.
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push((self.extension, self.number)));
    }
}

thread_local! {
    /// Those that are dropped, with their extensions, which do not know it yet.
    static DROPPED: RefCell<Vec<(u32, i64)>> = const { RefCell::new(Vec::new()) };
}

impl Pointer {
    /// The pointer that an extension returned as a value with a subtype, if it is one. The
    /// extension has declared that it may return pointers.
    pub fn new(value: &HostValue, subtype: u8, extension: u32) -> Option<Rc<Self>> {
        match value {
            Content::Integer(number) if subtype == POINTER_SUBTYPE => {
                Some(Rc::new(Self { extension, number: *number }))
            }
            _ => None,
        }
    }
}

/// The extension's number of a pointer; none for other values, and for pointers of others.
pub fn number(value: &Value, extension: u32) -> Option<i64> {
    let pointer = value.pointer::<Pointer>()?;
    (pointer.extension == extension).then_some(pointer.number)
}

/// The subtypes of values; empty where none has one. Only the extension's own pointers have that of
/// pointers.
pub fn subtypes(values: &[&Value], extension: u32) -> Vec<u8> {
    let subtypes = values.iter().map(|value| match value.subtype() {
        POINTER_SUBTYPE if number(value, extension).is_none() => 0,
        subtype => subtype,
    });
    or_none(subtypes.collect())
}

/// No subtypes where none is set.
pub fn or_none(subtypes: Vec<u8>) -> Vec<u8> {
    if subtypes.iter().all(|subtype| *subtype == 0) { Vec::new() } else { subtypes }
}

/// The extension's pointers that SQLite has dropped. An instance that ends takes all with it.
pub fn take(extension: u32) -> Vec<i64> {
    DROPPED.with_borrow_mut(|dropped| {
        if dropped.is_empty() {
            return Vec::new();
        }
        let taken = dropped.extract_if(.., |(owner, _)| *owner == extension);
        taken.map(|(_, number)| number).collect()
    })
}
