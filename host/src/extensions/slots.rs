//! The extensions of a component, by the numbers that it calls them by.

use super::extension::{self, Extension};
use super::slot::{Slot, Waiting};
use super::types::SqlError;
use super::{MAX_EXTENSIONS, error};
use crate::bindings::sqlite_wasm::host::dispatch::ExtensionUsage;

/// A number is never given twice.
#[derive(Default)]
pub struct Slots(Vec<Slot>);

impl Slots {
    /// Its number.
    pub fn add(&mut self, slot: Slot) -> u32 {
        self.0.push(slot);
        self.0.len() as u32 - 1
    }

    /// What has that number.
    pub fn get(&self, number: u32) -> Option<&Slot> {
        self.0.get(number as usize)
    }

    /// The extension of that number, where it was started.
    pub fn loaded(&mut self, number: u32) -> Result<&mut Extension, SqlError> {
        match self.0.get_mut(number as usize) {
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
        self.0[number as usize] = Slot::Loaded(Box::new(extension));
    }

    /// All that were started, with their numbers.
    pub fn extensions(&self) -> impl Iterator<Item = (u32, &Extension)> {
        (0..).zip(&self.0).filter_map(|(number, slot)| Some((number, slot.extension()?)))
    }

    /// The number by which a connection calls an extension.
    pub fn attach(&mut self, number: u32) -> Result<u32, SqlError> {
        let has_room = self.check_room();
        let own = match self.0.get_mut(number as usize) {
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
        let Some(slot) = self.0.get_mut(number as usize) else { return };
        if slot.parent().is_none() {
            return;
        }
        if let Slot::Loaded(ended) = std::mem::replace(slot, Slot::Closed)
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
        let all = (0..).zip(&self.0).filter(|(_, slot)| slot.parent().is_none());
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
    /// When there are [`MAX_EXTENSIONS`].
    pub fn check_room(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.0.iter().filter(|slot| slot.manifest().is_some()).count() < MAX_EXTENSIONS,
            "{MAX_EXTENSIONS} extensions are loaded already"
        );
        Ok(())
    }
}

/// No honest component asks for a number that it was not given.
pub fn missing(number: u32) -> SqlError {
    error(format!("there is no extension number {number}"))
}
