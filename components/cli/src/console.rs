//! The shell's output and its line editing (`linenoise.h`), done by the host.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{IsTerminal, stdin};
use std::ptr::null_mut;
use std::slice;

use engine::host::console::{self, Edited, OutputStream};

type CompletionCallback = unsafe extern "C" fn(*const c_char, *mut Vec<String>, *mut c_void);

struct Callback(Cell<Option<CompletionCallback>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Callback {}

static COMPLETION: Callback = Callback(Cell::new(None));

struct Limit(Cell<u32>);

// SAFETY: a component has one thread.
unsafe impl Sync for Limit {}

/// Lines kept in the history file; the shell asks for 2000.
static HISTORY_LIMIT: Limit = Limit(Cell::new(2000));

/// Exit code of a shell that Ctrl-C has ended.
const INTERRUPTED: c_int = 1;

unsafe extern "C" {
    fn shell_exit(code: c_int) -> !;
    fn strdup(text: *const c_char) -> *mut c_char;
    fn shims_plain_line(prompt: *const c_char) -> *mut c_char;
}

/// Write to standard output, or to standard error; 0 when the system refuses.
///
/// # Safety
///
/// `data` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn host_write(to_error: c_int, data: *const u8, count: usize) -> c_int {
    let to = if to_error != 0 { OutputStream::Error } else { OutputStream::Output };
    // SAFETY: the caller's promise.
    c_int::from(console::write(to, unsafe { slice::from_raw_parts(data, count) }))
}

/// Let the user edit a line. The result is the caller's to free; null at
/// the end of input.
///
/// # Safety
///
/// `prompt` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoise(prompt: *const c_char) -> *mut c_char {
    if !stdin().is_terminal() {
        // SAFETY: the caller's promise.
        return unsafe { shims_plain_line(prompt) };
    }
    // SAFETY: the caller's promise.
    let prompt = unsafe { CStr::from_ptr(prompt) }.to_string_lossy();
    let mut edited = console::edit(&prompt);
    loop {
        match edited {
            Edited::Complete(line) => edited = console::offer(&candidates(&line)),
            Edited::Line(line) => return owned(line),
            // SAFETY: as the shell's own handler ends it.
            Edited::Interrupted => unsafe { shell_exit(INTERRUPTED) },
            Edited::End => return null_mut(),
        }
    }
}

fn owned(line: String) -> *mut c_char {
    let line = CString::new(line).unwrap_or_default();
    // SAFETY: a C string; `strdup` copies it into memory for `free`.
    unsafe { strdup(line.as_ptr()) }
}

/// Whole lines that `line` can become, as the shell computes them.
fn candidates(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(callback), Ok(line)) = (COMPLETION.0.get(), CString::new(line)) {
        // SAFETY: the shell's callback gives `found` back to
        // `linenoiseAddCompletion` only.
        unsafe { callback(line.as_ptr(), &mut found, null_mut()) };
    }
    found
}

/// # Safety
///
/// Called from the completion callback, with its list.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoiseAddCompletion(found: *mut Vec<String>, line: *const c_char) {
    // SAFETY: the caller's promise.
    unsafe { (*found).push(CStr::from_ptr(line).to_string_lossy().into_owned()) };
}

#[unsafe(no_mangle)]
extern "C" fn linenoiseSetCompletionCallback(callback: CompletionCallback, _: *mut c_void) {
    COMPLETION.0.set(Some(callback));
}

/// # Safety
///
/// `line` is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn linenoiseHistoryAdd(line: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
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
    console::save_history(HISTORY_LIMIT.0.get());
    0
}

#[unsafe(no_mangle)]
extern "C" fn linenoiseHistorySetMaxLen(lines: c_int) -> c_int {
    HISTORY_LIMIT.0.set(lines.max(0) as u32);
    1
}
