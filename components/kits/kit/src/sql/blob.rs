//! Blobs that are read and written in parts.

use std::cell::Cell;

use wire::{Opened, Operations, Reader};

use super::{later, none, request};
use crate::Result;

/// An open blob of a row.
#[derive(Debug)]
pub struct Blob {
    handle: u32,
    size: u32,
    writable: bool,
    /// The first bytes, valid while `REQUESTS` equals `read_at`.
    head: Vec<u8>,
    read_at: u64,
}

thread_local! {
    /// How many requests and writes there were: results of reading stay valid until this changes.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

/// Called before SQL runs.
pub fn requested() {
    REQUESTS.set(REQUESTS.get() + 1);
}

impl Blob {
    /// Open the blob in a column of the row `row_id`.
    ///
    /// # Errors
    ///
    /// SQLite's error.
    pub fn open(
        schema: &str,
        table: &str,
        column: &str,
        row_id: i64,
        writable: bool,
    ) -> Result<Self> {
        let operations = none().open_blob([schema, table, column], row_id, writable);
        let Reply { handle, size, head } = Reply::to(operations)?;
        Ok(Self { handle, size, writable, head, read_at: REQUESTS.get() })
    }

    /// Its size in bytes.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Read `length` bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// SQLite's error, also beyond the end.
    pub fn read(&self, offset: u32, length: u32) -> Result<Vec<u8>> {
        if let Some(known) = self.known(offset, length) {
            return Ok(known.to_vec());
        }
        let bytes = request(none().read(self.handle, offset, length))?;
        if bytes.len() == length as usize { Ok(bytes) } else { Err(wire::Error::Malformed.into()) }
    }

    /// A part that came with the reply to opening it.
    fn known(&self, offset: u32, length: u32) -> Option<&[u8]> {
        let part = self.head.get(offset as usize..offset.checked_add(length)? as usize)?;
        (self.read_at == REQUESTS.get()).then_some(part)
    }

    /// Overwrite the bytes from `offset` on. SQLite does so with the next request, or at the end of
    /// the extension's call, which then fails if the write fails.
    ///
    /// # Errors
    ///
    /// SQLite's error, also beyond the end.
    pub fn write(&self, offset: u32, data: &[u8]) -> Result<()> {
        requested();
        let operations = none().write(self.handle, offset, data);
        let is_inside = u64::from(offset) + data.len() as u64 <= self.size.into();
        if self.writable && is_inside {
            later(operations)
        } else {
            // A failure belongs to this call.
            request(operations).map(drop)
        }
    }

    /// Move to another row of the same column.
    ///
    /// # Errors
    ///
    /// SQLite's error.
    pub fn reopen(&mut self, row_id: i64) -> Result<()> {
        let Reply { size, head, .. } = Reply::to(none().reopen_blob(self.handle, row_id))?;
        (self.size, self.head, self.read_at) = (size, head, REQUESTS.get());
        Ok(())
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        let _ = later(none().close(self.handle));
    }
}

/// SQLite's reply to opening a blob.
struct Reply {
    handle: u32,
    size: u32,
    head: Vec<u8>,
}

impl Reply {
    fn to(operations: Operations) -> Result<Self> {
        let reply = request(operations)?;
        let mut reply = Reader(&reply);
        let Opened { blob, size } = Opened::read(&mut reply)?;
        let handle = blob.ok_or(wire::Error::Malformed)?;
        Ok(Self { handle, size, head: reply.bytes()?.to_vec() })
    }
}
