//! A table's index: its graph and its storage, in step with each other and with the
//! transactions of the connection.
//!
//! Rows and vectors are written at once. Links change many times while rows are
//! inserted, so they are written at the end of a statement or transaction, before
//! SQLite sets a savepoint or commits. What is in memory is forgotten when SQLite takes
//! changes back, or when the stamp in the database shows that another connection wrote.

mod build;

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use sqlite_wasm_kit::{Error, Result, Value, code, sql};

use crate::arguments::Definition;
use crate::cache::{MAX_NODES, Node};
use crate::graph::Graph;
use crate::search::FilterCache;
use crate::storage::{Names, State, Storage};

/// Tables of up to this many rows are searched by the codes of all rows, which is
/// faster than a graph that finds as many of the nearest, and exact. Their rows are
/// linked once there are more.
pub const MAX_SCANNED: u32 = 10_240;

/// Nodes that are linked with each insertion while some are not: a table that has
/// just become large comes to have a graph little by little.
const LINKED_PER_INSERTION: u32 = 4;

/// Nodes with changed links that are held: a share of those that fit into memory.
const MAX_CHANGED_SHARE: usize = 4;

/// Nodes of a transaction that are remembered; with more, all is forgotten at its end.
const MAX_TOUCHED: usize = 100_000;

pub struct Index {
    pub definition: Definition,
    pub graph: Graph<Storage>,
    /// None before it is read.
    state: Option<State>,
    /// The connection has begun to write to the table.
    is_writing: bool,
    /// A change failed half-way: what is in memory must not be written.
    is_broken: bool,
    is_changed: bool,
    /// Nodes that this transaction has changed.
    touched: HashSet<u32>,
    /// It has changed all of them.
    forget_at_end: bool,
    pub filters: FilterCache,
    stamps: RandomState,
}

impl Index {
    pub fn new(names: Names, definition: Definition) -> Self {
        let storage = Storage::new(names, &definition);
        Self {
            graph: Graph::new(storage, definition.coder, definition.shape),
            definition,
            state: None,
            is_writing: false,
            is_broken: false,
            is_changed: false,
            touched: HashSet::new(),
            forget_at_end: false,
            filters: FilterCache::default(),
            stamps: RandomState::new(),
        }
    }

    pub fn storage(&mut self) -> &mut Storage {
        &mut self.graph.cache.source
    }

    /// The state, in step with the database.
    pub fn refresh(&mut self) -> Result<State> {
        if let (true, Some(state)) = (self.is_writing, self.state) {
            return Ok(state);
        }
        let known = self.state.map(|state| state.stamp);
        if let Some(state) = self.storage().state(known)? {
            if self.state.is_some() {
                self.forget_all();
            }
            self.graph.entrance = state.entrance;
            self.state = Some(state);
        }
        self.state.ok_or_else(|| self.graph.cache.source.corrupt("it has no state"))
    }

    /// Whether results of a filter may be kept: no transaction changes them.
    pub fn is_settled(&self) -> bool {
        !self.is_writing
    }

    fn forget_all(&mut self) {
        self.graph.cache.clear();
        self.filters.clear();
        self.touched.clear();
        self.state = None;
    }

    pub fn begin(&mut self) -> Result<()> {
        self.refresh()?;
        self.filters.clear();
        (self.is_writing, self.is_broken) = (true, false);
        self.touched.clear();
        Ok(())
    }

    pub fn commit(&mut self) {
        (self.is_writing, self.forget_at_end) = (false, false);
        self.touched.clear();
    }

    /// SQLite has taken changes back; `is_end` with those of the whole transaction.
    pub fn roll_back(&mut self, is_end: bool) {
        self.note_changes();
        if self.touched.len() > MAX_TOUCHED || self.is_broken || self.forget_at_end {
            self.forget_all();
            self.forget_at_end = true;
        }
        // They stay noted: an outer savepoint may take back what is read of them again.
        for slot in &self.touched {
            self.graph.cache.forget(*slot);
        }
        if is_end {
            self.touched.clear();
        }
        (self.state, self.is_changed, self.is_broken) = (None, false, false);
        self.is_writing &= !is_end;
        self.forget_at_end &= !is_end;
    }

    /// Remember which nodes have changed, which the cache then no longer does.
    fn note_changes(&mut self) -> (Vec<u32>, Vec<u32>) {
        let changed = self.graph.cache.take_changed();
        let upper = self.graph.cache.take_changed_upper();
        self.touched.extend(changed.iter().chain(&upper));
        (changed, upper)
    }

    /// Write what is only in memory.
    pub fn flush(&mut self) -> Result<()> {
        if self.is_broken {
            return Err("ann: an earlier change failed half-way; roll the transaction back".into());
        }
        let Some(mut state) = self.state.filter(|_| self.is_changed) else { return Ok(()) };
        let (changed, upper) = self.note_changes();
        let cache = &mut self.graph.cache;
        let mut places = Vec::with_capacity(changed.len());
        for slot in changed {
            if cache.holds(slot)
                && let Some(place) = cache.find(slot)?
            {
                places.push((slot, place));
            }
        }
        let cache = &self.graph.cache;
        cache
            .source
            .write_links(places.iter().map(|(slot, place)| (*slot, cache.links(*place))))?;
        for slot in upper {
            if let Some(links) = self.graph.cache.upper(slot)?.cloned() {
                self.storage().write_upper(slot, &links)?;
            }
        }
        state.stamp = self.stamps.hash_one(state.stamp);
        state.entrance = self.graph.entrance;
        self.storage().write_state(state)?;
        (self.state, self.is_changed) = (Some(state), false);
        Ok(())
    }

    /// Do what changes the index; where it fails, the memory is not used any more.
    fn change<T>(&mut self, act: impl FnOnce(&mut Self, &mut State) -> Result<T>) -> Result<T> {
        if self.is_broken {
            return Err("ann: an earlier change failed half-way; roll the transaction back".into());
        }
        let mut state = self.refresh()?;
        self.is_changed = true;
        let done = act(self, &mut state);
        self.state = Some(state);
        self.is_broken = done.is_err();
        let done = done?;
        if self.graph.cache.changed_count() > self.graph.cache.capacity() / MAX_CHANGED_SHARE {
            self.flush()?;
        }
        Ok(done)
    }

    /// Add a row, which must not be there.
    pub fn insert(&mut self, row_id: Value, vector: &[f32], columns: Vec<Value>) -> Result<i64> {
        let mut state = self.refresh()?;
        let slot = self.free_slot(&state)?;
        // Before anything changes: it fails when the row is there.
        let row_id = self.storage().insert_row(row_id, slot, columns)?;
        let is_reused = slot < state.next;
        if is_reused {
            state.free -= 1;
        } else {
            state.next += 1;
        }
        state.count += 1;
        self.state = Some(state);
        self.change(|index, state| {
            if is_reused {
                let sql =
                    format!("DELETE FROM {} WHERE slot = ?", index.storage().names.table("free"));
                sql::prepare(&sql)?.run([Value::Integer(slot.into())])?;
            }
            index.put(slot, row_id, vector)?;
            index.link(slot, state)
        })?;
        Ok(row_id)
    }

    /// The slot of the next node: that of a deleted node, or a new one.
    fn free_slot(&mut self, state: &State) -> Result<u32> {
        if state.free > 0 {
            let sql = format!("SELECT slot FROM {} LIMIT 1", self.storage().names.table("free"));
            let row = crate::storage::first(&mut sql::prepare(&sql)?, [])?;
            let slot = row.and_then(|row| u32::try_from(row[0].to_integer()).ok());
            let slot = slot.filter(|slot| *slot < state.next);
            return slot.ok_or_else(|| self.storage().corrupt("a free node is missing"));
        }
        if state.next < MAX_NODES {
            Ok(state.next)
        } else {
            Err(Error::new(code::TOOBIG, format!("ann: at most {MAX_NODES} rows")))
        }
    }

    /// Store a vector, and keep its code.
    fn put(&mut self, slot: u32, row_id: i64, vector: &[f32]) -> Result<()> {
        let coder = self.graph.coder;
        let stored = coder.store(vector);
        self.storage().insert_node(slot, row_id, &stored)?;
        self.touched.insert(slot);
        self.graph.cache.forget(slot);
        let node = Node { row_id, links: Vec::new(), code: coder.code(&stored) };
        self.graph.cache.put(slot, node);
        Ok(())
    }

    /// Link a new node, and some that wait.
    fn link(&mut self, slot: u32, state: &mut State) -> Result<()> {
        if slot < state.built {
            return self.graph.insert(slot);
        }
        if state.count > MAX_SCANNED {
            self.link_waiting(LINKED_PER_INSERTION, state)
        } else {
            Ok(())
        }
    }

    fn link_waiting(&mut self, count: u32, state: &mut State) -> Result<()> {
        for _ in 0..count.min(state.next - state.built) {
            self.graph.detach(state.built)?;
            self.graph.insert(state.built)?;
            state.built += 1;
        }
        Ok(())
    }

    /// Remove a row; whether there was one.
    pub fn delete(&mut self, row_id: i64) -> Result<bool> {
        self.refresh()?;
        let Some(slot) = self.storage().slot_of(row_id)? else { return Ok(false) };
        self.change(|index, state| {
            index.unlink(slot, state)?;
            let names = index.storage().names.clone();
            for (ending, key, value) in [
                ("rows", "id", row_id),
                ("nodes", "slot", slot.into()),
                ("upper", "slot", slot.into()),
            ] {
                let sql = format!("DELETE FROM {} WHERE {key} = ?", names.table(ending));
                sql::prepare(&sql)?.run([Value::Integer(value)])?;
            }
            let sql = format!("INSERT INTO {} VALUES (?)", names.table("free"));
            sql::prepare(&sql)?.run([Value::Integer(slot.into())])?;
            state.free += 1;
            state.count = state.count.saturating_sub(1);
            Ok(true)
        })
    }

    fn unlink(&mut self, slot: u32, state: &mut State) -> Result<()> {
        self.touched.insert(slot);
        if slot < state.built {
            self.graph.remove(slot, state.built)
        } else {
            self.graph.cache.remove(slot);
            Ok(())
        }
    }

    /// Give a row another vector.
    pub fn replace(&mut self, row_id: i64, vector: &[f32]) -> Result<()> {
        self.refresh()?;
        let Some(slot) = self.storage().slot_of(row_id)? else { return Ok(()) };
        self.change(|index, state| {
            index.unlink(slot, state)?;
            let sql =
                format!("DELETE FROM {} WHERE slot = ?", index.storage().names.table("upper"));
            sql::prepare(&sql)?.run([Value::Integer(slot.into())])?;
            index.put(slot, row_id, vector)?;
            index.link(slot, state)
        })
    }

    /// Whether a vector can be compared with those of the table.
    pub fn check_dimensions(&self, vector: &[f32]) -> Result<()> {
        let dimensions = self.definition.coder.dimensions;
        if vector.len() == dimensions {
            return Ok(());
        }
        let name = &self.graph.cache.source.names.name;
        let count = vector.len();
        let message =
            format!("ann: table `{name}`: a vector has {dimensions} dimensions, not {count}");
        Err(Error::new(code::MISMATCH, message))
    }

    /// Give a row another id, which no row has.
    pub fn move_row(&mut self, old: i64, new: i64) -> Result<()> {
        let Some(slot) = self.storage().slot_of(old)? else { return Ok(()) };
        self.change(|index, _| {
            let (rows, nodes) = {
                let names = &index.storage().names;
                (names.table("rows"), names.table("nodes"))
            };
            sql::prepare(&format!("UPDATE {rows} SET id = ? WHERE id = ?"))?
                .run([new, old].map(Value::Integer))?;
            // The id stands at the beginning of a node.
            sql::prepare(&format!(
                "UPDATE {nodes} SET node = CAST(?1 || substr(node, 9) AS BLOB) WHERE slot = ?2"
            ))?
            .run([Value::Blob(new.to_le_bytes().to_vec()), Value::Integer(slot.into())])?;
            index.touched.insert(slot);
            if let Some(place) = index.graph.cache.find(slot)? {
                index.graph.cache.entry_mut(place).row_id = new;
            }
            Ok(())
        })
    }

    /// Change columns other than the vector; `None` keeps a column.
    pub fn set_columns(&mut self, row_id: i64, columns: Vec<Option<Value>>) -> Result<()> {
        let changed: Vec<_> =
            columns.into_iter().enumerate().filter_map(|(at, it)| Some((at, it?))).collect();
        if changed.is_empty() {
            return Ok(());
        }
        self.change(|index, _| {
            let rows = index.storage().names.table("rows");
            let columns: Vec<String> = changed.iter().map(|(at, _)| format!("c{at} = ?")).collect();
            let sql = format!("UPDATE {rows} SET {} WHERE id = ?", columns.join(", "));
            let values = changed.into_iter().map(|(_, value)| value);
            sql::prepare(&sql)?.run(values.chain([Value::Integer(row_id)]))
        })
    }
}
