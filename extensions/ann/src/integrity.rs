//! What `PRAGMA integrity_check` finds out.

use sqlite_wasm_kit::{Result, sql};

use crate::index::Index;
use crate::storage::{State, first};

impl Index {
    /// What is wrong with the table; none when it is sound.
    pub fn integrity(&mut self, quick: bool) -> Result<Option<String>> {
        let found = match self.refresh() {
            Ok(state) => self.examine(state, quick),
            Err(error) => Err(error),
        };
        Ok(match found {
            Ok(complaint) => complaint,
            Err(error) => Some(error.message),
        })
    }

    fn examine(&mut self, state: State, quick: bool) -> Result<Option<String>> {
        if let Some(complaint) = self.compare_counts(state)? {
            return Ok(Some(complaint));
        }
        if quick {
            return Ok(None);
        }
        if let Some(complaint) = self.check_nodes(state)? {
            return Ok(Some(complaint));
        }
        self.check_reach(state)
    }

    fn compare_counts(&mut self, state: State) -> Result<Option<String>> {
        let names = &self.graph.cache.source.names;
        let [rows, nodes, free] = ["rows", "nodes", "free"].map(|it| names.table(it));
        let sql = format!(
            "SELECT (SELECT count(*) FROM {rows}), (SELECT count(*) FROM {nodes}),
             (SELECT count(*) FROM {free}), (SELECT count(*) FROM {rows} AS r JOIN {nodes} AS n USING (slot))"
        );
        let counts = first(&mut sql::prepare(&sql)?, [])?.unwrap_or_default();
        let counts: Vec<i64> = counts.iter().map(|count| count.to_integer()).collect();
        let [count, free] = [state.count, state.free].map(i64::from);
        let expected = [count, count, free, count];
        let name = &names.name;
        let wrong =
            format!("table {name}: {counts:?} rows, nodes, free nodes and pairs, not {expected:?}");
        Ok((counts != expected).then_some(wrong))
    }

    /// Whether each node can be read, is that of its row, and links to known nodes.
    fn check_nodes(&mut self, state: State) -> Result<Option<String>> {
        let storage = &self.graph.cache.source;
        let (rows, nodes) = (storage.names.table("rows"), storage.names.table("nodes"));
        let sql =
            format!("SELECT r.id, r.slot, n.node FROM {rows} AS r JOIN {nodes} AS n USING (slot)");
        for row in sql::prepare(&sql)?.query([])? {
            let mut row = row?;
            let node = storage.parse(&storage.checked(row.pop().unwrap_or_default())?)?;
            let (row_id, slot) = (row[0].to_integer(), row[1].to_integer());
            let is_sound = node.row_id == row_id
                && (0..i64::from(state.next)).contains(&slot)
                && node.links.iter().all(|link| *link < state.next);
            if !is_sound {
                let name = &storage.names.name;
                return Ok(Some(format!("table {name}: the node of row {row_id} is malformed")));
            }
        }
        Ok(None)
    }

    /// Whether all nodes that are linked can be reached.
    fn check_reach(&mut self, state: State) -> Result<Option<String>> {
        let mut is_reached = vec![false; state.next as usize];
        let mut open: Vec<u32> = self.graph.entrance.iter().map(|it| it.slot).collect();
        let mut reached = 0;
        while let Some(slot) = open.pop() {
            let Some(known) = is_reached.get_mut(slot as usize) else { continue };
            if std::mem::replace(known, true) {
                continue;
            }
            reached += u32::from(slot < state.built && self.graph.cache.find(slot)?.is_some());
            for layer in 0..=self.graph.cache.upper(slot)?.map_or(0, Vec::len) {
                open.extend(self.graph.links(slot, layer)?);
            }
        }
        let linked = self.count_linked(state)?;
        let name = &self.graph.cache.source.names.name;
        let wrong = format!(
            "table {name}: {reached} of {linked} nodes can be reached; INSERT INTO {name}({name}) VALUES ('rebuild')"
        );
        Ok((reached < linked).then_some(wrong))
    }

    fn count_linked(&mut self, state: State) -> Result<u32> {
        let nodes = self.graph.cache.source.names.table("nodes");
        let sql = format!("SELECT count(*) FROM {nodes} WHERE slot < {}", state.built);
        let row = first(&mut sql::prepare(&sql)?, [])?;
        Ok(row.map_or(0, |row| row[0].to_integer() as u32))
    }
}
