//! Instructions that move: the stack, conditions, and all that is not known.

use iced_x86::{OpAccess, OpKind, Register};

use super::Step;
use super::operands::narrowed;
use crate::assume::{assume, opposite};
use crate::number::{Number, Range};
use crate::state::position;
use crate::value::{Cell, Value};

impl Step<'_, '_, '_> {
    /// The stack pointer, without which nothing may be pushed or popped.
    fn known_pointer(&mut self) -> Option<i64> {
        let pointer = self.state.stack_pointer();
        if pointer.is_none() {
            self.machine.refuse(self.instruction, "the stack pointer is not known");
        }
        pointer
    }

    pub(super) fn push(&mut self) {
        let cell = match self.instruction.op0_kind() {
            OpKind::Register => self.named(0),
            _ => self.read(0),
        };
        let Some(pointer) = self.known_pointer() else { return };
        if self.bits(0) != 64 {
            self.machine.refuse(self.instruction, "it pushes fewer than 64 bits");
        }
        self.state.set(Register::RSP, Cell::new(Value::Stack(pointer - 8)));
        self.state.set_slot(pointer - 8, 8, cell);
    }

    pub(super) fn pop(&mut self) {
        match self.instruction.op0_kind() {
            OpKind::Register if self.bits(0) == 64 => {
                self.pop_into(self.instruction.op0_register());
            }
            _ => self.machine.refuse(self.instruction, "it pops into something else"),
        }
    }

    pub(super) fn pop_into(&mut self, register: Register) {
        let Some(pointer) = self.known_pointer() else { return };
        if pointer > -8 {
            self.machine.refuse(self.instruction, "it pops the return address");
        }
        let cell = self.state.slot(pointer, 8);
        self.state.set(Register::RSP, Cell::new(Value::Stack(pointer + 8)));
        self.state.set(register, cell);
        self.state.forget_below(pointer + 8);
    }

    /// `cmov` and `set`.
    pub(super) fn conditional(&mut self) {
        let instruction = self.instruction;
        let condition = instruction.condition_code();
        if instruction.op_count() == 1 {
            return self.number_result(Number::of(Range { low: 0, high: 1 }));
        }
        let bits = self.bits(0);
        let ground = self.machine.ground;
        let mut value = |operand: u32, condition| {
            // In a state where the condition holds, and only for this operand.
            let before = self.state.clone();
            let is_possible = assume(self.state, condition);
            let cell = self.read(operand);
            *self.state = before;
            is_possible.then(|| narrowed(ground, cell, bits))
        };
        let (moved, kept) = (value(1, condition), value(0, opposite(condition)));
        let cell = match (moved, kept) {
            (Some(a), Some(b)) => a.either(&b),
            (Some(cell), None) | (None, Some(cell)) => cell,
            (None, None) => Cell::ANY,
        };
        self.write(0, cell);
    }

    /// Whatever it writes is not known.
    pub(super) fn other(&mut self) {
        let instruction = self.instruction;
        let used = self.machine.factory.info(instruction).used_registers().to_vec();
        for used in used {
            let is_write = !matches!(
                used.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            );
            let register = used.register();
            if is_write && position(register).is_some() {
                let bits = 8 * register.size() as u32;
                let bits = if bits == 32 { 64 } else { bits };
                self.write_register(register, bits, Cell::ANY);
            }
        }
        let bits = self.bits(0);
        if instruction.op_count() == 0 {
            return;
        }
        let info = self.machine.factory.info(instruction);
        let writes = !matches!(
            info.op0_access(),
            OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
        );
        let conditional =
            matches!(info.op0_access(), OpAccess::CondWrite | OpAccess::ReadCondWrite);
        match instruction.op0_kind() {
            OpKind::Register
                if writes
                    && bits == 32
                    && !conditional
                    && position(instruction.op0_register()).is_some() =>
            {
                self.write(0, Cell::new(Value::bits(32)));
            }
            OpKind::Memory if writes => self.write(0, Cell::ANY),
            _ => {}
        }
    }
}
