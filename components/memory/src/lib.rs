//! `memcmp` and `strlen`, several bytes at a time.
//!
//! SQLite compares every key of an index by the first, and measures every name by the second. The
//! libc's own go byte by byte: a twelfth of the time of a join, and a thirtieth of that of a small
//! query.
#![cfg(target_family = "wasm")]

use std::arch::wasm32::{i8x16_bitmask, i8x16_eq, i8x16_splat, v128};
use std::ffi::{c_char, c_int, c_void};

/// Compares as the C library's function does.
///
/// # Safety
///
/// Both places hold `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const c_void, right: *const c_void, count: usize) -> c_int {
    let (left, right) = (left.cast::<u8>(), right.cast::<u8>());
    let mut at = 0;
    while at + 8 <= count {
        // SAFETY: `at + 8` bytes lie within both places.
        let (a, b) = unsafe { (word(left.add(at)), word(right.add(at))) };
        if a != b {
            return order(a, b);
        }
        at += 8;
    }
    while at < count {
        // SAFETY: `at` lies within both places.
        let (a, b) = unsafe { (*left.add(at), *right.add(at)) };
        if a != b {
            return c_int::from(a) - c_int::from(b);
        }
        at += 1;
    }
    0
}

/// # Safety
///
/// `place` holds eight bytes.
unsafe fn word(place: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { place.cast::<u64>().read_unaligned() }
}

/// The order of two words by their first byte that differs; memory is little endian, so that is the
/// lowest.
fn order(a: u64, b: u64) -> c_int {
    let shift = (a ^ b).trailing_zeros() & !7;
    let byte = |word: u64| c_int::from((word >> shift) as u8);
    byte(a) - byte(b)
}

/// Bytes that are looked at together.
const VECTOR_BYTES: usize = size_of::<v128>();

/// Measures as the C library's function does.
///
/// # Safety
///
/// `text` ends with a NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    // An aligned vector is in memory as a whole, since memory consists of whole
    // vectors. What stands before `text` does not count.
    let before = text.addr() % VECTOR_BYTES;
    let mut at = text.map_addr(|addr| addr - before).cast::<v128>();
    // SAFETY: as above.
    let mut found = zeros(unsafe { at.read() }) >> before << before;
    while found == 0 {
        // SAFETY: there was no NUL yet, so the text goes on.
        found = unsafe {
            at = at.add(1);
            zeros(at.read())
        };
    }
    at.addr() + found.trailing_zeros() as usize - text.addr()
}

/// Which bytes are zero, the first in the lowest bit.
fn zeros(bytes: v128) -> u32 {
    u32::from(i8x16_bitmask(i8x16_eq(bytes, i8x16_splat(0))))
}
