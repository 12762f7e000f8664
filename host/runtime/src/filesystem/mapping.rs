//! Files mapped into a component's memory. Only this module maps over that
//! memory, and these invariants make it sound:
//!
//! - The memory never moves: [`command_engine`](crate::artifact::engine::command_engine)
//!   configures that, and `files::add_to_linker` is called for that engine
//!   only.
//! - The pages are inside the memory: they come as a list of the canonical ABI,
//!   whose bounds wasmtime has checked, and are whole pages.
//! - A mapping is released only while its store lives, since its addresses can
//!   be reused afterwards. Dropping a store unmaps its memories and all
//!   mappings over them.
//!
//! Another program may truncate a file while it is mapped. Touching the lost
//! pages then raises SIGBUS, which would end the process; [`lost_pages`] lets
//! the component read zeros instead, as SQLite expects of pages after the end
//! of a database. Where zeros would be wrong, because the page exists but
//! cannot be read or belongs to a wal-index, the component traps at its next
//! use of a file or stream ([`check`]). SQLite uses files before it reports
//! that a statement is done.

mod lost_pages;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous};
use wasmtime::AsContext;
use wasmtime::component::WasmList;

use lost_pages::{Slot, watch};

use crate::filesystem::page::page_size;

pub use lost_pages::{check, replace as replace_lost};

/// Whether this process keeps its own signal handlers.
static WITHOUT_SIGNALS: AtomicBool = AtomicBool::new(false);

/// Install no signal handler in this process. Databases are not mapped then, and a wal-index that
/// another program truncates ends the process, as with native SQLite.
pub fn forgo_signals() {
    WITHOUT_SIGNALS.store(true, Ordering::Relaxed);
}

/// The protection of a component's memory.
const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

/// Whole pages of a component's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    address: usize,
    bytes: usize,
    home: Home,
}

/// The store of a memory, identified by the address of its data, which does not
/// change while the store lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home(usize);

impl Home {
    fn of(store: &impl AsContext) -> Self {
        Self(ptr::from_ref(store.as_context().data()).addr())
    }
}

impl Pages {
    /// The pages of `memory`; none if it is empty, or begins or ends inside a
    /// page of this machine.
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

/// The effect of a component's writes to a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// They reach the file and all its other mappings.
    Writing,
    /// They affect only the component, which then no longer sees changes of the
    /// written page by others.
    ///
    /// A read-only mapping would let a component crash the host, by passing its
    /// address for a result.
    Reading,
}

/// The content of pages after the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehindEnd {
    /// Zeros.
    Zeros,
    /// None: the component traps.
    Lost,
}

/// A file mapped over pages. It stays mapped until [`Mapping::release`] is
/// called or the store is dropped; dropping a `Mapping` only forgets it.
#[derive(Debug)]
pub struct Mapping {
    pages: Pages,
    slot: &'static Slot,
}

impl Mapping {
    /// Map `file`, from `offset` on, over `pages`. The caller keeps the file
    /// open as long as the mapping exists.
    ///
    /// # Errors
    ///
    /// When the system refuses it; the pages are unchanged.
    pub fn new(
        pages: Pages,
        file: &File,
        offset: u64,
        sharing: Sharing,
        behind_end: BehindEnd,
    ) -> io::Result<Self> {
        if !WITHOUT_SIGNALS.load(Ordering::Relaxed) {
            watch()?;
        } else if behind_end == BehindEnd::Zeros {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let slot = Slot::take().ok_or(io::ErrorKind::OutOfMemory)?;
        let kind = match sharing {
            Sharing::Writing => MapFlags::SHARED,
            Sharing::Reading => MapFlags::PRIVATE | MapFlags::NORESERVE,
        };
        slot.describe(pages, file.as_raw_fd(), offset, behind_end);
        let place = ptr::with_exposed_provenance_mut(pages.address);
        // SAFETY: the pages are part of a memory whose store lives, as `Pages`
        // is made during a call from it, and wasmtime never moves that memory
        // (see the module). All bytes are valid in a memory.
        let mapped =
            unsafe { mmap(place, pages.bytes, READ_WRITE, kind | MapFlags::FIXED, file, offset) };
        if let Err(error) = mapped {
            slot.free();
            return Err(error.into());
        }
        // A child of a fork would keep the file's locks by it. SAFETY: the mapping just made,
        // which stays as it is here.
        let _ = unsafe { madvise(place, pages.bytes, Advice::LinuxDontFork) };
        Ok(Self { pages, slot })
    }

    /// The pages that the file is mapped over.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// The offset in the file where it begins.
    pub fn offset(&self) -> u64 {
        self.slot.offset()
    }

    /// Whether no page was replaced by zeros.
    pub fn is_whole(&self) -> bool {
        self.slot.is_whole()
    }

    /// Replace the file by fresh memory, all zeros.
    ///
    /// # Panics
    ///
    /// When `store` is not the one that the pages belong to.
    ///
    /// # Errors
    ///
    /// When the system has no memory; the file stays mapped.
    pub fn release(self, store: &impl AsContext) -> io::Result<()> {
        assert_eq!(self.pages.home, Home::of(store), "a mapping belongs to one store");
        let place = ptr::with_exposed_provenance_mut(self.pages.address);
        // SAFETY: the caller holds the store, which is the one of the pages,
        // and its memory has not moved since `new`.
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
