//! Changes of a table, and transactions.

use crate::Value;
use crate::bindings::table_types as wit;

/// A change of one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// By its row id, or by the primary key of a WITHOUT ROWID table.
    Delete(Value),
    /// A new row.
    Insert {
        /// NULL for a new one.
        row_id: Value,
        /// All columns.
        columns: Vec<Value>,
    },
    /// Change a row.
    Update {
        /// The old row id.
        old: Value,
        /// The new row id.
        new: Value,
        /// `None` for columns that do not change.
        columns: Vec<Option<Value>>,
    },
}

impl From<wit::Change> for Change {
    fn from(change: wit::Change) -> Self {
        match change {
            wit::Change::Delete(row_id) => Self::Delete(row_id),
            wit::Change::Insert(wit::Insertion { row_id, columns }) => {
                Self::Insert { row_id, columns }
            }
            wit::Change::Update(wit::Modification { old, new, columns }) => {
                Self::Update { old, new, columns }
            }
        }
    }
}

/// The action when a constraint fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Roll back the transaction.
    Rollback,
    /// Keep the row unchanged.
    Ignore,
    /// Fail, and keep earlier changes.
    Fail,
    /// Undo the statement.
    Abort,
    /// Delete the other row.
    Replace,
}

impl From<wit::Conflict> for Conflict {
    fn from(conflict: wit::Conflict) -> Self {
        match conflict {
            wit::Conflict::Rollback => Self::Rollback,
            wit::Conflict::Ignore => Self::Ignore,
            wit::Conflict::Fail => Self::Fail,
            wit::Conflict::Abort => Self::Abort,
            wit::Conflict::Replace => Self::Replace,
        }
    }
}

/// A step of a transaction, in SQLite's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// It begins.
    Begin,
    /// It is about to be committed; this is the last step that can fail.
    Sync,
    /// It is committed.
    Commit,
    /// It is rolled back.
    Rollback,
    /// A savepoint is set.
    Savepoint(u32),
    /// A savepoint, and those after it, are no longer needed.
    Release(u32),
    /// All changes since a savepoint are undone.
    RollbackTo(u32),
}

impl From<wit::Transaction> for Transaction {
    fn from(step: wit::Transaction) -> Self {
        match step {
            wit::Transaction::Begin => Self::Begin,
            wit::Transaction::Sync => Self::Sync,
            wit::Transaction::Commit => Self::Commit,
            wit::Transaction::Rollback => Self::Rollback,
            wit::Transaction::Savepoint(number) => Self::Savepoint(number),
            wit::Transaction::Release(number) => Self::Release(number),
            wit::Transaction::RollbackTo(number) => Self::RollbackTo(number),
        }
    }
}
