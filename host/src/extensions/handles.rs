//! Numbers for an extension's tables, cursors and computations that outlive
//! its instance: one from an instance that broke down is never mistaken for
//! one of the next.

use crate::extensions::types::SqlError;

/// Most tables, cursors and computations of one extension at once. The
/// component that runs SQL chooses how many there are.
const MAX_HANDLES: usize = 1 << 20;

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
    /// broke down.
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

#[cfg(test)]
mod tests {
    use super::*;

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
