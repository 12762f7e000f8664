//! Operands: what they hold, and writing them.

use iced_x86::{Instruction, MemorySize, OpKind, Register};

use super::Step;
use crate::access::{self, Ground, Place};
use crate::number::{Number, Range};
use crate::state::{Comparison, position};
use crate::value::{Cell, Name, Value};

impl Step<'_, '_, '_> {
    /// A name that this instruction gives.
    pub(super) fn fresh(&self, index: u32) -> Name {
        self.instruction.ip() * 4 + Name::from(index)
    }

    /// The bits of an operand.
    pub(super) fn bits(&self, operand: u32) -> u32 {
        let instruction = self.instruction;
        match instruction.op_kind(operand) {
            OpKind::Register => 8 * instruction.op_register(operand).size() as u32,
            OpKind::Memory => 8 * memory_bytes(instruction) as u32,
            _ => 64,
        }
    }

    /// An operand, zero-extended; a register of 32 bits or fewer with all that it has above.
    pub(super) fn raw(&mut self, operand: u32) -> Cell {
        let instruction = self.instruction;
        match instruction.op_kind(operand) {
            OpKind::Register => self.register(instruction.op_register(operand)),
            OpKind::Memory => {
                let place = self.place.unwrap_or(Place::At(Value::ANY));
                let bytes = memory_bytes(instruction);
                let read = access::read(self.machine.ground, self.state, place, bytes);
                read.unwrap_or(Cell::ANY)
            }
            _ => match instruction.try_immediate(operand) {
                Ok(number) => Cell::new(Value::constant(number.cast_signed())),
                Err(_) => Cell::ANY,
            },
        }
    }

    pub(super) fn register(&self, register: Register) -> Cell {
        if is_high(register) { Cell::new(Value::bits(8)) } else { self.state.get(register) }
    }

    /// The same with a name.
    pub(super) fn named(&mut self, operand: u32) -> Cell {
        let instruction = self.instruction;
        let fresh = self.fresh(operand);
        match (instruction.op_kind(operand), self.place) {
            (OpKind::Register, _) => {
                let register = instruction.op_register(operand);
                if position(register).is_some() && !is_high(register) {
                    self.state.named(register, fresh)
                } else {
                    self.raw(operand)
                }
            }
            (OpKind::Memory, Some(Place::At(Value::Stack(offset))))
                if matches!(memory_bytes(instruction), 1 | 2 | 4 | 8) && offset < 0 =>
            {
                self.state.named_slot(offset, memory_bytes(instruction), fresh)
            }
            _ => self.raw(operand),
        }
    }

    /// An operand in as many bits as it has.
    pub(super) fn read(&mut self, operand: u32) -> Cell {
        let (cell, bits) = (self.raw(operand), self.bits(operand));
        narrowed(self.machine.ground, cell, bits)
    }

    pub(super) fn number(&mut self, operand: u32) -> Number {
        self.read(operand).value.number()
    }

    /// Write an operand. A register of 32 bits is extended by zero, a smaller one is a part.
    pub(super) fn write(&mut self, operand: u32, cell: Cell) {
        let instruction = self.instruction;
        let bits = self.bits(operand);
        match instruction.op_kind(operand) {
            OpKind::Register => {
                let register = instruction.op_register(operand);
                self.write_register(register, bits, cell);
            }
            OpKind::Memory => {
                if let Some(Place::At(Value::Stack(offset))) = self.place {
                    let cell = narrowed(self.machine.ground, cell, bits.min(64));
                    self.state.set_slot(offset, memory_bytes(instruction), cell);
                }
            }
            _ => {}
        }
    }

    pub(super) fn write_register(&mut self, register: Register, bits: u32, cell: Cell) {
        if position(register).is_none() {
            return;
        }
        let cell = match bits {
            64 => cell,
            32 => narrowed(self.machine.ground, cell, 32),
            _ => {
                let old = self.state.get(register).value.number();
                let is_all = Range::full(bits).contains(old.range(64));
                Cell::new(Value::Number(if is_high(register) {
                    old.replaced(16, &Number::ANY)
                } else if is_all {
                    cell.value.number().truncated(bits)
                } else {
                    old.replaced(bits, &cell.value.number())
                }))
            }
        };
        let before = self.state.stack_pointer();
        self.state.set(register, cell);
        if register == Register::RSP {
            self.stack_moved(before);
        }
    }

    /// The stack pointer has changed.
    pub(super) fn stack_moved(&mut self, before: Option<i64>) {
        match self.state.stack_pointer() {
            Some(pointer) if pointer > 0 => {
                self.machine.refuse(self.instruction, "it removes the return address");
            }
            // What is below may be overwritten by a signal.
            Some(pointer) if before.is_none_or(|before| before < pointer) => {
                self.state.forget_below(pointer);
            }
            Some(_) => {}
            None => self.machine.refuse(self.instruction, "the stack pointer is not known"),
        }
    }

    pub(super) fn number_result(&mut self, number: Number) {
        let bits = self.bits(0);
        self.write(0, Cell::new(Value::Number(number.truncated(bits.min(64)))));
    }

    /// The flags compare the result with zero.
    pub(super) fn result_flags(&mut self, only_equality: bool) -> Option<Comparison> {
        let zero = Cell::new(Value::constant(0));
        let result = self.named(0);
        Some(Comparison { bits: self.bits(0), sides: [result, zero], only_equality })
    }

    pub(super) fn immediate(&mut self, operand: u32) -> Number {
        self.raw(operand).value.number()
    }
}

/// The lower bits of a cell, with its name if these are all.
pub(super) fn narrowed(ground: Ground<'_>, cell: Cell, bits: u32) -> Cell {
    if bits >= 64 {
        return cell;
    }
    match cell.value {
        Value::Distance(range) if bits == 32 => {
            Cell::new(Value::Number(access::distance_number(ground.code, range)))
        }
        // These have 32 bits.
        Value::Type(_) | Value::ReferenceType(_) if bits == 32 => cell,
        Value::Number(number) if Range::full(bits).contains(number.range(64)) => cell,
        value => Cell::new(value.truncated(bits)),
    }
}

pub(super) fn is_high(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

pub(super) fn memory_bytes(instruction: &Instruction) -> i64 {
    match instruction.memory_size() {
        MemorySize::Unknown => 0,
        size => size.size() as i64,
    }
}
