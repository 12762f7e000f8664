//! Where an instruction accesses memory, and whether it may.

use iced_x86::{Instruction, Register};

use crate::facts::Facts;
use crate::number::{Number, Range};
use crate::state::State;
use crate::value::{Cell, Name, Value};

/// A position in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At an address.
    At(Value),
    /// In the function's reference with this name.
    Field(Name, Option<u32>, i64),
}

/// What all functions have in common.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The code and its constants.
    pub code: &'a [u8],
    /// Where the constants begin.
    pub text: i64,
    /// What it may rely on.
    pub facts: &'a Facts,
}

/// Where an instruction accesses memory. The base gets a name if that is a reference.
pub fn place(state: &mut State, instruction: &Instruction, fresh: Name) -> Place {
    if instruction.is_ip_rel_memory_operand() {
        let offset = instruction.ip_rel_memory_address().cast_signed();
        return Place::At(Value::Image(Range::one(offset), u32::MAX));
    }
    let offset = instruction.memory_displacement64().cast_signed();
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    if [base, index].iter().any(|it| *it != Register::None && it.size() != 8) {
        return Place::At(Value::ANY);
    }
    if let Value::Reference { null: false, ty } = state.get(base).value
        && index == Register::None
    {
        let name = state.named(base, fresh).name.unwrap_or(fresh);
        return Place::Field(name, ty, offset);
    }
    Place::At(sum(state, instruction))
}

/// The address of 64 bits that an instruction names.
pub fn sum(state: &State, instruction: &Instruction) -> Value {
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let offset = Value::constant(instruction.memory_displacement64().cast_signed());
    let base = match base {
        Register::None => Value::constant(0),
        register => state.get(register).value,
    };
    let index = match (index, instruction.memory_index_scale()) {
        (Register::None, _) => Value::constant(0),
        (register, 1) => state.get(register).value,
        (register, scale) => {
            let number = state.get(register).value.number();
            Value::Number(number.shifted_left(scale.trailing_zeros(), 64))
        }
    };
    // The offset may only fit an address, so it comes last, except with integers.
    base.plus(&index).plus(&offset)
}

/// Whether `bytes` at a position may be read, and what they are, zero-extended.
///
/// # Errors
///
/// When they may not.
pub fn read(ground: Ground<'_>, state: &State, place: Place, bytes: i64) -> Result<Cell, String> {
    let any = Value::bits(match bytes {
        1 | 2 | 4 => 8 * bytes as u32,
        _ => 64,
    });
    let value = match place {
        Place::Field(name, ty, offset) => field(ground.facts, name, ty, offset, bytes)?,
        Place::At(Value::Context(offset)) => context(ground.facts, offset, bytes)?.unwrap_or(any),
        Place::At(Value::Stack(offset)) => {
            let pointer = state.stack_pointer().ok_or("the stack pointer is not known")?;
            let is_own = pointer <= offset && offset + bytes <= 0;
            if !is_own && offset < RETURN_BYTES {
                return Err("it reads outside of its frame".to_owned());
            }
            return Ok(state.slot(offset, bytes));
        }
        Place::At(Value::Image(range, same)) => image(ground, range, same, bytes)?.unwrap_or(any),
        Place::At(Value::Clock) if bytes == 8 => any,
        Place::At(Value::Store(offset)) => {
            let deadline = ground.facts.clock.map(|(_, deadline)| i64::from(deadline));
            if bytes == 8 && deadline == Some(offset) {
                return Ok(Cell::new(any));
            }
            if offset != i64::from(ground.facts.stack_limit) || bytes != 8 {
                return Err(format!("it reads {bytes} bytes at {offset} of the store"));
            }
            Value::StackLimit
        }
        Place::At(Value::Table(range, zeros)) => {
            let slots = ground.facts.table_slots.unwrap_or(0);
            let is_inside = 0 <= range.low && range.high <= 8 * slots - 8;
            if !is_inside || zeros < 3 || bytes != 8 {
                return Err("it reads outside of the table".to_owned());
            }
            Value::Slot
        }
        Place::At(Value::Types(range, zeros)) => {
            let last = ground.facts.types.keys().next_back().copied().unwrap_or(0).into();
            if range.low < 0 || range.high > last || zeros < 2 || bytes != 4 {
                return Err("it reads outside of the identifiers of types".to_owned());
            }
            let ty = u32::try_from(range.low).unwrap_or(0);
            if range.low == range.high { Value::Type(ty) } else { any }
        }
        Place::At(address) => {
            memory(ground.facts, address, bytes)?;
            any
        }
    };
    Ok(Cell::new(value))
}

/// Whether `bytes` at a position may be written.
///
/// # Errors
///
/// When they may not.
pub fn write(ground: Ground<'_>, state: &State, place: Place, bytes: i64) -> Result<(), String> {
    match place {
        Place::At(Value::Context(offset)) => {
            let is_global = ground.facts.globals.iter().any(|global| {
                let start = i64::from(global.offset);
                global.mutable
                    && start <= offset
                    && offset + bytes <= start + i64::from(global.bytes)
            });
            if is_global { Ok(()) } else { Err("it writes the VMContext".to_owned()) }
        }
        Place::At(Value::Stack(offset)) => {
            let pointer = state.stack_pointer().ok_or("the stack pointer is not known")?;
            let is_own = pointer <= offset && offset + bytes <= 0;
            if is_own { Ok(()) } else { Err("it writes outside of its frame".to_owned()) }
        }
        Place::At(Value::Image(..)) => Err("it writes the image".to_owned()),
        Place::At(address @ Value::Memory(_)) => memory(ground.facts, address, bytes),
        Place::At(address) => Err(format!("it writes {address}")),
        Place::Field(..) => Err("it writes a function's reference".to_owned()),
    }
}

/// The size of a return address.
pub const RETURN_BYTES: i64 = 8;

fn memory(facts: &Facts, address: Value, bytes: i64) -> Result<(), String> {
    let Value::Memory(range) = address else { return Err(format!("it accesses {address}")) };
    let end = range.high.saturating_add(bytes);
    let is_inside = -facts.guard <= range.low && end <= facts.memory_reservation + facts.guard;
    if is_inside {
        Ok(())
    } else {
        Err(format!("it accesses the memory from {:#x} to {end:#x}", range.low))
    }
}

fn field(
    facts: &Facts,
    name: Name,
    ty: Option<u32>,
    offset: i64,
    bytes: i64,
) -> Result<Value, String> {
    let is = |field: u32, size| i64::from(field) == offset && bytes == size;
    if is(facts.reference_code, 8) {
        Ok(Value::ReferenceCode(name, ty))
    } else if is(facts.reference_context, 8) {
        Ok(Value::ReferenceContext(name))
    } else if is(facts.reference_type, 4) {
        Ok(Value::ReferenceType(name))
    } else {
        Err(format!("it reads {bytes} bytes at {offset} of a function's reference"))
    }
}

/// What the VMContext has at an offset.
fn context(facts: &Facts, offset: i64, bytes: i64) -> Result<Option<Value>, String> {
    let is = |field: u32| i64::from(field) == offset && bytes == 8;
    let is_in = |field: u32, size: u32| {
        i64::from(field) <= offset && offset + bytes <= i64::from(field) + i64::from(size)
    };
    if facts.memory_base.is_some_and(is) {
        return Ok(Some(Value::Memory(Range::one(0))));
    }
    if let Some(base) = facts.table_base {
        if is(base) {
            return Ok(Some(Value::Table(Range::one(0), u32::MAX)));
        }
        if is(facts.table_elements) {
            return Ok(facts.table_slots.map(Value::constant));
        }
    }
    if is(facts.store_context) {
        return Ok(Some(Value::Store(0)));
    }
    if facts.clock.is_some_and(|(clock, _)| is(clock)) {
        return Ok(Some(Value::Clock));
    }
    if is(facts.type_ids) {
        return Ok(Some(Value::Types(Range::one(0), u32::MAX)));
    }
    for (index, import) in facts.imports.iter().enumerate() {
        if is(import.code) {
            return Ok(Some(Value::ImportCode(index as u32)));
        }
        if is(import.context) {
            return Ok(Some(Value::ImportContext(index as u32)));
        }
    }
    let is_number = facts.memory_base.is_some() && is_in(facts.memory_length, 8)
        || facts.globals.iter().any(|global| is_in(global.offset, global.bytes));
    if is_number {
        return Ok(None);
    }
    Err(format!("it reads {bytes} bytes at {offset} of the VMContext"))
}

/// What the image has at one of some offsets.
fn image(ground: Ground<'_>, range: Range, same: u32, bytes: i64) -> Result<Option<Value>, String> {
    let end = ground.code.len() as i64;
    let is_inside = 0 <= range.low && range.high.checked_add(bytes).is_some_and(|it| it <= end);
    if !is_inside {
        return Err(format!(
            "it reads from {:#x} to {:#x}, which is outside of the image",
            range.low, range.high
        ));
    }
    // Many entries are not a table that matters, and wasmtime writes into the code.
    if bytes != 4 || same < 2 || range.low < ground.text || range.high - range.low > MAX_TABLE_BYTES
    {
        return Ok(None);
    }
    Ok(Some(Value::Distance(range)))
}

/// The largest table of distances.
const MAX_TABLE_BYTES: i64 = 1 << 16;

/// The distances in a part of the image.
pub fn distances(code: &[u8], range: Range) -> impl Iterator<Item = i64> {
    let entries = (range.low..=range.high).step_by(4);
    entries.map(|at| {
        let at = at as usize;
        let bytes = code.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(i64::MIN, |bytes| i64::from(i32::from_le_bytes(bytes)))
    })
}

/// The integer that a distance is if it is not added to a position.
pub fn distance_number(code: &[u8], range: Range) -> Number {
    let range = distances(code, range)
        .map(|distance| Range::one(distance & 0xffff_ffff))
        .reduce(Range::either);
    range.map_or(Number::bits(32), Number::of)
}
