//! Numbers for an extension's tables, cursors and computations that outlive
//! its instance: one from an instance that trapped is never mistaken for
//! one of the next.

use std::collections::{HashMap, HashSet};

use crate::contract::types::{Function, SqlError};

/// Most tables, cursors and computations of one extension at once. The
/// component that runs SQL chooses how many there are; SQLite has one
/// computation for each group and window that it is in, and a cursor for each
/// table of the statements that run.
const MAX_HANDLES: usize = 1 << 16;

/// Most functions, by their names and numbers of arguments, that an extension
/// registers on a connection beyond its manifest. `define` has one for each that
/// a person has saved, some hundreds at most; SQLite keeps them all, and the
/// extension chooses how many there are.
const MAX_LATE_FUNCTIONS: usize = 10_000;

/// Most numbers of functions beyond the manifest that one instance names. One
/// that registers a function again may give it another number.
const MAX_LATE_NUMBERS: usize = 1 << 18;

/// `SQLITE_FULL` would speak of the disk; this is memory.
const SQLITE_NOMEM: i32 = 7;

/// The numbers of one instance.
#[derive(Debug)]
pub struct Handles {
    /// Which instance this is; part of each number.
    generation: u32,
    numbers: Vec<Option<u32>>,
    free: Vec<u32>,
}

/// Bits of a number that say its place; the rest is the generation.
const PLACE_BITS: u32 = 20;

impl Handles {
    /// For the instance `generation`.
    pub fn new(generation: u32) -> Self {
        Self { generation, numbers: Vec::new(), free: Vec::new() }
    }

    /// A number for the extension's own `number`.
    pub fn add(&mut self, number: u32) -> Result<u32, SqlError> {
        if let Some(place) = self.free.pop() {
            self.numbers[place as usize] = Some(number);
            return Ok(self.handle(place));
        }
        if self.numbers.len() >= MAX_HANDLES {
            let message = "too many tables, cursors and computations are open".to_owned();
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        self.numbers.push(Some(number));
        Ok(self.handle(self.numbers.len() as u32 - 1))
    }

    /// The extension's own number; none when it belonged to an instance that
    /// trapped.
    pub fn get(&self, handle: u32) -> Option<u32> {
        self.place(handle).and_then(|place| *self.numbers.get(place as usize)?)
    }

    /// It ends; nothing happens when it has ended already.
    pub fn remove(&mut self, handle: u32) {
        let number = self.place(handle).and_then(|place| {
            let number = self.numbers.get_mut(place as usize)?;
            number.take().map(|_| place)
        });
        self.free.extend(number);
    }

    fn handle(&self, place: u32) -> u32 {
        self.generation << PLACE_BITS | place
    }

    fn place(&self, handle: u32) -> Option<u32> {
        let is_ours = handle >> PLACE_BITS == self.generation << PLACE_BITS >> PLACE_BITS;
        is_ours.then_some(handle & ((1 << PLACE_BITS) - 1))
    }
}

/// The first number that the caller has for a function beyond the manifest,
/// which has no more than [`MAX_REGISTRATIONS`](crate::contract::check::MAX_REGISTRATIONS).
pub const FIRST_LATE: u32 = 1 << 16;

/// Functions beyond the manifest: those that were registered later, and those
/// that only tables offer. SQLite keeps the numbers longer than the instance
/// lives that named them, so that none is ever given twice.
#[derive(Debug)]
pub struct LateFunctions {
    first: u32,
    numbers: Vec<u32>,
    /// Where each of them is.
    places: HashMap<u32, u32>,
    /// Those that SQLite was given, by name and number of arguments.
    registered: HashSet<(String, i8)>,
}

impl Default for LateFunctions {
    fn default() -> Self {
        Self {
            first: FIRST_LATE,
            numbers: Vec::new(),
            places: HashMap::new(),
            registered: HashSet::new(),
        }
    }
}

impl LateFunctions {
    /// A number for the extension's own `number`, of a function for SQLite.
    pub fn register(&mut self, number: u32, function: &Function) -> Result<u32, SqlError> {
        let name = (function.name.to_ascii_lowercase(), function.arguments);
        let is_full = self.registered.len() >= MAX_LATE_FUNCTIONS;
        if is_full && !self.registered.contains(&name) {
            let message = format!(
                "cannot register `{}`: an extension may register {MAX_LATE_FUNCTIONS} functions on a \
                 connection",
                function.name
            );
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        self.registered.insert(name);
        self.add(number)
    }

    /// A number for the extension's own `number`, the same one each time.
    pub fn add(&mut self, number: u32) -> Result<u32, SqlError> {
        let place = match self.places.get(&number) {
            Some(place) => *place,
            None => self.add_place(number)?,
        };
        self.first.checked_add(place).ok_or_else(exhausted)
    }

    fn add_place(&mut self, number: u32) -> Result<u32, SqlError> {
        if self.numbers.len() >= MAX_LATE_NUMBERS {
            let message = "too many functions are registered".to_owned();
            return Err(SqlError { code: SQLITE_NOMEM, message });
        }
        let place = self.numbers.len() as u32;
        self.numbers.push(number);
        self.places.insert(number, place);
        Ok(place)
    }

    /// The extension's own number; none when the instance that named it broke
    /// down.
    pub fn get(&self, handle: u32) -> Option<u32> {
        self.numbers.get(handle.checked_sub(self.first)? as usize).copied()
    }

    /// Those of the next instance; what SQLite was given it still has.
    pub fn next(&mut self) -> Self {
        Self {
            first: self.first.saturating_add(self.numbers.len() as u32),
            numbers: Vec::new(),
            places: HashMap::new(),
            registered: std::mem::take(&mut self.registered),
        }
    }
}

/// Instances have trapped so often that no number is left.
fn exhausted() -> SqlError {
    let message = "no number is left for a function; start the program again".to_owned();
    SqlError { code: SQLITE_NOMEM, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_broken_instance_are_none() {
        let mut first = LateFunctions::default();
        let (one, two) = (first.add(7).unwrap(), first.add(8).unwrap());
        assert_eq!(
            (first.add(7).unwrap(), first.get(one), first.get(two)),
            (one, Some(7), Some(8))
        );
        let mut next = first.next();
        let again = next.add(7).unwrap();
        assert_eq!((next.get(one), next.get(again), first.get(again)), (None, Some(7), None));
    }

    #[test]
    fn numbers_of_a_broken_instance_are_none() {
        let mut first = Handles::new(0);
        let handle = first.add(7).unwrap();
        assert_eq!(first.get(handle), Some(7));
        assert_eq!(Handles::new(1).get(handle), None);
        first.remove(handle);
        assert_eq!(first.get(handle), None);
    }
}
