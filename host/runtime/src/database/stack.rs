//! The stack that an instance runs on: as large as SQLite's depth limits demand, whatever the
//! stack of the calling thread.
//!
//! wasmtime's own way, an asynchronous call on a fiber, takes 500 ns for the shortest call, and
//! this one 280 ns.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut};
use std::thread::Result;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use crate::engine::{MAX_EXTENSION_STACK_BYTES, MAX_STACK_BYTES};

/// Stack for the host's own calls and for functions of the program, in bytes: half of what Rust
/// gives to a thread.
const HOST_STACK_BYTES: usize = 1 << 20;

/// At the lower end, never accessible, in bytes: larger than any frame that does not probe.
const GUARD_BYTES: usize = 64 << 10;

/// All of it, in bytes. Only the pages that are used take memory.
const BYTES: usize = GUARD_BYTES + MAX_STACK_BYTES + MAX_EXTENSION_STACK_BYTES + HOST_STACK_BYTES;

/// A stack.
pub struct Stack(NonNull<u8>);

// SAFETY: its own memory, which only `run` uses, with the stack borrowed mutably.
unsafe impl Send for Stack {}

impl Stack {
    /// Reserve one.
    ///
    /// # Errors
    ///
    /// When the process has no address space left.
    pub fn new() -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::STACK;
        // SAFETY: new memory where the system likes.
        let start = unsafe { mmap_anonymous(null_mut(), BYTES, access, flags) }?;
        let stack = Self(NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?);
        // SAFETY: the lower end of that memory, which nothing uses yet.
        unsafe { mprotect(start, GUARD_BYTES, MprotectFlags::empty()) }?;
        Ok(stack)
    }

    /// Run `call` on this stack.
    ///
    /// # Errors
    ///
    /// What it panicked with.
    pub fn run<T>(&mut self, call: impl FnOnce() -> T) -> Result<T> {
        let start = self.0.as_ptr();
        let call = || catch_unwind(AssertUnwindSafe(call));
        // SAFETY: the memory is this value's own, aligned to pages, and has a guard at its end.
        // Nothing runs on it, as it is borrowed mutably. The closure does not unwind.
        unsafe { psm::on_stack(start, BYTES, call) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: `new` has mapped it, and nothing runs on it.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(depth: usize) -> usize {
        let frame = std::hint::black_box([depth; 100]);
        if depth == 0 { 0 } else { deep(depth - 1) + frame[0] / depth }
    }

    #[test]
    fn it_is_larger_than_that_of_a_thread() {
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        let run = || Stack::new().unwrap().run(|| deep(8000)).unwrap();
        assert_eq!(thread.spawn(run).unwrap().join().unwrap(), 8000);
    }

    #[test]
    fn a_panic_stays_on_it() {
        let mut stack = Stack::new().unwrap();
        assert!(stack.run(|| panic!("as a test")).is_err());
        assert_eq!(stack.run(|| 7).unwrap(), 7);
    }
}
