//! What transactions change.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use runtime::database::wire::{Event, Reader, Writer};

use super::text;
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::types::ValueRef;

/// What a transaction changes in `main`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Whether more may change than what is here: any row of any table.
    pub is_partial: bool,
    /// Whether the schema may change.
    pub schema: bool,
    /// The tables by name.
    pub tables: BTreeMap<String, ChangedRows>,
}

/// The rows of a table that are inserted, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedRows {
    /// Any row may change: there are more changes than are collected.
    Any,
    /// Rows by their ids, before and after the change.
    RowIds(BTreeSet<i64>),
    /// Rows of a table without row ids, by their primary keys before and after the change.
    Keys(BTreeSet<Key>),
}

/// The values of a primary key, in its order of columns. Keys have an order, but not that of SQLite.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Box<[u8]>);

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

/// A change of a table, as the engine reports it.
enum Change {
    Whole,
    Row(i64),
    Key(Key),
}

impl Key {
    /// The key of these values.
    pub fn new<'a>(values: impl IntoIterator<Item = ValueRef<'a>>) -> Self {
        let mut writer = Writer::default();
        values.into_iter().for_each(|value| writer.value(value.into()));
        Self(writer.0.into())
    }

    /// The bytes that its values take.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// Its values.
    pub fn values(&self) -> impl Iterator<Item = ValueRef<'_>> {
        let mut rest = Reader(&self.0);
        std::iter::from_fn(move || {
            if rest.0.is_empty() { None } else { rest.value().ok().map(ValueRef::from) }
        })
    }

    fn read(from: &mut Reader) -> Result<Self> {
        let bytes = from.bytes()?;
        let mut rest = Reader(bytes);
        while !rest.0.is_empty() {
            rest.value()?;
        }
        Ok(Self(bytes.into()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl Change {
    fn read(from: &mut Reader) -> Result<Self> {
        match from.u8()? {
            0 => Ok(Self::Whole),
            1 => Ok(Self::Row(from.i64()?)),
            2 => Ok(Self::Key(Key::read(from)?)),
            _ => Err(Error::MalformedReply),
        }
    }

    /// The only change of a table.
    fn alone(self) -> ChangedRows {
        match self {
            Self::Whole => ChangedRows::Any,
            Self::Row(row_id) => ChangedRows::RowIds([row_id].into()),
            Self::Key(key) => ChangedRows::Keys([key].into()),
        }
    }
}

impl ChangedRows {
    fn add(&mut self, change: Change) {
        match (self, change) {
            (Self::RowIds(rows), Change::Row(row_id)) => {
                rows.insert(row_id);
            }
            (Self::Keys(keys), Change::Key(key)) => {
                keys.insert(key);
            }
            // A table that is dropped and made anew may have rows of both kinds.
            (rows, _) => *rows = Self::Any,
        }
    }
}

impl Changes {
    fn read(from: &mut Reader) -> Result<Self> {
        let (is_partial, schema) = (from.u8()? != 0, from.u8()? != 0);
        let mut names = Vec::new();
        for _ in 0..from.u32()? {
            names.push(text(from)?.into_owned());
        }
        // A table that is not here has no changes that were not undone.
        let mut by_index: BTreeMap<usize, ChangedRows> = BTreeMap::new();
        for _ in 0..from.u32()? {
            let table = from.u32()? as usize;
            let change = Change::read(from)?;
            match by_index.entry(table) {
                Entry::Occupied(mut rows) => rows.get_mut().add(change),
                Entry::Vacant(rows) => {
                    rows.insert(change.alone());
                }
            }
        }
        let mut tables = BTreeMap::new();
        for (index, rows) in by_index {
            let name = names.get_mut(index).ok_or(Error::MalformedReply)?;
            tables.insert(std::mem::take(name), rows);
        }
        Ok(Self { is_partial, schema, tables })
    }
}

impl Connection {
    /// Call this for each transaction that writes `main`, before and after its commit, with what it changes: rows of
    /// tables without row ids, rows that REPLACE, triggers and foreign keys delete, and those of a DELETE without WHERE
    /// are among that, and what a savepoint or a statement has undone is not. At most `most_rows` ids and keys of rows are
    /// collected, and 64 KiB of keys. The rows of a virtual table are those of the tables behind it. VACUUM is not reported.
    ///
    /// Replaces the hooks of commits ([`Self::commit_hook`]) and before changes
    /// ([`Self::preupdate_hook`]).
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use sqlite_sandbox::hooks::{ChangedRows, TransactionStep};
    /// # let builder = sqlite_sandbox::Database::builder().component("../../target/release/database.cwasm");
    /// let db = builder.build()?.open_in_memory()?;
    /// db.execute_batch("CREATE TABLE t(a)")?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let steps = seen.clone();
    /// db.changes_hook(100, Some(move |step| steps.lock().unwrap().push(step)))?;
    /// db.execute_batch("INSERT INTO t VALUES ('x'), ('y')")?;
    /// let steps = seen.lock().unwrap();
    /// let TransactionStep::Commits(changes) = &steps[0] else { panic!() };
    /// assert_eq!(changes.tables["t"], ChangedRows::RowIds([1, 2].into()));
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
