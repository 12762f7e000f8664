//! How transactions begin: those of a client, and those of statements that are several for SQLite.

use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::Transaction;
use sqlite_wasm_postgres::translate::{Action, Statement};

use super::converse::Conversation;
use super::failure::Result;

impl Conversation<'_> {
    /// Begin the client's transaction in SQLite, before its first statement. What is looked up
    /// while that is prepared would be its first read otherwise, and older than what others write
    /// until it gets its turn.
    pub fn begin_at_last(&mut self) -> Result<()> {
        if self.transaction == Transaction::Active && self.engine.is_autocommit() {
            self.session.state().settings.has_begun();
            self.run_plain("BEGIN")
        } else {
            Ok(())
        }
    }

    /// Begin a transaction for a statement whose client has begun none.
    pub fn begin_implicit(&mut self, statement: &Statement) -> Result<()> {
        let is_idle = self.transaction == Transaction::Idle && !self.is_implicit;
        if runs(&statement.action) && is_idle && can_be_in_transaction(statement) {
            self.session.state().settings.has_begun();
            self.run_plain("BEGIN")?;
            self.is_implicit = true;
        }
        Ok(())
    }

    /// Check that a statement that is a transaction of its own is not in another one.
    ///
    /// # Errors
    ///
    /// 25001.
    pub fn check_alone(&self, statement: &Statement, is_together: bool) -> Result<()> {
        let is_in_block = self.transaction != Transaction::Idle || self.is_implicit || is_together;
        match statement.alone().filter(|_| is_in_block) {
            Some(what) => {
                let message = format!("{what} cannot run inside a transaction block");
                Err(Error::new(sqlstate::ACTIVE_TRANSACTION, message).into())
            }
            None => Ok(()),
        }
    }
}

/// Whether it runs a statement of the client.
pub fn runs(action: &Action) -> bool {
    matches!(
        action,
        Action::Run
            | Action::Explain(_)
            | Action::Alter
            | Action::Copy(_)
            | Action::Declare { .. }
            | Action::Execute { .. }
    )
}

/// Whether a statement may be one of several in a transaction.
pub fn can_be_in_transaction(statement: &Statement) -> bool {
    statement.alone().is_none() && !is_only_sqlite(statement)
}

/// Whether SQLite's own word may act where it stands.
pub fn is_only_sqlite(statement: &Statement) -> bool {
    matches!(statement.command.as_str(), "PRAGMA" | "ATTACH" | "DETACH")
}
