//! The instances of a component's extensions, by the ids with which it calls them.

use super::package::Package;
use super::sandbox::{Instance, Usage};
use super::{MAX_EXTENSIONS, error};
use crate::contract::bindings::sqlite_wasm::host::dispatch::ExtensionUsage;
use crate::contract::types::SqlError;
use crate::limits::call_clock::TICK;

/// The lowest bits of an id are the index of its slot; the others count how often the slot was used
/// before.
const INDEX_BITS: u32 = 12;

/// Most slots. [`MAX_EXTENSIONS`] are in use at once; a slot is retired after a million uses.
const MAX_SLOTS: usize = 1 << INDEX_BITS;

/// Slots for instances. When a connection is closed, its slots are reused, but with other ids: an
/// id is never given twice.
#[derive(Default)]
pub struct Registry {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// How many slots are retired.
    worn_out: usize,
    /// The ids of instances that no connection owns, in the order in which they were added.
    roots: Vec<u32>,
}

struct Slot {
    id: u32,
    entry: Option<Entry>,
}

struct Entry {
    instance: Instance,
    /// The instance from which this one, of a connection, was made.
    parent: Option<u32>,
}

impl Registry {
    /// Add an instance that no connection owns, and return its id. There must be room: see
    /// [`Self::check_room`].
    pub fn add(&mut self, instance: Instance) -> u32 {
        let id = self.insert(Entry { instance, parent: None });
        self.roots.push(id);
        id
    }

    fn insert(&mut self, entry: Entry) -> u32 {
        match self.free.pop() {
            Some(index) => {
                let slot = &mut self.slots[index as usize];
                slot.entry = Some(entry);
                slot.id
            }
            None => {
                let id = self.slots.len() as u32;
                self.slots.push(Slot { id, entry: Some(entry) });
                id
            }
        }
    }

    fn entry(&self, id: u32) -> Option<&Entry> {
        let slot = self.slots.get(index(id))?;
        slot.entry.as_ref().filter(|_| slot.id == id)
    }

    /// The instance with this id.
    pub fn get(&self, id: u32) -> Option<&Instance> {
        self.entry(id).map(|entry| &entry.instance)
    }

    /// The same, to call it.
    pub fn get_mut(&mut self, id: u32) -> Result<&mut Instance, SqlError> {
        match self.slots.get_mut(index(id)) {
            Some(Slot { id: own, entry: Some(entry) }) if *own == id => Ok(&mut entry.instance),
            _ => Err(missing(id)),
        }
    }

    /// The extension with this id.
    pub fn package(&self, id: u32) -> Option<&Package> {
        self.get(id).map(|instance| &*instance.package)
    }

    /// The extensions that no connection owns, with their ids.
    pub fn roots(&self) -> impl Iterator<Item = (u32, &Package)> {
        self.roots.iter().filter_map(|id| Some((*id, self.package(*id)?)))
    }

    /// Returns the id with which a connection calls the extension.
    pub fn attach(&mut self, id: u32) -> Result<u32, SqlError> {
        let parent = self.get(id).ok_or_else(|| missing(id))?;
        if !parent.package.is_per_connection() {
            return Ok(id);
        }
        self.check_room().map_err(|full| error(full.to_string()))?;
        let instance = Instance::new(parent.package.clone());
        Ok(self.insert(Entry { instance, parent: Some(id) }))
    }

    /// End the instance of a connection; its usage is added to its parent's.
    pub fn detach(&mut self, id: u32) {
        let Some(parent) = self.entry(id).and_then(|entry| entry.parent) else { return };
        let Some(ended) = self.slots[index(id)].entry.take() else { return };
        self.free(id);
        if let Ok(parent) = self.get_mut(parent) {
            parent.usage.add(&ended.instance.usage);
        }
    }

    /// Free the slot, which is reused with another id.
    fn free(&mut self, id: u32) {
        let Some(next) = id.checked_add(MAX_SLOTS as u32) else {
            self.worn_out += 1;
            return;
        };
        self.slots[index(id)].id = next;
        self.free.push(index(id) as u32);
    }

    /// The usage of each extension, including the instances of its connections.
    pub fn statistics(&self) -> Vec<ExtensionUsage> {
        self.roots().map(|(id, package)| self.usage(id, package)).collect()
    }

    fn usage(&self, id: u32, package: &Package) -> ExtensionUsage {
        let entries = self.slots.iter().filter_map(|slot| slot.entry.as_ref());
        let children = entries.filter(|entry| entry.parent == Some(id));
        let mut all = Usage::default();
        children.chain(self.entry(id)).for_each(|entry| all.add(&entry.instance.usage));
        ExtensionUsage {
            name: package.manifest.name.clone(),
            calls: all.calls,
            batches: all.batches,
            requests: all.requests,
            time: all.ticks * TICK.as_millis() as u64,
            peak_memory: all.peak_bytes() as u64,
            starts: all.starts,
        }
    }

    /// Whether another instance can be added.
    ///
    /// # Errors
    ///
    /// When there are [`MAX_EXTENSIONS`], or no ids are left.
    pub fn check_room(&self) -> anyhow::Result<()> {
        let in_use = self.slots.len() - self.free.len() - self.worn_out;
        anyhow::ensure!(in_use < MAX_EXTENSIONS, "{MAX_EXTENSIONS} extensions are loaded already");
        anyhow::ensure!(
            !self.free.is_empty() || self.slots.len() < MAX_SLOTS,
            "extensions were loaded too often; start the program again"
        );
        Ok(())
    }
}

fn index(id: u32) -> usize {
    id as usize % MAX_SLOTS
}

/// A correct component only uses ids that it was given.
pub fn missing(id: u32) -> SqlError {
    error(format!("there is no extension number {id}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::contract::types::{Connecting, Manifest, Need};

    fn with_sql() -> Instance {
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
        Instance::new(Arc::new(Package::without_code(manifest)))
    }

    #[test]
    fn closed_connections_leave_their_slots_and_not_their_ids() {
        let mut registry = Registry::default();
        let parent = registry.add(with_sql());
        let mut ids = HashSet::from([parent]);
        for _ in 0..100_000 {
            let pair = [registry.attach(parent).unwrap(), registry.attach(parent).unwrap()];
            for id in pair {
                assert!(ids.insert(id), "{id} was given before");
                registry.detach(id);
                registry.detach(id);
                assert!(registry.get(id).is_none() && registry.get_mut(id).is_err());
            }
        }
        assert_eq!((registry.slots.len(), registry.free.len()), (3, 2));
        assert!(registry.get(parent).is_some());
    }

    #[test]
    fn connections_are_refused_beyond_the_limit_and_accepted_again() {
        let mut registry = Registry::default();
        let parent = registry.add(with_sql());
        let all: Vec<_> = (1..MAX_EXTENSIONS).map(|_| registry.attach(parent).unwrap()).collect();
        assert!(registry.attach(parent).is_err());
        registry.detach(all[7]);
        assert!(registry.attach(parent).is_ok() && registry.attach(parent).is_err());
    }

    #[test]
    fn a_slot_ends_with_its_ids() {
        let mut registry = Registry::default();
        let parent = registry.add(with_sql());
        let first = registry.attach(parent).unwrap();
        registry.slots[index(first)].id = u32::MAX - u32::MAX % MAX_SLOTS as u32 + first;
        let last = registry.slots[index(first)].id;
        registry.detach(last);
        let next = registry.attach(parent).unwrap();
        assert_eq!((registry.slots.len(), registry.worn_out, index(next)), (3, 1, 2));
    }
}
