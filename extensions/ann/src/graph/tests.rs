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

    fn uppers(&mut self, _: &[u32]) -> Result<Vec<(u32, Upper)>> {
        Ok(Vec::new())
    }

    fn highest(&mut self, _: u32, _: u32) -> Result<Option<(u32, usize)>> {
        Ok(None)
    }
}

/// A graph that was built, and how often something was read of it.
struct Stored {
    nodes: Vec<Node>,
    upper: Vec<Option<Upper>>,
    requests: usize,
}

impl Source for Stored {
    fn node(&mut self, slot: u32) -> Result<Option<Node>> {
        self.requests += 1;
        Ok(self.nodes.get(slot as usize).cloned())
    }

    fn nodes(&mut self, slots: &[u32]) -> Result<Vec<(u32, Node)>> {
        self.requests += 1;
        Ok(slots.iter().map(|slot| (*slot, self.nodes[*slot as usize].clone())).collect())
    }

    fn upper(&mut self, slot: u32) -> Result<Option<Upper>> {
        self.requests += 1;
        Ok(self.upper[slot as usize].clone())
    }

    fn uppers(&mut self, slots: &[u32]) -> Result<Vec<(u32, Upper)>> {
        self.requests += 1;
        let links = |slot: &u32| Some((*slot, self.upper[*slot as usize].clone()?));
        Ok(slots.iter().filter_map(links).collect())
    }

    fn highest(&mut self, _: u32, _: u32) -> Result<Option<(u32, usize)>> {
        Ok(None)
    }
}

/// A table that has other nodes than those that were requested.
struct Lying;

impl Source for Lying {
    fn node(&mut self, _: u32) -> Result<Option<Node>> {
        Ok(None)
    }

    fn nodes(&mut self, slots: &[u32]) -> Result<Vec<(u32, Node)>> {
        let code = Code { head: Default::default(), components: vec![0; 2] };
        let node = Node { row_id: 1, links: Vec::new(), code };
        Ok([slots[0], 100, u32::MAX - 1].map(|slot| (slot, node.clone())).to_vec())
    }

    fn upper(&mut self, _: u32) -> Result<Option<Upper>> {
        Ok(None)
    }

    fn uppers(&mut self, _: &[u32]) -> Result<Vec<(u32, Upper)>> {
        Ok(Vec::new())
    }

    fn highest(&mut self, _: u32, _: u32) -> Result<Option<(u32, usize)>> {
        Ok(None)
    }
}

#[test]
fn only_requested_nodes_are_kept() {
    let mut cache = Cache::new(Lying, 2, 4);
    cache.prefetch(&[1, 2]).unwrap();
    assert_eq!([1, 2, 100].map(|slot| cache.holds(slot)), [true, false, false]);
    assert!(!cache.holds(u32::MAX - 1));
}

/// Uniform values from -1 to 1, by a seed.
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

/// Vectors on a curve, in its order: each has a neighbour on either side.
fn curve(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
    let part = |at: usize, part: usize| ((at as f32) * 0.003 * (part as f32 * 0.2 + 1.0)).sin();
    (0..count).map(|at| (0..dimensions).map(|it| part(at, it)).collect()).collect()
}

fn build(vectors: &[Vec<f32>], shape: Shape) -> Graph<Nowhere> {
    let coder =
        Coder { dimensions: vectors[0].len(), metric: Metric::L2, quantize: Quantize::None };
    let mut graph = Graph::new(Nowhere, coder, shape);
    (0..).zip(vectors).for_each(|(slot, vector)| add(&mut graph, slot, vector));
    graph
}

fn add(graph: &mut Graph<Nowhere>, slot: u32, vector: &[f32]) {
    let node = Node { row_id: slot.into(), links: Vec::new(), code: graph.coder.encode(vector) };
    graph.cache.forget(slot);
    graph.cache.put(slot, node);
    graph.insert(slot).unwrap();
}

/// How many nodes links lead to, from the entrance on.
fn reached(graph: &mut Graph<Nowhere>) -> usize {
    let mut open: Vec<u32> = graph.entrance.iter().map(|it| it.slot).collect();
    let mut known: std::collections::HashSet<u32> = open.iter().copied().collect();
    while let Some(slot) = open.pop() {
        for link in graph.links(slot, 0).unwrap() {
            if graph.cache.holds(link) && known.insert(link) {
                open.push(link);
            }
        }
    }
    known.len()
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

/// The same graph, of which nothing is in memory.
fn stored(built: &mut Graph<Nowhere>, vectors: &[Vec<f32>]) -> Graph<Stored> {
    let (mut nodes, mut upper) = (Vec::new(), Vec::new());
    for (slot, vector) in (0..).zip(vectors) {
        let (links, code) = (built.links(slot, 0).unwrap(), built.coder.encode(vector));
        nodes.push(Node { row_id: slot.into(), links, code });
        upper.push(built.cache.upper(slot).unwrap().cloned());
    }
    let mut graph = Graph::new(Stored { nodes, upper, requests: 0 }, built.coder, HNSW);
    graph.entrance = built.entrance;
    graph
}

#[test]
fn a_search_reads_nodes_together() {
    let vectors = clustered(2000, 24, &mut Numbers(4));
    let mut built = build(&vectors, HNSW);
    let mut graph = stored(&mut built, &vectors);
    let code = graph.coder.encode(&vectors[7]);
    assert_eq!(graph.search(&code, 200), built.search(&code, 200));
    let (requests, read) = (graph.cache.source.requests, graph.cache.count());
    assert!(requests < read / 3, "{requests} requests for {read} nodes");
    assert_eq!(graph.search(&code, 200), built.search(&code, 200));
    assert_eq!(graph.cache.source.requests, requests);
}

#[test]
fn changes_read_nodes_together() {
    let vectors = clustered(2000, 24, &mut Numbers(5));
    let mut built = build(&vectors, HNSW);
    let mut graph = stored(&mut built, &vectors);
    graph.remove(7, 2000).unwrap();
    let (requests, read) = (graph.cache.source.requests, graph.cache.count());
    assert!(requests < read / 3, "{requests} requests for {read} nodes to remove one");
    // A node that is in upper layers too.
    let slot = (2000..).find(|slot| graph.layers_of(*slot) > 0).unwrap();
    let node = Node { row_id: 7, links: Vec::new(), code: graph.coder.encode(&vectors[7]) };
    graph.cache.put(slot, node);
    graph.insert(slot).unwrap();
    let (requests, read) = (graph.cache.source.requests - requests, graph.cache.count() - read);
    assert!(requests < read / 2, "{requests} requests for {read} nodes to add one");
}

#[test]
fn near_nodes_are_found_after_deletions() {
    let vectors = clustered(2000, 24, &mut Numbers(2));
    let mut graph = build(&vectors, HNSW);
    for slot in (0..2000).filter(|slot| slot % 4 != 0) {
        graph.remove(slot, 2000).unwrap();
    }
    assert!(recall(&mut graph, &vectors[..50], 2000, 50) > 0.95);
    for slot in (0..2000).filter(|slot| slot % 4 == 0) {
        graph.remove(slot, 2000).unwrap();
    }
    assert_eq!(graph.entrance, None);
}

#[test]
fn every_node_is_within_reach_also_after_changes() {
    const COUNT: u32 = 500;
    let count = COUNT as usize;
    let mut numbers = Numbers(5);
    let random = (0..count).map(|_| numbers.vector(8)).collect();
    let data: [Vec<Vec<f32>>; 5] = [
        random,
        clustered(count, 8, &mut numbers),
        curve(count, 8),
        (0..count).map(|at| vec![at as f32, 0.0]).collect(),
        vec![vec![1.0, 2.0]; count],
    ];
    for (which, vectors) in data.iter().enumerate() {
        for links in [4, 8, 16] {
            let mut graph = build(vectors, Shape { links, ef: 20, ..HNSW });
            assert_eq!(reached(&mut graph), count, "data {which}, m={links}");
            let removed = |round: u64| {
                (0..COUNT).filter(move |it| mixed(u64::from(*it) + round).is_multiple_of(3))
            };
            for round in 0..3 {
                removed(round).for_each(|slot| graph.remove(slot, COUNT).unwrap());
                let left = count - removed(round).count();
                assert_eq!(reached(&mut graph), left, "data {which}, m={links}, round {round}");
                removed(round).for_each(|slot| add(&mut graph, slot, &vectors[slot as usize]));
                assert_eq!(reached(&mut graph), count, "data {which}, m={links}, round {round}");
            }
        }
    }
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
