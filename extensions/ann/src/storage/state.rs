//! The state of a table as a whole, in one blob.

use super::words;
use crate::cache::MAX_NODES;
use crate::graph::{Entrance, MAX_UPPER_LAYERS};

/// Where a graph begins, and how many nodes there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Another one after each change.
    pub stamp: u64,
    pub entrance: Option<Entrance>,
    /// All nodes have lower slots.
    pub next: u32,
    pub count: u32,
    /// Nodes below are linked; a search looks at each of the others.
    pub built: u32,
    pub free: u32,
}

impl State {
    pub fn to_bytes(self) -> Vec<u8> {
        let (slot, layers) = self.entrance.map_or((0, 0), |it| (it.slot + 1, it.layers as u32));
        let numbers = [slot, layers, self.next, self.count, self.built, self.free];
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        self.stamp.to_le_bytes().into_iter().chain(numbers).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (stamp, numbers) = bytes.split_first_chunk::<8>()?;
        let stamp = u64::from_le_bytes(*stamp);
        let numbers = words(numbers);
        let [slot, layers, next, count, built, free] = numbers[..] else { return None };
        let entrance = slot.checked_sub(1).map(|slot| Entrance { slot, layers: layers as usize });
        let is_sound = next <= MAX_NODES
            && count <= next
            && built <= next
            && free <= next
            && layers as usize <= MAX_UPPER_LAYERS
            && slot <= next;
        is_sound.then_some(Self { stamp, entrance, next, count, built, free })
    }
}
