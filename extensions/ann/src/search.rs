//! Searching: by codes, then by the vectors of those that could be among the nearest.

use std::collections::BinaryHeap;
use std::rc::Rc;

use sqlite_wasm_kit::{Result, Value, sql};

use crate::code::{Code, Quantize};
use crate::graph::Found;
use crate::index::{Index, MAX_SCANNED};
use crate::ranking::Ranking;
use crate::storage::{State, Storage};
use crate::vector::{Metric, norm};

/// Nodes that a search keeps by default, at least, and half as many again as are wanted:
/// with 100,000 clustered vectors of 384 dimensions it then finds 99 of 100 of the ten
/// nearest.
const DEFAULT_EF: usize = 64;

/// Most of them; a filter that lets so few rows through is searched otherwise.
pub const MAX_EF: usize = 20_000;

/// A filter that lets up to this share of the rows through is searched by the list of
/// its rows: with more rows, walking the graph is faster.
const LISTED_SHARE: u32 = 8;

/// Limit on the rows in such a list, in addition to the share.
const MAX_LISTED: u32 = 50_000;

/// Filters whose rows are kept.
const MAX_FILTERS: usize = 16;

/// What is searched.
pub struct Request {
    pub vector: Vec<f32>,
    pub k: usize,
    pub ef: Option<usize>,
    pub is_exact: bool,
    pub filter: Option<Filter>,
}

impl Request {
    /// Nodes that the search keeps.
    fn ef(&self) -> usize {
        self.ef.unwrap_or(DEFAULT_EF.max(self.k + self.k / 2)).max(self.k)
    }
}

/// A condition of the rows, in SQL with parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub condition: String,
    pub values: Vec<Value>,
}

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub distance: f32,
    pub row_id: i64,
    pub slot: u32,
}

/// The nodes of filters, for as long as nothing changes; `None` for more nodes than a list may
/// have.
#[derive(Default)]
pub struct FilterCache(Vec<(Filter, Option<Rc<[u32]>>)>);

impl FilterCache {
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Index {
    /// The nearest rows, the nearest first.
    pub fn nearest(&mut self, request: &Request) -> Result<Vec<Neighbour>> {
        let state = self.refresh()?;
        if request.k == 0 || state.count == 0 {
            return Ok(Vec::new());
        }
        let code = self.graph.coder.encode(&request.vector);
        let ef = request.ef().min(MAX_EF);
        match &request.filter {
            Some(filter) => self.filtered(request, &code, ef, filter, &state),
            None if request.is_exact || state.count <= MAX_SCANNED => {
                self.all(request, &code, &state)
            }
            None => {
                let found = self.near(&code, ef, &state)?;
                self.rank_found(request, &code, found)
            }
        }
    }

    /// What the graph finds, and the nodes that are not linked yet.
    fn near(&mut self, code: &Code, ef: usize, state: &State) -> Result<Vec<Found>> {
        let mut found = self.graph.search(code, ef)?;
        // Links of an older graph may lead to nodes that wait.
        found.retain(|it| it.slot() < state.built);
        for slot in state.built..state.next {
            found.extend(self.graph.distance(code, slot)?);
        }
        Ok(found)
    }

    /// Of all rows. Where they do not fit into memory, their vectors are read one after
    /// the other.
    fn all(&mut self, request: &Request, code: &Code, state: &State) -> Result<Vec<Neighbour>> {
        if state.count as usize > self.graph.cache.capacity() {
            return self.stream(request);
        }
        self.hold_all(state)?;
        let mut ranking = Ranking::new(request.k);
        let (cache, coder) = (&self.graph.cache, self.graph.coder);
        let query = (&code.head, &code.components[..]);
        for place in cache.places() {
            let other = cache.code(place);
            let distance = coder.between(query, other);
            let error = coder.error(query.0, other.0);
            if ranking.admits(distance - error) {
                ranking.add(Found::new(distance, cache.entry(place).slot), error);
            }
        }
        self.measure(request, ranking)
    }

    /// Read all nodes that are not in memory.
    fn hold_all(&mut self, state: &State) -> Result<()> {
        if self.graph.cache.count() >= state.count as usize {
            return Ok(());
        }
        let cache = &mut self.graph.cache;
        let names = &cache.source.names;
        let mut nodes = sql::prepare(&format!("SELECT slot, node FROM {}", names.table("nodes")))?;
        for row in nodes.query([])? {
            let mut row = row?;
            let node = cache.source.checked(row.pop().unwrap_or_default())?;
            let slot = u32::try_from(row[0].to_integer()).ok().filter(|slot| *slot < state.next);
            let slot = slot.ok_or_else(|| cache.source.corrupt("a node has a wrong number"))?;
            if !cache.holds(slot) {
                let node = cache.source.parse(&node)?;
                cache.put(slot, node);
            }
        }
        cache.others_are_absent(state.next);
        Ok(())
    }

    #[inline]
    fn rank(&mut self, ranking: &mut Ranking, code: &Code, slot: u32) -> Result<()> {
        if let Some(found) = self.graph.distance(code, slot)?
            && let Some(place) = self.graph.cache.find(slot)?
        {
            let error = self.graph.coder.error(&code.head, &self.graph.cache.entry(place).head);
            ranking.add(found, error);
        }
        Ok(())
    }

    fn rank_found(
        &mut self,
        request: &Request,
        code: &Code,
        found: Vec<Found>,
    ) -> Result<Vec<Neighbour>> {
        let mut ranking = Ranking::new(request.k);
        for found in found {
            if let Some(place) = self.graph.cache.find(found.slot())? {
                let entry = self.graph.cache.entry(place);
                ranking.add(found, self.graph.coder.error(&code.head, &entry.head));
            }
        }
        self.measure(request, ranking)
    }

    /// The distances of vectors, of those that are left.
    fn measure(&mut self, request: &Request, ranking: Ranking) -> Result<Vec<Neighbour>> {
        let query = &request.vector;
        let length = norm(query);
        let mut neighbours: Vec<Neighbour> = Vec::new();
        let mut best = BinaryHeap::with_capacity(request.k + 1);
        for candidate in ranking.finish() {
            // Those that follow are farther than all that are wanted.
            if best.len() == request.k
                && best.peek().is_some_and(|worst: &Found| {
                    self.compared(worst.distance()) < candidate.distance()
                })
            {
                break;
            }
            let slot = candidate.slot();
            let Some(place) = self.graph.cache.find(slot)? else { continue };
            let row_id = self.graph.cache.entry(place).row_id;
            let coder = self.graph.coder;
            let cache = &mut self.graph.cache;
            let distance = match coder.quantize {
                Quantize::None => {
                    let read = |storage: &mut Storage| Ok(coder.load(&storage.vector(slot)?));
                    let vector = cache.vector(slot, read)?;
                    coder.metric.distance(query, length, vector, norm(vector))
                }
                _ => coder.distance_to_code(query, length, cache.code(place)),
            };
            neighbours.push(Neighbour { distance, row_id, slot });
            best.push(Found::new(distance, slot));
            if best.len() > request.k {
                best.pop();
            }
        }
        Ok(nearest_of(neighbours, request.k))
    }

    /// A distance as those of codes are: squared for L2.
    fn compared(&self, distance: f32) -> f32 {
        match (self.graph.coder.quantize, self.graph.coder.metric) {
            (Quantize::None | Quantize::Int8, Metric::L2) => distance * distance,
            _ => distance,
        }
    }

    /// Of all rows, by their vectors alone.
    fn stream(&mut self, request: &Request) -> Result<Vec<Neighbour>> {
        let coder = self.graph.coder;
        let storage = self.storage();
        let sql = format!("SELECT slot, node FROM {}", storage.names.table("nodes"));
        let length = norm(&request.vector);
        let mut neighbours = Vec::new();
        for row in sql::prepare(&sql)?.query([])? {
            let mut row = row?;
            let node = storage.checked(row.pop().unwrap_or_default())?;
            let distance = coder.distance(&request.vector, length, storage.vector_of(&node));
            let row_id = storage.parse_row_id(&node);
            neighbours.push(Neighbour { distance, row_id, slot: row[0].to_integer() as u32 });
            if neighbours.len() > 4 * request.k + 1024 {
                neighbours = nearest_of(neighbours, request.k);
            }
        }
        Ok(nearest_of(neighbours, request.k))
    }

    /// The nearest of the rows that a filter lets through.
    fn filtered(
        &mut self,
        request: &Request,
        code: &Code,
        ef: usize,
        filter: &Filter,
        state: &State,
    ) -> Result<Vec<Neighbour>> {
        let most = (state.count / LISTED_SHARE).clamp(MAX_SCANNED, MAX_LISTED);
        let most = if request.is_exact { u32::MAX } else { most };
        if let Some(listed) = self.listed(filter, most)? {
            return self.among(request, code, &listed);
        }
        let mut ef = 2 * ef;
        while ef <= MAX_EF {
            let found = self.near(code, ef, state)?;
            let seen = found.len();
            let passed = self.passing(found, filter)?;
            let wanted = request.ef();
            if passed.len() >= wanted || seen >= state.count as usize {
                return self.rank_found(request, code, passed);
            }
            // As many more as the share of those that have passed demands.
            ef = (ef * wanted * 5 / 4 / passed.len().max(1)).clamp(2 * ef, 16 * ef);
        }
        let listed = self.listed(filter, u32::MAX)?.unwrap_or_default();
        self.among(request, code, &listed)
    }

    fn among(&mut self, request: &Request, code: &Code, slots: &[u32]) -> Result<Vec<Neighbour>> {
        let mut ranking = Ranking::new(request.k);
        for slot in slots {
            self.rank(&mut ranking, code, *slot)?;
        }
        self.measure(request, ranking)
    }

    /// The nodes of the rows that a filter lets through; `None` if there are more than `most`.
    fn listed(&mut self, filter: &Filter, most: u32) -> Result<Option<Rc<[u32]>>> {
        let known = self.filters.0.iter().find(|(known, _)| known == filter);
        match known {
            Some((_, Some(listed))) => {
                return Ok((listed.len() <= most as usize).then(|| listed.clone()));
            }
            Some((_, None)) if most < u32::MAX => return Ok(None),
            _ => {}
        }
        let rows = self.storage().names.table("rows");
        let sql = format!("SELECT slot FROM {rows} AS r WHERE {} LIMIT ?", filter.condition);
        let limit = Value::Integer(i64::from(most) + 1);
        let mut listed = Vec::new();
        let values = filter.values.iter().cloned().chain([limit]);
        for row in sql::prepare(&sql)?.query(values)? {
            listed.extend(u32::try_from(row?[0].to_integer()));
        }
        let listed = (listed.len() as u64 <= u64::from(most)).then(|| Rc::from(listed));
        if self.is_settled() {
            if self.filters.0.len() == MAX_FILTERS {
                self.filters.0.remove(0);
            }
            self.filters.0.push((filter.clone(), listed.clone()));
        }
        Ok(listed)
    }

    /// Those of nodes whose rows a filter lets through.
    fn passing(&mut self, found: Vec<Found>, filter: &Filter) -> Result<Vec<Found>> {
        let mut ids = String::from("[");
        for found in &found {
            if let Some(place) = self.graph.cache.find(found.slot())? {
                ids += &format!("{},", self.graph.cache.entry(place).row_id);
            }
        }
        ids.truncate(ids.trim_end_matches(',').len());
        ids.push(']');
        let rows = self.storage().names.table("rows");
        let sql = format!(
            "SELECT slot FROM json_each(?) AS j CROSS JOIN {rows} AS r ON r.id = j.value WHERE {}",
            filter.condition
        );
        let values = [Value::text(ids)].into_iter().chain(filter.values.iter().cloned());
        let mut passing = std::collections::HashSet::new();
        for row in sql::prepare(&sql)?.query(values)? {
            passing.extend(u32::try_from(row?[0].to_integer()));
        }
        Ok(found.into_iter().filter(|found| passing.contains(&found.slot())).collect())
    }
}

/// The `k` nearest of these, the nearest first.
fn nearest_of(mut neighbours: Vec<Neighbour>, k: usize) -> Vec<Neighbour> {
    neighbours.sort_unstable_by(|left, right| {
        left.distance.total_cmp(&right.distance).then(left.row_id.cmp(&right.row_id))
    });
    neighbours.truncate(k);
    neighbours
}
