//! Collations.

use std::cmp::Ordering;
use std::ffi::{c_int, c_void};
use std::slice;

use crate::host::dispatch;

/// A collation that an extension registered.
pub struct Registered {
    pub extension: u32,
    pub collation: u32,
}

/// SQLite's call of a collation.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn compare(
    registered: *mut c_void,
    left_bytes: c_int,
    left: *const c_void,
    right_bytes: c_int,
    right: *const c_void,
) -> c_int {
    // SAFETY: the registration, and two texts of these lengths.
    let (registered, left, right) = unsafe {
        (&*registered.cast::<Registered>(), text(left, left_bytes), text(right, right_bytes))
    };
    let order =
        dispatch::collation_compare(registered.extension, registered.collation, left, right);
    match order.cmp(&0) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// # Safety
///
/// `text` has `bytes` bytes.
unsafe fn text<'a>(text: *const c_void, bytes: c_int) -> &'a [u8] {
    if bytes <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(text.cast(), bytes as usize) }
}

/// SQLite drops a registration.
///
/// # Safety
///
/// `registered` is a `Registered` from `Box::into_raw`.
pub unsafe extern "C" fn forget(registered: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(registered.cast::<Registered>()) });
}
