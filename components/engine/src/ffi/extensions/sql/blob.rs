//! Incremental blobs.

use std::ffi::c_int;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_blob};

use super::super::abi::failure;
use super::access;
use super::kept;
use super::parked::{self, Place};
use super::refused;
use super::work::{Asker, BlobPlace};
use crate::host::dispatch::SqlError;

/// How much of a blob goes along when it is opened: the bitmaps that extensions
/// keep in small ones.
const HEAD_BYTES: usize = 256;

/// Open a blob, and tell of it.
///
/// # Safety
///
/// The asker's connection is the one that called it.
pub unsafe fn open(
    asker: Asker,
    place: BlobPlace,
    is_first: bool,
    reply: &mut Vec<u8>,
) -> Result<(), SqlError> {
    let Asker { db, extension } = asker;
    if place.is_writable {
        access::check_write()?;
    }
    // SAFETY: the caller's connection, and the blob that was opened on it.
    unsafe {
        let (place, blob) = match parked::take(db, extension, place) {
            Some(parked) => parked,
            None => (Place::new(db, extension, place), opened_anew(db, place)?),
        };
        let handle = kept::keep_blob(place, blob);
        if handle.is_err() {
            sqlite::sqlite3_blob_close(blob);
        }
        tell(handle?, blob, is_first, reply);
    }
    Ok(())
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn opened_anew(db: *mut sqlite3, place: BlobPlace) -> Result<*mut sqlite3_blob, SqlError> {
    let mut blob = null_mut();
    // SAFETY: the caller's connection and three C strings.
    unsafe {
        let code = sqlite::sqlite3_blob_open(
            db,
            place.schema.as_ptr(),
            place.table.as_ptr(),
            place.column.as_ptr(),
            place.row_id,
            place.is_writable.into(),
            &mut blob,
        );
        if code == sqlite::SQLITE_OK { Ok(blob) } else { Err(refused(db)) }
    }
}

/// What is told of a blob that was opened, and of the first one how it begins.
///
/// # Safety
///
/// It is open.
unsafe fn tell(handle: u32, blob: *mut sqlite3_blob, is_first: bool, reply: &mut Vec<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        let size = sqlite::sqlite3_blob_bytes(blob) as u32;
        for number in [handle + 1, size, 0] {
            reply.extend_from_slice(&number.to_le_bytes());
        }
        // Of a large one another part is wanted, most likely.
        if is_first && size as usize <= HEAD_BYTES {
            reply.reserve(HEAD_BYTES);
            let (place, head) = (reply.len(), reply.spare_capacity_mut().as_mut_ptr());
            let code = sqlite::sqlite3_blob_read(blob, head.cast(), size as c_int, 0);
            if code == sqlite::SQLITE_OK {
                reply.set_len(place + size as usize);
                reply[place - 4..place].copy_from_slice(&size.to_le_bytes());
            }
        }
        reply.push(0);
    }
}

/// Of a blob that is not there.
pub fn tell_none(reply: &mut Vec<u8>) {
    reply.extend_from_slice(&[0; 13]);
}

/// Go to another row.
///
/// # Safety
///
/// The handle's connection is open.
pub unsafe fn reopen(extension: u32, handle: u32, row_id: i64) -> Result<Vec<u8>, SqlError> {
    let (db, blob) = kept::blob(extension, handle)?;
    // SAFETY: a kept blob is open.
    unsafe {
        let code = sqlite::sqlite3_blob_reopen(blob, row_id);
        kept::moved(handle, (code == sqlite::SQLITE_OK).then_some(row_id));
        match code {
            sqlite::SQLITE_OK => {
                let mut reply = Vec::new();
                tell(handle, blob, true, &mut reply);
                Ok(reply)
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
