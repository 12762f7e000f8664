//! What transactions change.

use std::collections::{BTreeMap, BTreeSet};

use runtime::database::wire::{Event, Reader};

use super::text;
use crate::connection::Connection;
use crate::error::{Error, Result};

/// What a transaction changes in `main`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Whether more may change than what is here: any row of any table.
    pub is_partial: bool,
    /// Whether the schema may change.
    pub schema: bool,
    /// The tables by name, with the ids of rows that are inserted, changed or deleted; none for a table
    /// of which any row may change: one without row ids, and one with more changes than are collected.
    pub tables: BTreeMap<String, Option<BTreeSet<i64>>>,
}

/// A step of a transaction that writes `main`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransactionStep {
    /// It is about to be committed: no other connection can commit until the next step.
    Commits(Changes),
    /// It has been committed: others see it.
    Committed,
    /// The commit has failed.
    Undone,
}

impl Changes {
    fn read(from: &mut Reader) -> Result<Self> {
        let (is_partial, schema) = (from.u8()? != 0, from.u8()? != 0);
        let mut names = Vec::new();
        for _ in 0..from.u32()? {
            names.push(text(from)?.into_owned());
        }
        let mut tables = BTreeMap::new();
        let mut rows: Vec<Option<BTreeSet<i64>>> = Vec::new();
        rows.resize(names.len(), None);
        let mut is_whole = vec![false; names.len()];
        for _ in 0..from.u32()? {
            let (table, any, row_id) = (from.u32()? as usize, from.u8()? != 0, from.i64()?);
            let rows = rows.get_mut(table).ok_or(Error::MalformedReply)?;
            is_whole[table] |= any;
            rows.get_or_insert_default().insert(row_id);
        }
        for ((name, rows), is_whole) in names.into_iter().zip(rows).zip(is_whole) {
            // All changes of one without rows were undone.
            if let Some(rows) = rows {
                tables.insert(name, (!is_whole).then_some(rows));
            }
        }
        Ok(Self { is_partial, schema, tables })
    }
}

impl Connection {
    /// Call this for each transaction that writes `main`, before and after its commit, with what it changes: rows of
    /// tables without row ids, rows that REPLACE, triggers and foreign keys delete, and those of a DELETE without WHERE
    /// are among that, and what a savepoint or a statement has undone is not. At most `most_rows` ids of rows are
    /// collected. The rows of a virtual table are those of the tables behind it. VACUUM is not reported.
    ///
    /// Replaces the hooks of commits ([`Self::commit_hook`]) and before changes
    /// ([`Self::preupdate_hook`]).
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use sqlite_sandbox::hooks::TransactionStep;
    /// # let builder = sqlite_sandbox::Database::builder().component("../../target/release/database.cwasm");
    /// let db = builder.build()?.open_in_memory()?;
    /// db.execute_batch("CREATE TABLE t(a)")?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let steps = seen.clone();
    /// db.changes_hook(100, Some(move |step| steps.lock().unwrap().push(step)))?;
    /// db.execute_batch("INSERT INTO t VALUES ('x'), ('y')")?;
    /// let steps = seen.lock().unwrap();
    /// let TransactionStep::Commits(changes) = &steps[0] else { panic!() };
    /// assert_eq!(changes.tables["t"], Some([1, 2].into()));
    /// assert_eq!(steps[1], TransactionStep::Committed);
    /// # Ok::<(), sqlite_sandbox::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`](crate::Error::Trapped).
    pub fn changes_hook<F>(&self, most_rows: u32, call: Option<F>) -> Result<()>
    where
        F: FnMut(TransactionStep) + Send + 'static,
    {
        let call = call.map(|mut call| {
            super::hooked(move |from| {
                call(match from.u8()? {
                    0 => TransactionStep::Commits(Changes::read(from)?),
                    1 => TransactionStep::Committed,
                    _ => TransactionStep::Undone,
                });
                Ok(0)
            })
        });
        self.client.set_hook(Event::Changes, call, most_rows.max(1))
    }
}
