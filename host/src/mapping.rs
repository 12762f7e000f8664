//! Files that appear in a component's memory. The one place where the host
//! maps over that memory, so all that must hold for it stands here:
//!
//! - The memory never moves: [`command_engine`](crate::engine::command_engine)
//!   says so, and [`files::add_sharing_to_linker`](crate::files) is called for
//!   that engine only.
//! - The place lies inside of the memory: it comes as a list of the canonical
//!   ABI, whose bounds wasmtime has checked, and consists of whole pages.
//! - A mapping is taken back only while its store lives, since afterwards the
//!   addresses may belong to anybody. A store that ends unmaps its memories as
//!   a whole, and what was mapped over them with it.
//!
//! Another program may cut a file while it is mapped. Touching the lost pages
//! then raises SIGBUS, which would end the process; [`on_lost_page`] lets the
//! component read zeros instead. That is what SQLite takes pages behind the end
//! of a database for. Where zeros would be wrong, because the page is there and
//! cannot be read, or is one of a wal-index, the component is ended by its next
//! call to the host, before anything wrong gets out ([`check`]).

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use nix::libc;
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
use rustix::param::page_size;
use wasmtime::AsContext;
use wasmtime::component::WasmList;

use crate::process::Stop;

/// Most mappings of all components together.
///
/// A component chooses how many; the signal handler looks at each of them. A
/// wal-index has one for 8,192 pages in the WAL.
const MAX_MAPPINGS: usize = 4096;

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
    /// ends inside of a page of this machine.
    pub fn of<S: AsContext<Data: 'static>>(store: &S, memory: &WasmList<u8>) -> Option<Self> {
        let memory = memory.as_le_slice(store.as_context());
        let (address, bytes) = (memory.as_ptr().addr(), memory.len());
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
        watch_for_lost_pages()?;
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
        self.slot.offset.load(Ordering::Relaxed)
    }

    /// Whether no page was replaced by zeros.
    pub fn is_whole(&self) -> bool {
        !self.slot.has_zeros.load(Ordering::Relaxed)
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

/// End a component that has lost what it cannot go on without.
///
/// # Errors
///
/// [`Stop::LostPage`], which is to become a trap.
pub fn check() -> wasmtime::Result<()> {
    // What the handler does on this thread is not seen by the compiler.
    compiler_fence(Ordering::SeqCst);
    if LOST.with(|lost| lost.load(Ordering::Relaxed)) {
        Err(wasmtime::Error::new(Stop::LostPage))
    } else {
        Ok(())
    }
}

/// A component's memory is not more restricted.
const READ_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

thread_local! {
    /// The component on this thread has read zeros for what was something else.
    /// Its type needs no initialisation, so that a signal handler may set it.
    static LOST: AtomicBool = const { AtomicBool::new(false) };
}

/// One mapping as the signal handler sees it: free while it has no pages.
#[derive(Debug)]
struct Slot {
    taken: AtomicBool,
    start: AtomicUsize,
    end: AtomicUsize,
    file: AtomicI32,
    offset: AtomicU64,
    zeros_behind_end: AtomicBool,
    has_zeros: AtomicBool,
}

static SLOTS: [Slot; MAX_MAPPINGS] = [const { Slot::new() }; MAX_MAPPINGS];

impl Slot {
    const fn new() -> Self {
        Self {
            taken: AtomicBool::new(false),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            file: AtomicI32::new(-1),
            offset: AtomicU64::new(0),
            zeros_behind_end: AtomicBool::new(false),
            has_zeros: AtomicBool::new(false),
        }
    }

    fn take() -> Option<&'static Self> {
        SLOTS.iter().find(|slot| !slot.taken.swap(true, Ordering::AcqRel))
    }

    fn describe(&self, pages: Pages, file: RawFd, offset: u64, behind_end: BehindEnd) {
        self.file.store(file, Ordering::Relaxed);
        self.offset.store(offset, Ordering::Relaxed);
        self.zeros_behind_end.store(behind_end == BehindEnd::Zeros, Ordering::Relaxed);
        self.has_zeros.store(false, Ordering::Relaxed);
        self.start.store(pages.address, Ordering::Relaxed);
        self.end.store(pages.address + pages.bytes, Ordering::Release);
    }

    fn free(&self) {
        self.end.store(0, Ordering::Release);
        self.start.store(0, Ordering::Relaxed);
        self.taken.store(false, Ordering::Release);
    }

    fn holds(&self, address: usize) -> bool {
        address < self.end.load(Ordering::Acquire) && address >= self.start.load(Ordering::Relaxed)
    }

    /// Whether the page at `address` lies behind the end of the file, where
    /// zeros are right. Only what a signal handler may call.
    fn reads_as_zeros(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Relaxed);
        let position = self.offset.load(Ordering::Relaxed) + (address - start) as u64;
        let mut status = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: `status` has room for the answer; the number of a file that
        // is not open gives an error.
        let failed = unsafe { libc::fstat(self.file.load(Ordering::Relaxed), status.as_mut_ptr()) };
        // SAFETY: it was filled when the call did not fail.
        let size = if failed == 0 { unsafe { status.assume_init_ref() }.st_size } else { i64::MAX };
        self.zeros_behind_end.load(Ordering::Relaxed) && position >= size as u64
    }
}

/// What was done on SIGBUS before: by the standard library, or a program that
/// uses this one.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Install [`on_lost_page`], once for the process.
fn watch_for_lost_pages() -> io::Result<()> {
    if PREVIOUS.get().is_some() {
        return Ok(());
    }
    static INSTALLING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = INSTALLING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if PREVIOUS.get().is_some() {
        return Ok(());
    }
    let mut previous = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the structures are plain data and valid when zeroed; the handler
    // has the signature that SA_SIGINFO promises, and does only what a signal
    // handler may do.
    let (failed, previous) = unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = on_lost_page as *const () as libc::sighandler_t;
        // On the stack for signals, as the component's own may be used up.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let failed = libc::sigaction(libc::SIGBUS, &action, previous.as_mut_ptr());
        (failed, previous.assume_init())
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    let _ = PREVIOUS.set(previous);
    Ok(())
}

/// A page of a file was touched that is not there any more: a page of zeros
/// takes its place, and the access is tried again.
extern "C" fn on_lost_page(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives the handler a valid description of the signal.
    let address = unsafe { (*info).si_addr() }.addr();
    let Some(slot) = SLOTS.iter().find(|slot| slot.holds(address)) else {
        // SAFETY: the arguments are those that the system gave.
        return unsafe { forward(signal, info, context) };
    };
    let page = address - address % page_size();
    slot.has_zeros.store(true, Ordering::Relaxed);
    if !slot.reads_as_zeros(page) {
        LOST.with(|lost| lost.store(true, Ordering::Relaxed));
    }
    let place = ptr::with_exposed_provenance_mut(page);
    let fixed = MapFlags::PRIVATE | MapFlags::FIXED;
    // SAFETY: the page is part of a mapping, which is in a living memory. The
    // call goes to the system directly, as a handler may do.
    if unsafe { mmap_anonymous(place, page_size(), READ_WRITE, fixed) }.is_err() {
        // SAFETY: the arguments are those that the system gave.
        unsafe { forward(signal, info, context) };
    }
}

/// Do what was done before there was a handler of ours.
///
/// # Safety
///
/// The arguments are those of a handler.
unsafe fn forward(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.get().map(|action| (action.sa_sigaction, action.sa_flags));
    match previous {
        None | Some((libc::SIG_DFL | libc::SIG_IGN, _)) => {
            // The access is tried again, and ends the process.
            // SAFETY: a plain system call.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Some((handler, flags)) if flags & libc::SA_SIGINFO != 0 => {
            type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            // SAFETY: the flag says that the handler has this signature.
            unsafe { std::mem::transmute::<usize, Handler>(handler)(signal, info, context) };
        }
        Some((handler, _)) => {
            // SAFETY: without the flag the handler has this signature.
            unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(handler)(signal) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    use wasmtime::{Engine, Store};

    use super::*;

    const PAGE_COUNT: usize = 4;

    /// Memory as a component has it, and a file of as many pages, all `7`.
    struct Scene {
        store: Store<()>,
        pages: Pages,
        file: File,
    }

    impl Scene {
        fn new() -> Self {
            let store = Store::new(&Engine::default(), ());
            let bytes = PAGE_COUNT * page_size();
            // SAFETY: anywhere, so nothing is mapped over.
            let place =
                unsafe { mmap_anonymous(ptr::null_mut(), bytes, READ_WRITE, MapFlags::PRIVATE) };
            let address = place.unwrap().expose_provenance();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&vec![7; bytes]).unwrap();
            let pages = Pages { address, bytes, home: Home::of(&store) };
            Self { store, pages, file }
        }

        fn map(&self, sharing: Sharing, behind_end: BehindEnd) -> Mapping {
            Mapping::new(self.pages, &self.file, 0, sharing, behind_end).unwrap()
        }

        fn at(&self, offset: usize) -> *mut u8 {
            assert!(offset < self.pages.bytes);
            ptr::with_exposed_provenance_mut(self.pages.address + offset)
        }

        fn read(&self, offset: usize) -> u8 {
            // SAFETY: the memory is this scene's, and is never given back.
            unsafe { self.at(offset).read_volatile() }
        }

        fn write(&self, offset: usize, byte: u8) {
            // SAFETY: as for reading.
            unsafe { self.at(offset).write_volatile(byte) }
        }

        fn is_all(&self, byte: u8) -> bool {
            (0..self.pages.bytes).all(|offset| self.read(offset) == byte)
        }

        fn in_file(&self, offset: usize) -> u8 {
            let mut byte = [0];
            self.file.read_exact_at(&mut byte, offset as u64).unwrap();
            byte[0]
        }
    }

    #[test]
    fn what_is_written_to_either_is_seen_in_the_other() {
        let scene = Scene::new();
        let _mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
        assert!(scene.is_all(7));
        scene.write(100, 8);
        assert_eq!(scene.in_file(100), 8);
        scene.file.write_all_at(&[9], 5000).unwrap();
        assert_eq!(scene.read(5000), 9);
    }

    #[test]
    fn what_is_mapped_for_reading_follows_the_file_and_never_changes_it() {
        let scene = Scene::new();
        let _mapping = scene.map(Sharing::Reading, BehindEnd::Zeros);
        scene.file.write_all_at(&[9], 0).unwrap();
        assert_eq!(scene.read(0), 9);
        scene.write(page_size(), 8);
        assert_eq!(scene.in_file(page_size()), 7);
    }

    #[test]
    fn released_memory_is_zeros_and_the_file_stays() {
        let scene = Scene::new();
        let mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
        mapping.release(&scene.store).unwrap();
        assert!(scene.is_all(0));
        scene.write(0, 1);
        assert_eq!(scene.in_file(0), 7);
    }

    #[test]
    #[should_panic(expected = "a mapping belongs to one store")]
    fn a_mapping_is_released_by_its_own_store_only() {
        let scene = Scene::new();
        let mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
        let _ = mapping.release(&Store::new(&Engine::default(), 1_u64));
    }

    #[test]
    fn behind_the_end_of_a_cut_file_are_zeros() {
        let scene = Scene::new();
        let mapping = scene.map(Sharing::Reading, BehindEnd::Zeros);
        scene.file.set_len(page_size() as u64).unwrap();
        assert_eq!(scene.read(0), 7);
        assert!(mapping.is_whole());
        assert_eq!(scene.read(page_size()), 0);
        assert!(!mapping.is_whole());
        assert!(check().is_ok());
    }

    #[test]
    fn a_component_that_lost_a_page_of_shared_memory_is_ended() {
        let scene = Scene::new();
        let _mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
        scene.file.set_len(0).unwrap();
        assert!(check().is_ok());
        assert_eq!(scene.read(0), 0);
        let error = check().unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&Stop::LostPage));
        // Another thread has another component.
        std::thread::spawn(|| assert!(check().is_ok())).join().unwrap();
    }

    #[test]
    fn forgotten_mappings_make_room_for_others() {
        let scene = Scene::new();
        for _ in 0..2 * MAX_MAPPINGS {
            drop(scene.map(Sharing::Reading, BehindEnd::Zeros));
        }
    }

    #[test]
    fn pages_overlap_where_they_have_one_in_common() {
        let home = Home(0);
        let pages = |address, bytes| Pages { address, bytes, home };
        assert!(pages(0, 8).overlap(pages(4, 8)));
        assert!(pages(4, 8).overlap(pages(0, 8)));
        assert!(!pages(0, 8).overlap(pages(8, 8)));
    }
}
