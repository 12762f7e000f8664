//! `sqlite3_vfs`: SQLite's calls on names, and its clock and randomness.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::slice;
use std::time::{SystemTime, UNIX_EPOCH};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_file, sqlite3_int64, sqlite3_vfs};

use crate::extensions::load;
use crate::ffi::output::flush_output;
use crate::host::files::{self, AccessMode, ErrorCode, OpenFlags};
use crate::host::process;
use crate::paths::{MAX_PATH_BYTES, full_path};
use crate::vfs::database_file::DatabaseFile;
use crate::vfs::io_methods::Handle;
use crate::vfs::result_code::{Code, delete_code, open_code, to_c};

/// The name of the VFS, as `.vfslist` shows it.
pub const VFS_NAME: &CStr = c"wasm-host";

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
        xDlOpen: Some(load::open),
        xDlError: Some(load::error),
        xDlSym: Some(load::symbol),
        xDlClose: Some(load::close),
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
    sqlite::SQLITE_OK
}

/// # Safety
///
/// `name` is a C string that lives as long as the result.
unsafe fn bytes<'a>(name: *const c_char) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

const JOURNALS: c_int =
    sqlite::SQLITE_OPEN_MAIN_JOURNAL | sqlite::SQLITE_OPEN_SUPER_JOURNAL | sqlite::SQLITE_OPEN_WAL;

fn open_flags(flags: c_int) -> OpenFlags {
    [
        (sqlite::SQLITE_OPEN_READWRITE, OpenFlags::READ_WRITE),
        (sqlite::SQLITE_OPEN_CREATE, OpenFlags::CREATE),
        (sqlite::SQLITE_OPEN_EXCLUSIVE, OpenFlags::EXCLUSIVE),
        (sqlite::SQLITE_OPEN_DELETEONCLOSE, OpenFlags::DELETE_ON_CLOSE),
        (JOURNALS, OpenFlags::JOURNAL),
    ]
    .into_iter()
    .filter(|(mask, _)| flags & mask != 0)
    // Links were followed by xFullPathname; one that appears later is an attack.
    .fold(OpenFlags::NO_FOLLOW, |all, (_, flag)| all | flag)
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    handle: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives room for the handle, a name or null, and a place
    // for the flags or null.
    unsafe {
        Handle::clear(handle);
        let (file, out) = match opened(name, flags) {
            Ok(opened) => opened,
            Err(Code(code)) => return code,
        };
        Handle::fill(handle, file);
        if !out_flags.is_null() {
            *out_flags = out;
        }
    }
    sqlite::SQLITE_OK
}

/// # Safety
///
/// `name` is null or a file name from SQLite's pager.
unsafe fn opened(name: *const c_char, flags: c_int) -> Result<(DatabaseFile, c_int), Code> {
    if name.is_null() {
        let file = files::open_temporary().map_err(|e| open_code(e, false))?;
        return Ok((DatabaseFile::new(file, false), flags));
    }
    // SAFETY: SQLite's names are C strings.
    let path = unsafe { bytes(name) };
    let new_journal = flags & JOURNALS != 0 && flags & sqlite::SQLITE_OPEN_CREATE != 0;
    let opened = files::open(path, open_flags(flags)).map_err(|error| {
        if error == ErrorCode::NotGranted {
            flush_output();
            process::check_granted(path);
        }
        open_code(error, new_journal)
    })?;
    let out = if opened.read_only {
        flags & !(sqlite::SQLITE_OPEN_READWRITE | sqlite::SQLITE_OPEN_CREATE)
            | sqlite::SQLITE_OPEN_READONLY
    } else {
        flags
    };
    if flags & sqlite::SQLITE_OPEN_MAIN_DB == 0 {
        return Ok((DatabaseFile::new(opened.file, false), out));
    }
    // SAFETY: databases are opened by names that carry URI parameters.
    let parameter = |key: &CStr, otherwise| unsafe {
        sqlite::sqlite3_uri_boolean(name, key.as_ptr(), otherwise) != 0
    };
    let file = DatabaseFile::new(opened.file, true)
        .with_parameters(parameter(c"psow", 1), parameter(c"readonly_shm", 0));
    let file =
        if opened.shared_memory { file.sharing_memory() } else { file.without_shared_memory(path) };
    Ok((file, out))
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: SQLite gives a C string.
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
    // SAFETY: SQLite gives a C string and a place for the answer.
    unsafe {
        *found = c_int::from(files::access(bytes(name), mode));
    }
    sqlite::SQLITE_OK
}

unsafe extern "C" fn full_pathname(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite gives a C string.
    let resolved = match full_path(unsafe { bytes(name) }) {
        Ok(resolved) => resolved,
        Err(Code(code)) => return code,
    };
    let bytes = &resolved.path[..];
    if bytes.len() >= room as usize || bytes.contains(&0) {
        return sqlite::SQLITE_CANTOPEN;
    }
    // SAFETY: `out` has `room` bytes, more than the path and its NUL.
    unsafe {
        let out = slice::from_raw_parts_mut(out.cast::<u8>(), room as usize);
        out[..bytes.len()].copy_from_slice(bytes);
        out[bytes.len()] = 0;
    }
    if resolved.had_link { sqlite::SQLITE_OK_SYMLINK } else { sqlite::SQLITE_OK }
}

unsafe extern "C" {
    fn getentropy(buffer: *mut c_void, length: usize) -> c_int;
}

unsafe extern "C" fn randomness(_: *mut sqlite3_vfs, bytes: c_int, out: *mut c_char) -> c_int {
    /// `getentropy` gives no more at once.
    const MAX_ENTROPY_BYTES: c_int = 256;
    let bytes = bytes.min(MAX_ENTROPY_BYTES);
    // SAFETY: SQLite gives `bytes` bytes or more.
    match unsafe { getentropy(out.cast(), bytes as usize) } {
        0 => bytes,
        _ => 0,
    }
}

unsafe extern "C" fn sleep(_: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    process::sleep(microseconds.max(0) as u32);
    microseconds
}

/// Milliseconds since noon in Greenwich on November 24, 4714 B.C., by which
/// SQLite counts, at the start of 1970.
const UNIX_EPOCH_MS: i64 = 210_866_760_000_000;

fn julian_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH_MS + since_epoch.as_millis() as i64
}

unsafe extern "C" fn current_time_int64(_: *mut sqlite3_vfs, now: *mut sqlite3_int64) -> c_int {
    // SAFETY: SQLite gives a place for the time.
    unsafe { *now = julian_ms() };
    sqlite::SQLITE_OK
}

unsafe extern "C" fn current_time(_: *mut sqlite3_vfs, now: *mut f64) -> c_int {
    const MS_PER_DAY: f64 = 86_400_000.0;
    // SAFETY: SQLite gives a place for the time.
    unsafe { *now = julian_ms() as f64 / MS_PER_DAY };
    sqlite::SQLITE_OK
}

unsafe extern "C" fn last_error(_: *mut sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}
