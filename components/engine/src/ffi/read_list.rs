//! Reading a file with one copy: the host's result goes straight into the
//! buffer that SQLite gave.
//!
//! A component receives a `list<u8>` in memory which it names itself, through
//! `cabi_realloc`. The generated bindings allocate a vector, copy it and free
//! it again; here the answer to `cabi_realloc` is the page buffer. A point
//! read through the cache spends a third less time on it.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, null_mut};

use crate::host::files::{ErrorCode, File};

/// The buffer that waits for a list, and its size; null when none does.
struct Awaiting(Cell<(*mut u8, usize)>);

// SAFETY: a component has one thread.
unsafe impl Sync for Awaiting {}

static AWAITING: Awaiting = Awaiting(Cell::new((null_mut(), 0)));

/// `result<list<u8>, error-code>` as the canonical ABI stores it.
#[repr(C)]
struct RawResult {
    is_error: u8,
    /// The error, or the first byte of the list's address.
    payload: RawPayload,
}

#[repr(C)]
union RawPayload {
    list: RawList,
    error: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawList {
    data: *mut u8,
    count: usize,
}

#[link(wasm_import_module = "sqlite-wasm:host/files@0.1.0")]
unsafe extern "C" {
    #[link_name = "read"]
    fn file_read(file: u32, offset: u64, length: u32, result: *mut RawResult);
}

/// Read from `offset` on until `buffer` is full or the file ends; the number
/// of bytes read.
pub fn read_into(file: File, offset: u64, buffer: &mut [u8]) -> Result<usize, ErrorCode> {
    let length = u32::try_from(buffer.len()).map_err(|_| ErrorCode::Invalid)?;
    AWAITING.0.set((buffer.as_mut_ptr(), buffer.len()));
    let nothing = RawList { data: null_mut(), count: 0 };
    let mut result = RawResult { is_error: 0, payload: RawPayload { list: nothing } };
    // SAFETY: the import's signature is the lowered form of `files.read`, and
    // `result` outlives the call.
    unsafe { file_read(file, offset, length, &mut result) };
    AWAITING.0.set((null_mut(), 0));
    if result.is_error != 0 {
        // SAFETY: the discriminant says that the payload is an error.
        return Err(error_code(unsafe { result.payload.error }));
    }
    // SAFETY: the discriminant says that the payload is a list.
    let RawList { data, count } = unsafe { result.payload.list };
    if count > 0 && data != buffer.as_mut_ptr() {
        // The host returned more than was asked for, so the buffer could not
        // take it.
        return Err(ErrorCode::Io);
    }
    Ok(count)
}

fn error_code(raw: u8) -> ErrorCode {
    const FULL: u8 = ErrorCode::Full as u8;
    const INVALID: u8 = ErrorCode::Invalid as u8;
    match raw {
        FULL => ErrorCode::Full,
        INVALID => ErrorCode::Invalid,
        _ => ErrorCode::Io,
    }
}

/// How often memory was taken for what the host gives, which wraps around.
struct Count(Cell<u32>);

// SAFETY: a component has one thread.
unsafe impl Sync for Count {}

static ALLOCATIONS: Count = Count(Cell::new(0));

/// How often the host took memory here. What a call has taken tells whether its
/// answer leads to more than what one sees of it.
pub fn allocation_count() -> u32 {
    ALLOCATIONS.0.get()
}

unsafe extern "C" {
    fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void;
}

/// The canonical ABI's allocator. Without memory the answer is null, which the
/// host takes for a broken contract.
///
/// # Safety
///
/// As `realloc`: `old` is null, or came from here.
#[unsafe(export_name = "cabi_realloc")]
pub unsafe extern "C" fn cabi_realloc(
    old: *mut u8,
    _old_size: usize,
    align: usize,
    new_size: usize,
) -> *mut u8 {
    let (buffer, room) = AWAITING.0.get();
    if !buffer.is_null() && old.is_null() && align == 1 && new_size <= room {
        AWAITING.0.set((null_mut(), 0));
        return buffer;
    }
    if new_size == 0 {
        return ptr::without_provenance_mut(align);
    }
    ALLOCATIONS.0.set(ALLOCATIONS.0.get().wrapping_add(1));
    // SAFETY: the caller keeps `realloc`'s contract. The C library's allocator
    // is the one whose memory SQLite can be given; its alignment is 16.
    unsafe { realloc(old.cast(), new_size).cast() }
}
