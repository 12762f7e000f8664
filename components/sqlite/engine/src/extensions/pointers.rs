//! Pointers of extensions (`sqlite3_result_pointer`): SQLite has a pointer to a [`Pointer`], and
//! the extension knows it by a handle that it chose.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use wire::{POINTER_SUBTYPE, Value as Content};

use crate::ffi::layout::HostValue;
use crate::sqlite::value::Pointee;

/// A pointer that SQLite holds, or may hold.
pub struct Pointer {
    extension: u32,
    handle: i64,
}

impl Pointee for Pointer {
    const TYPE: &CStr = c"sqlite-wasm-extension";
}

impl Drop for Pointer {
    /// SQLite may be in the middle of anything, so the extension learns it later.
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|dropped| dropped.push((self.extension, self.handle)));
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
            Content::Integer(handle) if subtype == POINTER_SUBTYPE => {
                Some(Rc::new(Self { extension, handle: *handle }))
            }
            _ => None,
        }
    }
}

/// The extension's handle of a pointer; `None` for pointers of other extensions.
pub fn handle(pointer: Option<&Pointer>, extension: u32) -> Option<i64> {
    let pointer = pointer?;
    (pointer.extension == extension).then_some(pointer.handle)
}

/// The subtypes of values that may be pointers; empty where none has one. Only the extension's own
/// pointers have that of pointers.
pub fn subtypes<'a>(
    values: impl Iterator<Item = (u8, Option<&'a Pointer>)>,
    extension: u32,
) -> Vec<u8> {
    let subtypes = values.map(|(subtype, pointer)| match subtype {
        POINTER_SUBTYPE if handle(pointer, extension).is_none() => 0,
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
        taken.map(|(_, handle)| handle).collect()
    })
}
