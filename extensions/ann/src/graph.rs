//! A hierarchical navigable small world (HNSW; Malkov and Yashunin, 2016) over nodes
//! that are stored elsewhere.
//!
//! Links lead to nodes that are near, in every direction. A search walks from node to node, and
//! keeps the nearest that it has seen. A few nodes are in upper layers too, where links are long: a
//! search begins there. A link may lead to a node that was deleted, or to another one that has its
//! slot now: such a link is worse, but not wrong. A tree of links (`graph/tree.rs`) keeps each node
//! within reach.

mod found;
mod tree;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sqlite_wasm_kit::Result;

use crate::cache::{Cache, Source, Upper};
use crate::code::{Code, Coder};

pub use found::Found;

/// Most layers above the lowest: with 4 links, a node in 16 million has this many.
pub const MAX_UPPER_LAYERS: usize = 12;

/// Which part of the nodes that are kept while links are searched is kept in upper layers: with
/// all, one insertion in sixteen read five times as many nodes as others.
const UPPER_EF_SHARE: usize = 4;

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrance {
    pub slot: u32,
    /// Layers above the lowest.
    pub layers: usize,
}

/// How nodes are linked.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Links that a new node gets. In the lowest layer it may come to have twice as many.
    pub links: usize,
    /// Nodes that are kept while its links are searched.
    pub ef: usize,
    /// How much nearer a neighbour of a neighbour must be for a link to it to be left
    /// out: 1 as HNSW does, more as Vamana does, which keeps more and longer links.
    pub alpha: f32,
    pub has_layers: bool,
}

pub struct Graph<S> {
    pub cache: Cache<S>,
    pub coder: Coder,
    shape: Shape,
    pub entrance: Option<Entrance>,
    visited: Vec<u16>,
    visit: u16,
    /// Links that are looked at, used again and again.
    near: Vec<u32>,
}

impl<S: Source> Graph<S> {
    pub fn new(source: S, coder: Coder, shape: Shape) -> Self {
        let cache = Cache::new(source, coder.code_size(), 2 * shape.links);
        let (visited, near) = (Vec::new(), Vec::new());
        Self { cache, coder, shape, entrance: None, visited, visit: 0, near }
    }

    /// The nodes that are found near a code, the nearest first: at most `ef`.
    pub fn search(&mut self, query: &Code, ef: usize) -> Result<Vec<Found>> {
        let Some(start) = self.descend(query, 0)? else {
            return Ok(Vec::new());
        };
        self.search_layer(query, vec![start], ef, 0)
    }

    /// How far a node is from a code; `None` if the node does not exist.
    #[inline]
    pub fn distance(&mut self, query: &Code, slot: u32) -> Result<Option<Found>> {
        Ok(self.cache.find(slot)?.map(|place| {
            let code = (&query.head, &query.components[..]);
            Found::new(self.coder.between(code, self.cache.code(place)), slot)
        }))
    }

    /// The nearest node that is found in the layers above one.
    fn descend(&mut self, query: &Code, above: usize) -> Result<Option<Found>> {
        let Some(Entrance { slot, layers }) = self.entrance else {
            return Ok(None);
        };
        let Some(mut nearest) = self.distance(query, slot)? else {
            return Ok(None);
        };
        for layer in (above + 1..=layers.min(MAX_UPPER_LAYERS)).rev() {
            nearest = self.nearest_in_layer(query, nearest, layer)?;
        }
        Ok(Some(nearest))
    }

    fn nearest_in_layer(&mut self, query: &Code, start: Found, layer: usize) -> Result<Found> {
        let mut nearest = start;
        loop {
            let before = nearest;
            let links = self.links(before.slot(), layer)?;
            self.cache.prefetch(&links)?;
            for slot in links {
                let found = self.distance(query, slot)?;
                nearest = found.map_or(nearest, |found| found.min(nearest));
            }
            if nearest >= before {
                return Ok(nearest);
            }
        }
    }

    /// The links of a node in a layer.
    pub fn links(&mut self, slot: u32, layer: usize) -> Result<Vec<u32>> {
        if layer == 0 {
            let place = self.cache.find(slot)?;
            return Ok(place.map_or_else(Vec::new, |place| self.cache.links(place).to_vec()));
        }
        let upper = self.cache.upper(slot)?;
        Ok(upper.and_then(|upper| upper.get(layer - 1)).cloned().unwrap_or_default())
    }

    fn search_layer(
        &mut self,
        query: &Code,
        starts: Vec<Found>,
        ef: usize,
        layer: usize,
    ) -> Result<Vec<Found>> {
        self.begin_visit();
        let mut open: BinaryHeap<Reverse<Found>> = BinaryHeap::with_capacity(ef);
        let mut best: BinaryHeap<Found> = BinaryHeap::with_capacity(ef + 1);
        for start in starts {
            self.is_new(start.slot());
            open.push(Reverse(start));
            best.push(start);
        }
        while let Some(Reverse(next)) = open.pop() {
            let worst = best.peek().copied().filter(|_| best.len() >= ef);
            if worst.is_some_and(|worst| next > worst) {
                break;
            }
            self.unvisited_links(next.slot(), layer)?;
            let near = std::mem::take(&mut self.near);
            self.cache.prefetch(&near)?;
            if layer > 0 {
                self.cache.prefetch_upper(&near)?;
            }
            for slot in &near {
                let Some(found) = self.distance(query, *slot)? else { continue };
                if best.len() < ef || best.peek().is_some_and(|worst| found < *worst) {
                    open.push(Reverse(found));
                    best.push(found);
                    if best.len() > ef {
                        best.pop();
                    }
                }
            }
            self.near = near;
        }
        Ok(best.into_sorted_vec())
    }

    fn begin_visit(&mut self) {
        self.visit = self.visit.wrapping_add(1);
        if self.visit == 0 {
            self.visited.fill(0);
            self.visit = 1;
        }
    }

    /// Whether a node was not visited before; now it is.
    #[inline]
    fn is_new(&mut self, slot: u32) -> bool {
        let index = slot as usize;
        if index >= self.visited.len() {
            if slot >= crate::cache::MAX_NODES {
                return false;
            }
            self.visited.resize(index + 1024, 0);
        }
        std::mem::replace(&mut self.visited[index], self.visit) != self.visit
    }

    /// Write the links of a node that were not visited into `near`.
    fn unvisited_links(&mut self, slot: u32, layer: usize) -> Result<()> {
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        if layer == 0 {
            if let Some(place) = self.cache.find(slot)? {
                near.extend_from_slice(self.cache.links(place));
            }
        } else if let Some(links) = self.cache.upper(slot)?.and_then(|upper| upper.get(layer - 1)) {
            near.extend_from_slice(links);
        }
        near.retain(|slot| self.is_new(*slot));
        self.near = near;
        Ok(())
    }

    /// Link a node, which the cache can find.
    pub fn insert(&mut self, slot: u32) -> Result<()> {
        let Some(place) = self.cache.find(slot)? else { return Ok(()) };
        let (head, components) = self.cache.code(place);
        let code = Code { head: *head, components: components.to_vec() };
        let layers = self.layers_of(slot);
        let start = self.descend(&code, layers)?;
        if layers > 0 {
            self.cache.set_upper(slot, vec![Vec::new(); layers]);
        }
        let mut starts: Vec<Found> = start.into_iter().collect();
        let top = self.entrance.map_or(0, |entrance| entrance.layers.min(MAX_UPPER_LAYERS));
        for layer in (0..=layers.min(top)).rev() {
            if starts.is_empty() {
                break;
            }
            let ef = if layer == 0 { self.shape.ef } else { self.upper_ef() };
            starts = self.search_layer(&code, starts, ef, layer)?;
            starts.retain(|it| it.slot() != slot);
            self.connect(slot, &starts, layer)?;
        }
        if start.is_none() || layers > top {
            self.entrance = Some(Entrance { slot, layers });
        }
        Ok(())
    }

    /// Nodes that are kept while links of upper layers are searched, where a search only has
    /// to come near.
    fn upper_ef(&self) -> usize {
        (self.shape.ef / UPPER_EF_SHARE).max(2 * self.shape.links)
    }

    /// Take the links of a node away, which were those of an older graph.
    pub fn detach(&mut self, slot: u32) -> Result<()> {
        self.set_links(slot, 0, &[])
    }

    /// Link a node to the best of those that were found, and those to it.
    fn connect(&mut self, slot: u32, found: &[Found], layer: usize) -> Result<()> {
        let mut chosen = self.choose(Vec::new(), found, self.shape.links)?;
        if layer == 0 {
            self.put_parent_first(&mut chosen, found)?;
        }
        self.set_links(slot, layer, &chosen)?;
        chosen.into_iter().try_for_each(|neighbour| self.add_link(neighbour, layer, slot))
    }

    /// Link a node to another, where that is one of its best links or one of the tree.
    fn add_link(&mut self, slot: u32, layer: usize, to: u32) -> Result<()> {
        let mut links = self.links(slot, layer)?;
        if links.contains(&to) {
            return Ok(());
        }
        links.push(to);
        self.set_best_links(slot, layer, &links)
    }

    /// Most links of a node.
    fn max_links(&self, layer: usize) -> usize {
        if layer == 0 { 2 * self.shape.links } else { self.shape.links }
    }

    /// Set the links of a node, the best of them where they are too many.
    fn set_best_links(&mut self, slot: u32, layer: usize, links: &[u32]) -> Result<()> {
        let max = self.max_links(layer);
        if links.len() <= max {
            return self.set_links(slot, layer, links);
        }
        self.cache.prefetch(links)?;
        let kept = if layer == 0 { self.tree_links(slot, links)? } else { Vec::new() };
        let mut found = Vec::with_capacity(links.len());
        for other in links.iter().filter(|other| !kept.contains(other)) {
            found.extend(self.between(slot, *other)?);
        }
        found.sort_unstable();
        let chosen = self.choose(kept, &found, max)?;
        self.set_links(slot, layer, &chosen)
    }

    fn set_links(&mut self, slot: u32, layer: usize, links: &[u32]) -> Result<()> {
        if layer == 0 {
            if let Some(place) = self.cache.find(slot)? {
                self.cache.set_links(place, links);
            }
            return Ok(());
        }
        let Some(mut upper) = self.cache.upper(slot)?.cloned() else { return Ok(()) };
        if let Some(own) = upper.get_mut(layer - 1) {
            *own = links.to_vec();
            self.cache.set_upper(slot, upper);
        }
        Ok(())
    }

    /// Of nodes by their distance, those that lead in different directions: each is
    /// nearer than it is to those that were chosen before, of which some are given.
    fn choose(&mut self, kept: Vec<u32>, found: &[Found], count: usize) -> Result<Vec<u32>> {
        let mut chosen = kept;
        chosen.truncate(count);
        for candidate in found {
            if chosen.len() >= count {
                break;
            }
            let mut is_new_direction = true;
            for other in &chosen {
                let between = self.between(candidate.slot(), *other)?;
                if between.is_some_and(|it| it.distance() * self.shape.alpha < candidate.distance())
                {
                    is_new_direction = false;
                    break;
                }
            }
            if is_new_direction {
                chosen.push(candidate.slot());
            }
        }
        Ok(chosen)
    }

    /// How far a node is from another, as what is found of the other.
    fn between(&mut self, slot: u32, other: u32) -> Result<Option<Found>> {
        let (Some(left), Some(right)) = (self.cache.find(slot)?, self.cache.find(other)?) else {
            return Ok(None);
        };
        let distance = self.coder.between(self.cache.code(left), self.cache.code(right));
        Ok(Some(Found::new(distance, other)))
    }

    /// How many layers above the lowest a node is in. It follows from the node's slot, so that the
    /// same rows make the same graph.
    fn layers_of(&self, slot: u32) -> usize {
        if !self.shape.has_layers {
            return 0;
        }
        let uniform = (mixed(u64::from(slot)) >> 11) as f64 / (1u64 << 53) as f64;
        let layers = -(1.0 - uniform).ln() / (self.shape.links as f64).ln();
        (layers as usize).min(MAX_UPPER_LAYERS)
    }

    /// Remove a node, and link those around it to each other. Nodes from `built` on are
    /// not linked.
    pub fn remove(&mut self, slot: u32, built: u32) -> Result<()> {
        let layers = self.cache.upper(slot)?.map_or(0, Vec::len);
        let orphans = self.tree_neighbours(slot)?;
        for layer in 0..=layers {
            let around = self.links(slot, layer)?;
            self.cache.prefetch(&around)?;
            for neighbour in &around {
                let mut links = self.links(*neighbour, layer)?;
                let Some(own) = links.iter().position(|link| *link == slot) else { continue };
                links.remove(own);
                let others = around.iter().filter(|other| *other != neighbour);
                let others: Vec<u32> =
                    others.copied().filter(|other| !links.contains(other)).collect();
                links.extend(others);
                self.set_best_links(*neighbour, layer, &links)?;
            }
        }
        self.adopt(&orphans)?;
        if self.entrance.is_some_and(|entrance| entrance.slot == slot) {
            self.entrance = self.other_entrance(slot, layers, built)?;
        }
        self.cache.remove(slot);
        Ok(())
    }

    /// A neighbour in the highest layer that has one, or what the source knows.
    fn other_entrance(&mut self, slot: u32, layers: usize, built: u32) -> Result<Option<Entrance>> {
        for layer in (0..=layers).rev() {
            for neighbour in self.links(slot, layer)? {
                let known = self.cache.upper(neighbour)?.map_or(0, Upper::len);
                if known >= layer && self.cache.find(neighbour)?.is_some() {
                    return Ok(Some(Entrance { slot: neighbour, layers: known }));
                }
            }
        }
        let highest = self.cache.source.highest(slot, built)?;
        Ok(highest.map(|(slot, layers)| Entrance { slot, layers }))
    }
}

/// Steele's and Vigna's splitmix64: neighbouring inputs give unrelated results.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests;
