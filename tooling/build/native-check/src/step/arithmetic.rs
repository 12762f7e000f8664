//! Instructions that compute.

use iced_x86::{Mnemonic as M, OpKind, Register};

use super::Step;
use crate::access;
use crate::number::{Number, Range};
use crate::state::Comparison;
use crate::value::{Cell, Value};

impl Step<'_, '_, '_> {
    pub(super) fn extend(&mut self, from: Register, to: Register) {
        let (small, large) = (8 * from.size() as u32, 8 * to.size() as u32);
        let number = self.state.get(from).value.number();
        let number = number.truncated(small).extended(small).truncated(large);
        self.write_register(to, large, Cell::new(Value::Number(number)));
    }

    pub(super) fn lea(&mut self) {
        let instruction = self.instruction;
        if self.bits(0) == 64 {
            let is_far = instruction.is_ip_rel_memory_operand();
            let value = if is_far {
                let offset = instruction.ip_rel_memory_address().cast_signed();
                Value::Image(Range::one(offset), u32::MAX)
            } else {
                access::sum(self.state, instruction)
            };
            return self.write(0, Cell::new(value));
        }
        let part = |register: Register, scale: u32| {
            let number = match register {
                Register::None => Number::constant(0),
                register => self.state.get(register).value.number(),
            };
            if scale > 1 { number.shifted_left(scale.trailing_zeros(), 32) } else { number }
        };
        let base = part(instruction.memory_base(), 1);
        let index = part(instruction.memory_index(), instruction.memory_index_scale());
        let offset = Number::constant(instruction.memory_displacement64().cast_signed());
        self.number_result(base.sum(&index, 32).sum(&offset, 32));
    }

    pub(super) fn compare(&mut self) -> Option<Comparison> {
        let bits = self.bits(0);
        if self.instruction.mnemonic() == M::Test {
            let is_same = self.instruction.op_kind(1) == OpKind::Register
                && self.instruction.op0_kind() == OpKind::Register
                && self.instruction.op0_register() == self.instruction.op1_register();
            if !is_same {
                return None;
            }
            let sides = [self.named(0), Cell::new(Value::constant(0))];
            return Some(Comparison { bits, sides, only_equality: false });
        }
        self.named(0);
        self.named(1);
        // Each may have taken a name from the other.
        let sides = [self.named(0), self.raw(1)];
        Some(Comparison { bits, sides, only_equality: false })
    }

    pub(super) fn add_or_subtract(&mut self) -> Option<Comparison> {
        let bits = self.bits(0);
        let is_sum = self.instruction.mnemonic() == M::Add;
        let (first, second) = (self.read(0), self.read(1));
        if bits == 64 {
            let value = if is_sum {
                first.value.plus(&second.value)
            } else {
                first.value.minus(&second.value)
            };
            self.write(0, Cell::new(value));
        } else {
            let (first, second) = (first.value.number(), second.value.number());
            let number =
                if is_sum { first.sum(&second, bits) } else { first.difference(&second, bits) };
            self.number_result(number);
        }
        self.result_flags(true)
    }

    /// The carry is not known.
    pub(super) fn with_carry(&mut self) {
        let (bits, carry) = (self.bits(0), Number::of(Range { low: 0, high: 1 }));
        let (first, second) = (self.number(0), self.number(1));
        let is_same = self.instruction.op1_kind() == OpKind::Register
            && self.instruction.op0_register() == self.instruction.op1_register();
        let number = match self.instruction.mnemonic() {
            M::Adc => first.sum(&second, bits).sum(&carry, bits),
            _ if is_same => Number::constant(0).difference(&carry, bits),
            _ => first.difference(&second, bits).difference(&carry, bits),
        };
        self.number_result(number);
    }

    pub(super) fn logical(&mut self) -> Option<Comparison> {
        let (bits, instruction) = (self.bits(0), self.instruction);
        let (first, second) = (self.read(0), self.read(1));
        let is_same = instruction.op1_kind() == OpKind::Register
            && instruction.op0_kind() == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        let is_reference = bits == 64
            && first.value == Value::Slot
            && second.value.as_constant() == Some(!1)
            && instruction.mnemonic() == M::And;
        let (a, b) = (first.value.number(), second.value.number());
        match instruction.mnemonic() {
            M::Xor if is_same => self.number_result(Number::constant(0)),
            // One of 32 bits is extended, too.
            M::And | M::Or if is_same => self.write(0, first),
            M::And if is_reference => {
                self.write(0, Cell::new(Value::Reference { null: true, ty: None }));
            }
            M::And => self.number_result(a.and(&b, bits)),
            M::Xor => self.number_result(a.exclusive_or(&b, bits)),
            _ => self.number_result(a.or(&b, bits)),
        }
        self.result_flags(false)
    }

    pub(super) fn shift(&mut self) -> Option<Comparison> {
        let bits = self.bits(0);
        let count = match self.instruction.op1_kind() {
            OpKind::Immediate8 => u32::from(self.instruction.immediate8()),
            _ => 0,
        };
        let number = self.number(0);
        if count == 0 || count >= bits {
            // Of a count that is not known, or that the processor shortens.
            self.number_result(Number::bits(bits.min(64)));
            return None;
        }
        self.number_result(match self.instruction.mnemonic() {
            M::Shl => number.shifted_left(count, bits),
            _ => number.shifted_right(count, bits),
        });
        self.result_flags(true)
    }

    /// Of zero it is not known, or what was there before: with or without its upper half.
    pub(super) fn bit_position(&mut self) {
        let bits = self.bits(0);
        let source = self.read(1).value.number().range(self.bits(1));
        if source.low > 0 {
            let (lowest, highest) = (source.low.ilog2(), source.high.ilog2());
            let low = if self.instruction.mnemonic() == M::Bsr { lowest } else { 0 };
            let range = Range { low: low.into(), high: highest.into() };
            return self.number_result(Number::of(range));
        }
        let found = Number::of(Range { low: 0, high: 64 });
        let before = self.raw(0).value.number();
        let either = found.joined(&before, None).joined(&before.truncated(bits), None);
        let register = self.instruction.op0_register();
        let bits = if bits == 32 { 64 } else { bits };
        self.write_register(register, bits, Cell::new(Value::Number(either)));
    }
}
