//! `memcpy`, `memmove` and `memcmp` for x86-64. A start calls them ten thousand times, nearly
//! always for fewer than a hundred bytes; musl copies with `rep movsq` (backwards too),
//! which takes 20 to 50 ns to begin, and compares byte by byte: a twentieth of a start.

#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::{__m128i, _MM_HINT_T0, _mm_loadu_si128, _mm_prefetch, _mm_storeu_si128};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{Ordering, compiler_fence};

/// The bytes of a vector.
const VECTOR: usize = size_of::<__m128i>();

/// The bytes that are read before any of them is written.
const BLOCK: usize = 4 * VECTOR;

/// How far ahead memory is requested, in bytes: pages of a mapped database are in no cache, and
/// the processor's own prefetching ends with a page. It faults nowhere.
const AHEAD: usize = 1 << 10;

/// From here on the processor's own loop is faster, in bytes.
const LONG: usize = 1 << 10;

/// Copy at most [`VECTOR`] bytes. Both ends are read before either is written.
///
/// # Safety
///
/// As for `memmove`.
#[inline(always)]
unsafe fn copy_short(to: *mut u8, from: *const u8, count: usize) {
    /// Copy the first and the last `T` of `count` bytes, which may overlap.
    ///
    /// # Safety
    ///
    /// As for `memmove`; there are as many bytes as a `T` has.
    #[inline(always)]
    unsafe fn both_ends<T>(to: *mut u8, from: *const u8, count: usize) {
        let last = count - size_of::<T>();
        // SAFETY: both are within the `count` bytes.
        unsafe {
            let ends =
                (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
            to.cast::<T>().write_unaligned(ends.0);
            to.add(last).cast::<T>().write_unaligned(ends.1);
        }
    }
    // SAFETY: each arm has enough bytes for its type.
    unsafe {
        match count {
            8.. => both_ends::<u64>(to, from, count),
            4.. => both_ends::<u32>(to, from, count),
            2.. => both_ends::<u16>(to, from, count),
            1 => *to = *from,
            0 => {}
        }
    }
}

/// Copy more than [`VECTOR`] bytes from the first on; `to` may be before `from`.
///
/// # Safety
///
/// As for `memmove`.
#[inline(always)]
unsafe fn copy_forward(to: *mut u8, from: *const u8, count: usize) {
    let last = count - VECTOR;
    // SAFETY: all vectors are within the `count` bytes. The last is read first, as it may
    // be overwritten.
    unsafe {
        let end = _mm_loadu_si128(from.add(last).cast());
        let blocks = last - last % BLOCK;
        for at in (0..blocks).step_by(BLOCK) {
            let (to, from) = (to.add(at).cast::<__m128i>(), from.add(at).cast::<__m128i>());
            _mm_prefetch::<_MM_HINT_T0>(from.cast::<i8>().wrapping_add(AHEAD));
            let block = [0, 1, 2, 3].map(|place| _mm_loadu_si128(from.add(place)));
            for (place, vector) in block.into_iter().enumerate() {
                _mm_storeu_si128(to.add(place), vector);
            }
            // Else the compiler makes a call of `memcpy` of this loop.
            compiler_fence(Ordering::SeqCst);
        }
        for at in (blocks..last).step_by(VECTOR) {
            _mm_storeu_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
            compiler_fence(Ordering::SeqCst);
        }
        _mm_storeu_si128(to.add(last).cast(), end);
    }
}

/// Copy more than [`VECTOR`] bytes from the last on; `to` may be behind `from`.
///
/// # Safety
///
/// As for `memmove`.
#[inline(always)]
unsafe fn copy_backward(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as in `copy_forward`, with the first vector read first.
    unsafe {
        let start = _mm_loadu_si128(from.cast());
        for at in (0..=count - VECTOR).rev().step_by(VECTOR) {
            _mm_storeu_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
            compiler_fence(Ordering::SeqCst);
        }
        _mm_storeu_si128(to.cast(), start);
    }
}

/// C's `memcpy`.
///
/// # Safety
///
/// `from` and `to` have `count` bytes, and do not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        match count {
            0..=VECTOR => copy_short(to.cast(), from.cast(), count),
            LONG.. => asm!(
                "rep movsb",
                inout("rcx") count => _, inout("rdi") to => _, inout("rsi") from => _,
                options(nostack, preserves_flags),
            ),
            _ => copy_forward(to.cast(), from.cast(), count),
        }
    }
    to
}

/// C's `memmove`.
///
/// # Safety
///
/// `from` and `to` have `count` bytes, which may overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: the caller's promise. Forwards nothing is overwritten before it is read,
    // unless `to` is within the bytes.
    unsafe {
        if count <= VECTOR {
            copy_short(to.cast(), from.cast(), count);
        } else if to.addr().wrapping_sub(from.addr()) >= count {
            copy_forward(to.cast(), from.cast(), count);
        } else {
            copy_backward(to.cast(), from.cast(), count);
        }
    }
    to
}

/// C's `memcmp`, and Rust's equality of bytes.
///
/// # Safety
///
/// `left` and `right` have `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const c_void, right: *const c_void, count: usize) -> c_int {
    let (left, right) = (left.cast::<u8>(), right.cast::<u8>());
    let whole = count & !7;
    // SAFETY: all words and bytes are within the `count` bytes.
    unsafe {
        for at in (0..whole).step_by(8) {
            let word =
                |start: *const u8| u64::from_be(start.add(at).cast::<u64>().read_unaligned());
            if word(left) != word(right) {
                return if word(left) < word(right) { -1 } else { 1 };
            }
        }
        for at in whole..count {
            let (left, right) = (*left.add(at), *right.add(at));
            if left != right {
                return i32::from(left) - i32::from(right);
            }
        }
    }
    0
}

/// As [`memcmp`], which also serves those who ask for equality alone.
///
/// # Safety
///
/// As for `memcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(left: *const c_void, right: *const c_void, count: usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { memcmp(left, right, count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around those at which the code changes its way.
    const COUNTS: [usize; 18] =
        [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, LONG - 1, LONG, LONG + 65];

    fn numbered(count: usize) -> Vec<u8> {
        (0..count).map(|at| (at * 7 + at / 251) as u8).collect()
    }

    #[test]
    fn copies_are_whole_and_nothing_else_changes() {
        for count in COUNTS {
            let from = numbered(count);
            let mut to = vec![0xee; count + 2];
            // SAFETY: both have `count` bytes.
            unsafe { memcpy(to.as_mut_ptr().add(1).cast(), from.as_ptr().cast(), count) };
            assert!(to[0] == 0xee && to[1..=count] == from[..] && to[count + 1] == 0xee);
        }
    }

    #[test]
    fn bytes_move_within_themselves() {
        for count in COUNTS {
            for distance in [0, 1, 5, 8, 15, 16, 17, 40, count] {
                let original = numbered(count + distance);
                let (mut up, mut down) = (original.clone(), original.clone());
                // SAFETY: there are `count + distance` bytes.
                unsafe {
                    memmove(up.as_mut_ptr().add(distance).cast(), up.as_ptr().cast(), count);
                    memmove(down.as_mut_ptr().cast(), down.as_ptr().add(distance).cast(), count);
                }
                let same = |a: &[u8], b: &[u8]| a.iter().eq(b);
                assert!(same(&up[distance..], &original[..count]), "{count} up by {distance}");
                assert!(same(&up[..distance], &original[..distance]));
                assert!(same(&down[..count], &original[distance..]), "{count} down by {distance}");
                assert!(same(&down[count..], &original[count..]));
            }
        }
    }

    #[test]
    fn bytes_compare_by_the_first_that_differs() {
        for count in COUNTS {
            let left = numbered(count);
            // SAFETY: both have `count` bytes.
            let compared = |right: &[u8]| unsafe {
                memcmp(left.as_ptr().cast(), right.as_ptr().cast(), count)
            };
            assert_eq!(compared(&left), 0);
            for at in (0..count).step_by(3) {
                let mut right = left.clone();
                right[at] = right[at].wrapping_add(1);
                right[at + 1..].fill(0);
                let expected = left[at].cmp(&right[at]) as i32;
                assert_eq!(compared(&right).signum(), expected, "{count} bytes, at {at}");
            }
        }
    }
}
