//! What C calls in Rust, and Rust in C: the shell, `shims.c`, `file_stream.c`, and `linenoise.h`.
//! This is the only unsafe code of the program.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::slice;

use engine::host::console::{self, OutputStream};
use engine::host::files::{self, FileAttributes, FileKind};
use engine::host::process;
use engine::is_extension_sql_running;
use engine::paths::{self, LastLink};

use crate::editor::{self, Line};
use crate::file_stream::{self, error_number};

/// SQLite's version, for `extension inspect` to read without running anything.
#[used]
#[unsafe(link_section = "sqlite-wasm:cli-version")]
static VERSION: [u8; libsqlite3_sys::SQLITE_VERSION.count_bytes()] = {
    let mut version = [0; libsqlite3_sys::SQLITE_VERSION.count_bytes()];
    version.copy_from_slice(libsqlite3_sys::SQLITE_VERSION.to_bytes());
    version
};

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn strdup(text: *const c_char) -> *mut c_char;
    fn shell_main(argc: c_int, argv: *mut *mut c_char) -> c_int;
    fn shell_exit(code: c_int) -> !;
    fn shims_init();
    fn shims_interrupt();
    fn shims_plain_line(prompt: *const c_char) -> *mut c_char;
}

/// Run SQLite's shell, and end with its exit code.
pub fn run_shell(arguments: Vec<Vec<u8>>) -> ! {
    let mut arguments: Vec<*mut c_char> = arguments
        .into_iter()
        .map(|argument| CString::new(argument).unwrap_or_default().into_raw())
        .chain([null_mut()])
        .collect();
    let count = arguments.len() - 1;
    // SAFETY: the strings are never freed, and the list ends with null.
    unsafe {
        shims_init();
        shell_exit(shell_main(count as c_int, arguments.as_mut_ptr()))
    }
}

/// Call the handler that the shell gave to `signal`.
pub fn interrupt_shell() {
    // SAFETY: the shell's handler may run at any time; without one this does nothing.
    unsafe { shims_interrupt() };
}

/// # Safety
///
/// `text` is a C string during `'a`.
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// Write `text` and a NUL; 0 when that does not fit.
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

/// Set the exit code: its low byte, as for a native program.
#[unsafe(no_mangle)]
extern "C" fn host_set_exit_code(code: c_int) {
    process::set_exit_code(code as u8);
}

/// Check whether the user interrupts, and tell the shell.
#[unsafe(no_mangle)]
extern "C" fn host_poll_interruption() {
    engine::program::poll();
}

/// The user's home directory, as a C string in `out`; 0 when it is not known.
///
/// # Safety
///
/// `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_home(out: *mut u8, room: usize) -> c_int {
    // SAFETY: the caller's buffer.
    process::home_directory().map_or(0, |home| unsafe { put(&home, out, room) })
}

/// Where `path` leads inside the grants, as a C string in `out`; 0 outside, after a message to the
/// user. SQL of an extension has no files: `readfile()` would give it what it was not granted.
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
    if is_extension_sql_running() {
        return 0;
    }
    let last_link = if keep_last_link != 0 { LastLink::Keep } else { LastLink::Follow };
    // SAFETY: the caller's name, and the caller's buffer.
    unsafe { paths::granted(bytes(path), last_link).map_or(0, |granted| put(&granted, out, room)) }
}

/// The target of the link `path`, as a C string in `out`; 0 when it is not a link.
///
/// # Safety
///
/// `path` is a C string, and `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_link_target(path: *const c_char, out: *mut u8, room: usize) -> c_int {
    // SAFETY: the caller's path, and the caller's buffer.
    unsafe { files::link_target(bytes(path)).map_or(0, |target| put(&target, out, room)) }
}

/// Let relative names begin in `path`, which is granted; 0 when it is not a directory.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_enter(path: *const c_char) -> c_int {
    // SAFETY: the caller's path.
    let path = unsafe { bytes(path) };
    let is_directory = files::attributes(path).is_ok_and(|found| found.kind == FileKind::Directory);
    if is_directory {
        paths::enter(path);
    }
    is_directory.into()
}

/// Remove the file `path`; 0 when that fails.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_delete(path: *const c_char) -> c_int {
    // SAFETY: the caller's path.
    files::delete(unsafe { bytes(path) }, false).is_ok().into()
}

/// Whether WASI takes `path`: its names are text.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_is_text(path: *const c_char) -> c_int {
    // SAFETY: the caller's path.
    str::from_utf8(unsafe { bytes(path) }).is_ok().into()
}

/// `HostAttributes` of `shims.c`.
#[repr(C)]
struct Attributes {
    kind: u32,
    permissions: u32,
    size: u64,
    modified: i64,
}

/// The attributes of `path`; returns 0, or a negated `errno`.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_attributes(
    path: *const c_char,
    out: &mut MaybeUninit<Attributes>,
) -> c_int {
    // SAFETY: the caller's path.
    let FileAttributes { kind, permissions, size, modified } =
        match files::attributes(unsafe { bytes(path) }) {
            Ok(found) => found,
            Err(error) => return -error_number(error),
        };
    out.write(Attributes { kind: kind as u32, permissions, size, modified });
    0
}

/// Set the permission bits of `path`; 0 when that fails.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_set_permissions(path: *const c_char, bits: u32) -> c_int {
    // SAFETY: the caller's path.
    files::set_permissions(unsafe { bytes(path) }, bits).is_ok().into()
}

#[unsafe(no_mangle)]
extern "C" fn host_cpu_usage(user_us: &mut MaybeUninit<u64>, system_us: &mut MaybeUninit<u64>) {
    let times = process::cpu_usage();
    user_us.write(times.user);
    system_us.write(times.system);
}

#[unsafe(no_mangle)]
extern "C" fn host_local_offset(
    unix_seconds: i64,
    offset_seconds: &mut MaybeUninit<c_int>,
    is_dst: &mut MaybeUninit<c_int>,
) -> c_int {
    let Some((offset, dst)) = process::local_offset(unix_seconds) else { return 0 };
    offset_seconds.write(offset);
    is_dst.write(dst.into());
    1
}

/// The content of a start-up file in memory from `malloc`, or null.
///
/// # Safety
///
/// `path` is a C string, and `size` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_startup_file(path: *const c_char, size: *mut usize) -> *mut u8 {
    // SAFETY: the caller's path and variable; `malloc` returns room for the content, or null.
    unsafe {
        let Some(content) = process::startup_file(bytes(path)) else { return null_mut() };
        let memory = malloc(content.len().max(1)).cast::<u8>();
        if !memory.is_null() {
            memory.copy_from_nonoverlapping(content.as_ptr(), content.len());
            *size = content.len();
        }
        memory
    }
}

/// Write to standard output, or to standard error; 0 when the system refuses.
///
/// # Safety
///
/// `data` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_write(to_error: c_int, data: *const u8, count: usize) -> c_int {
    let to = if to_error != 0 { OutputStream::Error } else { OutputStream::Output };
    // SAFETY: the caller's bytes.
    console::write(to, unsafe { slice::from_raw_parts(data, count) }).into()
}

/// Open the file at `path`: its handle, or a negated `errno`.
///
/// # Safety
///
/// `path` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_open_stream(path: *const c_char, for_writing: c_int) -> c_int {
    // SAFETY: the caller's path.
    file_stream::open(unsafe { bytes(path) }, for_writing != 0)
}

/// Open an inherited descriptor that the user named: its handle, or a negated `errno`.
#[unsafe(no_mangle)]
extern "C" fn host_open_descriptor(descriptor: u32) -> c_int {
    file_stream::open_descriptor(descriptor)
}

/// Read up to `room` bytes. Returns how many were read, 0 at the end, or a negated `errno`.
///
/// # Safety
///
/// `out` has `room` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_read_stream(file: u32, at: u64, out: *mut u8, room: usize) -> isize {
    // SAFETY: the caller's buffer, which nothing else uses during the call.
    file_stream::read(file, at, unsafe { slice::from_raw_parts_mut(out, room) })
}

/// Write all of `data`. Returns `count`, or a negated `errno`.
///
/// # Safety
///
/// `data` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_write_stream(file: u32, at: u64, data: *const u8, count: usize) -> isize {
    if count == 0 {
        return 0;
    }
    // SAFETY: the caller's bytes.
    file_stream::write(file, at, unsafe { slice::from_raw_parts(data, count) })
}

/// The size in bytes; -1 for a pipe, which has none.
#[unsafe(no_mangle)]
extern "C" fn host_stream_size(file: u32) -> i64 {
    files::size(file).map_or(-1, |size| size as i64)
}

#[unsafe(no_mangle)]
extern "C" fn host_close_stream(file: u32) {
    files::close(file);
}

/// Let the user edit a line. The result is the caller's to free; null at the end of input.
///
/// # Safety
///
/// `prompt` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoise(prompt: *const c_char) -> *mut c_char {
    if !editor::is_terminal() {
        // SAFETY: the caller's prompt.
        return unsafe { shims_plain_line(prompt) };
    }
    // SAFETY: the caller's prompt.
    let prompt = unsafe { CStr::from_ptr(prompt) }.to_string_lossy();
    match editor::edit(&prompt) {
        Line::Finished(line) => {
            let line = CString::new(line).unwrap_or_default();
            // SAFETY: a C string; `strdup` copies it into memory for `free`.
            unsafe { strdup(line.as_ptr()) }
        }
        Line::End => null_mut(),
        // SAFETY: the shell's own handler ends it in the same way.
        Line::Interrupted(code) => unsafe { shell_exit(code) },
    }
}

type CompletionCallback = unsafe extern "C" fn(*const c_char, *mut Vec<String>, *mut c_void);

#[unsafe(no_mangle)]
extern "C" fn linenoiseSetCompletionCallback(callback: CompletionCallback, _: *mut c_void) {
    editor::set_completion(Box::new(move |line| {
        let mut found = Vec::new();
        if let Ok(line) = CString::new(line) {
            // SAFETY: the shell's callback passes `found` to `linenoiseAddCompletion` only.
            unsafe { callback(line.as_ptr(), &mut found, null_mut()) };
        }
        found
    }));
}

/// # Safety
///
/// The shell's completion callback calls it, with its list and a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoiseAddCompletion(found: &mut Vec<String>, line: *const c_char) {
    // SAFETY: the caller's line.
    found.push(unsafe { CStr::from_ptr(line) }.to_string_lossy().into_owned());
}

/// # Safety
///
/// `line` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoiseHistoryAdd(line: *const c_char) -> c_int {
    // SAFETY: the caller's line.
    console::remember(&unsafe { CStr::from_ptr(line) }.to_string_lossy());
    1
}

#[unsafe(no_mangle)]
extern "C" fn linenoiseHistoryLoad(_: *const c_char) -> c_int {
    console::load_history();
    0
}

#[unsafe(no_mangle)]
extern "C" fn linenoiseHistorySave(_: *const c_char) -> c_int {
    editor::save_history();
    0
}

#[unsafe(no_mangle)]
extern "C" fn linenoiseHistorySetMaxLen(lines: c_int) -> c_int {
    editor::limit_history(lines.max(0) as u32);
    1
}
