//! Functions of the C library on SQLite's hot paths, several bytes at a time.
//!
//! SQLite compares every key of an index by `memcmp`, measures every name by `strlen`, and skips
//! to the next candidate of a LIKE by `strcspn`; the libc's own go byte by byte. It copies and
//! clears a few bytes everywhere, and `memory.copy` and `memory.fill` leave the compiled code: a
//! hundred instructions for what takes ten.

mod vector;

use std::ffi::{c_char, c_int, c_void};

use vector::Vector;

/// What is copied and filled without `memory.copy` and `memory.fill`, in bytes.
const SMALL: usize = 128;

/// Bytes that are looked at together.
const VECTOR_BYTES: usize = size_of::<Vector>();

/// What is equal for this many bytes is compared in blocks of this size from there on: most keys differ
/// earlier, and a long text that does not is read four times as fast.
const BLOCK: usize = 4 * VECTOR_BYTES;

/// Copies as the C library's function does.
///
/// # Safety
///
/// Both buffers hold `count` bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { copy(to.cast(), from.cast(), count) };
    to
}

/// Copies as the C library's function does: the buffers may overlap.
///
/// # Safety
///
/// Both buffers hold `count` bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn memmove(
    to: *mut c_void,
    from: *const c_void,
    count: usize,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { copy(to.cast(), from.cast(), count) };
    to
}

/// # Safety
///
/// Both buffers hold `count` bytes. They may overlap: all is read before anything is written.
#[inline]
unsafe fn copy(to: *mut u8, from: *const u8, count: usize) {
    // SAFETY: each branch stays within `count` bytes.
    unsafe {
        match count {
            0 => {}
            1..=3 => {
                let middle = count / 2;
                let (a, b, c) = (*from, *from.add(middle), *from.add(count - 1));
                *to = a;
                *to.add(middle) = b;
                *to.add(count - 1) = c;
            }
            4..=7 => copy_ends::<u32, 1>(to, from, count),
            8..=15 => copy_ends::<u64, 1>(to, from, count),
            16..=32 => copy_ends::<Vector, 1>(to, from, count),
            33..=64 => copy_ends::<Vector, 2>(to, from, count),
            65..=SMALL => copy_ends::<Vector, 4>(to, from, count),
            _ => std::ptr::copy(from, to, count),
        }
    }
}

/// Copies the first and the last `N` units, which together are all.
///
/// # Safety
///
/// Both buffers hold `count` bytes, at least `N` units and at most twice as many.
#[inline]
unsafe fn copy_ends<T: Copy, const N: usize>(to: *mut u8, from: *const u8, count: usize) {
    let end = count - size_of::<[T; N]>();
    // SAFETY: both ends lie within the buffers.
    unsafe {
        let first = from.cast::<[T; N]>().read_unaligned();
        let last = from.add(end).cast::<[T; N]>().read_unaligned();
        to.cast::<[T; N]>().write_unaligned(first);
        to.add(end).cast::<[T; N]>().write_unaligned(last);
    }
}

/// Fills as the C library's function does.
///
/// # Safety
///
/// `to` holds `count` bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, count: usize) -> *mut c_void {
    let (place, byte) = (to.cast::<u8>(), byte as u8);
    // SAFETY: each branch stays within `count` bytes.
    unsafe {
        match count {
            0 => {}
            1..=3 => {
                *place = byte;
                *place.add(count / 2) = byte;
                *place.add(count - 1) = byte;
            }
            4..=7 => fill_ends(place, [u32::from_ne_bytes([byte; 4])], count),
            8..=15 => fill_ends(place, [u64::from_ne_bytes([byte; 8])], count),
            16..=32 => fill_ends(place, [Vector::splat(byte)], count),
            33..=64 => fill_ends(place, [Vector::splat(byte); 2], count),
            65..=SMALL => fill_ends(place, [Vector::splat(byte); 4], count),
            _ => std::ptr::write_bytes(place, byte, count),
        }
    }
    to
}

/// Fills the first and the last bytes, which together are all.
///
/// # Safety
///
/// `to` holds `count` bytes, at least one `pattern` and at most two.
#[inline]
unsafe fn fill_ends<T>(to: *mut u8, pattern: T, count: usize)
where
    T: Copy,
{
    // SAFETY: both ends lie within the buffer.
    unsafe {
        to.cast::<T>().write_unaligned(pattern);
        to.add(count - size_of::<T>()).cast::<T>().write_unaligned(pattern);
    }
}

/// Compares as the C library's function does.
///
/// # Safety
///
/// Both buffers hold `count` bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn memcmp(left: *const c_void, right: *const c_void, count: usize) -> c_int {
    let (left, right) = (left.cast::<u8>(), right.cast::<u8>());
    let mut at = 0;
    while at + 8 <= count {
        // SAFETY: `at + 8` bytes lie within both buffers.
        let word = |from: *const u8| unsafe { from.add(at).cast::<u64>().read_unaligned() };
        let (a, b) = (word(left), word(right));
        if a != b {
            return order(a, b);
        }
        at += 8;
        if at == BLOCK {
            // SAFETY: `count - at` bytes are left in both buffers.
            at += unsafe { equal_blocks(left.add(at), right.add(at), count - at) };
        }
    }
    for at in at..count {
        // SAFETY: `at` lies within both buffers.
        let (a, b) = unsafe { (*left.add(at), *right.add(at)) };
        if a != b {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// The bytes of the first blocks that are equal.
///
/// # Safety
///
/// Both buffers hold `count` bytes.
unsafe fn equal_blocks(left: *const u8, right: *const u8, count: usize) -> usize {
    let equal = |at: usize| {
        // SAFETY: `at` is that of a vector within the `count` bytes.
        let read = |from: *const u8| unsafe { from.add(at).cast::<Vector>().read_unaligned() };
        read(left).equal(read(right))
    };
    let is_equal = |block: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|place| equal(block + place * VECTOR_BYTES));
        a.and(b).and(c.and(d)).bits() == 0xffff
    };
    let mut at = 0;
    while at + BLOCK <= count && is_equal(at) {
        at += BLOCK;
    }
    at
}

/// The order of two words by their first byte that differs; memory is little endian, so that is the
/// lowest.
fn order(a: u64, b: u64) -> c_int {
    let shift = (a ^ b).trailing_zeros() & !7;
    let byte = |word: u64| c_int::from((word >> shift) as u8);
    byte(a) - byte(b)
}

/// Measures as the C library's function does.
///
/// # Safety
///
/// `text` ends with a NUL.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn strlen(text: *const c_char) -> usize {
    let nul = Vector::splat(0);
    // SAFETY: the NUL that ends the text is found.
    unsafe { find(text.cast(), |bytes| bytes.equal(nul)) }
}

/// Measures up to the first byte that is in `stops`, as the C library's function does.
///
/// # Safety
///
/// Both texts end with a NUL.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn strcspn(text: *const c_char, stops: *const c_char) -> usize {
    let (text, stops) = (text.cast::<u8>(), stops.cast::<u8>());
    let nul = Vector::splat(0);
    // SAFETY: a byte of `stops` is read only if the byte before it is not NUL. The search finds the
    // NUL that ends the text.
    unsafe {
        let first = *stops;
        let second = if first == 0 { 0 } else { *stops.add(1) };
        if second != 0 && *stops.add(2) != 0 {
            return find_in_set(text, stops);
        }
        let (first, second) = (Vector::splat(first), Vector::splat(second));
        find(text, |bytes| bytes.equal(nul).or(bytes.equal(first)).or(bytes.equal(second)))
    }
}

/// The first byte that `matches` marks.
///
/// # Safety
///
/// There is one in the memory that `text` is in.
#[inline]
unsafe fn find(text: *const u8, matches: impl Fn(Vector) -> Vector) -> usize {
    // An aligned vector is in memory as a whole, since memory consists of whole
    // vectors. What stands before `text` does not count.
    let before = text.addr() % VECTOR_BYTES;
    let mut at = text.map_addr(|addr| addr - before).cast::<Vector>();
    // SAFETY: as above.
    let mut found = matches(unsafe { at.read() }).bits() >> before << before;
    while found == 0 {
        // SAFETY: there was none yet, so it comes later.
        found = unsafe {
            at = at.add(1);
            matches(at.read()).bits()
        };
    }
    at.addr() + found.trailing_zeros() as usize - text.addr()
}

/// The first byte that is in `stops`, or the NUL.
///
/// # Safety
///
/// Both texts end with a NUL.
unsafe fn find_in_set(text: *const u8, stops: *const u8) -> usize {
    let mut set = [0u64; 4];
    let mut at = 0;
    // SAFETY: both loops end with the NUL.
    unsafe {
        loop {
            let stop = *stops.add(at);
            set[usize::from(stop / 64)] |= 1 << (stop % 64);
            if stop == 0 {
                break;
            }
            at += 1;
        }
        let is_stop = |byte: u8| set[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
        let mut length = 0;
        while !is_stop(*text.add(length)) {
            length += 1;
        }
        length
    }
}

#[cfg(test)]
mod tests {
    //! Each function against a naive one: every short length at every alignment, and texts that end
    //! where readable memory ends.

    use super::*;

    /// Longer than all that is handled without a loop.
    const LENGTHS: usize = SMALL + 40;

    /// Bytes that differ from their neighbours.
    fn bytes(count: usize, seed: usize) -> Vec<u8> {
        (0..count).map(|at| ((at * 31 + seed * 17) % 251) as u8 + 1).collect()
    }

    /// Memory that ends with `text`, at the end of a whole vector.
    fn at_the_end(text: &[u8]) -> (Vec<Vector>, usize) {
        let vectors = text.len().div_ceil(VECTOR_BYTES);
        let mut memory = vec![Vector::splat(0xaa); vectors];
        let start = vectors * VECTOR_BYTES - text.len();
        // SAFETY: `start` and the length make the whole memory.
        unsafe {
            let place = memory.as_mut_ptr().cast::<u8>().add(start);
            place.copy_from_nonoverlapping(text.as_ptr(), text.len());
        }
        (memory, start)
    }

    #[test]
    fn copies_every_length_and_overlap() {
        for count in 0..LENGTHS {
            for (to, from) in
                [(0, 200), (3, 300), (200, 1), (5, 6), (6, 5), (20, 90), (90, 20), (7, 7)]
            {
                let mut memory = bytes(600, count);
                let mut expected = memory.clone();
                expected.copy_within(from..from + count, to);
                let place = memory.as_mut_ptr();
                // SAFETY: both ranges lie within the 600 bytes.
                unsafe { memmove(place.add(to).cast(), place.add(from).cast(), count) };
                assert_eq!(memory, expected, "{count} bytes from {from} to {to}");
            }
        }
    }

    #[test]
    fn fills_every_length() {
        for count in 0..LENGTHS {
            for start in 0..VECTOR_BYTES {
                let mut memory = bytes(LENGTHS + VECTOR_BYTES, count);
                let mut expected = memory.clone();
                expected[start..start + count].fill(0x5b);
                // SAFETY: the range lies within the memory; only the low byte counts.
                unsafe { memset(memory.as_mut_ptr().add(start).cast(), 0x15b, count) };
                assert_eq!(memory, expected, "{count} bytes from {start}");
            }
        }
    }

    #[test]
    fn compares_as_slices_do() {
        for count in 0..4 * BLOCK {
            for differs in 0..=count {
                let left = bytes(count, 1);
                let mut right = left.clone();
                if let Some(byte) = right.get_mut(differs) {
                    *byte ^= 0x80;
                }
                // SAFETY: both hold `count` bytes.
                let order = unsafe { memcmp(left.as_ptr().cast(), right.as_ptr().cast(), count) };
                assert_eq!(order.cmp(&0), left.cmp(&right), "{count} bytes, {differs}");
            }
        }
    }

    #[test]
    fn measures_texts_at_every_alignment() {
        for length in 0..70 {
            for after in 0..VECTOR_BYTES {
                let mut text = bytes(length, 2);
                text.push(0);
                text.extend(bytes(after, 3));
                let (memory, start) = at_the_end(&text);
                // SAFETY: the text has a NUL.
                let measured = unsafe { strlen(memory.as_ptr().cast::<c_char>().add(start)) };
                assert_eq!(measured, length);
            }
        }
    }

    #[test]
    fn stops_where_a_loop_over_bytes_stops() {
        let sets: [&[u8]; 7] =
            [b"\0", b"a\0", b"Aa\0", b"aa\0", b"\xff\x80\0", b"abc\0", b"\x01\x7f\x80\xff\0"];
        for length in 0..40 {
            for (seed, stops) in sets.iter().enumerate() {
                for stop_at in 0..=length {
                    let mut text = vec![b'z'; length];
                    if let Some(byte) = text.get_mut(stop_at) {
                        *byte = stops[seed % stops.len()];
                    }
                    text.push(0);
                    let (memory, start) = at_the_end(&text);
                    let expected = text.iter().position(|byte| stops.contains(byte));
                    // SAFETY: both have a NUL.
                    let found = unsafe {
                        let text = memory.as_ptr().cast::<c_char>().add(start);
                        strcspn(text, stops.as_ptr().cast())
                    };
                    assert_eq!(Some(found), expected, "{length} bytes, {stops:?} at {stop_at}");
                }
            }
        }
    }
}
