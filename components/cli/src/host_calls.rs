//! The host's functions for `shims.c`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use engine::host::files::{FileAttributes, FileKind};
use engine::host::{files, process};
use engine::paths::{LastLink, granted};

use crate::file_stream::number;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
}

/// Tell the host the exit code.
#[unsafe(no_mangle)]
extern "C" fn host_set_exit_code(code: c_int) {
    // As the shell of an operating system does, keep the low byte.
    process::set_exit_code(code as u8);
}

/// Look whether the user interrupts, and tell the shell.
#[unsafe(no_mangle)]
extern "C" fn host_poll_interruption() {
    engine::ffi::connection::poll();
}

/// The user's home directory, as a C string in `out`; 0 when it is not known.
///
/// # Safety
///
/// `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_home(out: *mut u8, room: usize) -> c_int {
    // SAFETY: the caller's promise.
    process::home_directory().map_or(0, |home| unsafe { put(&home, out, room) })
}

/// Where `path` leads inside the grants, as a C string in `out`; 0 outside,
/// after the user was told. SQL of an extension has no files: `readfile()`
/// would give it what it was not granted.
///
/// # Safety
///
/// `path` is a C string, and `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_granted_path(
    path: *const c_char,
    keep_last_link: c_int,
    out: *mut u8,
    room: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let last_link = if keep_last_link != 0 { LastLink::Keep } else { LastLink::Follow };
    let is_refused = engine::extensions::sql::is_running();
    let granted = if is_refused { None } else { granted(path, last_link) };
    // SAFETY: the caller's promise.
    granted.map_or(0, |path| unsafe { put(&path, out, room) })
}

/// Whether SQL of an extension runs.
#[unsafe(no_mangle)]
extern "C" fn host_serves_extension() -> c_int {
    engine::extensions::sql::is_running().into()
}

/// Where the link `path` leads; 0 when it is none.
///
/// # Safety
///
/// `path` is a C string, and `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_link_target(path: *const c_char, out: *mut u8, room: usize) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let target = files::link_target(path).ok();
    // SAFETY: the caller's promise.
    target.map_or(0, |target| unsafe { put(&target, out, room) })
}

/// Let relative names begin in `path`, which is granted; 0 when it is not a
/// directory.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_enter(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let is_directory = files::attributes(path).is_ok_and(|it| it.kind == FileKind::Directory);
    if is_directory {
        engine::paths::enter(path);
    }
    c_int::from(is_directory)
}

/// Remove the file `path`; 0 when that fails.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_delete(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(files::delete(unsafe { CStr::from_ptr(path) }.to_bytes(), false).is_ok())
}

/// Whether `path` can be given to WASI, whose names are text.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_is_text(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(unsafe { CStr::from_ptr(path) }.to_str().is_ok())
}

/// Write `text` and a NUL; 0 when it does not fit.
///
/// # Safety
///
/// `out` has `room` bytes.
unsafe fn put(text: &[u8], out: *mut u8, room: usize) -> c_int {
    if text.len() >= room || text.contains(&0) {
        return 0;
    }
    // SAFETY: the text and its NUL fit.
    unsafe {
        out.copy_from_nonoverlapping(text.as_ptr(), text.len());
        *out.add(text.len()) = 0;
    }
    1
}

/// `HostAttributes` of `shims.c`.
#[repr(C)]
struct Attributes {
    kind: u32,
    permissions: u32,
    size: u64,
    modified: i64,
}

/// What `path` names; 0, or an error number below it.
///
/// # Safety
///
/// `path` is a C string, and `out` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_attributes(path: *const c_char, out: *mut Attributes) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let found = match files::attributes(path) {
        Ok(found) => found,
        Err(error) => return -number(error),
    };
    let FileAttributes { kind, permissions, size, modified } = found;
    // SAFETY: the caller's promise.
    unsafe { *out = Attributes { kind: kind as u32, permissions, size, modified } };
    0
}

/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_set_permissions(path: *const c_char, bits: u32) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    c_int::from(files::set_permissions(path, bits).is_ok())
}

/// # Safety
///
/// Both places may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_cpu_usage(user_us: *mut u64, system_us: *mut u64) {
    let times = process::cpu_usage();
    // SAFETY: the caller's promise.
    unsafe {
        *user_us = times.user;
        *system_us = times.system;
    }
}

/// # Safety
///
/// Both places may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_local_offset(
    unix_seconds: i64,
    offset_seconds: *mut c_int,
    is_dst: *mut c_int,
) -> c_int {
    let Some((offset, dst)) = process::local_offset(unix_seconds) else {
        return 0;
    };
    // SAFETY: the caller's promise.
    unsafe {
        *offset_seconds = offset;
        *is_dst = c_int::from(dst);
    }
    1
}

/// The content of a start-up file in memory from `malloc`, or null.
///
/// # Safety
///
/// `path` is a C string, and `size` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_startup_file(path: *const c_char, size: *mut usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let content = process::startup_file(unsafe { CStr::from_ptr(path) }.to_bytes());
    let Some(content) = content else {
        return null_mut();
    };
    // SAFETY: `malloc` gives room for the content, or null.
    unsafe {
        let memory = malloc(content.len().max(1)).cast::<u8>();
        if !memory.is_null() {
            memory.copy_from_nonoverlapping(content.as_ptr(), content.len());
            *size = content.len();
        }
        memory
    }
}
