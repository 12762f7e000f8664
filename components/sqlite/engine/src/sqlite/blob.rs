//! Open blobs (`sqlite3_blob`).

use std::ffi::{CStr, c_int};
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_blob;
use wire::code;

use super::connection::Connection;
use crate::room::{self, NoMemory};

/// An open blob, closed when it is dropped. SQLite does not close a connection before its blobs.
pub struct Blob(NonNull<sqlite3_blob>);

impl Blob {
    /// As `sqlite3_blob_open`. Returns the result code, and after a success the blob.
    pub fn open(
        db: &Connection,
        names: [Option<&CStr>; 3],
        row_id: i64,
        flags: c_int,
    ) -> (c_int, Option<Self>) {
        let mut blob = null_mut();
        let [schema, table, column] = names.map(|name| name.map_or(null(), CStr::as_ptr));
        let db = db.as_ptr();
        // SAFETY: an open connection and C strings; SQLite stores null when it fails.
        let code = unsafe {
            sqlite::sqlite3_blob_open(db, schema, table, column, row_id, flags, &mut blob)
        };
        (code, NonNull::new(blob).map(Self))
    }

    /// # Safety
    ///
    /// A blob that is open, and that the caller closes.
    pub unsafe fn from_ptr(blob: NonNull<sqlite3_blob>) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self(blob))
    }

    pub fn as_ptr(&self) -> *mut sqlite3_blob {
        self.0.as_ptr()
    }

    /// As `sqlite3_blob_close`.
    pub fn close(self) -> c_int {
        let blob = ManuallyDrop::new(self);
        // SAFETY: the blob is closed once.
        unsafe { sqlite::sqlite3_blob_close(blob.0.as_ptr()) }
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        // SAFETY: the blob is open until it is dropped.
        unsafe { sqlite::sqlite3_blob_bytes(self.0.as_ptr()) as u32 }
    }

    /// Append `count` bytes from `offset` on to `bytes`, or none. Returns the result code.
    ///
    /// # Errors
    ///
    /// There is no memory for the bytes.
    pub fn read(
        &self,
        offset: c_int,
        count: c_int,
        bytes: &mut Vec<u8>,
    ) -> Result<c_int, NoMemory> {
        let is_inside = offset >= 0
            && count >= 0
            && i64::from(offset) + i64::from(count) <= i64::from(self.size());
        let more = if is_inside { count as usize } else { 0 };
        room::reserve(bytes, more)?;
        let (start, rest) = (bytes.len(), bytes.spare_capacity_mut().as_mut_ptr());
        // SAFETY: the blob is open. SQLite writes `more` bytes, for which the vector has room, or none
        // when it fails, as it does for a range that is not inside.
        unsafe {
            let code = sqlite::sqlite3_blob_read(self.0.as_ptr(), rest.cast(), count, offset);
            if code == code::OK {
                bytes.set_len(start + more);
            }
            Ok(code)
        }
    }

    /// Whether its row is as it was when the blob was opened.
    pub fn is_valid(&self) -> bool {
        // SAFETY: the blob is open. Reading no bytes fails if the row was changed or is gone.
        unsafe { sqlite::sqlite3_blob_read(self.0.as_ptr(), null_mut(), 0, 0) == code::OK }
    }

    /// As `sqlite3_blob_write`.
    pub fn write(&self, offset: c_int, data: &[u8]) -> c_int {
        let (start, length) = (data.as_ptr().cast(), data.len() as c_int);
        // SAFETY: the blob is open; SQLite checks the range in it.
        unsafe { sqlite::sqlite3_blob_write(self.0.as_ptr(), start, length, offset) }
    }

    /// As `sqlite3_blob_reopen`.
    pub fn reopen(&self, row_id: i64) -> c_int {
        // SAFETY: the blob is open, also after a failure, when it can only be closed or reopened.
        unsafe { sqlite::sqlite3_blob_reopen(self.0.as_ptr(), row_id) }
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        // SAFETY: the blob is open and closed once.
        unsafe { sqlite::sqlite3_blob_close(self.0.as_ptr()) };
    }
}
