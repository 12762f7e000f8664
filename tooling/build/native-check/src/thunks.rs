//! The pieces of assembler between wasmtime's convention and LLVM's: each is exactly what it is to
//! be, and nothing is followed in it.

use iced_x86::{Instruction, Mnemonic as M, OpKind, Register as R};

use crate::access::RETURN_BYTES;
use crate::code::Code;
use crate::instructions::SLOT_BYTES;

/// The bytes that `count` arguments take on the stack.
fn stack_bytes(count: usize) -> i64 {
    (8 * count).next_multiple_of(16) as i64
}

/// What a piece that copies `count` arguments uses of the stack, with the return address.
pub fn depth(count: usize) -> i64 {
    2 * RETURN_BYTES + stack_bytes(count)
}

fn is_registers(instruction: &Instruction, mnemonic: M, first: R, second: R) -> bool {
    instruction.mnemonic() == mnemonic
        && instruction.op0_kind() == OpKind::Register
        && instruction.op0_register() == first
        && (second == R::None
            || instruction.op1_kind() == OpKind::Register && instruction.op1_register() == second)
}

fn is_memory(instruction: &Instruction, base: R, offset: i64) -> bool {
    instruction.memory_base() == base
        && instruction.memory_index() == R::None
        && instruction.memory_displacement64().cast_signed() == offset
        && instruction.memory_size().size() == 8
}

/// The pushed frame and the copies of arguments that both kinds begin with, in reverse the rest.
fn is_framed<'i>(rest: &mut impl Iterator<Item = &'i Instruction>, count: usize) -> bool {
    let mut is_next = |is: &dyn Fn(&Instruction) -> bool| rest.next().is_some_and(is);
    is_next(&|it| is_registers(it, M::Push, R::RBP, R::None))
        && is_next(&|it| is_registers(it, M::Mov, R::RBP, R::RSP))
        && is_next(&|it| {
            is_registers(it, M::Sub, R::RSP, R::None)
                && it.try_immediate(1).is_ok_and(|bytes| bytes == stack_bytes(count) as u64)
        })
        && (0..count as i64).all(|index| {
            is_next(&|it| {
                is_registers(it, M::Mov, R::RAX, R::None)
                    && it.op1_kind() == OpKind::Memory
                    && is_memory(it, R::RBP, 16 + 8 * index)
            }) && is_next(&|it| {
                it.mnemonic() == M::Mov
                    && it.op0_kind() == OpKind::Memory
                    && is_memory(it, R::RSP, 8 * index)
                    && it.op1_kind() == OpKind::Register
                    && it.op1_register() == R::RAX
            })
        })
}

/// Whether the piece at `start` copies `count` arguments and calls a function of the image, which
/// is returned.
pub fn inward(code: &Code<'_>, start: u32, count: usize) -> Option<u32> {
    let piece = code.piece(start);
    let mut rest = piece.into_iter();
    let is_start = is_framed(&mut rest, count);
    let call = rest.next().filter(|it| it.mnemonic() == M::Call && it.is_call_near())?;
    let is_end = rest.next()?.mnemonic() == M::Leave;
    let ret = rest.next().filter(|it| it.mnemonic() == M::Ret && it.op_count() == 1)?;
    let removes = i64::from(ret.immediate16()) == stack_bytes(count);
    let target = u32::try_from(call.near_branch64()).ok()?;
    (is_start && is_end && removes).then_some(target)
}

/// Whether the piece at `start` is a `jmp` that wasmtime completes.
pub fn is_slot(code: &Code<'_>, start: u32) -> bool {
    code.at(start).is_some_and(|it| {
        it.is_jmp_near() && it.len() == SLOT_BYTES && it.near_branch64() == it.next_ip()
    })
}

/// Whether the piece at `start` copies `count` arguments and calls what is behind them.
pub fn is_outward(code: &Code<'_>, start: u32, count: usize) -> bool {
    let piece = code.piece(start);
    let mut rest = piece.into_iter();
    is_framed(&mut rest, count)
        && rest.next().is_some_and(|it| {
            it.is_call_near_indirect()
                && it.op0_kind() == OpKind::Memory
                && is_memory(it, R::RBP, 16 + 8 * count as i64)
        })
        && rest.next().is_some_and(|it| it.mnemonic() == M::Leave)
        && rest.next().is_some_and(|it| it.mnemonic() == M::Ret && it.op_count() == 0)
}
