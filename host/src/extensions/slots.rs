//! The extensions of a component, by the numbers that it calls them by.

use super::extension::{self, Extension};
use super::slot::{Slot, Waiting};
use super::types::SqlError;
use super::{MAX_EXTENSIONS, error};
use crate::bindings::sqlite_wasm::host::dispatch::ExtensionUsage;

/// Bits of a number that say its place; the rest counts how often the place was
/// given before.
const PLACE_BITS: u32 = 12;

/// Most places. [`MAX_EXTENSIONS`] are in use at once; a place is not used any more
/// when it was given a million times.
const MAX_PLACES: usize = 1 << PLACE_BITS;

/// Places for extensions. Those of connections that are closed are used again, but
/// their numbers are not: a number is never given twice.
#[derive(Default)]
pub struct Slots {
    places: Vec<Place>,
    free: Vec<u32>,
    /// Places whose numbers were all given.
    worn_out: usize,
    /// What no connection owns, in the order in which it was added.
    roots: Vec<u32>,
}

struct Place {
    number: u32,
    slot: Slot,
}

impl Slots {
    /// Its number; [`Self::check_room`] has said that there is room.
    pub fn add(&mut self, slot: Slot) -> u32 {
        let is_root = slot.parent().is_none();
        let number = match self.free.pop() {
            Some(index) => {
                let place = &mut self.places[index as usize];
                place.slot = slot;
                place.number
            }
            None => {
                let number = self.places.len() as u32;
                self.places.push(Place { number, slot });
                number
            }
        };
        if is_root {
            self.roots.push(number);
        }
        number
    }

    fn place(&mut self, number: u32) -> Option<&mut Slot> {
        let place = self.places.get_mut(index(number))?;
        (place.number == number).then_some(&mut place.slot)
    }

    /// What has that number.
    pub fn get(&self, number: u32) -> Option<&Slot> {
        let place = self.places.get(index(number))?;
        (place.number == number).then_some(&place.slot)
    }

    /// A place that was left may be used again, by another number.
    fn free(&mut self, number: u32) {
        let Some(next) = number.checked_add(MAX_PLACES as u32) else {
            self.worn_out += 1;
            return;
        };
        self.places[index(number)].number = next;
        self.free.push(index(number) as u32);
    }

    /// The extension of that number, where it was started.
    pub fn loaded(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        match self.place(number) {
            Some(Slot::Loaded(extension)) => Ok(extension),
            _ => Err(missing(number)),
        }
    }

    /// The extension of that number, where it was not started yet.
    pub fn waiting(&self, number: u32) -> Option<&Waiting> {
        match self.get(number) {
            Some(Slot::Waiting(waiting)) => Some(waiting),
            _ => None,
        }
    }

    /// It was started.
    pub fn start(&mut self, number: u32, extension: Extension) {
        if let Some(slot) = self.place(number) {
            *slot = Slot::Loaded(Box::new(extension));
        }
    }

    /// All that were started, with their numbers.
    pub fn extensions(&self) -> impl Iterator<Item = (u32, &Extension)> {
        self.places.iter().filter_map(|place| Some((place.number, place.slot.extension()?)))
    }

    /// The number by which a connection calls an extension.
    pub fn attach(&mut self, number: u32) -> Result<u32, SqlError> {
        let has_room = self.check_room();
        let own = match self.place(number) {
            Some(Slot::Waiting(waiting)) => waiting.for_connection(number).map(Slot::Waiting),
            Some(Slot::Loaded(extension)) if extension.is_per_connection() => {
                Some(Slot::Loaded(Box::new(extension.for_connection(number))))
            }
            Some(Slot::Loaded(_)) => None,
            Some(Slot::Closed) | None => return Err(missing(number)),
        };
        let Some(own) = own else { return Ok(number) };
        has_room.map_err(|full| error(full.to_string()))?;
        Ok(self.add(own))
    }

    /// A connection does not call it any more.
    pub fn detach(&mut self, number: u32) {
        let Some(slot) = self.place(number) else { return };
        if slot.parent().is_none() {
            return;
        }
        let ended = std::mem::replace(slot, Slot::Closed);
        self.free(number);
        if let Slot::Loaded(ended) = ended
            && let Some(Ok(parent)) = ended.parent().map(|parent| self.loaded(parent))
        {
            parent.take_usage(&ended);
        }
    }

    /// What each has done and used.
    pub fn statistics(&self) -> Vec<ExtensionUsage> {
        let of = |parent| {
            self.extensions()
                .filter(move |(_, extension)| extension.parent() == Some(parent))
                .map(|(_, extension)| extension)
        };
        let all = self.roots.iter().filter_map(|number| Some((*number, self.get(*number)?)));
        all.filter_map(|(number, slot)| match slot {
            Slot::Loaded(extension) => Some(extension.statistics(of(number))),
            Slot::Waiting(waiting) => Some(extension::unused(&waiting.manifest.name)),
            Slot::Closed => None,
        })
        .collect()
    }

    /// Whether another one may be added.
    ///
    /// # Errors
    ///
    /// When there are [`MAX_EXTENSIONS`], or no numbers any more.
    pub fn check_room(&self) -> anyhow::Result<()> {
        let in_use = self.places.len() - self.free.len() - self.worn_out;
        anyhow::ensure!(in_use < MAX_EXTENSIONS, "{MAX_EXTENSIONS} extensions are loaded already");
        anyhow::ensure!(
            !self.free.is_empty() || self.places.len() < MAX_PLACES,
            "extensions were loaded too often; start the program again"
        );
        Ok(())
    }
}

fn index(number: u32) -> usize {
    number as usize % MAX_PLACES
}

/// No honest component asks for a number that it was not given.
pub fn missing(number: u32) -> SqlError {
    error(format!("there is no extension number {number}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::super::slot::Source;
    use super::super::types::{Connecting, Manifest, Need};
    use super::*;

    fn with_sql() -> Slot {
        let manifest = Manifest {
            name: "x".to_owned(),
            version: String::new(),
            description: String::new(),
            functions: Vec::new(),
            collations: Vec::new(),
            modules: Vec::new(),
            needs: vec![Need::Sql],
            connects: Connecting::Never,
        };
        Slot::Waiting(Waiting { manifest: Arc::new(manifest), source: Source::Parent(u32::MAX) })
    }

    #[test]
    fn closed_connections_leave_their_places_and_not_their_numbers() {
        let mut slots = Slots::default();
        let parent = slots.add(with_sql());
        let mut numbers = HashSet::from([parent]);
        for _ in 0..100_000 {
            let pair = [slots.attach(parent).unwrap(), slots.attach(parent).unwrap()];
            for number in pair {
                assert!(numbers.insert(number), "{number} was given before");
                slots.detach(number);
                slots.detach(number);
                assert!(slots.get(number).is_none() && slots.loaded(number).is_err());
            }
        }
        assert_eq!((slots.places.len(), slots.free.len()), (3, 2));
        assert!(slots.get(parent).is_some());
    }

    #[test]
    fn connections_are_refused_beyond_the_limit_and_welcome_again() {
        let mut slots = Slots::default();
        let parent = slots.add(with_sql());
        let all: Vec<_> = (1..MAX_EXTENSIONS).map(|_| slots.attach(parent).unwrap()).collect();
        assert!(slots.attach(parent).is_err());
        slots.detach(all[7]);
        assert!(slots.attach(parent).is_ok() && slots.attach(parent).is_err());
    }

    #[test]
    fn a_place_ends_with_its_numbers() {
        let mut slots = Slots::default();
        let parent = slots.add(with_sql());
        let first = slots.attach(parent).unwrap();
        slots.places[index(first)].number = u32::MAX - u32::MAX % MAX_PLACES as u32 + first;
        let last = slots.places[index(first)].number;
        slots.detach(last);
        let next = slots.attach(parent).unwrap();
        assert_eq!((slots.places.len(), slots.worn_out, index(next)), (3, 1, 2));
    }
}
