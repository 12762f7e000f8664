//! `sqlite3_io_methods`: SQLite's calls on an open file.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_file, sqlite3_int64, sqlite3_io_methods};
use wire::code;

use crate::host::shared_memory::{self, ShmLockKind};
use crate::result_code::{Code, to_c};
use crate::vfs::database_file::{DatabaseFile, Read};
use crate::vfs::wal_index::Region;

/// The name of the VFS, as `.vfslist` shows it.
pub const VFS_NAME: &CStr = c"wasm-host";

/// What SQLite allocates for each file: its own head, then ours.
#[repr(C)]
pub struct Handle {
    head: sqlite3_file,
    file: MaybeUninit<DatabaseFile>,
}

/// The native unix VFS's sector size (`SQLITE_DEFAULT_SECTOR_SIZE`), in bytes.
const SECTOR_BYTES: c_int = 4096;

/// For files that cannot be mapped. Version 1 promises no shared memory: SQLite then allows WAL in
/// exclusive locking mode only.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// For files that can be mapped.
static SHARING_METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
    ..METHODS
};

impl Handle {
    /// Set no methods, so that SQLite does not close the file: xOpen may fail.
    ///
    /// # Safety
    ///
    /// `handle` points to the memory that SQLite allocated for the file.
    pub unsafe fn clear(handle: *mut sqlite3_file) {
        // SAFETY: the caller's memory begins with the head.
        unsafe { (*handle).pMethods = std::ptr::null() };
    }

    /// Put `file` into the memory that SQLite allocated for it.
    ///
    /// # Safety
    ///
    /// `handle` points to `size_of::<Handle>()` bytes, suitably aligned.
    pub unsafe fn fill(handle: *mut sqlite3_file, file: DatabaseFile) {
        let handle = handle.cast::<Self>();
        let methods = if file.shares_memory() { &SHARING_METHODS } else { &METHODS };
        // SAFETY: the caller's memory has room for a `Handle`.
        unsafe {
            handle.write(Self {
                head: sqlite3_file { pMethods: methods },
                file: MaybeUninit::new(file),
            });
        }
    }
}

/// # Safety
///
/// `handle` was filled by [`Handle::fill`] and not closed; no other reference to it is alive.
unsafe fn open_file<'a>(handle: *mut sqlite3_file) -> &'a mut DatabaseFile {
    // SAFETY: the caller's promise.
    unsafe { (*handle.cast::<Handle>()).file.assume_init_mut() }
}

unsafe extern "C" fn close(handle: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite closes an open file once.
    unsafe {
        (*handle.cast::<Handle>()).file.assume_init_drop();
        Handle::clear(handle);
    }
    code::OK
}

unsafe extern "C" fn read(
    handle: *mut sqlite3_file,
    buffer: *mut c_void,
    bytes: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite reads from a file between xOpen and xClose, into a buffer of `bytes` bytes.
    let (file, buffer) =
        unsafe { (open_file(handle), slice::from_raw_parts_mut(buffer.cast(), bytes as usize)) };
    match file.read(buffer, offset as u64) {
        Ok(Read::Whole) => code::OK,
        Ok(Read::Short) => code::IOERR_SHORT_READ,
        Err(Code(code)) => code,
    }
}

unsafe extern "C" fn write(
    handle: *mut sqlite3_file,
    data: *const c_void,
    bytes: c_int,
    offset: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite writes `bytes` bytes to a file between xOpen and xClose.
    let (file, data) =
        unsafe { (open_file(handle), slice::from_raw_parts(data.cast(), bytes as usize)) };
    to_c(file.write(data, offset as u64))
}

/// Methods whose arguments are integers, or variables for a result.
macro_rules! methods {
    ($($name:ident($file:ident $(, $argument:ident: $kind:ty)*) $body:block)*) => {$(
        unsafe extern "C" fn $name(handle: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: SQLite calls one method of a file at a time, between xOpen and xClose.
            let $file = unsafe { open_file(handle) };
            $body
        }
    )*};
}

methods! {
    truncate(file, size: sqlite3_int64) { to_c(file.truncate(size as u64)) }

    sync(file, _flags: c_int) { to_c(file.sync()) }

    file_size(file, size: *mut sqlite3_int64) {
        // SAFETY: xFileSize has a variable for the size.
        unsafe { store(file.size().map(|bytes| bytes as sqlite3_int64), size) }
    }

    lock(file, level: c_int) { to_c(file.lock(level)) }

    unlock(file, level: c_int) { to_c(file.unlock(level)) }

    check_reserved_lock(file, found: *mut c_int) {
        // SAFETY: xCheckReservedLock has a variable for the result.
        unsafe { store(file.is_reserved().map(c_int::from), found) }
    }

    device_characteristics(file) { file.device_characteristics() }

    shm_map(
        file,
        region: c_int,
        bytes: c_int,
        extend: c_int,
        address: *mut *mut c_void
    ) {
        let (start, code) = match file.shm_map(region as usize, bytes as usize, extend != 0) {
            Ok(Region { address, read_only: true }) => (address, code::READONLY),
            Ok(Region { address, read_only: false }) => (address, code::OK),
            Err(Code(code)) => (null_mut(), code),
        };
        // SAFETY: xShmMap has a variable for the address.
        unsafe { *address = start.cast() };
        code
    }

    shm_lock(file, first: c_int, count: c_int, flags: c_int) {
        let how = if flags & sqlite::SQLITE_SHM_UNLOCK != 0 {
            ShmLockKind::None
        } else if flags & sqlite::SQLITE_SHM_SHARED != 0 {
            ShmLockKind::Shared
        } else {
            ShmLockKind::Exclusive
        };
        to_c(file.shm_lock(first as u32, count as u32, how))
    }

    shm_unmap(file, delete: c_int) {
        file.shm_unmap(delete != 0);
        code::OK
    }

    fetch(file, offset: sqlite3_int64, bytes: c_int, address: *mut *mut c_void) {
        let fetched = file.fetch(offset as u64, bytes as usize);
        // SAFETY: xFetch has a variable for the address.
        unsafe { store(fetched.map(|start| start.cast()), address) }
    }

    unfetch(file, _offset: sqlite3_int64, address: *mut c_void) {
        if address.is_null() { file.forget_map() } else { file.unfetch() }
        code::OK
    }
}

unsafe extern "C" fn sector_size(_: *mut sqlite3_file) -> c_int {
    SECTOR_BYTES
}

unsafe extern "C" fn shm_barrier(_: *mut sqlite3_file) {
    shared_memory::shm_barrier();
}

unsafe extern "C" fn file_control(
    handle: *mut sqlite3_file,
    operation: c_int,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: SQLite passes a file between xOpen and xClose, and for each operation the argument
    // that sqlite3.h names.
    unsafe {
        let file = open_file(handle);
        match operation {
            sqlite::SQLITE_FCNTL_LOCKSTATE => *argument.cast() = file.lock_state(),
            sqlite::SQLITE_FCNTL_CHUNK_SIZE => file.set_chunk(*argument.cast()),
            sqlite::SQLITE_FCNTL_SIZE_HINT => {
                return to_c(file.hint_size((*argument.cast::<sqlite3_int64>()).max(0) as u64));
            }
            sqlite::SQLITE_FCNTL_POWERSAFE_OVERWRITE => {
                file.powersafe_overwrite(&mut *argument.cast());
            }
            sqlite::SQLITE_FCNTL_PERSIST_WAL => file.persist_wal(&mut *argument.cast()),
            sqlite::SQLITE_FCNTL_VFSNAME => {
                *argument.cast() = sqlite::sqlite3_mprintf(VFS_NAME.as_ptr());
            }
            sqlite::SQLITE_FCNTL_PRAGMA => {
                // The result, the name and the value.
                let words = argument.cast::<*const c_char>();
                file.note_pragma(&word(*words.add(1)), &word(*words.add(2)));
                return code::NOTFOUND;
            }
            sqlite::SQLITE_FCNTL_MMAP_SIZE => {
                let bytes = argument.cast::<sqlite3_int64>();
                *bytes = file.limit_map(*bytes);
            }
            sqlite::SQLITE_FCNTL_EXTERNAL_READER => {
                return store(file.has_reader().map(c_int::from), argument.cast());
            }
            sqlite::SQLITE_FCNTL_HAS_MOVED => *argument.cast() = c_int::from(file.has_moved()),
            _ => return code::NOTFOUND,
        }
    }
    code::OK
}

/// # Safety
///
/// `text` is null or a C string that lives as long as the result.
unsafe fn word<'a>(text: *const c_char) -> Cow<'a, str> {
    if text.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// # Safety
///
/// `out` may be written.
unsafe fn store<T>(result: Result<T, Code>, out: *mut T) -> c_int {
    to_c(result.map(|value| {
        // SAFETY: the caller's variable.
        unsafe { out.write(value) }
    }))
}
