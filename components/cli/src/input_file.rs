//! The host's functions for `input_file.c`: files that the shell reads.

use std::ffi::{CStr, c_char, c_int};
use std::slice;

use engine::ffi::read_list::read_into;
use engine::host::files::{self, ErrorCode, OpenFlags};

/// Most bytes that are asked for at once: the host gives no more than 16 MiB.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// WASI's numbers of what can be wrong with a name.
const EACCES: c_int = 2;
const EIO: c_int = 29;
const ENOENT: c_int = 44;

/// The number of the file at `path`, or an error number below 0.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_open_input(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let Ok(path) = unsafe { CStr::from_ptr(path) }.to_str() else {
        return -ENOENT;
    };
    match files::open(path, OpenFlags::NO_FOLLOW) {
        Ok(opened) => opened.file as c_int,
        Err(ErrorCode::NotFound) => -ENOENT,
        Err(ErrorCode::Access | ErrorCode::NotGranted) => -EACCES,
        Err(_) => -EIO,
    }
}

/// Up to `room` bytes into `out`, none at the end; how many, or -1.
///
/// # Safety
///
/// `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_read_input(file: c_int, at: i64, out: *mut u8, room: usize) -> isize {
    // SAFETY: the caller's promise.
    let out = unsafe { slice::from_raw_parts_mut(out, room.min(MAX_PIECE_BYTES)) };
    read_into(file as u32, at as u64, out).map_or(-1, |count| count as isize)
}

/// The size in bytes; 0 when it is not told.
#[unsafe(no_mangle)]
extern "C" fn host_input_size(file: c_int) -> i64 {
    files::size(file as u32).map_or(0, |size| size as i64)
}

#[unsafe(no_mangle)]
extern "C" fn host_close_input(file: c_int) {
    files::close(file as u32);
}
