//! The functions of `c/engine.h`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice;

use anyhow::Result;
use runtime::database::Failure;
use runtime::database::wire::code;
use runtime::filesystem::forks;

use crate::engine::{EngineInstance, Terms};
use crate::grants::path_of;
use crate::settings::Limits;
use crate::template::sandbox;

/// The arguments of [`engine_start`], as in `c/engine.h`.
#[repr(C)]
pub struct StartOptions {
    library: *const c_char,
    path: *const c_char,
    max_memory: *const c_char,
    timeout: *const c_char,
    grants: *const *const c_char,
}

/// The texts of a list that ends with a null pointer; none without a list.
///
/// # Safety
///
/// They are C strings.
unsafe fn texts<'a>(list: *const *const c_char) -> Vec<&'a [u8]> {
    let mut texts = Vec::new();
    let mut next = list;
    while !next.is_null() {
        // SAFETY: the list ends with a null pointer, which has not been reached.
        let text = unsafe { *next };
        if text.is_null() {
            break;
        }
        // SAFETY: as above.
        texts.push(unsafe { CStr::from_ptr(text) }.to_bytes());
        // SAFETY: the list goes on behind a text.
        next = unsafe { next.add(1) };
    }
    texts
}

/// Pass a message to C, which frees it with [`engine_free_text`].
fn give(message: *mut *mut c_char, text: String) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    if !message.is_null() {
        // SAFETY: C passes a variable.
        unsafe { *message = text.into_raw() };
    }
}

/// Run `call`. Returns its code, with the message of a failure. No panic reaches C.
fn guarded(message: *mut *mut c_char, call: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => {
            give(message, failure.message);
            failure.code
        }
        Err(_) => {
            give(message, "the library panicked".to_owned());
            code::INTERNAL
        }
    }
}

fn cannot_open(error: anyhow::Error) -> Failure {
    Failure { code: code::CANTOPEN, message: format!("{error:#}"), reason: None }
}

/// Start an instance.
///
/// # Safety
///
/// C strings and a list of them, some of which may be null.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_start(
    options: &StartOptions,
    own: *const c_void,
    started: *mut *mut EngineInstance,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    let text = |text: *const c_char| (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
    // SAFETY: as above.
    let grants = unsafe { texts(options.grants) };
    guarded(message, || {
        let parameter = |given: *const c_char| text(given).map(|text| text.to_string_lossy());
        let (memory, time) = (parameter(options.max_memory), parameter(options.timeout));
        let path = text(options.path).map(|path| path_of(path.to_bytes()));
        let start = || {
            let limits = Limits::new(memory.as_deref(), time.as_deref())?;
            let library = text(options.library).unwrap_or_default();
            let sandbox = sandbox(library, limits.time.is_some())?;
            EngineInstance::start(
                &sandbox,
                path.as_deref(),
                &Terms { limits, grants: &grants },
                own,
            )
        };
        let engine = start().map_err(cannot_open)?;
        // SAFETY: C passes a variable.
        unsafe { *started = Box::into_raw(Box::new(engine)) };
        Ok(())
    })
}

/// End an instance.
///
/// # Safety
///
/// Of [`engine_start`], and not used any more.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_free(engine: *mut EngineInstance) {
    guarded(null_mut(), || {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(engine) });
        Ok(())
    });
}

/// # Safety
///
/// A text of one of these functions.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_free_text(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: as above.
        drop(unsafe { CString::from_raw(text) });
    }
}

#[unsafe(no_mangle)]
extern "C" fn engine_callback(engine: &EngineInstance) -> u32 {
    engine.callback()
}

/// # Safety
///
/// `bytes` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_seal(engine: &EngineInstance, bytes: *const u8, count: usize) -> u64 {
    // SAFETY: as above.
    engine.seal(unsafe { slice::from_raw_parts(bytes, count) })
}

#[unsafe(no_mangle)]
extern "C" fn engine_interrupt(engine: &EngineInstance) {
    engine.interrupt();
}

#[unsafe(no_mangle)]
extern "C" fn engine_clear_interruption(engine: &EngineInstance) {
    engine.clear_interruption();
}

#[unsafe(no_mangle)]
extern "C" fn engine_is_interrupted(engine: &EngineInstance) -> bool {
    engine.is_interrupted()
}

/// Open a connection. The flags are SQLite's.
///
/// # Safety
///
/// A C string, and variables.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_open(
    engine: &EngineInstance,
    path: *const c_char,
    flags: u32,
    connection: &mut u32,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) };
    guarded(message, || {
        *connection = engine.open(path.to_bytes(), flags)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn engine_close(engine: &EngineInstance, connection: u32) -> c_int {
    guarded(null_mut(), || engine.close(connection))
}

/// # Safety
///
/// A C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_load_extension(
    engine: &EngineInstance,
    connection: u32,
    name: *const c_char,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    let name = unsafe { CStr::from_ptr(name) };
    guarded(message, || engine.load_extension(connection, &name.to_string_lossy()))
}

#[unsafe(no_mangle)]
extern "C" fn engine_before_fork() {
    forks::before();
}

unsafe extern "C" {
    fn close(descriptor: c_int) -> c_int;
}

#[unsafe(no_mangle)]
extern "C" fn engine_after_fork(is_child: bool) {
    if is_child {
        // SAFETY: descriptors of instances that the child does not use.
        forks::after_in_child(|descriptor| _ = unsafe { close(descriptor) });
    } else {
        forks::after_in_parent();
    }
}

/// Perform calls. The reply is valid until the next one.
///
/// # Safety
///
/// `calls` has `count` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn engine_perform(
    engine: &EngineInstance,
    connection: u32,
    calls: *const u8,
    count: usize,
    reply: &mut *const u8,
    reply_count: &mut usize,
    message: *mut *mut c_char,
) -> c_int {
    // SAFETY: as above.
    let calls = unsafe { slice::from_raw_parts(calls, count) };
    guarded(message, || {
        (*reply, *reply_count) = engine.perform(connection, calls)?;
        Ok(())
    })
}
