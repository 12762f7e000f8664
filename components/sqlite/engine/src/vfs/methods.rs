//! `sqlite3_vfs`: SQLite's calls on names, and its clock and randomness.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;
use std::ptr::{null, null_mut};
use std::slice;
use std::time::{SystemTime, UNIX_EPOCH};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_api_routines, sqlite3_file, sqlite3_int64, sqlite3_vfs};
use wire::code;

use super::io_methods::{Handle, VFS_NAME};
use super::open;
use crate::extensions::load;
use crate::host::dispatch::Loaded;
use crate::host::files::{self, AccessMode};
use crate::host::process;
use crate::paths::{MAX_PATH_BYTES, full_path};
use crate::result_code::{Code, delete_code, to_c};
use crate::sqlite::connection::{Connection, sqlite_text};
use crate::sqlite::error::c_text;

/// Called by SQLite when it initialises (`SQLITE_OS_OTHER`): register the VFS.
#[unsafe(no_mangle)]
pub extern "C" fn sqlite3_os_init() -> c_int {
    let vfs = Box::new(sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<Handle>() as c_int,
        mxPathname: MAX_PATH_BYTES as c_int,
        pNext: null_mut(),
        zName: VFS_NAME.as_ptr(),
        pAppData: null_mut(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        xDlOpen: Some(library_open),
        xDlError: Some(library_error),
        xDlSym: Some(library_symbol),
        xDlClose: Some(library_close),
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: Some(current_time_int64),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    });
    // SAFETY: the VFS is never freed, as SQLite demands.
    unsafe { sqlite::sqlite3_vfs_register(Box::into_raw(vfs), 1) }
}

/// Called by SQLite when it shuts down.
#[unsafe(no_mangle)]
pub extern "C" fn sqlite3_os_end() -> c_int {
    code::OK
}

/// # Safety
///
/// `name` is a C string that lives as long as the result.
unsafe fn bytes<'a>(name: *const c_char) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    handle: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes room for the handle, null or a C string, and a variable or null. Names
    // of databases carry URI parameters, and only their parameters are looked up.
    unsafe {
        Handle::clear(handle);
        let parameter = |key: &CStr, default| {
            sqlite::sqlite3_uri_boolean(name, key.as_ptr(), c_int::from(default)) != 0
        };
        let opened = if name.is_null() {
            open::open_temporary().map(|file| (file, flags))
        } else {
            open::open(bytes(name), flags, parameter)
        };
        let (file, flags) = match opened {
            Ok(opened) => opened,
            Err(Code(code)) => return code,
        };
        Handle::fill(handle, file);
        if !out_flags.is_null() {
            *out_flags = flags;
        }
    }
    code::OK
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: xDelete has the name of a file.
    let path = unsafe { bytes(name) };
    to_c(files::delete(path, sync & 1 != 0).map_err(delete_code))
}

unsafe extern "C" fn access(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    found: *mut c_int,
) -> c_int {
    let mode = match flags {
        sqlite::SQLITE_ACCESS_READWRITE => AccessMode::ReadWrite,
        _ => AccessMode::Exists,
    };
    // SAFETY: xAccess has the name of a file and a variable for the result.
    unsafe {
        *found = c_int::from(files::access(bytes(name), mode));
    }
    code::OK
}

unsafe extern "C" fn full_pathname(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: xFullPathname has a name.
    let resolved = match full_path(unsafe { bytes(name) }) {
        Ok(resolved) => resolved,
        Err(Code(code)) => return code,
    };
    let bytes = &resolved.path[..];
    if bytes.len() >= room as usize || bytes.contains(&0) {
        return code::CANTOPEN;
    }
    // SAFETY: `out` has `room` bytes, more than the path and its NUL.
    unsafe {
        let out = slice::from_raw_parts_mut(out.cast::<u8>(), room as usize);
        out[..bytes.len()].copy_from_slice(bytes);
        out[bytes.len()] = 0;
    }
    if resolved.had_link { code::OK_SYMLINK } else { code::OK }
}

thread_local! {
    /// Why the last library could not be opened.
    static LIBRARY_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    /// The library whose entry point SQLite is about to call.
    static LIBRARY: Cell<*const Loaded> = const { Cell::new(null()) };
}

/// xDlOpen: the library is a boxed [`Loaded`].
unsafe extern "C" fn library_open(_: *mut sqlite3_vfs, name: *const c_char) -> *mut c_void {
    // SAFETY: SQLite passes a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    // SQLite tries again with this ending; the first try has the message.
    if name.ends_with(".so") {
        return null_mut();
    }
    match load::load(&name) {
        Ok(loaded) => Box::into_raw(Box::new(loaded)).cast(),
        Err(error) => {
            LIBRARY_ERROR.set(error);
            null_mut()
        }
    }
}

unsafe extern "C" fn library_error(_: *mut sqlite3_vfs, room: c_int, out: *mut c_char) {
    let error = LIBRARY_ERROR.with_borrow(|error| c_text(&error.replace('\0', "")));
    // SAFETY: SQLite passes `room` bytes; the format takes one C string.
    unsafe { sqlite::sqlite3_snprintf(room, out, c"%s".as_ptr(), error.as_ptr()) };
}

type Symbol = unsafe extern "C" fn(*mut sqlite3_vfs, *mut c_void, *const c_char);
type EntryPoint =
    unsafe extern "C" fn(*mut sqlite3, *mut *mut c_char, *const sqlite3_api_routines) -> c_int;

/// xDlSym: all libraries have one entry point, which finds its library where this stores it.
unsafe extern "C" fn library_symbol(
    _: *mut sqlite3_vfs,
    library: *mut c_void,
    _: *const c_char,
) -> Option<Symbol> {
    LIBRARY.set(library.cast());
    // SAFETY: SQLite casts it back to the type of an entry point.
    Some(unsafe { mem::transmute::<EntryPoint, Symbol>(entry_point) })
}

unsafe extern "C" fn entry_point(
    db: *mut sqlite3,
    error: *mut *mut c_char,
    _: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite calls it right after xDlSym, with the library open, an open connection and a
    // variable for a text in memory of SQLite.
    unsafe {
        match load::connect(Connection::from_ptr(db), &*LIBRARY.get()) {
            Ok(()) => code::OK,
            Err(failure) => {
                *error = sqlite_text(&failure.message.replace('\0', ""));
                failure.code
            }
        }
    }
}

unsafe extern "C" fn library_close(_: *mut sqlite3_vfs, library: *mut c_void) {
    // SAFETY: `library_open` has boxed it, and SQLite closes it once.
    drop(unsafe { Box::from_raw(library.cast::<Loaded>()) });
}

unsafe extern "C" {
    fn getentropy(buffer: *mut c_void, length: usize) -> c_int;
}

unsafe extern "C" fn randomness(_: *mut sqlite3_vfs, bytes: c_int, out: *mut c_char) -> c_int {
    /// The limit of `getentropy`.
    const MAX_ENTROPY_BYTES: c_int = 256;
    let bytes = bytes.min(MAX_ENTROPY_BYTES);
    // SAFETY: xRandomness has room for `bytes` bytes or more.
    match unsafe { getentropy(out.cast(), bytes as usize) } {
        0 => bytes,
        _ => 0,
    }
}

unsafe extern "C" fn sleep(_: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    process::sleep(microseconds.max(0) as u32);
    microseconds
}

/// Milliseconds since noon in Greenwich on November 24, 4714 B.C., which SQLite counts, at the
/// start of 1970.
const UNIX_EPOCH_MS: i64 = 210_866_760_000_000;

fn julian_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH_MS + since_epoch.as_millis() as i64
}

unsafe extern "C" fn current_time_int64(_: *mut sqlite3_vfs, now: *mut sqlite3_int64) -> c_int {
    // SAFETY: the callback has a variable for the time.
    unsafe { *now = julian_ms() };
    code::OK
}

unsafe extern "C" fn current_time(_: *mut sqlite3_vfs, now: *mut f64) -> c_int {
    const MS_PER_DAY: f64 = 86_400_000.0;
    // SAFETY: the callback has a variable for the time.
    unsafe { *now = julian_ms() as f64 / MS_PER_DAY };
    code::OK
}

unsafe extern "C" fn last_error(_: *mut sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}
