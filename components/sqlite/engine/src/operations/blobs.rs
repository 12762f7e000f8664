//! Incremental blobs.

use std::ffi::c_int;
use std::rc::Rc;

use wire::{BlobLocation, Opened, Writer, code};

use super::Caller;
use super::access;
use super::blob_cache::{self, BlobKey};
use super::open_handles;
use crate::host::dispatch::SqlError;
use crate::sqlite::blob::Blob;
use crate::sqlite::error::failure;

/// How many bytes of a blob the reply to opening it contains: enough for the bitmaps that
/// extensions store in small blobs.
const HEAD_BYTES: u32 = 256;

/// Open a blob, and describe it.
pub fn open(
    caller: Caller,
    location: BlobLocation,
    is_first: bool,
    reply: &mut Writer,
) -> Result<(), SqlError> {
    let Caller { db, extension, .. } = caller;
    let BlobLocation { is_writable, ends_with_call, row_id, schema, table, column, .. } = location;
    if is_writable {
        access::check_write()?;
    }
    let (key, blob) = match blob_cache::take(db, extension, location) {
        Some(cached) => cached,
        None => {
            let names = [schema, table, column].map(Some);
            let (_, blob) = Blob::open(db, names, row_id, is_writable.into());
            let blob = blob.ok_or_else(|| access::last_error(db))?;
            (BlobKey::new(db, extension, location), Rc::new(blob))
        }
    };
    let handle = open_handles::add_blob(key, blob.clone(), ends_with_call)?;
    describe(handle, &blob, is_first, reply);
    Ok(())
}

/// Write a blob's handle and size, and the first bytes of the first blob. Of a large blob the
/// caller probably needs another part.
fn describe(handle: u32, blob: &Blob, is_first: bool, reply: &mut Writer) {
    let size = blob.size();
    Opened { blob: Some(handle), size }.put(reply);
    let mut head = Vec::new();
    if is_first && size <= HEAD_BYTES {
        // If this fails, the caller reads the bytes again, and gets the error.
        let _ = blob.read(0, size.cast_signed(), &mut head);
    }
    reply.bytes(&head);
}

/// The reply for a blob that does not exist.
pub fn describe_none(reply: &mut Writer) {
    Opened::default().put(reply);
    reply.bytes(&[]);
}

/// Move to another row.
pub fn reopen(caller: Caller, handle: u32, row_id: i64) -> Result<Vec<u8>, SqlError> {
    let blob = open_handles::blob(caller.extension, handle)?;
    let is_open = blob.reopen(row_id) == code::OK;
    open_handles::set_row(handle, is_open.then_some(row_id));
    if !is_open {
        return Err(access::last_error(caller.db));
    }
    let mut reply = Writer::default();
    describe(handle, &blob, true, &mut reply);
    Ok(reply.0)
}

/// Read a part.
pub fn read(caller: Caller, handle: u32, offset: u32, length: u32) -> Result<Vec<u8>, SqlError> {
    let blob = open_handles::blob(caller.extension, handle)?;
    if offset.checked_add(length).is_none_or(|end| end > blob.size()) {
        return Err(failure(code::ERROR, "it reads beyond the end of a blob"));
    }
    let mut bytes = Vec::new();
    match blob.read(offset.cast_signed(), length.cast_signed(), &mut bytes)? {
        code::OK => Ok(bytes),
        _ => Err(access::last_error(caller.db)),
    }
}

/// Write a part.
pub fn write(caller: Caller, handle: u32, offset: u32, data: &[u8]) -> Result<(), SqlError> {
    access::check_write()?;
    let blob = open_handles::blob(caller.extension, handle)?;
    let beyond = |_| failure(code::ERROR, "it writes beyond the end of a blob");
    match blob.write(c_int::try_from(offset).map_err(beyond)?, data) {
        code::OK => Ok(()),
        _ => Err(access::last_error(caller.db)),
    }
}
