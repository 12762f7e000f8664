//! What a register or a slot of the stack may hold.

use std::fmt;

use iced_x86::Register;

use crate::number::{Number, Range, Steps};

/// A name of one value at run time: all registers and slots that have it hold the same bits.
///
/// An instruction gives names, always the same, and takes them from what had them before.
pub type Name = u64;

/// What is known of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// An integer, or nothing is known.
    Number(Number),
    /// The instance's VMContext, and an offset.
    Context(i64),
    /// The linear memory, and an offset.
    Memory(Range),
    /// The address of the return address, and an offset.
    Stack(i64),
    /// An offset in the image; this many lowest bits are those of the first.
    Image(Range, u32),
    /// One of the distances of 32 bits in the image from the first to the last.
    Distance(Range),
    /// Such a distance and an offset in the image.
    Target(Range, i64),
    /// What a register held when the function was called.
    Saved(Register),
    /// The store's context, and an offset.
    Store(i64),
    /// The address of the clock.
    Clock,
    /// The lowest address of the stack.
    StackLimit,
    /// The table, an offset, and how many of its lowest bits are zero.
    Table(Range, u32),
    /// What a slot of the table has: zero, or an address that is marked in its lowest bit.
    Slot,
    /// A function's reference, perhaps null, and its type if that was compared.
    Reference { null: bool, ty: Option<u32> },
    /// The type in the reference with this name.
    ReferenceType(Name),
    /// The code in the reference with this name.
    ReferenceCode(Name, Option<u32>),
    /// The VMContext in the reference with this name.
    ReferenceContext(Name),
    /// The identifiers of types, and an offset.
    Types(Range, u32),
    /// The identifier of the type at this offset.
    Type(u32),
    /// The code of an import.
    ImportCode(u32),
    /// The VMContext of an import.
    ImportContext(u32),
}

use Value::{Context, Distance, Image, Memory, Stack, Table, Target, Types};

impl Value {
    /// Nothing is known.
    pub const ANY: Self = Self::Number(Number::ANY);

    /// A constant.
    pub fn constant(number: i64) -> Self {
        Self::Number(Number::constant(number))
    }

    /// Any integer of this many bits.
    pub fn bits(bits: u32) -> Self {
        Self::Number(Number::bits(bits))
    }

    /// As an integer, of which nothing is known if it is an address.
    pub fn number(&self) -> Number {
        match self {
            Self::Number(number) => *number,
            _ => Number::ANY,
        }
    }

    /// If it is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        self.number().as_constant()
    }

    /// The lower bits of it, zero-extended.
    pub fn truncated(&self, bits: u32) -> Self {
        if bits == 64 { *self } else { Self::Number(self.number().truncated(bits)) }
    }

    /// The reference or the like that it belongs to.
    pub fn owner(&self) -> Option<Name> {
        match self {
            Self::ReferenceType(name)
            | Self::ReferenceCode(name, _)
            | Self::ReferenceContext(name) => Some(*name),
            _ => None,
        }
    }

    /// The same of another owner.
    fn owned_by(self, name: Name) -> Self {
        match self {
            Self::ReferenceType(_) => Self::ReferenceType(name),
            Self::ReferenceCode(_, ty) => Self::ReferenceCode(name, ty),
            Self::ReferenceContext(_) => Self::ReferenceContext(name),
            other => other,
        }
    }

    /// One of two.
    pub fn joined(&self, other: &Self, steps: Option<&Steps>) -> Self {
        let join = |a: Range, b: Range| a.joined(b, steps);
        match (self, other) {
            (a, b) if a == b => *a,
            (Self::Number(a), Self::Number(b)) => Self::Number(a.joined(b, steps)),
            (Memory(a), Memory(b)) => Memory(join(*a, *b)),
            (Image(a, m), Image(b, n)) => {
                let both = join(*a, *b);
                let apart = ((both.low ^ a.low) | (both.low ^ b.low)).trailing_zeros();
                Image(both, apart.min(*m).min(*n))
            }
            (Table(a, m), Table(b, n)) => Table(join(*a, *b), *m.min(n)),
            (Types(a, m), Types(b, n)) => Types(join(*a, *b), *m.min(n)),
            (Self::Reference { null: a, ty: s }, Self::Reference { null: b, ty: t }) => {
                Self::Reference { null: *a || *b, ty: s.filter(|_| s == t) }
            }
            (Self::ReferenceCode(a, s), Self::ReferenceCode(b, t)) if a == b => {
                Self::ReferenceCode(*a, s.filter(|_| s == t))
            }
            _ => Self::ANY,
        }
    }

    /// The sum of 64 bits.
    pub fn plus(&self, other: &Self) -> Self {
        if let (Self::Number(a), Self::Number(b)) = (self, other) {
            return Self::Number(a.sum(b, 64));
        }
        self.plus_number(other).or_else(|| other.plus_number(self)).unwrap_or(Self::ANY)
    }

    /// The sum of an address and an integer.
    fn plus_number(&self, other: &Self) -> Option<Self> {
        if let (Distance(entries), Image(place, _)) = (self, other) {
            return (place.low == place.high).then_some(Target(*entries, place.low));
        }
        let Self::Number(number) = other else { return None };
        if number.as_constant() == Some(0) {
            return Some(*self);
        }
        let (range, zeros) = (number.range(64), number.zeros);
        let moved = |from: Range| {
            let low = from.low.checked_add(range.low)?;
            Some(Range { low, high: from.high.checked_add(range.high)? })
        };
        Some(match self {
            Context(offset) => Context(offset.checked_add(number.as_constant()?)?),
            Self::Store(offset) => Self::Store(offset.checked_add(number.as_constant()?)?),
            Stack(offset) => Stack(offset.checked_add(number.as_constant()?)?),
            Memory(offset) => Memory(moved(*offset)?),
            Image(offset, same) => {
                let same = zeros.min(*same).min(range.low.trailing_zeros());
                Image(moved(*offset)?, same)
            }
            Table(offset, same) => Table(moved(*offset)?, zeros.min(*same)),
            Types(offset, same) => Types(moved(*offset)?, zeros.min(*same)),
            _ => return None,
        })
    }

    /// The difference of 64 bits.
    pub fn minus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.difference(b, 64)),
            (Stack(a), Stack(b)) => a.checked_sub(*b).map_or(Self::ANY, Self::constant),
            (_, Self::Number(number)) => {
                let negative = Number::constant(0).difference(number, 64);
                self.plus(&Self::Number(negative))
            }
            _ => Self::ANY,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if *number == Number::ANY => f.write_str("an unknown value"),
            Self::Number(number) => {
                let Range { low, high } = number.range(64);
                write!(f, "a number from {low:#x} to {high:#x}")
            }
            other => write!(f, "{other:x?}"),
        }
    }
}

/// A value with its name, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The value.
    pub value: Value,
    /// Its name.
    pub name: Option<Name>,
}

impl Cell {
    /// Nothing is known.
    pub const ANY: Self = Self { value: Value::ANY, name: None };

    /// A value without a name.
    pub fn new(value: Value) -> Self {
        Self { value, name: None }
    }

    /// One of two that are known at the same time, so names are those of other values.
    pub fn either(&self, other: &Self) -> Self {
        let is_same =
            self.value == other.value || self.value.owner().or(other.value.owner()).is_none();
        let value = if is_same { self.value.joined(&other.value, None) } else { Value::ANY };
        Self { value, name: self.name.filter(|_| self.name == other.name) }
    }

    /// One of two.
    pub fn joined(&self, other: &Self, steps: Option<&Steps>, names: &mut Names) -> Self {
        let (mut one, mut two) = (self.value, other.value);
        // What belongs to something on both ways belongs to what that is called from here on.
        if let (Some(a), Some(b)) = (one.owner(), two.owner()) {
            let name = names.of(a, b);
            (one, two) = (one.owned_by(name), two.owned_by(name));
        }
        Self {
            value: one.joined(&two, steps),
            name: self.name.zip(other.name).map(|(a, b)| names.of(a, b)),
        }
    }
}

/// The names where two ways meet: what has the same name on each of both keeps the same name.
#[derive(Debug)]
pub struct Names {
    /// Both names before and the one from here on.
    given: Vec<(Name, Name, Name)>,
    next: Name,
}

impl Names {
    /// Where `place` is where they meet.
    pub fn at(place: u32) -> Self {
        let next = (Name::from(place) << 16) | JOINED;
        Self { given: Vec::new(), next }
    }

    /// The name of what has these names.
    fn of(&mut self, one: Name, other: Name) -> Name {
        if let Some((.., name)) = self.given.iter().find(|it| (it.0, it.1) == (one, other)) {
            return *name;
        }
        let mut name = one;
        while self.given.iter().any(|it| it.2 == name) {
            name = self.next;
            self.next += 1;
        }
        self.given.push((one, other, name));
        name
    }
}

/// Above the names that instructions give.
const JOINED: Name = 1 << 62;
