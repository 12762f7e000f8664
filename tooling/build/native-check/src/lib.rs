//! What LLVM's machine code in an image may do, proved on the finished code and not on what LLVM
//! was given.
//!
//! Proved of each function, on all ways through it:
//!
//! - each access is of its frame (or of arguments on the stack, to read them), of a known field of
//!   the VMContext, of the memory's base with an offset that stays within what is reserved and its
//!   guards, of the table within its length, or of the image's constants, which are not written;
//! - it calls functions of the image, imports and references of the table with their own VMContext,
//!   references only if they are not null and of the type that was compared;
//! - it jumps to its own instructions, by tables to the targets that those have;
//! - it returns where it was called, with the registers that it has to keep;
//! - the stack is aligned at calls, is not used far below its limit without a check, and its frames
//!   are linked wherever wasmtime may follow them.
//!
//! Not proved: that the code computes what WebAssembly says, and that it writes no address into the
//! memory or an argument. Which address an access has that the processor only guesses is not
//! followed.
//!
//! # Why that holds
//!
//! *One step.* `state` says of each register, each slot of the frame and of what the flags compare
//! a set of 64 bits (`value`), and which of them hold the same bits (names). `step` gives what is
//! known after an instruction if its operands are in what is known before; an instruction that it
//! does not know loses all that it writes, a part of a register loses what the register was.
//! `number_tests` compares sets of integers with integers. `assume` narrows by a comparison only what
//! still has the name that was compared, and an instruction that writes flags ends a comparison.
//!
//! *Nothing else changes the frame.* An address in a frame has one known offset or none, and one
//! without is refused where it is used. Addresses of a frame do not pass to other functions
//! (`portable`), other functions write only their own frames, and what is below the stack pointer is
//! forgotten, as a signal may write there. The memory, of which anybody may write anything, is never
//! in a frame: what is read from it is any integer.
//!
//! *All ways.* `instructions` decodes the code once from its start and all branches lead to
//! instructions of that; a branch that leaves its function, an indirect jump without a table in the
//! constants, and a last instruction that goes on are refused. Where ways meet, `function` joins what
//! is known until nothing changes, by steps that end, and then goes over all once more: only that
//! last time counts, and it refuses a state that is not in what is known of its position. So it does
//! not matter how that was found.
//!
//! *All functions.* What is known of arguments joins all calls, and is nothing of those from outside
//! but for the VMContext (`program`). What is known of results, and that a function never returns
//! (`endless`), is supposed first and must then follow: the first call that returned otherwise would
//! need another one before it. The calls of a function that is not proved are left out, so the others
//! are proved only if no such function remains: the image is made anew without it.
//!
//! *The edges.* Pieces of assembler between the conventions of calls are compared with what they are
//! to be (`thunks`). Functions of the translator are followed for each kind of arguments, and if one
//! is not proved, there is no image.
//!
//! Taken for granted: that wasmtime calls with the function's own VMContext, an aligned stack and
//! linked frames, and keeps registers as the convention says; that the VMContext has what `Facts`
//! says, and the pieces are where `Subject` says; that the memory's base never changes, nor that of a
//! table that cannot grow, and what is reserved and its guards trap; that a slot of the table is zero or a function's reference; that
//! wasmtime writes the distance of each slot and nothing else into the code; and that the processor
//! does what its manual and the decoder (`iced-x86`) say.

mod access;
mod assume;
mod code;
mod depths;
mod endless;
mod facts;
mod function;
mod instructions;
mod listed;
mod number;
mod program;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod thunks;
mod value;

pub use facts::{Facts, Global, Import, Piece, Report, Role, Subject};
pub use instructions::check;
pub use program::verify;
