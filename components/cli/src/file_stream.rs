//! The host's functions for `file_stream.c`: files that the shell reads or
//! writes.

use std::ffi::{CStr, c_char, c_int};
use std::slice;

use engine::ffi::read_list::read_into;
use engine::host::files::{self, ErrorCode, OpenFlags};

/// Most bytes that cross at once: the host gives no more than 16 MiB.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// WASI's numbers of what can be wrong with a file.
mod errno {
    use std::ffi::c_int;

    pub const EACCES: c_int = 2;
    pub const EIO: c_int = 29;
    pub const EISDIR: c_int = 31;
    pub const ENOENT: c_int = 44;
    pub const ENOSPC: c_int = 51;
    pub const EROFS: c_int = 69;
}

/// The number of the file at `path`, or an error number below 0.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_open_stream(path: *const c_char, for_writing: c_int) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let how = if for_writing == 0 { OpenFlags::empty() } else { OpenFlags::REWRITE };
    match files::open(path, how | OpenFlags::NO_FOLLOW) {
        Ok(opened) => opened.file as c_int,
        Err(error) => -number(error),
    }
}

/// Up to `room` bytes into `out`, none at the end; how many, or an error number
/// below 0.
///
/// # Safety
///
/// `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_read_stream(file: c_int, at: i64, out: *mut u8, room: usize) -> isize {
    // SAFETY: the caller's promise.
    let out = unsafe { slice::from_raw_parts_mut(out, room.min(MAX_PIECE_BYTES)) };
    counted(read_into(file as u32, at as u64, out))
}

/// All of `data`, since the libc takes less for a full disk; `count`, or an
/// error number below 0.
///
/// # Safety
///
/// `data` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_write_stream(
    file: c_int,
    at: i64,
    data: *const u8,
    count: usize,
) -> isize {
    if count == 0 {
        return 0;
    }
    // SAFETY: the caller's promise.
    let data = unsafe { slice::from_raw_parts(data, count) };
    let places = (at as u64..).step_by(MAX_PIECE_BYTES);
    let written = places
        .zip(data.chunks(MAX_PIECE_BYTES))
        .try_for_each(|(at, piece)| files::write(file as u32, at, piece));
    counted(written.map(|()| count))
}

/// The size in bytes; -1 for a pipe, which has none.
#[unsafe(no_mangle)]
extern "C" fn host_stream_size(file: c_int) -> i64 {
    files::size(file as u32).map_or(-1, |size| size as i64)
}

#[unsafe(no_mangle)]
extern "C" fn host_close_stream(file: c_int) {
    files::close(file as u32);
}

fn counted(moved: Result<usize, ErrorCode>) -> isize {
    match moved {
        Ok(count) => count as isize,
        Err(error) => -(number(error) as isize),
    }
}

/// WASI's number of what is wrong.
pub fn number(error: ErrorCode) -> c_int {
    match error {
        ErrorCode::NotFound => errno::ENOENT,
        ErrorCode::Access | ErrorCode::NotGranted => errno::EACCES,
        ErrorCode::IsDirectory => errno::EISDIR,
        ErrorCode::ReadOnly => errno::EROFS,
        ErrorCode::Full => errno::ENOSPC,
        _ => errno::EIO,
    }
}
