//! What one instruction does to what is known. Flow is the business of `function`.

mod arithmetic;
mod moves;
mod operands;

use iced_x86::{
    Instruction, InstructionInfoFactory, Mnemonic as M, OpAccess, OpKind, Register, RflagsBits,
};

use crate::access::{self, Ground, Place, RETURN_BYTES};
use crate::number::{Number, Range};
use crate::state::{Comparison, State};
use crate::value::{Cell, Value};
use operands::{memory_bytes, narrowed};

/// Runs instructions.
pub struct Machine<'a> {
    pub ground: Ground<'a>,
    factory: InstructionInfoFactory,
    /// What was refused, with its position.
    pub refused: Vec<(u64, String)>,
    /// How many bytes of arguments on the stack were read.
    pub incoming: i64,
}

/// One instruction that runs.
struct Step<'m, 'a, 's> {
    machine: &'m mut Machine<'a>,
    state: &'s mut State,
    instruction: &'s Instruction,
    /// The position in memory that it names, once it was looked at.
    place: Option<Place>,
}

impl<'a> Machine<'a> {
    pub fn new(ground: Ground<'a>) -> Self {
        Self { ground, factory: InstructionInfoFactory::new(), refused: Vec::new(), incoming: 0 }
    }

    /// Note that an instruction is not allowed.
    pub fn refuse(&mut self, instruction: &Instruction, reason: impl Into<String>) {
        self.refused.push((instruction.ip(), reason.into()));
    }

    /// Run an instruction.
    pub fn step(&mut self, state: &mut State, instruction: &Instruction) {
        let mut step = Step { machine: self, state, instruction, place: None };
        step.access();
        let flags = step.run();
        if instruction.rflags_modified() & ARITHMETIC_FLAGS != 0 {
            step.state.flags = flags;
        }
    }

    /// Where wasmtime follows the frames, by the addresses that they begin with, this one is among
    /// them or not yet made.
    pub fn framed(&mut self, state: &State, instruction: &Instruction) {
        let saved = Value::Saved(Register::RBP);
        let is_framed = match state.get(Register::RBP).value {
            Value::Stack(start) => start == -8 && state.slot(start, 8).value == saved,
            value => value == saved,
        };
        if !is_framed {
            self.refuse(instruction, "its frame is not linked to that of its caller");
        }
    }

    /// What the operand of an indirect jump or call is.
    pub fn operand(&mut self, state: &mut State, instruction: &Instruction) -> Cell {
        let mut step = Step { machine: self, state, instruction, place: None };
        step.access();
        step.read(0)
    }
}

const ARITHMETIC_FLAGS: u32 = RflagsBits::OF
    | RflagsBits::SF
    | RflagsBits::ZF
    | RflagsBits::CF
    | RflagsBits::PF
    | RflagsBits::AF;

impl Step<'_, '_, '_> {
    /// Check the position in memory that the instruction names.
    fn access(&mut self) {
        let instruction = self.instruction;
        let is_access = !matches!(instruction.mnemonic(), M::Lea | M::Nop);
        if !is_access || !instruction.op_kinds().any(|kind| kind == OpKind::Memory) {
            return;
        }
        let place = access::place(self.state, instruction, self.fresh(3));
        self.place = Some(place);
        let bytes = memory_bytes(instruction);
        if bytes == 0 {
            self.machine.refuse(instruction, "the size of its access is not known");
        }
        let Self { machine, state, .. } = self;
        let mut is_read = false;
        let mut is_written = false;
        for used in machine.factory.info(instruction).used_memory() {
            // What the stack pointer moves over is the business of `push` and `pop`.
            match used.access() {
                OpAccess::Read | OpAccess::CondRead => is_read = true,
                OpAccess::Write | OpAccess::CondWrite => is_written = true,
                OpAccess::NoMemAccess => {}
                _ => (is_read, is_written) = (true, true),
            }
        }
        // What these write is on the stack.
        is_written &= !matches!(instruction.mnemonic(), M::Call | M::Push);
        // With a bit of a register, some of them access more than they name.
        let is_other = is_written
            && instruction.op0_kind() != OpKind::Memory
            && instruction.mnemonic() != M::Xchg;
        let is_bit = matches!(instruction.mnemonic(), M::Bt | M::Btc | M::Btr | M::Bts);
        if is_other || is_bit && instruction.op1_kind() == OpKind::Register {
            machine.refuse(instruction, "its access has another form");
        }
        if is_read && let Err(reason) = access::read(machine.ground, state, place, bytes) {
            machine.refuse(instruction, reason);
        }
        if is_written && let Err(reason) = access::write(machine.ground, state, place, bytes) {
            machine.refuse(instruction, reason);
        }
        match place {
            Place::At(Value::Stack(offset)) if offset >= RETURN_BYTES => {
                machine.incoming = machine.incoming.max(offset + bytes - RETURN_BYTES);
            }
            Place::At(Value::Memory(_)) => {
                if matches!(instruction.memory_base(), Register::RSP | Register::RBP) {
                    machine.refuse(instruction, "it is not listed as one that traps");
                }
                machine.framed(state, instruction);
            }
            _ => {}
        }
    }

    /// Change what is known, and return what the flags compare.
    fn run(&mut self) -> Option<Comparison> {
        let instruction = self.instruction;
        let bits = self.bits(0);
        match instruction.mnemonic() {
            M::Mov => {
                let (from, source) = (self.bits(1), self.named(1));
                let is_immediate =
                    !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
                let cell =
                    if is_immediate { source } else { narrowed(self.machine.ground, source, from) };
                self.write(0, cell);
            }
            M::Movzx => {
                let from = self.bits(1);
                let cell = self.named(1);
                let cell = narrowed(self.machine.ground, cell, from);
                self.write(0, cell);
            }
            M::Movsx | M::Movsxd => {
                let (from, cell) = (self.bits(1), self.raw(1));
                match cell.value {
                    Value::Distance(_) if bits == 64 && from == 32 => self.write(0, cell),
                    _ => {
                        let narrow = narrowed(self.machine.ground, cell, from);
                        self.number_result(narrow.value.number().extended(from));
                    }
                }
            }
            M::Cdqe => self.extend(Register::EAX, Register::RAX),
            M::Cwde => self.extend(Register::AX, Register::EAX),
            M::Lea => self.lea(),
            M::Cmp | M::Test => return self.compare(),
            M::Add | M::Sub => return self.add_or_subtract(),
            M::Adc | M::Sbb => self.with_carry(),
            M::Not => {
                let number = self.number(0).exclusive_or(&Number::constant(-1), bits);
                self.number_result(number);
            }
            M::Neg => {
                let number = Number::constant(0).difference(&self.number(0), bits);
                self.number_result(number);
                return self.result_flags(true);
            }
            M::Inc | M::Dec => {
                let one = Number::constant(1);
                let number = self.number(0);
                self.number_result(match instruction.mnemonic() {
                    M::Inc => number.sum(&one, bits),
                    _ => number.difference(&one, bits),
                });
                return self.result_flags(true);
            }
            M::And | M::Or | M::Xor => return self.logical(),
            M::Shl | M::Shr => return self.shift(),
            M::Imul if instruction.op_count() > 1 => {
                let (first, second) = match instruction.op_count() {
                    2 => (self.number(0), self.number(1)),
                    _ => (self.number(1), self.immediate(2)),
                };
                self.number_result(first.product(&second, bits));
            }
            M::Xchg => {
                let (first, second) = (self.read(0), self.read(1));
                self.write(0, second);
                self.write(1, first);
            }
            M::Push => self.push(),
            M::Pop => self.pop(),
            M::Leave => {
                let before = self.state.stack_pointer();
                let base = self.state.get(Register::RBP);
                self.state.set(Register::RSP, base);
                self.stack_moved(before);
                self.pop_into(Register::RBP);
            }
            M::Popcnt => self.number_result(Number::of(Range { low: 0, high: 64 })),
            M::Tzcnt | M::Bsf | M::Bsr => self.bit_position(),
            _ if instruction.condition_code() != iced_x86::ConditionCode::None => {
                self.conditional()
            }
            _ => self.other(),
        }
        None
    }
}
