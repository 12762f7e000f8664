//! Open blobs (`sqlite3_blob`).

use std::ffi::{CStr, c_int};
use std::ptr::{NonNull, null_mut};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_blob;
use wire::code;

use super::connection::Connection;

/// An open blob, closed when it is dropped. SQLite does not close a connection before its blobs.
pub struct Blob(NonNull<sqlite3_blob>);

impl Blob {
    /// As `sqlite3_blob_open`; none when that fails.
    pub fn open(
        db: &Connection,
        [schema, table, column]: [&CStr; 3],
        row_id: i64,
        is_writable: bool,
    ) -> Option<Self> {
        let (mut blob, flags) = (null_mut(), is_writable.into());
        // SAFETY: an open connection and C strings; SQLite stores null when it fails.
        unsafe {
            let (schema, table, column) = (schema.as_ptr(), table.as_ptr(), column.as_ptr());
            let db = db.as_ptr();
            sqlite::sqlite3_blob_open(db, schema, table, column, row_id, flags, &mut blob);
        }
        NonNull::new(blob).map(Self)
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        // SAFETY: the blob is open until it is dropped.
        unsafe { sqlite::sqlite3_blob_bytes(self.0.as_ptr()) as u32 }
    }

    /// Append `length` bytes from `offset` on to `bytes`, or none; the result code.
    pub fn read(&self, offset: u32, length: u32, bytes: &mut Vec<u8>) -> c_int {
        bytes.reserve(length as usize);
        let (start, rest) = (bytes.len(), bytes.spare_capacity_mut().as_mut_ptr());
        // SAFETY: the blob is open. The vector has room for `length` bytes more, all of which
        // SQLite fills when it succeeds.
        unsafe {
            let (length, offset) = (length as c_int, offset as c_int);
            let code = sqlite::sqlite3_blob_read(self.0.as_ptr(), rest.cast(), length, offset);
            if code == code::OK {
                bytes.set_len(start + length as usize);
            }
            code
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
