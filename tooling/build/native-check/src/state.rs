//! What is known before an instruction.

use std::collections::BTreeMap;

use iced_x86::Register;

use crate::number::{Range, Steps};
use crate::value::{Cell, Name, Names, Value};

/// The registers of integers.
pub const REGISTERS: [Register; 16] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RSP,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Those for arguments.
pub const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// The callee-saved registers without the stack pointer.
pub const SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The position of a register of any size among all; none if it is not one for integers.
pub fn position(register: Register) -> Option<usize> {
    let full = register.full_register();
    REGISTERS.iter().position(|it| *it == full)
}

/// A comparison that the flags have the result of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How many bits were compared.
    pub bits: u32,
    /// Both sides.
    pub sides: [Cell; 2],
    /// Whether only equality and the sign are those of a comparison.
    pub only_equality: bool,
}

/// What is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    registers: [Cell; 16],
    /// By their offsets from the return address, with their sizes.
    slots: BTreeMap<i64, (i64, Cell)>,
    /// What the flags are.
    pub flags: Option<Comparison>,
    /// Where the stack pointer was when it was found to be above its limit.
    pub checked: Option<i64>,
}

impl State {
    /// At the start of a function.
    pub fn at_entry(arguments: &[Value; 6]) -> Self {
        let mut state =
            Self { registers: [Cell::ANY; 16], slots: BTreeMap::new(), flags: None, checked: None };
        for (register, value) in ARGUMENTS.iter().zip(arguments) {
            state.set(*register, Cell::new(*value));
        }
        for register in SAVED {
            state.set(register, Cell::new(Value::Saved(register)));
        }
        state.set(Register::RSP, Cell::new(Value::Stack(0)));
        state
    }

    /// What a register holds, in all its bits.
    pub fn get(&self, register: Register) -> Cell {
        position(register).map_or(Cell::ANY, |index| self.registers[index])
    }

    /// Write all bits of a register.
    pub fn set(&mut self, register: Register, cell: Cell) {
        if let Some(index) = position(register) {
            self.registers[index] = cell;
        }
    }

    /// The stack pointer, if it is known.
    pub fn stack_pointer(&self) -> Option<i64> {
        match self.get(Register::RSP).value {
            Value::Stack(offset) => Some(offset),
            _ => None,
        }
    }

    /// What a slot holds, zero-extended.
    pub fn slot(&self, offset: i64, bytes: i64) -> Cell {
        match self.slots.get(&offset) {
            Some((size, cell)) if *size == bytes => *cell,
            Some((size, cell)) if *size > bytes => Cell::new(cell.value.truncated(bits_of(bytes))),
            _ => Cell::new(Value::bits(bits_of(bytes))),
        }
    }

    /// Write a slot.
    pub fn set_slot(&mut self, offset: i64, bytes: i64, cell: Cell) {
        self.slots.retain(|at, (size, _)| *at + *size <= offset || offset + bytes <= *at);
        if matches!(bytes, 1 | 2 | 4 | 8) {
            self.slots.insert(offset, (bytes, cell));
        }
    }

    /// What is below the stack pointer is lost.
    pub fn forget_below(&mut self, pointer: i64) {
        self.slots.retain(|at, _| *at >= pointer);
    }

    /// All that has a value.
    fn cells(&mut self) -> impl Iterator<Item = &mut Cell> {
        let flags = self.flags.iter_mut().flat_map(|flags| flags.sides.iter_mut());
        self.registers.iter_mut().chain(self.slots.values_mut().map(|(_, cell)| cell)).chain(flags)
    }

    /// Take a name from all that has it, before it is given anew.
    fn free(&mut self, name: Name) {
        for cell in self.cells() {
            if cell.name == Some(name) {
                cell.name = None;
            }
            if cell.value.owner() == Some(name) {
                cell.value = Value::ANY;
            }
        }
    }

    /// The register's content, with a name; `fresh` if it has none.
    pub fn named(&mut self, register: Register, fresh: Name) -> Cell {
        let mut cell = self.get(register);
        if cell.name.is_none() {
            self.free(fresh);
            cell = self.get(register);
            cell.name = Some(fresh);
            self.set(register, cell);
        }
        cell
    }

    /// The slot's content, with a name.
    pub fn named_slot(&mut self, offset: i64, bytes: i64, fresh: Name) -> Cell {
        if let Some((size, cell)) = self.slots.get(&offset)
            && *size == bytes
            && cell.name.is_some()
        {
            return *cell;
        }
        self.free(fresh);
        let mut cell = self.slot(offset, bytes);
        if self.slots.get(&offset).is_none_or(|(size, _)| *size <= bytes) {
            cell.name = Some(fresh);
            self.set_slot(offset, bytes, cell);
        }
        cell
    }

    /// Where a value with this name has its lower bits in a range. False if it cannot.
    pub fn refine(&mut self, name: Name, bits: u32, range: Range) -> bool {
        let mut possible = true;
        for cell in self.cells().filter(|cell| cell.name == Some(name)) {
            if let Value::Number(number) = cell.value {
                match number.refined(bits, range) {
                    Some(number) => cell.value = Value::Number(number),
                    None => possible = false,
                }
            }
        }
        possible
    }

    /// Change all values by what has become known.
    pub fn learn(&mut self, change: impl Fn(&mut Cell)) {
        self.cells().for_each(change);
    }

    /// After a call: the registers that a function may change, and what it may write of the stack.
    pub fn after_call(&mut self, result: Value) {
        for register in REGISTERS {
            if !SAVED.contains(&register) && register != Register::RSP {
                self.set(register, Cell::ANY);
            }
        }
        self.set(Register::RAX, Cell::new(result));
        self.flags = None;
        if let Some(pointer) = self.stack_pointer() {
            self.forget_below(pointer);
        }
    }

    /// What holds in both, at the position where they meet.
    pub fn joined(&self, other: &Self, place: u32, steps: Option<&Steps>) -> Self {
        let mut names = Names::at(place);
        let mut registers = self.registers;
        for (cell, other) in registers.iter_mut().zip(&other.registers) {
            *cell = cell.joined(other, steps, &mut names);
        }
        let slots = self.slots.iter().filter_map(|(offset, (size, cell))| {
            let (other_size, other) = other.slots.get(offset)?;
            let same = size == other_size;
            same.then(|| (*offset, (*size, cell.joined(other, steps, &mut names))))
        });
        let slots = slots.collect();
        let flags = self.joined_flags(other, steps, &mut names);
        Self { registers, slots, flags, checked: self.joined_check(other) }
    }

    fn joined_flags(
        &self,
        other: &Self,
        steps: Option<&Steps>,
        names: &mut Names,
    ) -> Option<Comparison> {
        let (one, other) = self.flags.as_ref().zip(other.flags.as_ref())?;
        let is_same = one.bits == other.bits && one.only_equality == other.only_equality;
        let [left, right] =
            [0, 1].map(|side: usize| one.sides[side].joined(&other.sides[side], steps, names));
        is_same.then_some(Comparison { sides: [left, right], ..*one })
    }

    fn joined_check(&self, other: &Self) -> Option<i64> {
        self.checked.zip(other.checked).map(|(a, b)| a.max(b))
    }

    /// Whether all that is known here holds there: then what holds in both is this.
    pub fn holds_in(&self, other: &Self, place: u32) -> bool {
        let mut names = Names::at(place);
        let mut is_same = |cell: &Cell, other: &Cell| cell.joined(other, None, &mut names) == *cell;
        self.registers.iter().zip(&other.registers).all(|(cell, other)| is_same(cell, other))
            && self.slots.iter().all(|(offset, (size, cell))| {
                let found = other.slots.get(offset).filter(|(other_size, _)| other_size == size);
                found.is_some_and(|(_, other)| is_same(cell, other))
            })
            && self.joined_flags(other, None, &mut names) == self.flags
            && self.joined_check(other) == self.checked
    }
}

/// Sizes above eight bytes hold no integers.
fn bits_of(bytes: i64) -> u32 {
    match bytes {
        1 | 2 | 4 => 8 * bytes as u32,
        _ => 64,
    }
}
