//! Incremental blobs.

use std::ffi::{CString, c_int};
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_blob};

use super::super::abi::failure;
use super::kept;
use super::parked::{self, Place};
use super::refused;
use crate::host::dispatch::{SqlBlob, SqlError, SqlOpened};

/// How much of a blob goes along when it is opened: the bitmaps that extensions
/// keep in small ones.
const HEAD_BYTES: u32 = 256;

/// Open a blob.
///
/// # Safety
///
/// `db` is the connection that called the extension.
pub unsafe fn open(
    db: *mut sqlite3,
    extension: u32,
    place: SqlBlob,
    read_only: bool,
) -> Result<SqlOpened, SqlError> {
    if read_only && place.writable {
        return Err(failure(sqlite::SQLITE_AUTH, "it may only read; `sql` lets it write"));
    }
    // SAFETY: the caller's connection, and the blob that was opened on it.
    unsafe {
        let (place, blob) = match parked::take(db, extension, &place) {
            Some(parked) => parked,
            None => {
                let blob = opened_anew(db, &place)?;
                (Place { db, extension, blob: place }, blob)
            }
        };
        let size = sqlite::sqlite3_blob_bytes(blob) as u32;
        Ok(opened(extension, kept::keep_blob(place, blob), size))
    }
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn opened_anew(db: *mut sqlite3, place: &SqlBlob) -> Result<*mut sqlite3_blob, SqlError> {
    let name = |text: &str| {
        CString::new(text).map_err(|_| failure(sqlite::SQLITE_ERROR, "a name has a NUL"))
    };
    let (schema, table, column) = (name(&place.schema)?, name(&place.table)?, name(&place.column)?);
    let mut blob = null_mut();
    // SAFETY: the caller's connection and three C strings.
    unsafe {
        let code = sqlite::sqlite3_blob_open(
            db,
            schema.as_ptr(),
            table.as_ptr(),
            column.as_ptr(),
            place.row_id,
            place.writable.into(),
            &mut blob,
        );
        if code == sqlite::SQLITE_OK { Ok(blob) } else { Err(refused(db)) }
    }
}

/// What is told of a blob that was opened.
///
/// # Safety
///
/// The handle's connection is open.
unsafe fn opened(extension: u32, blob: u32, size: u32) -> SqlOpened {
    // Of a large one another part is wanted, most likely.
    let head = match size {
        // SAFETY: the caller's promise.
        0..=HEAD_BYTES => unsafe { read(extension, blob, 0, size) }.unwrap_or_default(),
        _ => Vec::new(),
    };
    SqlOpened { blob, size, head }
}

/// Go to another row.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn reopen(extension: u32, handle: u32, row_id: i64) -> Result<SqlOpened, SqlError> {
    let (db, blob) = kept::blob(extension, handle)?;
    // SAFETY: a kept blob is open.
    unsafe {
        let code = sqlite::sqlite3_blob_reopen(blob, row_id);
        kept::moved(handle, (code == sqlite::SQLITE_OK).then_some(row_id));
        match code {
            sqlite::SQLITE_OK => {
                Ok(opened(extension, handle, sqlite::sqlite3_blob_bytes(blob) as u32))
            }
            _ => Err(refused(db)),
        }
    }
}

/// Read a part.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn read(
    extension: u32,
    handle: u32,
    offset: u32,
    length: u32,
) -> Result<Vec<u8>, SqlError> {
    let (db, blob) = kept::blob(extension, handle)?;
    // SAFETY: a kept blob is open; SQLite fills the whole part or fails, and it
    // is no longer than the blob.
    unsafe {
        let size = sqlite::sqlite3_blob_bytes(blob) as u32;
        if offset.checked_add(length).is_none_or(|end| end > size) {
            return Err(failure(sqlite::SQLITE_ERROR, "it reads beyond the end of a blob"));
        }
        let mut bytes: Vec<u8> = Vec::with_capacity(length as usize);
        let data = bytes.as_mut_ptr();
        match sqlite::sqlite3_blob_read(blob, data.cast(), length as c_int, offset as c_int) {
            sqlite::SQLITE_OK => {
                bytes.set_len(length as usize);
                Ok(bytes)
            }
            _ => Err(refused(db)),
        }
    }
}

/// Write a part.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn write(extension: u32, handle: u32, offset: u32, data: &[u8]) -> Result<(), SqlError> {
    let (db, blob) = kept::blob(extension, handle)?;
    let too_far = || failure(sqlite::SQLITE_ERROR, "it writes beyond the end of a blob");
    let offset = c_int::try_from(offset).map_err(|_| too_far())?;
    // SAFETY: a kept blob is open; SQLite checks the range.
    unsafe {
        match sqlite::sqlite3_blob_write(blob, data.as_ptr().cast(), data.len() as c_int, offset) {
            sqlite::SQLITE_OK => Ok(()),
            _ => Err(refused(db)),
        }
    }
}
