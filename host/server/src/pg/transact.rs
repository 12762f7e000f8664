//! Statements of the session: transactions and settings.

use sqlite_wasm::types::ValueRef;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::{Plan, REPORTED, Transaction};
use sqlite_wasm_postgres::translate::{Action, Statement};
use sqlite_wasm_postgres::values::Format;

use super::converse::Conversation;
use super::execute::Sink;
use super::failure::{Failure, Result};
use super::out::{Severity, format_of};
use super::store::Analysed;

impl Conversation<'_> {
    /// Run a statement about the session.
    pub fn run_of_session(
        &mut self,
        analysed: &Analysed,
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<u64> {
        match &analysed.statement.action {
            Action::Set { name, value, is_local } => self.set(name, value.as_deref(), *is_local)?,
            Action::Configure { name, value, is_local } => {
                self.set(name, Some(value), *is_local)?;
                return self.show(name, analysed, formats, sink);
            }
            Action::ResetAll => self.reset(),
            Action::Discard => {
                self.reset();
                self.store.forget_all();
                self.store.cursors.clear();
            }
            Action::Show(name) => return self.show(name, analysed, formats, sink),
            Action::Deallocate(name) => self.deallocate(name.as_deref())?,
            Action::CloseCursor(Some(name)) => {
                self.store.cursor(name)?;
                self.store.cursors.remove(name);
            }
            Action::CloseCursor(None) => self.store.cursors.clear(),
            Action::Nothing => {}
            _ => self.transact(&analysed.statement)?,
        }
        Ok(0)
    }

    fn deallocate(&mut self, name: Option<&str>) -> Result<()> {
        match name {
            None => self.store.forget_all(),
            Some(name) => {
                self.store.prepared(name)?;
                self.store.forget(name);
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: Option<&str>, is_local: bool) -> Result<()> {
        if name == "transaction_read_only" {
            self.check_writable(value)?;
        }
        self.context.settings.set(name, value, is_local)?;
        self.analyses.clear();
        if let Some(reported) = REPORTED.iter().find(|known| known.eq_ignore_ascii_case(name)) {
            self.report_setting(reported);
        }
        let is_idle = self.transaction == Transaction::Idle;
        if name == "transaction_read_only" || (name == "default_transaction_read_only" && is_idle) {
            self.is_read_only = self.is_on(name);
        }
        Ok(())
    }

    /// A transaction that only reads does so from its first statement to its end.
    fn check_writable(&self, value: Option<&str>) -> Result<()> {
        let has_begun = self.transaction != Transaction::Idle && !self.engine.is_autocommit();
        if !has_begun || !self.is_read_only || value.is_some_and(is_true) {
            return Ok(());
        }
        let message = "transaction read-write mode must be set before any query";
        Err(Error::new(sqlstate::ACTIVE_TRANSACTION, message).into())
    }

    fn is_on(&self, setting: &str) -> bool {
        is_true(&self.context.settings.show(setting).unwrap_or_default())
    }

    fn reset(&mut self) {
        self.context.settings.reset();
        self.analyses.clear();
        // A transaction keeps the properties with which it was begun.
        if self.transaction == Transaction::Idle {
            self.is_read_only = false;
        }
        REPORTED.iter().for_each(|name| self.report_setting(name));
    }

    fn show(
        &mut self,
        name: &str,
        analysed: &Analysed,
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<u64> {
        let value = match name {
            "session_authorization" => self.context.user.clone(),
            name => self.context.settings.show(name)?,
        };
        let out = match sink {
            Sink::Portal(out) => out,
            _ => &mut self.stream.out,
        };
        let typed = analysed.columns[0].typed;
        let row = (ValueRef::Text(value.as_bytes()), typed, format_of(formats, 0));
        out.row([row].into_iter()).map_err(|(error, _)| error)?;
        Ok(1)
    }

    /// BEGIN, COMMIT, ROLLBACK and savepoints.
    fn transact(&mut self, statement: &Statement) -> Result<()> {
        let action = &statement.action;
        let ends = matches!(action, Action::Commit | Action::Rollback);
        match self.transaction.plan(statement) {
            Plan::Refuse(error) => return Err(error.into()),
            Plan::Warn(code, message) => {
                self.stream.out.report(Severity::Warning, &Error::new(code, message));
                if ends {
                    self.end_implicit()?;
                }
            }
            Plan::Nothing => {}
            Plan::Run(sql) => self.run_transaction(sql, action)?,
        }
        self.transaction = self.transaction.after(action);
        match action {
            Action::Begin { is_read_only } => {
                let default = || self.is_on("default_transaction_read_only");
                self.is_read_only = is_read_only.unwrap_or_else(default);
            }
            Action::Savepoint => self.has_savepoints = true,
            // Tables may have come back.
            Action::RollbackTo => self.forget_schema(),
            _ if ends => self.after_transaction(),
            _ => {}
        }
        Ok(())
    }

    fn run_transaction(&mut self, sql: &str, action: &Action) -> Result<()> {
        // It begins with its first statement, or goes on with what was begun for the client.
        if matches!(action, Action::Begin { .. }) {
            self.is_implicit = false;
            return Ok(());
        }
        let ends = matches!(action, Action::Commit | Action::Rollback);
        // An error may have ended it.
        if ends && self.engine.is_autocommit() {
            return Ok(());
        }
        if *action == Action::Savepoint {
            self.begin_at_last()?;
        }
        let done = self.run_plain(sql);
        if done.is_err() && matches!(action, Action::Commit) {
            self.roll_back()?;
            self.transaction = Transaction::Idle;
            self.after_transaction();
        }
        done
    }

    fn after_transaction(&mut self) {
        if self.context.settings.end_transaction() {
            self.analyses.clear();
        }
        self.has_savepoints = false;
        self.is_read_only = self.is_on("default_transaction_read_only");
        self.store.end_transaction();
    }

    fn roll_back(&mut self) -> Result<()> {
        if self.engine.is_autocommit() || self.engine.is_gone() {
            return Ok(());
        }
        self.run_plain("ROLLBACK")
    }

    /// Commit a transaction that the client did not begin.
    pub fn end_implicit(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_implicit) {
            return Ok(());
        }
        let done = match self.engine.is_autocommit() {
            true => Ok(()),
            false => self.run_plain("COMMIT"),
        };
        if done.is_err() {
            self.roll_back()?;
        }
        self.after_transaction();
        done
    }

    /// After an error a transaction that was begun for the client ends. A transaction of the client
    /// has failed; without a savepoint nothing of it can be committed, so its locks are released
    /// now.
    pub fn abort(&mut self) -> Result<()> {
        if std::mem::take(&mut self.is_implicit) {
            self.after_transaction();
        } else {
            self.transaction = self.transaction.after_error();
            if self.transaction == Transaction::Failed {
                self.store.end_transaction();
            }
        }
        if self.has_savepoints {
            return Ok(());
        }
        match self.roll_back() {
            // The sandbox is gone, and the transaction with it.
            Err(Failure::Error(_)) if self.engine.is_gone() => Ok(()),
            done => done,
        }
    }
}

fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "on" | "true" | "yes" | "1")
}
