//! The memory of this component: the C library's, and a reserve for small blocks, from which Rust and
//! the host take when SQLite has used all the rest. So an error can always be reported. Large blocks
//! are checked first (`room`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null_mut;

use super::libc::{malloc, plain_free};

/// The size of the reserve, in bytes: some of the largest blocks that are not checked first.
const RESERVE_BYTES: usize = 8 * wire::room::MAX_UNASKED;

/// What the C library adds to a block, and blocks that are allocated along with it, in bytes.
const EXTRA_BYTES: usize = 4096;

/// The alignment of each block of the reserve, as of the C library's.
const ALIGN: usize = 16;

/// Blocks are taken one behind the other, and all are free again when the last one is returned.
#[repr(C, align(16))]
struct Reserve {
    area: UnsafeCell<[u8; RESERVE_BYTES]>,
    /// Bytes and blocks that are in use.
    used: UnsafeCell<(usize, usize)>,
}

// SAFETY: a component has one thread.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve =
    Reserve { area: UnsafeCell::new([0; RESERVE_BYTES]), used: UnsafeCell::new((0, 0)) };

impl Reserve {
    fn owns(&self, block: *const u8) -> bool {
        let start = self.area.get().addr();
        (start..start + RESERVE_BYTES).contains(&block.addr())
    }

    /// A block of `bytes` bytes, or null.
    #[cold]
    fn take(&self, bytes: usize) -> *mut u8 {
        // SAFETY: one thread, and nothing is called while the two counts are borrowed.
        let (used, blocks) = unsafe { &mut *self.used.get() };
        let Some(end) =
            bytes.checked_next_multiple_of(ALIGN).and_then(|more| used.checked_add(more))
        else {
            return null_mut();
        };
        if end > RESERVE_BYTES {
            return null_mut();
        }
        let block = self.area.get().cast::<u8>().wrapping_add(*used);
        (*used, *blocks) = (end, *blocks + 1);
        block
    }

    #[cold]
    fn give_back(&self) {
        // SAFETY: as above.
        let (used, blocks) = unsafe { &mut *self.used.get() };
        *blocks -= 1;
        if *blocks == 0 {
            *used = 0;
        }
    }
}

/// Free a block that Rust's allocator or the C library has returned. SQLite calls it for values.
///
/// # Safety
///
/// The block is not used any more.
pub unsafe extern "C" fn free(block: *mut c_void) {
    if RESERVE.owns(block.cast()) {
        RESERVE.give_back();
    } else {
        // SAFETY: the caller's block is one of the C library.
        unsafe { plain_free(block) };
    }
}

/// Whether a block of this size could be allocated.
pub fn has_room(bytes: usize) -> bool {
    let Some(bytes) = bytes.checked_add(EXTRA_BYTES) else { return false };
    // SAFETY: `malloc` takes any size, and its block is freed at once.
    unsafe {
        // The compiler would leave out a block that nothing uses.
        let block = std::hint::black_box(malloc(bytes));
        plain_free(block);
        !block.is_null()
    }
}

/// Rust's allocator: the C library's, and then the reserve.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

// SAFETY: blocks of the reserve do not overlap, and have the requested alignment.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() && layout.align() <= ALIGN { RESERVE.take(layout.size()) } else { block }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if RESERVE.owns(block) {
            RESERVE.give_back();
        } else {
            // SAFETY: the caller's block, which is not of the reserve.
            unsafe { System.dealloc(block, layout) };
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !RESERVE.owns(block) {
            // SAFETY: the caller's block, which is not of the reserve.
            let new = unsafe { System.realloc(block, layout, size) };
            if !new.is_null() {
                return new;
            }
        }
        // SAFETY: the caller's block and layout; the new block is at least as long as what is copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}
