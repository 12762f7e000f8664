//! Files that appear in a component's memory. The one place where the host
//! maps over that memory, so all that must hold for it stands here:
//!
//! - The memory never moves: [`command_engine`](crate::engine::command_engine)
//!   says so, and [`files::add_sharing_to_linker`](crate::files) is called for
//!   that engine only.
//! - The place lies inside the memory: it comes as a list of the canonical
//!   ABI, whose bounds wasmtime has checked, and consists of whole pages.
//! - A mapping is taken back only while its store lives, since afterwards the
//!   addresses may belong to anybody. A store that ends unmaps its memories as
//!   a whole, and what was mapped over them with it.
//!
//! Another program may cut a file while it is mapped. Touching the lost pages
//! then raises SIGBUS, which would end the process; [`lost_pages`] lets the
//! component read zeros instead. That is what SQLite takes pages behind the end
//! of a database for. Where zeros would be wrong, because the page is there and
//! cannot be read, or is one of a wal-index, the component is ended by its next
//! use of a file or of its streams ([`check`]). SQLite uses files before it
//! tells that a statement is done.

mod lost_pages;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
use rustix::param::page_size;
use wasmtime::AsContext;
use wasmtime::component::WasmList;

use lost_pages::{Slot, watch};

pub use lost_pages::check;

/// A component's memory is not more restricted.
const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Whole pages of a component's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    address: usize,
    bytes: usize,
    home: Home,
}

/// The store that a memory belongs to: where its data lies, which does not
/// change while it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home(usize);

impl Home {
    fn of(store: &impl AsContext) -> Self {
        Self(ptr::from_ref(store.as_context().data()).addr())
    }
}

impl Pages {
    /// The pages that `memory` consists of; none if it is empty, or begins or
    /// ends inside a page of this machine.
    pub fn of<S: AsContext<Data: 'static>>(store: &S, memory: &WasmList<u8>) -> Option<Self> {
        let memory = memory.as_le_slice(store.as_context());
        let (address, bytes) = (memory.as_ptr().expose_provenance(), memory.len());
        let whole = address.is_multiple_of(page_size()) && bytes.is_multiple_of(page_size());
        (bytes > 0 && whole).then(|| Self { address, bytes, home: Home::of(store) })
    }

    /// Whether the two have a page in common.
    pub fn overlap(self, other: Self) -> bool {
        self.address < other.address + other.bytes && other.address < self.address + self.bytes
    }
}

/// What a component's writes to a mapping do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// They reach the file, and everybody who maps it.
    Writing,
    /// They are lost to everybody else, and cost the component its view of the
    /// page. What others write to the file is seen.
    ///
    /// A mapping that refused them would let a component end the host, by
    /// naming it as the place for a result.
    Reading,
}

/// What pages behind the end of the file read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehindEnd {
    /// Zeros.
    Zeros,
    /// Nothing: the component is ended.
    Lost,
}

/// A file in the place of pages. It stays there until [`Mapping::release`] is
/// called or the store ends; dropping this only forgets it.
#[derive(Debug)]
pub struct Mapping {
    pages: Pages,
    slot: &'static Slot,
}

impl Mapping {
    /// Put `file`, from `offset` on, in the place of `pages`. The file is open
    /// at least as long as the mapping exists.
    ///
    /// # Errors
    ///
    /// When the system refuses it; the pages are as they were.
    pub fn new(
        pages: Pages,
        file: &File,
        offset: u64,
        sharing: Sharing,
        behind_end: BehindEnd,
    ) -> io::Result<Self> {
        watch()?;
        let slot = Slot::take().ok_or(io::ErrorKind::OutOfMemory)?;
        let kind = match sharing {
            Sharing::Writing => MapFlags::SHARED,
            Sharing::Reading => MapFlags::PRIVATE | MapFlags::NORESERVE,
        };
        slot.describe(pages, file.as_raw_fd(), offset, behind_end);
        let place = ptr::with_exposed_provenance_mut(pages.address);
        // SAFETY: the pages are part of a memory whose store lives, as `Pages`
        // is made during a call from it; the module's head says why nobody
        // else can have them. All bytes are valid in a memory.
        let mapped =
            unsafe { mmap(place, pages.bytes, READ_WRITE, kind | MapFlags::FIXED, file, offset) };
        if let Err(error) = mapped {
            slot.free();
            return Err(error.into());
        }
        Ok(Self { pages, slot })
    }

    /// The pages that the file is in the place of.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// Where in the file it begins.
    pub fn offset(&self) -> u64 {
        self.slot.offset()
    }

    /// Whether no page was replaced by zeros.
    pub fn is_whole(&self) -> bool {
        self.slot.is_whole()
    }

    /// Put fresh memory, all zeros, in the place of the file.
    ///
    /// # Panics
    ///
    /// When `store` is not the one that the pages belong to.
    ///
    /// # Errors
    ///
    /// When the system has no memory; the file stays where it is.
    pub fn release(self, store: &impl AsContext) -> io::Result<()> {
        assert_eq!(self.pages.home, Home::of(store), "a mapping belongs to one store");
        let place = ptr::with_exposed_provenance_mut(self.pages.address);
        // SAFETY: as in `new`: the store lives, and its memory has not moved.
        unsafe {
            mmap_anonymous(
                place,
                self.pages.bytes,
                READ_WRITE,
                MapFlags::PRIVATE | MapFlags::FIXED,
            )?;
        }
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.slot.free();
    }
}
