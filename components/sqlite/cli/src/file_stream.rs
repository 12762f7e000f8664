//! Files that the shell reads or writes, for `file_stream.c`. Results below 0 are negated `errno`
//! values.

use std::ffi::c_int;

use engine::host::files::{self, ErrorCode, File, OpenFlags};
use engine::read_into;

/// Most bytes that cross in one call: the host takes 16 MiB at most.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// WASI's `errno` values.
mod errno {
    use std::ffi::c_int;

    pub const EACCES: c_int = 2;
    pub const EIO: c_int = 29;
    pub const EISDIR: c_int = 31;
    pub const ENOENT: c_int = 44;
    pub const ENOSPC: c_int = 51;
    pub const EROFS: c_int = 69;
}

/// Open a file: its handle.
pub fn open(path: &[u8], for_writing: bool) -> c_int {
    let how = if for_writing { OpenFlags::REWRITE } else { OpenFlags::empty() };
    match files::open(path, how | OpenFlags::NO_FOLLOW) {
        Ok(opened) => opened.file as c_int,
        Err(error) => -error_number(error),
    }
}

/// Open an inherited descriptor: its handle.
pub fn open_descriptor(descriptor: u32) -> c_int {
    match files::open_descriptor(descriptor) {
        Ok(file) => file as c_int,
        Err(error) => -error_number(error),
    }
}

/// Read into a part of `out`, nothing at the end; how many bytes.
pub fn read(file: File, at: u64, out: &mut [u8]) -> isize {
    let room = out.len().min(MAX_PIECE_BYTES);
    count_or_error(read_into(file, at, &mut out[..room]))
}

/// Write all of `data`, since the libc takes a part for a full disk; how many bytes.
pub fn write(file: File, at: u64, data: &[u8]) -> isize {
    let written = (at..)
        .step_by(MAX_PIECE_BYTES)
        .zip(data.chunks(MAX_PIECE_BYTES))
        .try_for_each(|(at, piece)| files::write(file, at, piece));
    count_or_error(written.map(|()| data.len()))
}

fn count_or_error(count: Result<usize, ErrorCode>) -> isize {
    count.map_or_else(|error| -(error_number(error) as isize), |count| count as isize)
}

/// WASI's `errno` value for an error.
pub fn error_number(error: ErrorCode) -> c_int {
    match error {
        ErrorCode::NotFound => errno::ENOENT,
        ErrorCode::Access | ErrorCode::NotGranted => errno::EACCES,
        ErrorCode::IsDirectory => errno::EISDIR,
        ErrorCode::ReadOnly => errno::EROFS,
        ErrorCode::Full => errno::ENOSPC,
        _ => errno::EIO,
    }
}
