//! The C library's memory, which SQLite and the host share, and its buffered output.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::ptr::{self, NonNull, null_mut};
use std::slice;

use super::memory::free;

unsafe extern "C" {
    pub(super) fn malloc(bytes: usize) -> *mut c_void;
    /// Without the reserve.
    #[link_name = "free"]
    pub(super) fn plain_free(memory: *mut c_void);
    fn fflush(file: *mut c_void) -> c_int;
}

/// Write buffered output of the program, so that the host's next message comes after it.
pub fn flush_output() {
    // SAFETY: null stands for all files. The next write reports a failure.
    unsafe { fflush(null_mut()) };
}

thread_local! {
    /// The buffer for the next list of bytes, and its size; null for none.
    static AWAITING: Cell<(*mut u8, usize)> = const { Cell::new((null_mut(), 0)) };
    static ALLOCATIONS: Cell<u32> = const { Cell::new(0) };
}

/// How many blocks the host has allocated here, modulo 2^32. Its increase during a call shows
/// whether the result has more blocks than the caller sees.
pub fn allocation_count() -> u32 {
    ALLOCATIONS.get()
}

/// Call `import` with `buffer` as the memory for the list of bytes that it returns, if the list
/// fits.
pub fn receive_into<T>(buffer: &mut [u8], import: impl FnOnce() -> T) -> T {
    AWAITING.set((buffer.as_mut_ptr(), buffer.len()));
    let result = import();
    AWAITING.set((null_mut(), 0));
    result
}

/// The canonical ABI's allocator. It traps when memory runs out, since the host would write to a null
/// address: the host checks that there is memory before it sends much.
///
/// # Safety
///
/// `old` is null, or came from here with the size `old_size`: the adapters of composed components grow
/// lists.
#[unsafe(export_name = "cabi_realloc")]
unsafe extern "C" fn cabi_realloc(
    old: *mut u8,
    old_size: usize,
    align: usize,
    size: usize,
) -> *mut u8 {
    let (buffer, room) = AWAITING.get();
    if !buffer.is_null() && old.is_null() && align == 1 && size <= room {
        AWAITING.set((null_mut(), 0));
        return buffer;
    }
    if size == 0 {
        return ptr::without_provenance_mut(align);
    }
    ALLOCATIONS.set(ALLOCATIONS.get().wrapping_add(1));
    let layout =
        |bytes| Layout::from_size_align(bytes, align).unwrap_or_else(|_| std::process::abort());
    // SAFETY: `size` is not 0, and neither is that of an `old` block, which came from here with
    // `old_size` bytes and, in the canonical ABI, the same alignment.
    let new = unsafe {
        if old.is_null() || old_size == 0 {
            alloc(layout(size))
        } else {
            realloc(old, layout(old_size), size)
        }
    };
    if new.is_null() {
        std::process::abort();
    }
    new
}

/// A list that the host has stored here by `cabi_realloc`, in the layout of the canonical ABI. It
/// frees its memory, but not memory that its items own.
#[repr(C)]
pub struct HostList<T> {
    data: *mut T,
    count: usize,
}

impl<T> HostList<T> {
    /// A list without items, which has no memory.
    pub const EMPTY: Self = Self { data: NonNull::dangling().as_ptr(), count: 0 };

    /// Its memory, which the caller frees with [`free`] unless the list is empty.
    pub fn into_raw(self) -> (*mut T, usize) {
        let list = std::mem::ManuallyDrop::new(self);
        (list.data, list.count)
    }

    /// Drop the items and free the list.
    pub fn drop_items(self) {
        // SAFETY: the host has stored `count` items at `data`. This value is their only owner, and
        // its own end, which follows, does not look at them.
        unsafe { ptr::slice_from_raw_parts_mut(self.data, self.count).drop_in_place() };
    }
}

impl HostList<u8> {
    /// Its bytes, which are not copied.
    pub fn into_vec(self) -> Vec<u8> {
        match self.into_raw() {
            (_, 0) => Vec::new(),
            // SAFETY: `cabi_realloc` takes blocks from Rust's allocator; this one has `count` bytes.
            (data, count) => unsafe { Vec::from_raw_parts(data, count, count) },
        }
    }
}

impl<T> Deref for HostList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.count {
            0 => &[],
            // SAFETY: the host has stored `count` items at `data`, freed when this is dropped.
            count => unsafe { slice::from_raw_parts(self.data, count) },
        }
    }
}

impl<T> Drop for HostList<T> {
    fn drop(&mut self) {
        if self.count > 0 {
            // SAFETY: `cabi_realloc` has returned it for this list, which ends here.
            unsafe { free(self.data.cast()) };
        }
    }
}

/// The unit of memory that the host maps files over, in bytes.
pub const UNIT_BYTES: usize = 64 << 10;

/// Memory that the host may map a file over.
pub struct ReservedMemory {
    start: NonNull<u8>,
    layout: Layout,
}

impl ReservedMemory {
    /// `bytes` bytes, rounded up to whole units; none without memory, and for no bytes.
    pub fn new(bytes: usize) -> Option<Self> {
        let bytes = bytes.checked_next_multiple_of(UNIT_BYTES).filter(|bytes| *bytes > 0)?;
        let layout = Layout::from_size_align(bytes, UNIT_BYTES).ok()?;
        // SAFETY: the layout has at least one unit.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self { start, layout })
    }

    /// The address of byte `offset`.
    pub fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset < self.layout.size(), "the offset is one of the memory");
        self.start.as_ptr().wrapping_add(offset)
    }

    /// Its address and length for the host. The content has no meaning.
    pub fn as_list(&self) -> &[u8] {
        // SAFETY: the block is this value's own and as long as its layout. Linear memory always
        // holds some bytes, and nobody reads them through this list.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.layout.size() as u64
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        // SAFETY: `new` has allocated it with this layout; its owner has unmapped what the host
        // mapped over it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
