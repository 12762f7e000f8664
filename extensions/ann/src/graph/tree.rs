//! A tree of links in the lowest layer, so that a search can reach every node.
//!
//! Pruning alone may drop the only link that leads to a node: with few links, and on a
//! curve, one node in six was lost. So the first link of a node leads to its parent, and
//! the parent keeps its link back: [`Graph::tree_links`] are not pruned. A new node gets a
//! parent that is linked already; when a node is removed, the parts of the tree that it
//! held together are joined. The tree's first node has no parent, so its first link means
//! nothing; it is kept all the same.

use sqlite_wasm_kit::Result;

use super::{Found, Graph};
use crate::cache::Source;

impl<S: Source> Graph<S> {
    /// Of a node's links, those of the tree, the one to its parent first: half of those
    /// that a node may have, and few more.
    pub(super) fn tree_links(&mut self, slot: u32, links: &[u32]) -> Result<Vec<u32>> {
        self.cache.prefetch(links)?;
        let mut kept: Vec<u32> = links.first().copied().into_iter().collect();
        for other in links.iter().skip(1) {
            if self.parent(*other)? == Some(slot) {
                kept.push(*other);
            }
        }
        Ok(kept)
    }

    fn parent(&mut self, slot: u32) -> Result<Option<u32>> {
        let place = self.cache.find(slot)?;
        Ok(place.and_then(|place| self.cache.links(place).first().copied()))
    }

    /// The parent and the children of a node, which have links to it.
    pub(super) fn tree_neighbours(&mut self, slot: u32) -> Result<Vec<u32>> {
        let links = self.links(slot, 0)?;
        let mut neighbours = self.tree_links(slot, &links)?;
        let mut is_mutual = Vec::with_capacity(neighbours.len());
        for other in &neighbours {
            is_mutual.push(self.links(*other, 0)?.contains(&slot));
        }
        let mut is_mutual = is_mutual.into_iter();
        neighbours.retain(|_| is_mutual.next() == Some(true));
        Ok(neighbours)
    }

    /// Whether a node can have one more child: the other half of its links is free for
    /// the best ones.
    fn has_room(&mut self, slot: u32) -> Result<bool> {
        let links = self.links(slot, 0)?;
        Ok(self.tree_links(slot, &links)?.len() < self.shape.links)
    }

    /// Put the parent of a new node before the other links: the nearest that has room.
    pub(super) fn put_parent_first(
        &mut self,
        chosen: &mut Vec<u32>,
        found: &[Found],
    ) -> Result<()> {
        let Some(nearest) = chosen.first().copied() else { return Ok(()) };
        let candidates: Vec<u32> =
            chosen.iter().copied().chain(found.iter().map(|found| found.slot())).collect();
        let mut parent = None;
        for candidate in candidates {
            if self.has_room(candidate)? {
                parent = Some(candidate);
                break;
            }
        }
        let parent = parent.map_or_else(|| self.with_room(nearest, &[]), Ok)?;
        chosen.retain(|link| *link != parent);
        chosen.insert(0, parent);
        Ok(())
    }

    /// A node with room in the part of the tree where another is. There is one: a tree has
    /// fewer links than nodes. No path leads over `waiting`, which have no parent yet.
    fn with_room(&mut self, start: u32, waiting: &[u32]) -> Result<u32> {
        self.begin_visit();
        for slot in waiting.iter().chain([&start]) {
            self.is_new(*slot);
        }
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(slot) = open.pop_front() {
            if self.has_room(slot)? {
                return Ok(slot);
            }
            let around = self.tree_neighbours(slot)?;
            open.extend(around.into_iter().filter(|slot| self.is_new(*slot)));
        }
        Ok(start)
    }

    /// Join the parts of the tree that a removed node held together: its parent, if it had
    /// one, and its children.
    pub(super) fn adopt(&mut self, orphans: &[u32]) -> Result<()> {
        for (at, child) in orphans.iter().enumerate().skip(1) {
            let parent = self.with_room(orphans[at - 1], &orphans[at..])?;
            let mut links = self.links(*child, 0)?;
            links.retain(|link| *link != parent);
            links.insert(0, parent);
            self.set_best_links(*child, 0, &links)?;
            self.add_link(parent, 0, *child)?;
        }
        Ok(())
    }
}
