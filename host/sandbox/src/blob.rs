//! Incremental blobs.

use std::io::{self, Read, Seek, SeekFrom, Write};

use runtime::database::wire::{Opened, Operations, Reader};

use crate::connection::Connection;
use crate::error::{Error, Result};

/// Maximum size of one request, in bytes: several copies of them are in memory at a time.
const MAX_PIECE: usize = 1 << 20;

/// An open text or blob of a row, which is read and written in pieces.
///
/// ```
/// # use sqlite_sandbox::Database;
/// # use std::io::{Read, Write};
/// # let database = Database::builder().component("../../target/release/database.cwasm").build()?;
/// let db = database.open_in_memory()?;
/// db.execute_batch("CREATE TABLE file(content BLOB); INSERT INTO file VALUES (zeroblob(4))")?;
/// db.blob_open("main", "file", "content", 1, false)?.write_all(b"ab").unwrap();
/// let mut content = Vec::new();
/// db.blob_open("main", "file", "content", 1, true)?.read_to_end(&mut content).unwrap();
/// assert_eq!(content, b"ab\0\0");
/// # Ok::<(), sqlite_sandbox::Error>(())
/// ```
#[derive(Debug)]
pub struct Blob<'conn> {
    db: &'conn Connection,
    handle: u32,
    size: usize,
    position: usize,
}

impl Connection {
    /// Open a text or blob of a row.
    ///
    /// # Errors
    ///
    /// SQLite's: `SQLITE_ERROR` if it does not exist, and `SQLITE_READONLY`.
    pub fn blob_open(
        &self,
        schema: &str,
        table: &str,
        column: &str,
        row_id: i64,
        read_only: bool,
    ) -> Result<Blob<'_>> {
        let operations =
            Operations::default().open_blob([schema, table, column], row_id, !read_only);
        let (handle, size) = self.client.request(&operations, opened)?;
        Ok(Blob { db: self, handle, size, position: 0 })
    }
}

fn opened(reply: &mut Reader) -> Result<(u32, usize)> {
    let Opened { blob, size } = Opened::read(reply)?;
    Ok((blob.ok_or(Error::MalformedReply)?, size as usize))
}

impl Blob<'_> {
    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Move it to the same column of another row.
    ///
    /// # Errors
    ///
    /// SQLite's; afterwards it can only be closed or reopened.
    pub fn reopen(&mut self, row_id: i64) -> Result<()> {
        let operations = Operations::default().reopen_blob(self.handle, row_id);
        (_, self.size) = self.db.client.request(&operations, opened)?;
        self.position = 0;
        Ok(())
    }

    /// Fill `to` with the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// [`Error::BlobSizeError`] beyond the end; SQLite's: `SQLITE_ABORT` if the row has changed.
    pub fn read_at_exact(&self, to: &mut [u8], offset: usize) -> Result<()> {
        self.check(to.len(), offset)?;
        for (index, piece) in to.chunks_mut(MAX_PIECE).enumerate() {
            let at = (offset + index * MAX_PIECE) as u32;
            let operations = Operations::default().read(self.handle, at, piece.len() as u32);
            self.db.client.request(&operations, |reply| {
                if reply.0.len() == piece.len() {
                    piece.copy_from_slice(reply.0);
                    Ok(())
                } else {
                    Err(Error::MalformedReply)
                }
            })?;
        }
        Ok(())
    }

    /// Write all of `data` at `offset`; this cannot make the blob longer.
    ///
    /// # Errors
    ///
    /// As [`Self::read_at_exact`].
    pub fn write_all_at(&mut self, data: &[u8], offset: usize) -> Result<()> {
        self.check(data.len(), offset)?;
        for (index, piece) in data.chunks(MAX_PIECE).enumerate() {
            let at = (offset + index * MAX_PIECE) as u32;
            let operations = Operations::default().write(self.handle, at, piece);
            self.db.client.perform(&operations, &mut Vec::new())?;
        }
        Ok(())
    }

    fn check(&self, length: usize, offset: usize) -> Result<()> {
        match offset.checked_add(length) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Error::BlobSizeError),
        }
    }

    /// Close it.
    ///
    /// # Errors
    ///
    /// None: everything has been written before.
    pub fn close(self) -> Result<()> {
        Ok(())
    }
}

impl Read for Blob<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = to.len().min(self.size.saturating_sub(self.position)).min(MAX_PIECE);
        self.read_at_exact(&mut to[..count], self.position).map_err(io::Error::other)?;
        self.position += count;
        Ok(count)
    }
}

impl Write for Blob<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = data.len().min(self.size.saturating_sub(self.position)).min(MAX_PIECE);
        self.write_all_at(&data[..count], self.position).map_err(io::Error::other)?;
        self.position += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Blob<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => i64::try_from(position).ok(),
            SeekFrom::Current(by) => (self.position as i64).checked_add(by),
            SeekFrom::End(by) => (self.size as i64).checked_add(by),
        };
        let position = position.and_then(|position| usize::try_from(position).ok());
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position as u64)
    }
}

impl Drop for Blob<'_> {
    fn drop(&mut self) {
        // Closed at once, as a transaction cannot end while a blob is open.
        let operations = Operations::default().close(self.handle);
        let _ = self.db.client.perform(&operations, &mut Vec::new());
    }
}
