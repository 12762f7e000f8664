//! How much address space a component's memory reserves, as far as the system
//! has it: `ulimit -v` sets a limit.
//!
//! Compiled code comes in two forms, and an artifact has one of them. With
//! [`Reservation::Full`] it checks no address, since every address that 32 bits
//! can name is reserved. With [`Reservation::Bytes`] it compares each address
//! with the size of the memory. How many bytes are reserved then is not a
//! property of the code: one artifact serves every limit.

#![allow(unsafe_code)]

use std::ptr;

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use wasmtime::{Engine, OutOfMemory};

use crate::runner::MAX_MEMORY_BYTES;

/// Unmapped address space before and behind a memory whose code checks no
/// address, in bytes: wasmtime's default, more than any offset in an
/// instruction.
pub(crate) const FULL_GUARD_BYTES: usize = 32 << 20;

/// The same where the code checks addresses, in bytes: the fields of one
/// structure then share a check. Larger guards were not faster.
pub(crate) const CHECKED_GUARD_BYTES: usize = 64 << 10;

/// What the host needs on top of a component's memory, in bytes: the compiled
/// code (9 million), a thread's stack (11 million), its heap (the C library
/// reserves 64 million for each thread), the component's first pages.
const HOST_BYTES: usize = 96 << 20;

/// The least that is reserved, in bytes. SQLite's shell starts with less.
const MIN_RESERVED_BYTES: usize = 16 << 20;

/// What an extension's memory reserves at a time where address space is
/// limited, in bytes. Growing over it moves the memory, at most eight times up
/// to the usual limit of 512 million; reserving all of that at once would leave
/// room for seven instances below `ulimit -v 4000000`.
const EXTENSION_STEP_BYTES: usize = 64 << 20;

/// Instances that shall find room for one step each; for more than that, and in
/// very little space, the steps are smaller.
const FEW_INSTANCES: usize = 8;

/// Instances of extensions whose full reservations must fit before one of them
/// gets it: each connection and each extension may have one.
const MANY_INSTANCES: usize = 64;

/// The address space that a component's memory gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reservation {
    /// All that a 32-bit component can address. The code checks no address.
    #[default]
    Full,
    /// So many bytes on top of what the memory has at first. The code checks
    /// each address.
    Bytes(usize),
}

/// The two forms of code: a component that is compiled in one runs in any
/// reservation of that form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For [`Reservation::Full`].
    Full,
    /// For [`Reservation::Bytes`]: each address is checked.
    Checked,
}

impl Form {
    /// A reservation of this form.
    pub fn reservation(self) -> Reservation {
        match self {
            Self::Full => Reservation::Full,
            Self::Checked => Reservation::Bytes(MIN_RESERVED_BYTES),
        }
    }
}

impl Reservation {
    /// The form of the code that runs in it.
    pub fn form(self) -> Form {
        match self {
            Self::Full => Form::Full,
            Self::Bytes(_) => Form::Checked,
        }
    }

    /// For a command-line component with so many memories, which together may
    /// grow to `max_memory_bytes`: as much as the system still has.
    pub fn for_command(memories: usize, max_memory_bytes: usize) -> Self {
        let fits =
            |bytes: usize| can_reserve(memories.saturating_mul(bytes).saturating_add(HOST_BYTES));
        match !is_limited() || fits(full_bytes()) {
            true => Self::Full,
            false => Self::Bytes(halved_until(max_memory_bytes, fits)),
        }
    }

    /// For extensions, each with at most `max_memory_bytes`.
    pub fn for_extensions(max_memory_bytes: usize) -> Self {
        match !is_limited() || can_reserve(MANY_INSTANCES * full_bytes()) {
            true => Self::Full,
            false => Self::extension_step(max_memory_bytes),
        }
    }

    /// For the extensions of a program that has this reservation: they were
    /// compiled in the same form.
    pub(crate) fn for_extensions_of(self, max_memory_bytes: usize) -> Self {
        match self {
            Self::Full => Self::Full,
            Self::Bytes(_) => Self::extension_step(max_memory_bytes),
        }
    }

    fn extension_step(max_memory_bytes: usize) -> Self {
        let fits = |bytes: usize| can_reserve(FEW_INSTANCES * bytes);
        Self::Bytes(halved_until(max_memory_bytes.min(EXTENSION_STEP_BYTES), fits))
    }

    /// What an engine was made with.
    pub(crate) fn of(engine: &Engine) -> Self {
        match engine.get_memory_reservation() {
            0 => Self::Bytes(engine.get_memory_reservation_for_growth() as usize),
            _ => Self::Full,
        }
    }

    /// What the memories of a component can grow to, given the limit that was
    /// asked for.
    pub fn limited(self, max_memory_bytes: usize) -> usize {
        match self {
            Self::Full => max_memory_bytes,
            Self::Bytes(bytes) => max_memory_bytes.min(bytes),
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

/// Whether there is a limit, which `ulimit -v` sets. Nothing else refuses
/// address space that holds nothing: limits of memory, such as those of
/// containers, count only what is used.
fn is_limited() -> bool {
    getrlimit(Resource::RLIMIT_AS).is_ok_and(|(limit, _)| limit != RLIM_INFINITY)
}

/// Whether the limit leaves this process so much more address space. Trying is
/// exact where a sum of what is in use would be an estimate.
fn can_reserve(bytes: usize) -> bool {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: the system chooses the place, so nothing that exists is replaced;
    // nobody is given the address, and exactly this mapping is taken back.
    unsafe {
        match mmap_anonymous(ptr::null_mut(), bytes, ProtFlags::empty(), flags) {
            Ok(place) => munmap(place, bytes).is_ok(),
            Err(_) => false,
        }
    }
}

/// Memory could not be reserved.
#[derive(Debug)]
pub struct NoAddressSpace;

impl std::fmt::Display for NoAddressSpace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "the system gives this process too little address space; raise its limit (`ulimit -v`)",
        )
    }
}

impl std::error::Error for NoAddressSpace {}

/// Whether an instance could not start because address space is missing.
pub(crate) fn is_missing(error: &wasmtime::Error) -> bool {
    let cause = error.root_cause();
    cause.downcast_ref::<Errno>() == Some(&Errno::NOMEM) || cause.is::<OutOfMemory>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_reserved_whole() {
        assert_eq!(halved_until(3 << 30, |bytes| bytes <= 3 << 30), 3 << 30);
        assert_eq!(halved_until(4 << 30, |bytes| bytes < 3 << 30), 2 << 30);
    }

    #[test]
    fn where_nothing_fits_the_least_is_tried() {
        assert_eq!(halved_until(1 << 30, |_| false), MIN_RESERVED_BYTES);
        assert_eq!(halved_until(1 << 20, |_| false), 1 << 20);
    }

    #[test]
    fn without_a_limit_all_is_reserved() {
        assert_eq!(Reservation::for_command(1, 64 << 20), Reservation::Full);
        assert!(!can_reserve(1 << 60));
    }
}
