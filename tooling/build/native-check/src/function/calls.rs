//! Calls that a function makes: of other functions of the image, and of wasmtime's code.

use iced_x86::{Instruction, OpKind, Register};

use super::{Call, Walk, portable};
use crate::access::RETURN_BYTES;
use crate::facts::Role;
use crate::number::Range;
use crate::state::{ARGUMENTS, State};
use crate::thunks;
use crate::value::Value;

impl Walk<'_, '_> {
    /// Whether the call returns.
    pub(super) fn call(&mut self, state: &mut State, instruction: &Instruction) -> bool {
        let callee = match instruction.op0_kind() {
            OpKind::NearBranch64 => constant_place(instruction.near_branch64().cast_signed()),
            _ => self.machine.operand(state, instruction).value,
        };
        let Some(pointer) = state.stack_pointer() else {
            self.leaves(instruction, "the stack pointer is not known");
            return false;
        };
        let mut call = Call {
            callee: None,
            returns: true,
            arguments: ARGUMENTS.map(|register| portable(state.get(register).value)),
            frame: -pointer,
            between: 0,
            checked: state.checked.map(|offset| -offset),
        };
        self.machine.framed(state, instruction);
        if (pointer + RETURN_BYTES) % 16 != 0 {
            self.machine.refuse(instruction, "it calls with a stack that is not aligned");
        }
        let mut result = Some(Value::ANY);
        match self.role(callee) {
            Some((place, Role::Function { .. })) => {
                // What is known of integers differs from call to call.
                call.arguments = call.arguments.map(without_number);
                call.callee = Some(place);
                result = (self.callee)(place, call.arguments);
            }
            Some((place, Role::Helper)) => {
                call.arguments = call.arguments.map(constant_only);
                call.callee = Some(place);
                result = (self.callee)(place, call.arguments);
            }
            Some((_, Role::Outward { count })) => {
                call.between = thunks::depth(count);
                let at = pointer + 8 * count as i64;
                if at + 8 > 0 {
                    self.machine.refuse(instruction, "its arguments are not in the frame");
                }
                self.outside(state, instruction, state.slot(at, 8).value, count);
            }
            _ => self.outside(state, instruction, callee, 0),
        }
        call.returns = result.is_some();
        self.outcome.calls.push(call);
        self.outcome.frame = self.outcome.frame.max(RETURN_BYTES - pointer);
        state.after_call(result.unwrap_or(Value::ANY));
        result.is_some()
    }

    fn role(&self, callee: Value) -> Option<(u32, Role)> {
        let Value::Image(range, _) = callee else { return None };
        let place = u32::try_from(range.low).ok().filter(|_| range.low == range.high)?;
        Some((place, self.code.role(place)?))
    }

    /// A call of wasmtime's code, with `count` arguments on the stack.
    fn outside(&mut self, state: &State, instruction: &Instruction, code: Value, count: usize) {
        let facts = self.machine.ground.facts;
        let context = state.get(Register::RDI).value;
        let (is_right, on_stack) = match code {
            Value::ImportCode(index) => {
                let import = facts.imports.get(index as usize);
                (context == Value::ImportContext(index), import.map(|import| import.on_stack))
            }
            Value::ReferenceCode(name, Some(ty)) => {
                (context == Value::ReferenceContext(name), facts.types.get(&ty).copied())
            }
            code => match self.role(code) {
                Some((_, Role::Slot { on_stack })) => {
                    (context == Value::Context(0), Some(on_stack))
                }
                _ => return self.machine.refuse(instruction, format!("it calls {code}")),
            },
        };
        if !is_right {
            self.machine.refuse(instruction, "it calls with another VMContext");
        }
        if on_stack != Some(count) {
            self.machine.refuse(instruction, "it calls with another number of arguments");
        }
        if state.get(Register::RSI).value != Value::Context(0) {
            self.machine.refuse(instruction, "it calls without its VMContext");
        }
    }
}

fn constant_place(place: i64) -> Value {
    Value::Image(Range::one(place), u32::MAX)
}

fn without_number(value: Value) -> Value {
    match value {
        Value::Number(number) if Range::full(32).contains(number.range(64)) => Value::bits(32),
        Value::Number(_) => Value::ANY,
        value => value,
    }
}

fn constant_only(value: Value) -> Value {
    let is_range = matches!(value, Value::Number(_)) && value.as_constant().is_none();
    if is_range { Value::ANY } else { value }
}
