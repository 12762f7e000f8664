//! The graph alone, over nodes in memory: recall, deletions, and what HNSW and Vamana
//! differ in.

use super::*;
use crate::cache::Node;
use crate::code::Quantize;
use crate::vector::Metric;

/// All nodes are in the cache from the beginning.
struct Nowhere;

impl Source for Nowhere {
    fn node(&mut self, _: u32) -> Result<Option<Node>> {
        Ok(None)
    }

    fn upper(&mut self, _: u32) -> Result<Option<Upper>> {
        Ok(None)
    }

    fn highest(&mut self, _: u32) -> Result<Option<(u32, usize)>> {
        Ok(None)
    }
}

/// Uniform numbers from -1 to 1, by a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 += 1;
        (mixed(self.0) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.next() + self.next() + self.next()).collect()
    }
}

/// Vectors around as many centres as the square root of their count.
fn clustered(count: usize, dimensions: usize, numbers: &mut Numbers) -> Vec<Vec<f32>> {
    let clusters = (count as f64).sqrt() as usize;
    let centres: Vec<_> = (0..clusters).map(|_| numbers.vector(dimensions)).collect();
    let around = |at: usize, numbers: &mut Numbers| {
        let offset = numbers.vector(dimensions);
        centres[at % clusters].iter().zip(offset).map(|(it, offset)| it + 0.4 * offset).collect()
    };
    (0..count).map(|at| around(mixed(at as u64) as usize, numbers)).collect()
}

const HNSW: Shape = Shape { links: 16, ef: 200, alpha: 1.0, has_layers: true };

fn build(vectors: &[Vec<f32>], shape: Shape) -> Graph<Nowhere> {
    let coder =
        Coder { dimensions: vectors[0].len(), metric: Metric::L2, quantize: Quantize::None };
    let mut graph = Graph::new(Nowhere, coder, shape);
    for (slot, vector) in (0..).zip(vectors) {
        let node = Node { row_id: slot.into(), links: Vec::new(), code: coder.encode(vector) };
        graph.cache.put(slot, node);
        graph.insert(slot).unwrap();
    }
    graph
}

/// The share of the ten nearest by codes that a search finds.
fn recall(graph: &mut Graph<Nowhere>, queries: &[Vec<f32>], count: u32, ef: usize) -> f64 {
    let mut hits = 0;
    for query in queries {
        let code = graph.coder.encode(query);
        let all = (0..count).flat_map(|slot| graph.distance(&code, slot).unwrap());
        let mut all: Vec<Found> = all.collect();
        all.sort_unstable();
        let found = graph.search(&code, ef).unwrap();
        hits += found.iter().take(10).filter(|found| all[..10].contains(found)).count();
    }
    hits as f64 / (10 * queries.len()) as f64
}

#[test]
fn distances_keep_their_order() {
    let distances = [-3.5, -0.0, 0.0, 1e-30, 2.0, f32::INFINITY];
    let found: Vec<_> = distances.iter().map(|it| Found::new(*it, 7)).collect();
    assert!(found.is_sorted());
    assert!(found.iter().zip(distances).all(|(it, own)| it.distance() == own && it.slot() == 7));
    assert_eq!(Found::new(f32::NAN, 1), Found::new(f32::INFINITY, 1));
}

#[test]
fn near_nodes_are_found() {
    let vectors = clustered(2000, 24, &mut Numbers(1));
    let mut graph = build(&vectors, HNSW);
    assert!(recall(&mut graph, &vectors[..50], 2000, 50) > 0.97);
}

#[test]
fn near_nodes_are_found_after_deletions() {
    let vectors = clustered(2000, 24, &mut Numbers(2));
    let mut graph = build(&vectors, HNSW);
    for slot in (0..2000).filter(|slot| slot % 4 != 0) {
        graph.remove(slot).unwrap();
    }
    assert!(recall(&mut graph, &vectors[..50], 2000, 50) > 0.95);
    for slot in (0..2000).filter(|slot| slot % 4 == 0) {
        graph.remove(slot).unwrap();
    }
    assert_eq!(graph.entrance, None);
}

/// `cargo test --release -p ann-extension -- --ignored --nocapture`
#[test]
#[ignore = "a measurement, of minutes"]
fn hnsw_and_vamana() {
    let count = std::env::var("COUNT").map_or(20_000, |count| count.parse().unwrap());
    let mut numbers = Numbers(3);
    let data = [
        ("clustered", clustered(count + 200, 384, &mut numbers)),
        ("random", (0..count + 200).map(|_| numbers.vector(384)).collect()),
    ];
    for (title, vectors) in &data {
        let (vectors, queries) = vectors.split_at(count);
        for (name, shape) in [
            ("HNSW", HNSW),
            ("layers, alpha 1.2", Shape { alpha: 1.44, ..HNSW }),
            ("Vamana 1.2", Shape { alpha: 1.44, has_layers: false, ..HNSW }),
            ("flat 1.0", Shape { has_layers: false, ..HNSW }),
        ] {
            let begin = std::time::Instant::now();
            let mut graph = build(vectors, shape);
            print!("{title}, {name}: build {:.1} s;", begin.elapsed().as_secs_f64());
            for ef in [20, 50, 100, 200] {
                let begin = std::time::Instant::now();
                for query in queries {
                    let code = graph.coder.encode(query);
                    graph.search(&code, ef).unwrap();
                }
                let micros = begin.elapsed().as_micros() / queries.len() as u128;
                let recall = recall(&mut graph, &queries[..100], count as u32, ef);
                print!(" ef {ef}: {recall:.3} {micros} µs;");
            }
            println!();
        }
    }
}
