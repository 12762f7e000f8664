//! The stack on which an instance runs: as large as SQLite's depth limits require, whatever the
//! stack of the calling thread. To call the program, the instance leaves this stack in the middle
//! of its work; the program then runs on its own stack, and can send the instance requests before
//! it returns.
//!
//! wasmtime's asynchronous calls take 500 ns for the shortest call; a single call that never ends
//! takes 400 ns for each request; this takes 280 ns.
//!
//! wasmtime records on each thread which store was entered last, and a trap returns there. So an
//! instance that waits for the program can be resumed only while it is the last one that this
//! thread has entered: [`Fiber::resume`] refuses anything else.

use std::cell::Cell;
use std::io;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::artifact::engine::{MAX_EXTENSION_STACK_BYTES, MAX_STACK_BYTES};

/// Stack for the host's own calls, in bytes: half of what Rust gives to a thread.
const HOST_STACK_BYTES: usize = 1 << 20;

/// The whole stack, in bytes. Only the pages that are used take memory.
const BYTES: usize = MAX_STACK_BYTES + MAX_EXTENSION_STACK_BYTES + HOST_STACK_BYTES;

/// A stack and the work on it.
pub struct Fiber<Input, Output> {
    coroutine: ManuallyDrop<Coroutine<Input, Output, ()>>,
    /// The position where it was entered; `None` while it waits for work.
    entered: Option<Place>,
}

/// A thread, and how many nested fibers it has entered.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    thread: usize,
    depth: u32,
}

impl Place {
    /// The current position.
    fn here() -> Self {
        ENTERED.with(|depth| Self { thread: ptr::from_ref(depth).addr(), depth: depth.get() })
    }
}

// SAFETY: entering a fiber takes `&mut`, so only one thread enters it at a time. The values on its
// stack can move to another thread: `new` requires `Send`, and wasmtime keeps nothing of a thread
// in a store that no call has entered. For one that a call has entered, `resume` requires the same
// thread.
unsafe impl<Input: Send, Output: Send> Send for Fiber<Input, Output> {}

/// Lets the work leave the fiber.
pub struct Exit<Input, Output>(NonNull<Yielder<Input, Output>>);

// SAFETY: only the work on the fiber owns it; see `Exit::leave`.
unsafe impl<Input, Output> Send for Exit<Input, Output> {}

thread_local! {
    /// How many nested fibers of this thread are in the middle of a call.
    static ENTERED: Cell<u32> = const { Cell::new(0) };
}

/// The result of resuming a fiber.
pub enum Left<Output> {
    /// It left its stack with this, and is to be resumed.
    With(Output),
    /// It has ended.
    Ended,
    /// It waits for a call of the program that has entered another fiber since.
    Busy,
}

impl<Input: Send + 'static, Output: Send + 'static> Fiber<Input, Output> {
    /// Allocate a stack, and run `work` on it when it is first resumed.
    ///
    /// # Errors
    ///
    /// When the process has no address space left.
    pub fn new(work: impl FnOnce(Exit<Input, Output>, Input) + Send + 'static) -> io::Result<Self> {
        let stack = DefaultStack::new(BYTES)?;
        let run = |exit: &Yielder<_, _>, input| work(Exit(NonNull::from(exit)), input);
        let coroutine = ManuallyDrop::new(Coroutine::with_stack(stack, run));
        Ok(Self { coroutine, entered: None })
    }

    /// Continue with `input`, until the work leaves the stack again. `is_end` reports whether it
    /// then waits for work, rather than for the program in the middle of a call.
    pub fn resume(&mut self, input: Input, is_end: fn(&Output) -> bool) -> Left<Output> {
        if self.coroutine.done() {
            return Left::Ended;
        }
        let here = Place::here();
        let inside = match self.entered {
            None => Place { depth: here.depth + 1, ..here },
            Some(entered) if entered == here => here,
            Some(_) => return Left::Busy,
        };
        ENTERED.set(inside.depth);
        let left = match self.coroutine.resume(input) {
            CoroutineResult::Yield(output) => Left::With(output),
            CoroutineResult::Return(()) => Left::Ended,
        };
        let is_inside = matches!(&left, Left::With(output) if !is_end(output));
        self.entered = is_inside.then_some(inside);
        if !is_inside {
            ENTERED.set(inside.depth - 1);
        }
        left
    }

    /// Whether it waits for the program in the middle of a call.
    pub fn is_in_call(&self) -> bool {
        self.entered.is_some()
    }
}

impl<Input, Output> Drop for Fiber<Input, Output> {
    /// Unfinished work keeps its stack: the values on it cannot be dropped.
    fn drop(&mut self) {
        if self.coroutine.done() {
            // SAFETY: nothing uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.coroutine) };
        }
    }
}

impl<Input, Output> Exit<Input, Output> {
    /// Leave the stack with `output`. Returns when the fiber is resumed.
    pub fn leave(&self, output: Output) -> Input {
        // SAFETY: the yielder is on the fiber's stack and lives as long as the work, which owns
        // this value. The value cannot leave the fiber: `Output` contains none.
        unsafe { self.0.as_ref() }.suspend(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Adder = Fiber<u32, u32>;

    fn is_even(output: &u32) -> bool {
        output.is_multiple_of(2)
    }

    /// Returns what it is given, until that is 0.
    fn echo() -> Adder {
        let run = |exit: Exit<u32, u32>, mut input| {
            while input != 0 {
                input = exit.leave(input);
            }
        };
        Adder::new(run).unwrap()
    }

    fn output(left: Left<u32>) -> Option<u32> {
        match left {
            Left::With(output) => Some(output),
            Left::Ended | Left::Busy => None,
        }
    }

    /// Use this many bytes of the stack, in frames of any size.
    fn deep(start: usize, bytes: usize) -> usize {
        let frame = std::hint::black_box([0_u8; 1000]);
        let used = start - frame.as_ptr().addr();
        if used >= bytes { used } else { deep(start, bytes).max(usize::from(frame[0])) }
    }

    #[test]
    fn its_stack_has_what_the_component_may_use() {
        let run = || {
            let fiber = Fiber::new(|exit: Exit<(), usize>, ()| {
                let start = std::hint::black_box(0_u8);
                exit.leave(deep((&raw const start).addr(), MAX_STACK_BYTES));
            });
            matches!(fiber.unwrap().resume((), |_| true), Left::With(MAX_STACK_BYTES..))
        };
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        assert!(thread.spawn(run).unwrap().join().unwrap());
    }

    #[test]
    fn it_goes_on_where_it_left_and_ends() {
        let mut fiber = echo();
        assert_eq!(output(fiber.resume(1, is_even)), Some(1));
        assert!(fiber.is_in_call());
        assert_eq!(output(fiber.resume(2, is_even)), Some(2));
        assert!(!fiber.is_in_call());
        assert!(matches!(fiber.resume(0, is_even), Left::Ended));
        assert!(matches!(fiber.resume(1, is_even), Left::Ended));
    }

    #[test]
    fn only_the_last_one_that_was_entered_goes_on() {
        let (mut outer, mut inner) = (echo(), echo());
        outer.resume(1, is_even);
        inner.resume(1, is_even);
        assert!(matches!(outer.resume(2, is_even), Left::Busy));
        assert_eq!(output(inner.resume(2, is_even)), Some(2));
        assert_eq!(output(outer.resume(2, is_even)), Some(2));
        inner.resume(0, is_even);
        outer.resume(0, is_even);
        assert_eq!(ENTERED.get(), 0);
    }

    #[test]
    fn it_changes_threads_only_between_calls() {
        let mut fiber = echo();
        fiber.resume(2, is_even);
        let moved = std::thread::spawn(move || {
            fiber.resume(1, is_even);
            fiber
        });
        let mut fiber = moved.join().unwrap();
        // As deep as on the other thread.
        let mut other = echo();
        other.resume(1, is_even);
        assert!(matches!(fiber.resume(2, is_even), Left::Busy));
        other.resume(0, is_even);
    }
}
