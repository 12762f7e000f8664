//! Which vectors a search must read to know the nearest.

use std::collections::BinaryHeap;

use crate::graph::Found;

/// Those that could be among the `k` nearest.
pub struct Ranking {
    k: usize,
    /// Anything farther than this is not a candidate.
    limit: f32,
    /// The smallest of the largest distances that the candidates may have.
    bounds: BinaryHeap<Found>,
    /// With the smallest distance that each may have.
    candidates: Vec<Found>,
}

impl Ranking {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            limit: f32::INFINITY,
            bounds: BinaryHeap::with_capacity(k + 1),
            candidates: Vec::new(),
        }
    }

    /// Whether one that may be this near could be among the nearest.
    #[inline]
    pub fn admits(&self, lowest: f32) -> bool {
        lowest <= self.limit
    }

    pub fn add(&mut self, found: Found, error: f32) {
        let (distance, slot) = (found.distance(), found.slot());
        if !self.admits(distance - error) {
            return;
        }
        self.candidates.push(Found::new(distance - error, slot));
        self.bounds.push(Found::new(distance + error, slot));
        if self.bounds.len() > self.k {
            self.bounds.pop();
        }
        if self.bounds.len() == self.k
            && let Some(most) = self.bounds.peek()
        {
            self.limit = most.distance();
        }
    }

    /// What was not ruled out by what came later.
    pub fn finish(mut self) -> Vec<Found> {
        self.candidates.retain(|lowest| lowest.distance() <= self.limit);
        self.candidates.sort_unstable();
        self.candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_among_the_nearest_is_measured() {
        let mut ranking = Ranking::new(2);
        for (slot, distance, error) in [
            (0, 5.0, 0.1),
            (1, 1.0, 0.5),
            (2, 1.4, 0.5),
            (3, 2.0, 0.2),
            (4, 2.5, 0.1),
            (5, 1.1, 0.0),
        ] {
            ranking.add(Found::new(distance, slot), error);
        }
        let mut left: Vec<u32> = ranking.finish().into_iter().map(Found::slot).collect();
        left.sort_unstable();
        assert_eq!(left, [1, 2, 5]);
    }
}
