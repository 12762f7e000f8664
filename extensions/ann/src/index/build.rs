//! Linking the nodes that wait, and all of them anew.

use sqlite_wasm_kit::{Result, sql};

use super::{Index, MAX_SCANNED};

impl Index {
    /// Take all links away; they are made again by [`Self::build`].
    pub fn unbuild(&mut self) -> Result<()> {
        self.change(|index, state| {
            let names = index.storage().names.clone();
            sql::execute(&format!("DELETE FROM {}", names.table("upper")))?;
            index.forget_all();
            index.is_broken = false;
            index.graph.entrance = None;
            state.built = 0;
            Ok(())
        })?;
        // Nothing that is read from now on is right if this is taken back.
        self.forget_at_end = true;
        self.flush()
    }

    /// Link up to `count` nodes that wait: how many are linked, and how many there are.
    pub fn build(&mut self, count: u32) -> Result<(u32, u32)> {
        self.change(|index, state| {
            if state.count <= MAX_SCANNED {
                return Ok((state.next, state.next));
            }
            for _ in 0..count.min(state.next - state.built) {
                index.graph.detach(state.built)?;
                index.graph.insert(state.built)?;
                state.built += 1;
            }
            Ok((state.built, state.next))
        })
    }

    /// As [`Self::build`], for a caller that does not change the table: SQLite then reports no
    /// transaction, so everything is written at once.
    pub fn build_and_write(&mut self, count: u32) -> Result<(u32, u32)> {
        if self.is_writing {
            return self.build(count).and_then(|done| self.flush().map(|()| done));
        }
        self.refresh()?;
        sql::execute("SAVEPOINT ann_build")?;
        self.is_writing = true;
        let done = self.build(count).and_then(|done| self.flush().map(|()| done));
        self.commit();
        if done.is_err() {
            self.forget_all();
            self.is_broken = false;
            sql::execute("ROLLBACK TO ann_build")?;
        }
        sql::execute("RELEASE ann_build")?;
        done
    }
}
