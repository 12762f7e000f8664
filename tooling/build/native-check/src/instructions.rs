//! What the finished image may contain, checked on its machine code and not on what LLVM was given:
//!
//! - each instruction is one of a list, has no prefix that names a segment, and is reached as it
//!   was decoded: the targets of branches and calls are starts of instructions of the image;
//! - an address has a register or a position of the image, and a constant below the guard;
//! - indirect jumps go to an address in a register, as those by LLVM's tables;
//! - indirect calls are those of wasmtime's functions, whose address is read or in a register;
//! - the stack pointer changes by constants only, and is restored from the frame pointer.
//!
//! It does not follow values: `function` does.

use std::collections::BTreeSet;

use crate::listed::is_listed;
use anyhow::{Context, Result, bail, ensure};
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic,
    OpKind, Register,
};
/// The size of a `jmp` with a distance of 32 bits.
pub const SLOT_BYTES: usize = 5;

/// The guard before and behind the memory, in bytes.
const GUARD: i64 = 32 << 20;

/// Check `text`, the code at the start of the image `code`. Where constants of addresses pass the guard, which no function that is
/// proved may have.
///
/// # Errors
///
/// With the first instruction that is not allowed.
pub fn check(code: &[u8], text: usize) -> Result<BTreeSet<u32>> {
    let text = code.get(..text).context("the code is longer than the image")?;
    let decoded = |options| -> Vec<Instruction> {
        Decoder::with_ip(64, text, 0, options).into_iter().collect()
    };
    let instructions = decoded(DecoderOptions::NONE);
    // Branches with a prefix for 16 bits, for example.
    let other = decoded(DecoderOptions::AMD);
    let mut both = instructions.iter().zip(&other);
    if let Some((differs, _)) = both.find(|(one, other)| !one.eq_all_bits(other)) {
        bail!("processors of two makers differ at {:#x}", differs.ip());
    }
    let mut checker = Checker {
        code,
        starts: vec![false; text.len()],
        factory: InstructionInfoFactory::new(),
        far: BTreeSet::new(),
    };
    for instruction in &instructions {
        checker.starts[instruction.ip() as usize] = true;
    }
    for instruction in &instructions {
        checker.instruction(instruction).with_context(|| {
            format!("the image has {:?} at {:#x}", instruction.code(), instruction.ip())
        })?;
    }
    Ok(checker.far)
}

struct Checker<'a> {
    code: &'a [u8],
    /// Whether an instruction starts at each byte of the code.
    starts: Vec<bool>,
    factory: InstructionInfoFactory,
    /// The instructions with a constant that passes the guard.
    far: BTreeSet<u32>,
}

impl Checker<'_> {
    fn instruction(&mut self, instruction: &Instruction) -> Result<()> {
        ensure!(!instruction.is_invalid(), "it is not an instruction");
        ensure!(is_listed(instruction.mnemonic()), "it is not in the list");
        ensure!(
            !instruction.has_lock_prefix() && !has_repetition(instruction),
            "it has a prefix that is not allowed"
        );
        // Those of strings share their names with moves and comparisons of doubles.
        ensure!(
            instruction.op_kinds().all(|kind| matches!(
                kind,
                OpKind::Register
                    | OpKind::Memory
                    | OpKind::NearBranch64
                    | OpKind::Immediate8
                    | OpKind::Immediate8_2nd
                    | OpKind::Immediate16
                    | OpKind::Immediate32
                    | OpKind::Immediate64
                    | OpKind::Immediate8to16
                    | OpKind::Immediate8to32
                    | OpKind::Immediate8to64
                    | OpKind::Immediate32to64
            )),
            "it has an operand of another kind"
        );
        let other = instruction.op_kinds().enumerate().any(|(operand, kind)| {
            let register = instruction.op_register(operand as u32);
            kind == OpKind::Register && !(register.is_gpr() || register.is_xmm())
        });
        ensure!(!other, "it has a register of another kind");
        self.flow(instruction)?;
        self.stack(instruction)?;
        if instruction.op_kinds().any(|kind| kind == OpKind::Memory) {
            self.address(instruction)?;
        }
        Ok(())
    }

    fn flow(&self, instruction: &Instruction) -> Result<()> {
        match instruction.flow_control() {
            FlowControl::Next => Ok(()),
            FlowControl::Return => {
                let is_near = matches!(instruction.code(), Code::Retnq | Code::Retnq_imm16);
                ensure!(is_near, "it returns otherwise");
                Ok(())
            }
            FlowControl::Exception if instruction.mnemonic() == Mnemonic::Ud2 => Ok(()),
            // What follows the code in an image is padding.
            FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => Ok(()),
            FlowControl::UnconditionalBranch
            | FlowControl::ConditionalBranch
            | FlowControl::Call => {
                ensure!(instruction.op0_kind() == OpKind::NearBranch64, "it is a far branch");
                let target = instruction.near_branch64();
                // Those of slots lead nowhere yet, and may be the last instruction.
                let is_slot = instruction.mnemonic() == Mnemonic::Jmp
                    && instruction.len() == SLOT_BYTES
                    && target == instruction.next_ip();
                if is_slot { Ok(()) } else { self.target(target) }
            }
            FlowControl::IndirectCall => {
                ensure!(instruction.code() == Code::Call_rm64, "it is a far call");
                Ok(())
            }
            FlowControl::IndirectBranch => {
                let is_near = instruction.code() == Code::Jmp_rm64;
                ensure!(
                    is_near && instruction.op0_kind() == OpKind::Register,
                    "it reads its target"
                );
                Ok(())
            }
            other => bail!("its flow is {other:?}"),
        }
    }

    fn target(&self, target: u64) -> Result<()> {
        let is_start = usize::try_from(target).ok().and_then(|target| self.starts.get(target));
        ensure!(is_start == Some(&true), "its target {target:#x} is not an instruction");
        Ok(())
    }

    fn address(&mut self, instruction: &Instruction) -> Result<()> {
        let is_segment = instruction.segment_prefix() != Register::None;
        ensure!(!is_segment || instruction.mnemonic() == Mnemonic::Nop, "it names a segment");
        let is_whole = [instruction.memory_base(), instruction.memory_index()]
            .iter()
            .all(|register| *register == Register::None || register.size() == 8);
        ensure!(is_whole, "its address has fewer than 64 bits");
        if instruction.is_ip_rel_memory_operand() {
            let place = instruction.ip_rel_memory_address();
            let end = place.checked_add(instruction.memory_size().size() as u64);
            let is_inside = end.is_some_and(|end| end <= self.code.len() as u64);
            ensure!(is_inside, "it reads outside of the image");
            let writes = self.factory.info(instruction).used_memory().iter().any(|used| {
                !matches!(
                    used.access(),
                    iced_x86::OpAccess::Read
                        | iced_x86::OpAccess::CondRead
                        | iced_x86::OpAccess::NoMemAccess
                )
            });
            ensure!(!writes, "it writes the image");
            return Ok(());
        }
        if matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop) {
            return Ok(());
        }
        ensure!(instruction.memory_base() != Register::None, "its address has no base");
        let displacement = instruction.memory_displacement64().cast_signed();
        if !(-GUARD..GUARD).contains(&displacement) {
            self.far.insert(u32::try_from(instruction.ip())?);
        }
        Ok(())
    }

    fn stack(&mut self, instruction: &Instruction) -> Result<()> {
        let info = self.factory.info(instruction);
        let changes = info.used_registers().iter().any(|used| {
            used.register().full_register() == Register::RSP
                && !matches!(used.access(), iced_x86::OpAccess::Read | iced_x86::OpAccess::CondRead)
        });
        let is_known = match instruction.mnemonic() {
            Mnemonic::Pop => {
                instruction.op0_register() != Register::RSP
                    && instruction.stack_pointer_increment() == 8
            }
            Mnemonic::Push | Mnemonic::Call => instruction.stack_pointer_increment() == -8,
            Mnemonic::Ret => true,
            Mnemonic::Leave => instruction.code() == Code::Leaveq,
            Mnemonic::Sub | Mnemonic::Add => {
                instruction.op1_kind() != OpKind::Register
                    && instruction.op1_kind() != OpKind::Memory
            }
            Mnemonic::Lea => {
                matches!(instruction.memory_base(), Register::RBP | Register::RSP)
                    && instruction.memory_index() == Register::None
            }
            Mnemonic::Mov => instruction.op1_register() == Register::RBP,
            _ => false,
        };
        ensure!(!changes || is_known, "it changes the stack pointer");
        Ok(())
    }
}

/// `rep ret` and `rep bsf` are as without it.
fn has_repetition(instruction: &Instruction) -> bool {
    (instruction.has_rep_prefix() || instruction.has_repne_prefix())
        && !matches!(instruction.mnemonic(), Mnemonic::Ret | Mnemonic::Bsf | Mnemonic::Tzcnt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: &[u8]) -> bool {
        !check(code, code.len()).is_ok_and(|far| far.is_empty())
    }

    #[test]
    fn what_functions_do_is_allowed() {
        // push rbp; mov rbp, rsp; mov eax, esi; mov eax, [rdx+rax+8]; pop rbp; ret
        let code = [0x55, 0x48, 0x89, 0xe5, 0x89, 0xf0, 0x8b, 0x44, 0x02, 8, 0x5d, 0xc3];
        assert!(check(&code, code.len()).unwrap().is_empty());
        // A loop: dec edi; jne -4; ud2
        check(&[0xff, 0xcf, 0x75, 0xfc, 0x0f, 0x0b], 6).unwrap();
    }

    #[test]
    fn each_planted_violation_is_found() {
        for (code, what) in [
            (&[0x0f, 0x05][..], "syscall"),
            (&[0xcd, 0x80], "int 0x80"),
            (&[0x0f, 0x34], "sysenter"),
            (&[0xf3, 0x48, 0x0f, 0xae, 0xd8], "wrgsbase rax"),
            (&[0x65, 0x8b, 0x00], "mov eax, gs:[rax]"),
            (&[0x64, 0x8b, 0x00], "mov eax, fs:[rax]"),
            (&[0x8b, 0x04, 0x25, 0, 0, 1, 0], "mov eax, [0x10000]"),
            (&[0x67, 0x8b, 0x00], "mov eax, [eax]"),
            (&[0x67, 0x8d, 0x04, 0x08], "lea eax, [eax+ecx]"),
            (&[0x67, 0x48, 0x8d, 0x05, 0, 0, 0, 0], "lea rax, [eip]"),
            (&[0x8b, 0x80, 0, 0, 0, 2], "mov eax, [rax+32M]"),
            (&[0x8b, 0x05, 0, 1, 0, 0], "mov eax, [rip+256]"),
            (&[0x89, 0x05, 0xfa, 0xff, 0xff, 0xff], "mov [rip-6], eax"),
            (&[0xeb, 0x10], "jmp beyond the image"),
            (&[0xeb, 0xff, 0xc0], "jmp into an instruction"),
            (&[0xe8, 0, 1, 0, 0], "call beyond the image"),
            (&[0xff, 0x20], "jmp [rax]"),
            (&[0x48, 0xff, 0x18], "call far [rax]"),
            (&[0xcb], "ret far"),
            (&[0x48, 0x89, 0xc4], "mov rsp, rax"),
            (&[0x48, 0x01, 0xc4], "add rsp, rax"),
            (&[0x5c], "pop rsp"),
            (&[0xf3, 0xa4], "rep movsb"),
            (&[0xa5], "movsd of strings"),
            (&[0xa7], "cmpsd of strings"),
            (&[0xf0, 0xff, 0x00], "lock inc [rax]"),
            (&[0x0f, 0x01, 0xf9], "rdtscp"),
            (&[0x0f, 0x31], "rdtsc"),
            (&[0x0f, 0xa2], "cpuid"),
            (&[0xfd], "std"),
            (&[0x66, 0x6a, 1], "push of 16 bits"),
            (&[0x66, 0x68, 1, 0], "push of 16 bits"),
            (&[0x66, 0x50], "push ax"),
            (&[0x66, 0x58], "pop ax"),
            (&[0x66, 0xc9], "leave of 16 bits"),
            (&[0x66, 0xc3], "ret of 16 bits"),
            (&[0x66, 0xff, 0xe0], "jmp ax"),
            (&[0x66, 0xff, 0xd0], "call ax"),
            (&[0x66, 0xe9, 0, 0, 0, 0, 0, 0], "jmp of 16 or 32 bits"),
            (&[0x66, 0xe8, 0, 0, 0, 0, 0, 0], "call of 16 or 32 bits"),
            (&[0x66, 0x74, 0], "je of 16 or 64 bits"),
            (&[0x0f, 0x22, 0xc0], "mov cr0, rax"),
            (&[0x0f, 0x23, 0xc0], "mov dr0, rax"),
            (&[0x0f, 0x6f, 0xc1], "movq mm0, mm1"),
            (&[0x8e, 0xd8], "mov ds, eax"),
            (&[0xd9, 0xe8], "fld1"),
            (&[0xc5, 0xf8, 0x77], "vzeroupper"),
            (&[0x06], "an invalid byte"),
        ] {
            assert!(refused(code), "{what}");
        }
    }
}
