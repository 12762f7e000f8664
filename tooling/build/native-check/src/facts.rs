//! What the code was made for: where an instance has what, and which functions the image has.

use std::collections::{BTreeMap, BTreeSet};

/// An imported function, by offsets in the VMContext.
#[derive(Debug, Clone, Copy)]
pub struct Import {
    /// Its code.
    pub code: u32,
    /// The VMContext of its instance.
    pub context: u32,
    /// How many of its arguments are on the stack.
    pub on_stack: usize,
}

/// A global.
#[derive(Debug, Clone, Copy)]
pub struct Global {
    /// Its offset in the VMContext.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether it may be written.
    pub mutable: bool,
}

/// What an image may rely on.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// In the VMContext: the address of the memory, if there is one.
    pub memory_base: Option<u32>,
    /// In the VMContext: the size of the memory.
    pub memory_length: u32,
    /// The size of the largest memory: what is reserved.
    pub memory_reservation: i64,
    /// The guard before and behind the memory, in bytes.
    pub guard: i64,
    /// In the VMContext: the address of the table, if there is one.
    pub table_base: Option<u32>,
    /// In the VMContext: the count of slots in the table.
    pub table_elements: u32,
    /// The count of slots in the table, which never changes; `None` if it may.
    pub table_slots: Option<i64>,
    /// In the VMContext: the store's context.
    pub store_context: u32,
    /// In the store's context: the lowest address of the stack.
    pub stack_limit: u32,
    /// If the code looks at the time: in the VMContext the address of the clock, and in the store's
    /// context the time at which the code is interrupted.
    pub clock: Option<(u32, u32)>,
    /// In the VMContext: the identifiers of types.
    pub type_ids: u32,
    /// In a function's reference: the code.
    pub reference_code: u32,
    /// In a function's reference: the VMContext of its instance.
    pub reference_context: u32,
    /// In a function's reference: the identifier of its type.
    pub reference_type: u32,
    /// The imported functions.
    pub imports: Vec<Import>,
    /// The globals.
    pub globals: Vec<Global>,
    /// For each type that may be called, by its offset in the identifiers: how many arguments are
    /// on the stack.
    pub types: BTreeMap<u32, usize>,
}

/// What a piece of the code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A function of the module.
    Function {
        /// Its index among those that the module defines.
        index: u32,
        /// How many arguments it has on the stack if it is called from outside the image.
        outside: Option<usize>,
    },
    /// A function of the translator's, for which what is known of each call counts.
    Helper,
    /// Calls a function of the module, with `count` arguments on the stack, which it removes.
    Inward {
        /// The function's index.
        index: u32,
        /// How many arguments are on the stack.
        count: usize,
    },
    /// Calls the function behind its arguments on the stack, which removes them.
    Outward {
        /// How many arguments are on the stack.
        count: usize,
    },
    /// A `jmp` to a function of wasmtime's compiler.
    Slot {
        /// How many arguments are on the stack.
        on_stack: usize,
    },
}

/// A piece of the code.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub start: u32,
    /// What it is.
    pub role: Role,
}

/// What is checked.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The code, then constants.
    pub code: &'a [u8],
    /// The size of the code alone.
    pub text: usize,
    /// All that the code has, by its position.
    pub pieces: &'a [Piece],
    /// What it may rely on.
    pub facts: &'a Facts,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// The functions that are not proved, by their indices, with the first reason.
    pub unproved: BTreeMap<u32, String>,
    /// The functions that are.
    pub proved: BTreeSet<u32>,
    /// Where those begin that are called from outside, by their indices.
    pub entries: BTreeMap<u32, u32>,
    /// How far below its limit the stack may be used, in bytes.
    pub below_limit: i64,
}
