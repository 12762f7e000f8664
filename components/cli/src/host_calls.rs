//! The host's functions for `shims.c`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use engine::host::{files, process};
use engine::paths::absolute;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
}

/// Tell the host the exit code.
#[unsafe(no_mangle)]
extern "C" fn host_set_exit_code(code: c_int) {
    // As the shell of an operating system does, keep the low byte.
    process::set_exit_code(code as u8);
}

/// Let the host tell the person which grant would allow `path`, if any.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_report_refused(path: *const c_char) {
    // SAFETY: the caller's promise.
    if let Ok(path) = unsafe { CStr::from_ptr(path) }.to_str() {
        process::report_refused(&absolute(path));
    }
}

/// # Safety
///
/// `path` is a C string, and `bits` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_permissions(path: *const c_char, bits: *mut u32) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    let Ok(found) = files::permissions(&absolute(&path)) else {
        return 0;
    };
    // SAFETY: the caller's promise.
    unsafe { *bits = found };
    1
}

/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_set_permissions(path: *const c_char, bits: u32) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    c_int::from(files::set_permissions(&absolute(&path), bits).is_ok())
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
    let content = unsafe { CStr::from_ptr(path) }.to_str().ok().and_then(process::startup_file);
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
