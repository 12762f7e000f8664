//! Handling of SIGBUS: a component touches a page of a mapped file that is
//! lost, because another program has truncated the file or the device fails.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use nix::libc;
use rustix::mm::{MapFlags, mmap_anonymous};

use super::{BehindEnd, Pages, READ_WRITE};
use crate::filesystem::page::page_size;
use crate::limits::stop::Stop;

/// Limit on mappings of all components together.
///
/// The component chooses how many there are, and the signal handler visits each. A wal-index has
/// one mapping for 8,192 pages in the WAL.
pub(super) const MAX_MAPPINGS: usize = 4096;

/// Fail for a component that has lost a page without a replacement.
///
/// # Errors
///
/// [`Stop::LostPage`], which the caller turns into a trap.
pub fn check() -> wasmtime::Result<()> {
    // The compiler does not see the handler's write on this thread.
    compiler_fence(Ordering::SeqCst);
    if LOST.with(|lost| lost.load(Ordering::Relaxed)) {
        Err(wasmtime::Error::new(Stop::LostPage))
    } else {
        Ok(())
    }
}

/// Set whether the component that runs next on this thread has lost a page; returns what
/// held for the one before. A call of one component into another nests them.
pub fn replace(lost: bool) -> bool {
    compiler_fence(Ordering::SeqCst);
    // No other thread has it, and no mapped page is read in between. `swap` would lock the bus.
    LOST.with(|flag| {
        let before = flag.load(Ordering::Relaxed);
        flag.store(lost, Ordering::Relaxed);
        before
    })
}

thread_local! {
    /// Whether the component on this thread has read zeros instead of lost data. A signal handler
    /// can set it, since its type needs no initialization.
    static LOST: AtomicBool = const { AtomicBool::new(false) };
}

/// One mapping as the signal handler sees it; unused while it has no pages.
#[derive(Debug)]
pub(super) struct Slot {
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
            file: AtomicI32::new(0),
            offset: AtomicU64::new(0),
            zeros_behind_end: AtomicBool::new(false),
            has_zeros: AtomicBool::new(false),
        }
    }

    pub(super) fn take() -> Option<&'static Self> {
        SLOTS.iter().find(|slot| !slot.taken.swap(true, Ordering::AcqRel))
    }

    pub(super) fn describe(&self, pages: Pages, file: RawFd, offset: u64, behind_end: BehindEnd) {
        self.file.store(file, Ordering::Relaxed);
        self.offset.store(offset, Ordering::Relaxed);
        self.zeros_behind_end.store(behind_end == BehindEnd::Zeros, Ordering::Relaxed);
        self.has_zeros.store(false, Ordering::Relaxed);
        self.start.store(pages.address, Ordering::Relaxed);
        self.end.store(pages.address + pages.bytes, Ordering::Release);
    }

    pub(super) fn free(&self) {
        self.end.store(0, Ordering::Release);
        self.start.store(0, Ordering::Relaxed);
        self.taken.store(false, Ordering::Release);
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset.load(Ordering::Relaxed)
    }

    /// Whether no page was replaced by zeros.
    pub(super) fn is_whole(&self) -> bool {
        !self.has_zeros.load(Ordering::Relaxed)
    }

    fn holds(&self, address: usize) -> bool {
        address < self.end.load(Ordering::Acquire) && address >= self.start.load(Ordering::Relaxed)
    }

    /// Whether the page at `address` is after the end of the file, where zeros
    /// are right. Makes only calls that a signal handler may make.
    fn reads_as_zeros(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Relaxed);
        let position = self.offset.load(Ordering::Relaxed) + (address - start) as u64;
        let mut status = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: `status` has room for the result; a descriptor that is not
        // open gives an error.
        let failed = unsafe { libc::fstat(self.file.load(Ordering::Relaxed), status.as_mut_ptr()) };
        // SAFETY: `fstat` has filled it when it succeeded.
        let size = if failed == 0 { unsafe { status.assume_init_ref() }.st_size } else { i64::MAX };
        self.zeros_behind_end.load(Ordering::Relaxed) && position >= size as u64
    }
}

/// The previous handler of SIGBUS, installed by the standard library or the
/// program that uses this one.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Install [`on_lost_page`], once for the process.
pub(super) fn watch() -> io::Result<()> {
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
        // On the signal stack, since the component may have exhausted its own.
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

/// Replace a lost page by a page of zeros; the access is then retried.
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
    // SAFETY: the page is part of a mapping over a live memory. The call is a
    // plain system call, which a handler may make.
    if unsafe { mmap_anonymous(place, page_size(), READ_WRITE, fixed) }.is_err() {
        // SAFETY: the arguments are those that the system gave.
        unsafe { forward(signal, info, context) };
    }
}

/// Call the previous handler.
///
/// # Safety
///
/// The arguments are those of a handler.
unsafe fn forward(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.get().map(|action| (action.sa_sigaction, action.sa_flags));
    match previous {
        None | Some((libc::SIG_DFL | libc::SIG_IGN, _)) => {
            // The retried access then ends the process. SAFETY: a plain system
            // call.
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
