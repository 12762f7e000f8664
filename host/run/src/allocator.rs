//! The program's allocator: dlmalloc, since musl's maps and unmaps memory all the
//! time. The system provides the first memory in one call with its pages present, as
//! each start touches them: a hundred page faults less.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// The first memory, in bytes: what a start with the shell needs.
const FIRST_BYTES: usize = 640 << 10;

/// Later memory is mapped by at least this many bytes.
const STEP_BYTES: usize = 1 << 20;

/// A multiple of the pages of all processors, in bytes. Asking for their size could
/// allocate.
const PAGE_BYTES: usize = 64 << 10;

/// Where dlmalloc's memory comes from.
struct System {
    has_first: AtomicBool,
}

// SAFETY: `alloc` returns new mappings; `free` and `free_part` unmap what dlmalloc no
// longer uses, in whole pages, as all sizes are multiples of its granularity of 64 KiB.
unsafe impl dlmalloc::Allocator for System {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let is_first = !self.has_first.swap(true, Ordering::Relaxed);
        let (least, flags) = if is_first {
            (FIRST_BYTES, MapFlags::PRIVATE | MapFlags::POPULATE)
        } else {
            (STEP_BYTES, MapFlags::PRIVATE)
        };
        let size = size.max(least);
        // SAFETY: a new mapping, at an address that the system chooses.
        let mapped = unsafe {
            mmap_anonymous(ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, flags)
        };
        mapped.map_or((ptr::null_mut(), 0, 0), |start| (start.cast(), size, 0))
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, start: *mut u8, size: usize, kept: usize) -> bool {
        // SAFETY: the end of a segment, behind the part that is kept.
        unsafe { munmap(start.add(kept).cast(), size - kept) }.is_ok()
    }

    fn free(&self, start: *mut u8, size: usize) -> bool {
        // SAFETY: dlmalloc frees what `alloc` returned, when nothing in it is in use.
        unsafe { munmap(start.cast(), size) }.is_ok()
    }

    fn can_release_part(&self, _: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE_BYTES
    }
}

/// dlmalloc behind a lock: the program has few threads.
pub struct Allocator(Mutex<Dlmalloc<System>>);

impl Allocator {
    /// Without memory yet.
    pub const fn new() -> Self {
        Self(Mutex::new(Dlmalloc::new_with_allocator(System { has_first: AtomicBool::new(false) })))
    }

    fn dlmalloc(&self) -> MutexGuard<'_, Dlmalloc<System>> {
        // dlmalloc does not panic, so nothing is left half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: each function passes the caller's pointer and layout to dlmalloc, whose own
// contract is the same, and the lock makes the calls of threads follow each other.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: a layout has a power of two as its alignment.
        unsafe { self.dlmalloc().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe { self.dlmalloc().calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller passes what this allocator returned for this layout.
        unsafe { self.dlmalloc().free(start, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`.
        unsafe { self.dlmalloc().realloc(start, layout.size(), layout.align(), size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_distinct_and_keeps_its_content() {
        let allocator = Allocator::new();
        let layout = |size| Layout::from_size_align(size, 16).unwrap();
        let mut blocks = Vec::new();
        for size in [1, 100, 5000, FIRST_BYTES, 3 << 20, 7, 64 << 10] {
            // SAFETY: no size is 0; the block has this many bytes.
            unsafe {
                let block = allocator.alloc_zeroed(layout(size));
                assert!((0..size).step_by(997).all(|at| *block.add(at) == 0));
                block.write_bytes(blocks.len() as u8 + 1, size);
                blocks.push((block, size));
            }
        }
        for (index, (block, size)) in blocks.into_iter().enumerate() {
            // SAFETY: allocated above with this layout, and freed once.
            unsafe {
                let block = allocator.realloc(block, layout(size), 2 * size);
                assert!((0..size).all(|at| *block.add(at) == index as u8 + 1));
                allocator.dealloc(block, layout(2 * size));
            }
        }
    }
}
