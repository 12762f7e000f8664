//! The nodes of a graph that are in memory: their codes and links, within a bound.
//!
//! A node that is needed is read from the table; when the memory is full, it replaces one that was
//! not used lately. Changed links stay until they are written.

use std::collections::{HashMap, HashSet};

use sqlite_wasm_kit::Result;

use crate::code::{Code, Head};

/// Bytes of codes and links that are kept, for each table: half of the memory that an
/// extension has by default. 100,000 vectors of 384 dimensions are 59 MB.
const MAX_BYTES: usize = 256 << 20;

/// Bytes of whole vectors that are kept for the last step of a search. When there are
/// more, all are forgotten.
const MAX_VECTOR_BYTES: usize = 64 << 20;

/// Nodes that are allocated together.
const CHUNK: usize = 256;

/// Fewest nodes that are kept however large they are: a search holds that many links.
const MIN_NODES: usize = 2048;

/// Lists of upper layers that are kept: one in sixteen nodes has some.
const MAX_UPPER: usize = 1 << 18;

/// Limit on the nodes of a table: the slots of nodes are indexes into memory.
pub const MAX_NODES: u32 = 1 << 24;

/// A node as it is stored.
#[derive(Clone, Debug)]
pub struct Node {
    pub row_id: i64,
    pub links: Vec<u32>,
    pub code: Code,
}

/// Links of a node in the layers above the lowest, from the second on.
pub type Upper = Vec<Vec<u32>>;

/// Where nodes are stored.
pub trait Source {
    /// The node in this slot; `None` if the slot has no node.
    fn node(&mut self, slot: u32) -> Result<Option<Node>>;
    /// Those that there are of several nodes, by one request; or none of them.
    fn nodes(&mut self, _: &[u32]) -> Result<Vec<(u32, Node)>> {
        Ok(Vec::new())
    }
    /// Its links in upper layers; `None` if it has no such links.
    fn upper(&mut self, slot: u32) -> Result<Option<Upper>>;
    /// Those that there are of several nodes, by one request.
    fn uppers(&mut self, slots: &[u32]) -> Result<Vec<(u32, Upper)>>;
    /// A node in the highest layer, and how many upper layers it is in; not `except`, and below
    /// `end`.
    fn highest(&mut self, except: u32, end: u32) -> Result<Option<(u32, usize)>>;
}

#[derive(Clone, Copy, Default)]
pub struct Entry {
    pub slot: u32,
    pub degree: u32,
    pub row_id: i64,
    pub head: Head,
    is_used: bool,
    is_changed: bool,
    is_free: bool,
}

/// What is known of a slot: nothing, that it has no node, or the index of its entry plus one.
const UNKNOWN: u32 = 0;
const ABSENT: u32 = u32::MAX;

pub struct Cache<S> {
    pub source: S,
    code_size: usize,
    max_links: usize,
    capacity: usize,
    places: Vec<u32>,
    entries: Vec<Entry>,
    codes: Vec<Box<[i8]>>,
    links: Vec<Box<[u32]>>,
    free: Vec<u32>,
    hand: usize,
    changed: Vec<u32>,
    upper: HashMap<u32, Option<Upper>>,
    changed_upper: HashSet<u32>,
    vectors: HashMap<u32, Box<[f32]>>,
    vector_bytes: usize,
}

impl<S: Source> Cache<S> {
    pub fn new(source: S, code_size: usize, max_links: usize) -> Self {
        let bytes = code_size + 4 * max_links + size_of::<Entry>();
        Self {
            source,
            code_size,
            max_links,
            capacity: (MAX_BYTES / bytes).max(MIN_NODES),
            places: Vec::new(),
            entries: Vec::new(),
            codes: Vec::new(),
            links: Vec::new(),
            free: Vec::new(),
            hand: 0,
            changed: Vec::new(),
            upper: HashMap::new(),
            changed_upper: HashSet::new(),
            vectors: HashMap::new(),
            vector_bytes: 0,
        }
    }

    /// How many nodes it can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many nodes have links that are not written yet.
    pub fn changed_count(&self) -> usize {
        self.changed.len() + self.changed_upper.len()
    }

    /// Forget everything, also what is not written.
    pub fn clear(&mut self) {
        self.places.clear();
        self.entries.clear();
        self.codes.clear();
        self.links.clear();
        self.free.clear();
        self.upper.clear();
        self.changed.clear();
        self.changed_upper.clear();
        self.vectors.clear();
        (self.hand, self.vector_bytes) = (0, 0);
    }

    /// Where a node is in memory; it is read when it is not there.
    #[inline]
    pub fn find(&mut self, slot: u32) -> Result<Option<usize>> {
        match self.places.get(slot as usize) {
            Some(&ABSENT) => Ok(None),
            Some(&place) if place != UNKNOWN => {
                let place = place as usize - 1;
                self.entries[place].is_used = true;
                Ok(Some(place))
            }
            _ => self.read(slot),
        }
    }

    /// Whether a node is in memory.
    pub fn holds(&self, slot: u32) -> bool {
        self.places.get(slot as usize).is_some_and(|place| !matches!(*place, UNKNOWN | ABSENT))
    }

    #[cold]
    fn read(&mut self, slot: u32) -> Result<Option<usize>> {
        if slot >= MAX_NODES {
            return Ok(None);
        }
        match self.source.node(slot)? {
            Some(node) => Ok(Some(self.put(slot, node))),
            None => {
                *self.place_of(slot) = ABSENT;
                Ok(None)
            }
        }
    }

    /// Read those of some nodes that are not in memory, by few requests.
    pub fn prefetch(&mut self, slots: &[u32]) -> Result<()> {
        let is_unknown = |slot: &&u32| {
            **slot < MAX_NODES && *self.places.get(**slot as usize).unwrap_or(&UNKNOWN) == UNKNOWN
        };
        let unknown: Vec<u32> = slots.iter().filter(is_unknown).copied().collect();
        if unknown.len() > 1 {
            let nodes = self.source.nodes(&unknown)?;
            // A view instead of the table may return others; only as many as fit are stored.
            for (slot, node) in nodes.into_iter().filter(|(slot, _)| unknown.contains(slot)) {
                self.put(slot, node);
            }
        }
        Ok(())
    }

    /// Read those links of some nodes in upper layers that are not in memory, by few requests.
    pub fn prefetch_upper(&mut self, slots: &[u32]) -> Result<()> {
        let is_unknown = |slot: &&u32| **slot < MAX_NODES && !self.upper.contains_key(*slot);
        let unknown: Vec<u32> = slots.iter().filter(is_unknown).copied().collect();
        if unknown.len() > 1 {
            self.make_room_for_upper();
            let found: HashMap<u32, Upper> = self.source.uppers(&unknown)?.into_iter().collect();
            self.upper.extend(unknown.iter().map(|slot| (*slot, found.get(slot).cloned())));
        }
        Ok(())
    }

    fn place_of(&mut self, slot: u32) -> &mut u32 {
        let index = slot as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, UNKNOWN);
        }
        &mut self.places[index]
    }

    /// Keep a node, which is as it is stored.
    pub fn put(&mut self, slot: u32, node: Node) -> usize {
        if self.holds(slot) {
            return self.places[slot as usize] as usize - 1;
        }
        let place = self.free.pop().map_or_else(|| self.make_room(), |place| place as usize);
        let degree = node.links.len().min(self.max_links);
        self.entries[place] = Entry {
            slot,
            degree: degree as u32,
            row_id: node.row_id,
            head: node.code.head,
            is_used: true,
            ..Entry::default()
        };
        let (chunk, at) = (place / CHUNK, place % CHUNK);
        let start = at * self.code_size;
        self.codes[chunk][start..start + self.code_size].copy_from_slice(&node.code.components);
        let start = at * self.max_links;
        self.links[chunk][start..start + degree].copy_from_slice(&node.links[..degree]);
        *self.place_of(slot) = place as u32 + 1;
        place
    }

    /// The index of an unused entry.
    fn make_room(&mut self) -> usize {
        if self.entries.len() >= self.capacity
            && let Some(place) = self.evict()
        {
            return place;
        }
        if self.entries.len() == self.codes.len() * CHUNK {
            self.codes.push(vec![0; CHUNK * self.code_size].into());
            self.links.push(vec![0; CHUNK * self.max_links].into());
        }
        self.entries.push(Entry::default());
        self.entries.len() - 1
    }

    /// The index of an entry that was not used since the clock hand last passed it.
    fn evict(&mut self) -> Option<usize> {
        for _ in 0..2 * self.entries.len() {
            self.hand = (self.hand + 1) % self.entries.len();
            let entry = &mut self.entries[self.hand];
            if !std::mem::take(&mut entry.is_used) && !entry.is_changed && !entry.is_free {
                self.places[entry.slot as usize] = UNKNOWN;
                return Some(self.hand);
            }
        }
        None
    }

    /// All nodes below `next` that could be read are held, so there are no others.
    pub fn others_are_absent(&mut self, next: u32) {
        self.places.resize(self.places.len().max(next as usize), UNKNOWN);
        for place in self.places.iter_mut().filter(|place| **place == UNKNOWN) {
            *place = ABSENT;
        }
    }

    /// How many nodes are held.
    pub fn count(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Forget what is known of a node.
    pub fn forget(&mut self, slot: u32) {
        self.upper.remove(&slot);
        self.set_place(slot, UNKNOWN);
    }

    /// A node is deleted.
    pub fn remove(&mut self, slot: u32) {
        self.upper.insert(slot, None);
        self.set_place(slot, ABSENT);
    }

    fn set_place(&mut self, slot: u32, now: u32) {
        if let Some(vector) = self.vectors.remove(&slot) {
            self.vector_bytes -= 4 * vector.len();
        }
        if self.holds(slot) {
            let place = self.places[slot as usize] - 1;
            self.entries[place as usize] = Entry { is_free: true, ..Entry::default() };
            self.free.push(place);
        }
        if let Some(place) = self.places.get_mut(slot as usize) {
            *place = now;
        }
    }

    /// A whole vector, which is read where it is not kept.
    pub fn vector(
        &mut self,
        slot: u32,
        read: impl FnOnce(&mut S) -> Result<Vec<f32>>,
    ) -> Result<&[f32]> {
        if !self.vectors.contains_key(&slot) {
            let vector = read(&mut self.source)?;
            if self.vector_bytes + 4 * vector.len() > MAX_VECTOR_BYTES {
                self.vectors.clear();
                self.vector_bytes = 0;
            }
            self.vector_bytes += 4 * vector.len();
            self.vectors.insert(slot, vector.into());
        }
        Ok(&self.vectors[&slot])
    }

    /// Where nodes are held.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(_, entry)| !entry.is_free).map(|(place, _)| place)
    }

    #[inline]
    pub fn entry(&self, place: usize) -> &Entry {
        &self.entries[place]
    }

    pub fn entry_mut(&mut self, place: usize) -> &mut Entry {
        &mut self.entries[place]
    }

    #[inline]
    pub fn code(&self, place: usize) -> (&Head, &[i8]) {
        let start = place % CHUNK * self.code_size;
        let components = &self.codes[place / CHUNK][start..start + self.code_size];
        (&self.entries[place].head, components)
    }

    #[inline]
    pub fn links(&self, place: usize) -> &[u32] {
        let start = place % CHUNK * self.max_links;
        &self.links[place / CHUNK][start..start + self.entries[place].degree as usize]
    }

    /// Change the links of a node in the lowest layer.
    pub fn set_links(&mut self, place: usize, links: &[u32]) {
        let start = place % CHUNK * self.max_links;
        self.links[place / CHUNK][start..start + links.len()].copy_from_slice(links);
        let entry = &mut self.entries[place];
        entry.degree = links.len() as u32;
        if !std::mem::replace(&mut entry.is_changed, true) {
            self.changed.push(entry.slot);
        }
    }

    /// The links of a node in upper layers.
    pub fn upper(&mut self, slot: u32) -> Result<Option<&Upper>> {
        if !self.upper.contains_key(&slot) {
            self.make_room_for_upper();
            let upper = self.source.upper(slot)?;
            self.upper.insert(slot, upper);
        }
        Ok(self.upper[&slot].as_ref())
    }

    fn make_room_for_upper(&mut self) {
        if self.upper.len() >= MAX_UPPER && self.changed_upper.is_empty() {
            self.upper.clear();
        }
    }

    /// Change them.
    pub fn set_upper(&mut self, slot: u32, upper: Upper) {
        self.upper.insert(slot, Some(upper));
        self.changed_upper.insert(slot);
    }

    /// The nodes whose links have changed, which are no longer held.
    pub fn take_changed(&mut self) -> Vec<u32> {
        let changed = std::mem::take(&mut self.changed);
        for slot in &changed {
            if self.holds(*slot) {
                self.entries[self.places[*slot as usize] as usize - 1].is_changed = false;
            }
        }
        changed
    }

    /// As [`Self::take_changed`], of upper layers.
    pub fn take_changed_upper(&mut self) -> Vec<u32> {
        self.changed_upper.drain().collect()
    }
}
