//! `SELECT … FOR UPDATE`. SQLite has no locks of rows: the transaction takes the database's lock for writing before it
//! reads, so that no two transactions choose the same rows.

use std::time::Duration;

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::Transaction;
use sqlite_wasm_postgres::translate::{Locks, Statement};

use super::converse::Conversation;
use super::execute::only_reads;
use super::failure::{Failure, Result};

/// It begins to write and changes nothing, but for a page of a database that is to become smaller step by step.
const BEGIN_TO_WRITE: &str = "PRAGMA main.incremental_vacuum(1)";

/// How long `NOWAIT` and `SKIP LOCKED` wait: the lock may just be given back.
const NO_TIME: Duration = Duration::from_millis(20);

impl Conversation<'_> {
    /// Lock the rows that a statement of a transaction is about to read: whether it may read them.
    ///
    /// # Errors
    ///
    /// 25006 in a transaction that only reads, 55P03 for `NOWAIT` where another transaction writes, and those of a
    /// statement that writes.
    pub fn lock_rows(&mut self, statement: &Statement) -> Result<bool> {
        let Some(locks) = statement.locks else { return Ok(true) };
        if self.is_read_only() {
            return Err(only_reads("SELECT FOR UPDATE").into());
        }
        // A single statement is done when another one could see what it has locked.
        if self.transaction != Transaction::Active && !self.is_implicit {
            return Ok(true);
        }
        self.begin_at_last()?;
        if locks == Locks::Wait {
            self.run_plain(BEGIN_TO_WRITE)?;
            return Ok(true);
        }
        self.engine.limit_statements(Some(NO_TIME));
        let done = self.run_plain(BEGIN_TO_WRITE);
        self.limit_statement()?;
        match done {
            Ok(()) => Ok(true),
            Err(Failure::Error(error)) if !is_taken(&error) => Err(Failure::Error(error)),
            Err(Failure::Error(_)) if locks == Locks::Skip => Ok(false),
            Err(Failure::Error(_)) => {
                let message = "could not obtain lock on rows: another transaction writes";
                Err(Error::new(sqlstate::LOCK_NOT_AVAILABLE, message).into())
            }
            Err(other) => Err(other),
        }
    }
}

fn is_taken(error: &Error) -> bool {
    matches!(error.code, sqlstate::LOCK_NOT_AVAILABLE | sqlstate::QUERY_CANCELED)
}
