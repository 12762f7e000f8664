//! A database file that is mapped as a whole (`PRAGMA mmap_size`), after the native unix VFS
//! (`unixMapfile`, `unixFetch`).

use std::ptr::null_mut;

use crate::ffi::libc::ReservedMemory;
use crate::host::files::File;
use crate::host::shared_memory;

/// Largest part of a file that is mapped, in bytes: SQLite's own bound where it has one,
/// `SQLITE_MAX_MMAP_SIZE`, which `.cargo/config.toml` sets. It is half of what a component can
/// address.
pub const MAX_MAP_BYTES: i64 = 0x7fff_0000;

/// The host takes no larger piece of memory in one call, in bytes.
const MAX_PIECE_BYTES: usize = 64 << 20;

/// How many bytes SQLite may read behind a damaged page.
const OVERREAD_BYTES: u64 = 256;

/// A file as it is mapped, from its beginning on.
#[derive(Default)]
pub struct Mapped {
    /// `PRAGMA mmap_size`, in bytes.
    limit: i64,
    memory: Option<ReservedMemory>,
    /// How much of the file may be used; 0 when that is not known.
    bytes: u64,
    /// How many addresses that [`Mapped::fetch`] returned are still used.
    uses: u32,
}

impl Mapped {
    /// Whether the file is to be mapped, and its size matters.
    pub fn needs_map(&self) -> bool {
        self.limit > 0 && self.bytes == 0
    }

    /// Whether nothing is gained by mapping a file of `size` bytes.
    pub fn reaches(&self, size: u64) -> bool {
        self.limit == 0 || size <= self.bytes
    }

    /// Map `file`, which has `size` bytes. Where that fails, it is read.
    pub fn map(&mut self, file: File, size: u64) {
        let bytes = size.min(self.limit as u64);
        if bytes == 0 || self.uses > 0 {
            return;
        }
        if self.memory.as_ref().is_none_or(|memory| memory.bytes() < bytes) {
            self.release(file);
            // Room to grow: the memory seldom changes then.
            self.memory = ReservedMemory::new((bytes + bytes / 4).min(self.limit as u64) as usize);
        }
        let mapped = self.memory.as_ref().is_some_and(|memory| {
            let pieces = memory.as_list().chunks(MAX_PIECE_BYTES);
            let offsets = (0..).step_by(MAX_PIECE_BYTES);
            pieces.zip(offsets).all(|(piece, at)| shared_memory::map_file(file, at, piece).is_ok())
        });
        if mapped {
            self.bytes = bytes;
        } else {
            // It would fail again.
            self.release(file);
            self.limit = 0;
        }
    }

    /// Where `bytes` bytes from `offset` on are; null when they are not mapped.
    pub fn fetch(&mut self, offset: u64, bytes: usize) -> *mut u8 {
        match &self.memory {
            Some(memory) if offset + bytes as u64 + OVERREAD_BYTES <= self.bytes => {
                self.uses += 1;
                memory.at(offset as usize)
            }
            _ => null_mut(),
        }
    }

    /// One address that [`Self::fetch`] returned is not used any more.
    pub fn unfetch(&mut self) {
        self.uses -= 1;
    }

    /// Map the file again before its next use.
    pub fn forget(&mut self) {
        self.bytes = 0;
    }

    /// The file was cut to `size` bytes.
    pub fn cut(&mut self, size: u64) {
        self.bytes = self.bytes.min(size);
    }

    /// Set the limit, unless it is negative or addresses are in use; what it was.
    pub fn limit(&mut self, file: File, bytes: i64) -> i64 {
        let before = self.limit;
        if bytes >= 0 && self.uses == 0 {
            self.limit = bytes.min(MAX_MAP_BYTES);
            if self.limit != before {
                self.release(file);
            }
        }
        before
    }

    fn release(&mut self, file: File) {
        if self.memory.is_some() {
            shared_memory::unmap_file(file);
            self.memory = None;
        }
        self.bytes = 0;
    }
}
