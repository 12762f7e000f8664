//! Memory that the host maps files over, and the database file mapped as a
//! whole (`PRAGMA mmap_size`), after the native unix VFS (`unixMapfile`,
//! `unixFetch`).

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::{self, NonNull};
use std::slice;

use crate::host::files::{self, File};

/// What the places that the host maps to consist of, in bytes.
pub const UNIT_BYTES: usize = 64 << 10;

/// Largest part of a file that is mapped, in bytes: SQLite's own bound where
/// it has one, `SQLITE_MAX_MMAP_SIZE`, which `.cargo/config.toml` sets. It is
/// half of what a component can address.
pub const MAX_MAP_BYTES: i64 = 0x7fff_0000;

/// The host takes no larger piece of memory in one call, in bytes.
const MAX_PIECE_BYTES: usize = 64 << 20;

/// SQLite may read so many bytes behind a damaged page.
const OVERREAD_BYTES: u64 = 256;

/// Memory of ours that a file may be mapped over.
pub struct Place {
    start: NonNull<u8>,
    layout: Layout,
}

impl Place {
    /// `bytes` bytes or a little more; none when memory is used up.
    pub fn of(bytes: usize) -> Option<Self> {
        let bytes = bytes.checked_next_multiple_of(UNIT_BYTES)?;
        let layout = Layout::from_size_align(bytes, UNIT_BYTES).ok()?;
        // SAFETY: `bytes` is not zero, or the caller has no use for it.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self { start, layout })
    }

    /// The address of byte `offset`, which is one of the place.
    pub fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset < self.layout.size(), "the offset is one of the place");
        self.start.as_ptr().wrapping_add(offset)
    }

    /// How the host is told of it. Its content means nothing.
    pub fn as_list(&self) -> &[u8] {
        // SAFETY: the memory is ours, and memory of a component always holds
        // some bytes. Nobody reads them through this.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    fn bytes(&self) -> u64 {
        self.layout.size() as u64
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout; nothing is mapped over it
        // any more, as its owners see to.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// A file as it is mapped, from its beginning on.
#[derive(Default)]
pub struct Mapped {
    /// `PRAGMA mmap_size`, in bytes.
    limit: i64,
    place: Option<Place>,
    /// How much of the file may be used; 0 when that is not known.
    bytes: u64,
    /// How often [`Mapped::fetch`] gave an address that is still used.
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
        if self.place.as_ref().is_none_or(|place| place.bytes() < bytes) {
            self.release(file);
            // Room to grow: a place is seldom changed then.
            self.place = Place::of((bytes + bytes / 4).min(self.limit as u64) as usize);
        }
        let mapped = self.place.as_ref().is_some_and(|place| {
            let pieces = place.as_list().chunks(MAX_PIECE_BYTES);
            let offsets = (0..).step_by(MAX_PIECE_BYTES);
            pieces.zip(offsets).all(|(piece, at)| files::map_file(file, at, piece).is_ok())
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
        match &self.place {
            Some(place) if offset + bytes as u64 + OVERREAD_BYTES <= self.bytes => {
                self.uses += 1;
                place.at(offset as usize)
            }
            _ => ptr::null_mut(),
        }
    }

    /// One address that [`Self::fetch`] gave is not used any more.
    pub fn unfetch(&mut self) {
        self.uses -= 1;
    }

    /// What was mapped is to be mapped anew.
    pub fn forget(&mut self) {
        self.bytes = 0;
    }

    /// The file was cut to `size` bytes.
    pub fn cut(&mut self, size: u64) {
        self.bytes = self.bytes.min(size);
    }

    /// Set the limit, unless it is negative or addresses are in use; what it
    /// was.
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
        if self.place.is_some() {
            files::unmap_file(file);
            self.place = None;
        }
        self.bytes = 0;
    }
}
