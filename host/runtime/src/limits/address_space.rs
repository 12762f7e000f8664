//! How much address space a component's memory reserves. `ulimit -v` limits the
//! address space of the process.
//!
//! Compiled code has one of three forms. Code for [`Reservation::Full`] checks no
//! address, since every 32-bit address is reserved. Code for
//! [`Reservation::Bytes`] compares each address with the size of the memory,
//! and runs in a reservation of any size. So does code for
//! [`Reservation::Unsignalled`], whose traps need no signal handlers either.

#![allow(unsafe_code)]

use std::ptr;

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use wasmtime::{Engine, OutOfMemory};

use crate::limits::MAX_MEMORY_BYTES;

/// Unmapped address space before and after a memory whose code checks no
/// address, in bytes: wasmtime's default, larger than any offset in an
/// instruction.
pub const FULL_GUARD_BYTES: usize = 32 << 20;

/// Unmapped address space around a memory whose code checks addresses, in
/// bytes: accesses to the fields of one structure share a check. Larger guards
/// were not faster.
pub(crate) const CHECKED_GUARD_BYTES: usize = 64 << 10;

/// Address space that the host needs on top of a component's memory, in bytes:
/// the compiled code (9 million), a thread's stack (11 million), the heap (a C library
/// may reserve 64 million for each thread), the component's first pages.
const HOST_BYTES: usize = 96 << 20;

/// Smallest reservation, in bytes. SQLite's shell starts with less.
const MIN_RESERVED_BYTES: usize = 16 << 20;

/// Address space that an extension's memory reserves at a time under a limit,
/// in bytes. Growing beyond it moves the memory, eight times up to the default
/// limit of 512 million; reserving all of that at once would leave room for
/// seven instances below `ulimit -v 4000000`.
const EXTENSION_STEP_BYTES: usize = 64 << 20;

/// Instances that must have room for one step each. With less address space the
/// steps are smaller.
const FEW_INSTANCES: usize = 8;

/// Extension instances whose full reservations must fit before any of them gets
/// one: each connection can have an instance of each extension.
const MANY_INSTANCES: usize = 64;

/// Address space for a database of a program under a limit, in bytes: the memory that a connection
/// of `libsqlite3.so.0` may use.
const DATABASE_BYTES: usize = 1 << 30;

/// The address space that a component's memory reserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reservation {
    /// All 4 GiB that a 32-bit component can address. The code checks no
    /// address.
    #[default]
    Full,
    /// This many bytes on top of the memory's initial size. The code checks
    /// each address.
    Bytes(usize),
    /// As [`Self::Bytes`], and traps need no signal handlers.
    Unsignalled(usize),
}

/// The forms of code. A component runs in any reservation of the form that
/// it was compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// For [`Reservation::Full`].
    Full,
    /// For [`Reservation::Bytes`]: each address is checked.
    Checked,
    /// For [`Reservation::Unsignalled`]: so is all else that traps.
    Unsignalled,
}

impl Form {
    /// A reservation of this form.
    pub fn reservation(self) -> Reservation {
        match self {
            Self::Full => Reservation::Full,
            Self::Checked => Reservation::Bytes(MIN_RESERVED_BYTES),
            Self::Unsignalled => Reservation::Unsignalled(MIN_RESERVED_BYTES),
        }
    }
}

impl Reservation {
    /// The form of the code that runs in it.
    pub fn form(self) -> Form {
        match self {
            Self::Full => Form::Full,
            Self::Bytes(_) => Form::Checked,
            Self::Unsignalled(_) => Form::Unsignalled,
        }
    }

    /// For the databases of a program: without signals where the program wants that, and where it
    /// has little address space.
    pub fn for_program(without_signals: bool) -> Self {
        let fits = |bytes: usize| can_reserve((FEW_INSTANCES * bytes).saturating_add(HOST_BYTES));
        if is_limited() && !can_reserve(MANY_INSTANCES * full_bytes()) {
            Self::Unsignalled(halved_until(DATABASE_BYTES, fits))
        } else if without_signals {
            Self::Unsignalled(MAX_MEMORY_BYTES)
        } else {
            Self::Full
        }
    }

    /// For a command-line component with `memories` memories, which together
    /// can grow to `max_memory_bytes`: as much as the system still has.
    pub fn for_command(memories: usize, max_memory_bytes: usize) -> Self {
        let fits =
            |bytes: usize| can_reserve(memories.saturating_mul(bytes).saturating_add(HOST_BYTES));
        if !is_limited() || fits(full_bytes()) {
            Self::Full
        } else {
            Self::Bytes(halved_until(max_memory_bytes, fits))
        }
    }

    /// For extensions, each with at most `max_memory_bytes`.
    pub fn for_extensions(max_memory_bytes: usize) -> Self {
        if !is_limited() || can_reserve(MANY_INSTANCES * full_bytes()) {
            Self::Full
        } else {
            Self::extension_step(max_memory_bytes)
        }
    }

    /// For the bundled extensions of a program with this reservation: they are
    /// compiled in the same form.
    pub(crate) fn for_extensions_of(self, max_memory_bytes: usize) -> Self {
        match self {
            Self::Full => Self::Full,
            Self::Bytes(_) => Self::extension_step(max_memory_bytes),
            Self::Unsignalled(_) => match Self::extension_step(max_memory_bytes) {
                Self::Bytes(bytes) => Self::Unsignalled(bytes),
                other => other,
            },
        }
    }

    fn extension_step(max_memory_bytes: usize) -> Self {
        let fits = |bytes: usize| can_reserve(FEW_INSTANCES * bytes);
        Self::Bytes(halved_until(max_memory_bytes.min(EXTENSION_STEP_BYTES), fits))
    }

    /// The reservation of an engine.
    pub(crate) fn of(engine: &Engine) -> Self {
        let bytes = engine.get_memory_reservation_for_growth() as usize;
        match engine.get_memory_reservation() {
            0 if engine.get_signals_based_traps() => Self::Bytes(bytes),
            0 => Self::Unsignalled(bytes),
            _ => Self::Full,
        }
    }

    /// The size that a component's memories can reach, given the limit of
    /// `--max-memory`.
    pub fn limited(self, max_memory_bytes: usize) -> usize {
        match self {
            Self::Full => max_memory_bytes,
            Self::Bytes(bytes) | Self::Unsignalled(bytes) => max_memory_bytes.min(bytes),
        }
    }
}

/// The address space of a memory whose code checks no address.
fn full_bytes() -> usize {
    MAX_MEMORY_BYTES + 2 * FULL_GUARD_BYTES
}

/// The largest of `bytes` and its halves that fits.
fn halved_until(bytes: usize, fits: impl Fn(usize) -> bool) -> usize {
    let halves = std::iter::successors(Some(bytes), |bytes| Some(bytes / 2));
    let mut candidates = halves.take_while(|bytes| *bytes >= MIN_RESERVED_BYTES);
    candidates.find(|bytes| fits(*bytes)).unwrap_or(MIN_RESERVED_BYTES.min(bytes))
}

/// Whether `ulimit -v` limits the address space. Memory limits, such as those
/// of containers, count only pages in use.
/// Whether the process has a limit of address space (`ulimit -v`).
pub(crate) fn is_limited() -> bool {
    getrlimit(Resource::RLIMIT_AS).is_ok_and(|(limit, _)| limit != RLIM_INFINITY)
}

/// Whether the process can reserve this much more address space. It tries,
/// since a sum of the mappings in use would be an estimate.
fn can_reserve(bytes: usize) -> bool {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: the system chooses the address, so the mapping replaces no other;
    // the address is used only to unmap exactly this mapping.
    unsafe {
        match mmap_anonymous(ptr::null_mut(), bytes, ProtFlags::empty(), flags) {
            Ok(place) => munmap(place, bytes).is_ok(),
            Err(_) => false,
        }
    }
}

/// The system refused to reserve memory.
#[derive(Debug)]
pub struct NoAddressSpace;

impl std::fmt::Display for NoAddressSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this process has too little address space; raise its limit (`ulimit -v`)")
    }
}

impl std::error::Error for NoAddressSpace {}

/// Whether an instance failed to start for lack of address space.
pub(crate) fn is_missing(error: &wasmtime::Error) -> bool {
    let cause = error.root_cause();
    cause.downcast_ref::<Errno>() == Some(&Errno::NOMEM) || cause.is::<OutOfMemory>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitting_size_is_reserved_whole() {
        assert_eq!(halved_until(3 << 30, |bytes| bytes <= 3 << 30), 3 << 30);
        assert_eq!(halved_until(4 << 30, |bytes| bytes < 3 << 30), 2 << 30);
    }

    #[test]
    fn without_a_fitting_size_the_smallest_is_tried() {
        assert_eq!(halved_until(1 << 30, |_| false), MIN_RESERVED_BYTES);
        assert_eq!(halved_until(1 << 20, |_| false), 1 << 20);
    }

    #[test]
    fn without_a_limit_all_is_reserved() {
        assert_eq!(Reservation::for_command(1, 64 << 20), Reservation::Full);
        assert!(!can_reserve(1 << 60));
    }
}
