//! Statements of the session: transactions and settings.

use sql_tokens::quoted_name;
use sqlite_sandbox::types::ValueRef;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::state::{Plan, Row, Transaction};
use sqlite_wasm_postgres::translate::{Action, Discarded, Modes, Statement};
use sqlite_wasm_postgres::values::Format;

use super::converse::Conversation;
use super::execute::{Sink, put_values};
use super::failure::{Failure, Result};
use super::store::Analysed;

/// SQLite's settings of a connection that a client may change, as a new session has them.
const PRAGMAS: &[(&str, &str)] = &[
    ("analysis_limit", "0"),
    ("foreign_keys", "1"),
    ("ignore_check_constraints", "0"),
    ("legacy_alter_table", "0"),
    ("recursive_triggers", "0"),
    ("reverse_unordered_selects", "0"),
];

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
            Action::SetModes { modes, is_session } => self.set_modes(modes, *is_session)?,
            Action::ResetAll => self.session.state().settings.reset()?,
            Action::Discard(what) => self.discard(*what)?,
            Action::Show(name) => {
                let value = self.session.state().settings.show(name)?;
                return self.show(&[vec![value]], analysed, formats, sink);
            }
            Action::ShowAll => {
                let row = |row: Row| {
                    let shown = row.parameter.shown(&row.value);
                    vec![row.parameter.name.to_owned(), shown, String::new()]
                };
                let rows: Vec<_> =
                    self.session.state().settings.all().into_iter().map(row).collect();
                return self.show(&rows, analysed, formats, sink);
            }
            Action::Prepare { name, types, sql } => {
                self.prepare(name, types, sql, &analysed.text)?;
            }
            Action::Deallocate(name) => self.deallocate(name.as_deref())?,
            Action::CloseCursor(Some(name)) => {
                self.store.close(name)?;
            }
            Action::CloseCursor(None) => self.store.cursors.clear(),
            Action::Listen(channel) => self.session.state().notes.listen(channel)?,
            Action::Unlisten(channel) => self.session.state().notes.unlisten(channel.as_deref())?,
            Action::Notify { channel, payload } => {
                self.session.state().notes.notify(channel, payload)?;
            }
            Action::AlterSequence(ty) => self.alter_sequence(ty)?,
            Action::SetConstraints { names, is_immediate } => {
                self.set_constraints(names.as_deref(), *is_immediate)?;
            }
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
        if is_local && !self.is_in_block() {
            self.warn(&outside("SET LOCAL"));
        }
        Ok(self.session.state().settings.set(name, value, is_local)?)
    }

    /// `SET TRANSACTION` and `SET SESSION CHARACTERISTICS`.
    fn set_modes(&mut self, modes: &Modes, is_session: bool) -> Result<()> {
        if !is_session && !self.is_in_block() {
            self.warn(&outside("SET TRANSACTION"));
        }
        let mut state = self.session.state();
        let done = if is_session {
            state.settings.set_default_modes(modes)
        } else {
            state.settings.change_modes(modes)
        };
        Ok(done?)
    }

    /// Whether the client has begun a transaction, or statements of one message are one.
    pub(super) fn is_in_block(&self) -> bool {
        self.transaction != Transaction::Idle || self.is_implicit || self.is_together
    }

    /// Whether statements may only read.
    pub fn is_read_only(&self) -> bool {
        self.session.state().settings.is_read_only()
    }

    fn discard(&mut self, what: Discarded) -> Result<()> {
        let is_all = what == Discarded::All;
        if is_all && self.is_in_block() {
            let message = "DISCARD ALL cannot run inside a transaction block";
            return Err(Error::new(sqlstate::ACTIVE_TRANSACTION, message).into());
        }
        if is_all {
            self.session.state().settings.reset()?;
            self.session.state().locks.release_all();
            self.session.state().notes.unlisten(None)?;
            self.store.forget_all();
            self.store.cursors.clear();
        }
        if is_all || what == Discarded::Plans {
            self.forget_schema();
        }
        if is_all || what == Discarded::Sequences {
            self.session.state().forget_numbers();
        }
        if is_all || what == Discarded::Temporary {
            self.drop_temporary()?;
        }
        if is_all { self.reset_connection() } else { Ok(()) }
    }

    /// What the client has set by SQLite's own words is as in a new session again.
    fn reset_connection(&mut self) -> Result<()> {
        let attached = "SELECT name FROM pragma_database_list WHERE name NOT IN ('main', 'temp')";
        for name in self.engine.own_rows(attached, |row| row.get::<_, String>(0))? {
            self.run_plain(&format!("DETACH {}", quoted_name(&name)))?;
        }
        for (pragma, value) in PRAGMAS {
            // Where the role may not, the client has not changed it either.
            let _ = self.engine.own_rows(&format!("PRAGMA {pragma} = {value}"), |_| Ok(()));
        }
        Ok(())
    }

    /// Drop the tables, views and triggers that only this session has.
    fn drop_temporary(&mut self) -> Result<()> {
        // What belongs to a virtual table goes with it.
        let sql = "SELECT type, name FROM sqlite_temp_schema WHERE type IN ('table', 'view', 'trigger') \
                   AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                   ORDER BY type = 'trigger' DESC, type DESC, rootpage";
        let row = |row: &sqlite_sandbox::Row<'_>| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        };
        let found = self.engine.own_rows(sql, row)?;
        if !found.is_empty() {
            self.forget_schema();
        }
        for (kind, name) in found {
            let name = quoted_name(&name);
            self.run_plain(&format!("DROP {kind} IF EXISTS temp.{name}"))?;
        }
        Ok(())
    }

    /// Send rows of text.
    pub fn show(
        &mut self,
        rows: &[Vec<String>],
        analysed: &Analysed,
        formats: &[Format],
        sink: Sink<'_>,
    ) -> Result<u64> {
        let out = match sink {
            Sink::Portal(out) => out,
            _ => &mut self.stream.out,
        };
        for (row, number) in rows.iter().zip(1..) {
            let values = row.iter().map(|value| ValueRef::Text(value.as_bytes()));
            put_values(out, values, &analysed.columns, formats, number)?;
        }
        Ok(rows.len() as u64)
    }

    /// BEGIN, COMMIT, ROLLBACK and savepoints.
    fn transact(&mut self, statement: &Statement) -> Result<()> {
        let action = &statement.action;
        match self.transaction.plan(statement) {
            Plan::Refuse(error) => return Err(error.into()),
            Plan::Warn(code, message) => return self.warned(code, message, action),
            Plan::Nothing => {}
            Plan::Run(sql) => self.run_transaction(sql, action)?,
        }
        let before = self.transaction;
        self.transaction = before.after(action);
        match action {
            Action::Begin(modes) => self.session.state().settings.begin(modes),
            Action::Savepoint(_) => self.has_savepoints = true,
            Action::Commit { chain } | Action::Rollback { chain } => {
                let is_committed =
                    matches!(action, Action::Commit { .. }) && before == Transaction::Active;
                self.next_transaction(is_committed, *chain);
            }
            _ => {}
        }
        Ok(())
    }

    /// What changes nothing but for the modes of BEGIN in a transaction.
    fn warned(&mut self, code: &'static str, message: &str, action: &Action) -> Result<()> {
        self.warn(&Error::new(code, message));
        match action {
            Action::Begin(modes) => Ok(self.session.state().settings.change_modes(modes)?),
            Action::Rollback { .. } => self.undo_implicit(),
            _ => self.end_implicit(),
        }
    }

    /// After a transaction: `AND CHAIN` begins one with the same modes.
    fn next_transaction(&mut self, is_committed: bool, is_chained: bool) {
        let modes = self.session.state().settings.modes().clone();
        self.after_transaction(is_committed);
        if is_chained {
            self.session.state().settings.begin(&modes);
        }
    }

    fn run_transaction(&mut self, sql: &str, action: &Action) -> Result<()> {
        // It begins with its first statement, or goes on with what was begun for the client.
        if matches!(action, Action::Begin(_)) {
            self.is_implicit = false;
            return Ok(());
        }
        let ends = matches!(action, Action::Commit { .. } | Action::Rollback { .. });
        // An error may have ended it.
        if ends && self.engine.is_autocommit() {
            return Ok(());
        }
        if matches!(action, Action::Savepoint(_) | Action::RollbackTo(_) | Action::Release(_)) {
            return self.run_savepoint(sql, action);
        }
        let mut done = self.run_plain(sql);
        if done.is_err() && matches!(action, Action::Commit { .. }) {
            done = done.map_err(|failure| self.of_commit(failure));
            self.roll_back()?;
            self.transaction = Transaction::Idle;
            self.after_transaction(false);
        }
        done
    }

    fn after_transaction(&mut self, is_committed: bool) {
        self.end_settings(is_committed);
        self.has_savepoints = false;
        self.store.end_transaction(is_committed);
    }

    /// What of the session ends with a transaction, or with a statement that is one.
    pub fn end_settings(&mut self, is_committed: bool) {
        let mut state = self.session.state();
        state.settings.end(is_committed);
        state.locks.end_transaction();
        state.constraints.end();
        if is_committed { state.notes.commit() } else { state.notes.forget() }
    }

    fn roll_back(&mut self) -> Result<()> {
        if self.engine.is_autocommit() || self.engine.is_gone() {
            return Ok(());
        }
        self.run_plain("ROLLBACK")
    }

    /// Commit a transaction that the client did not begin.
    pub fn end_implicit(&mut self) -> Result<()> {
        let was_together = std::mem::take(&mut self.is_together);
        if !std::mem::take(&mut self.is_implicit) {
            if was_together && self.transaction == Transaction::Idle {
                self.end_settings(true);
            }
            return Ok(());
        }
        let done = if self.engine.is_autocommit() { Ok(()) } else { self.run_plain("COMMIT") };
        let done = done.map_err(|failure| self.of_commit(failure));
        if done.is_err() {
            self.roll_back()?;
        }
        self.after_transaction(done.is_ok());
        done
    }

    /// Undo a transaction that the client did not begin: ROLLBACK is a warning, and does it.
    fn undo_implicit(&mut self) -> Result<()> {
        self.is_together = false;
        self.is_implicit = false;
        self.roll_back()?;
        // Tables may have come back, or be gone.
        self.forget_schema();
        self.after_transaction(false);
        Ok(())
    }

    /// After an error a transaction that was begun for the client ends. A transaction of the client
    /// has failed; without a savepoint nothing of it can be committed, so its locks are released
    /// now.
    pub fn abort(&mut self) -> Result<()> {
        self.is_together = false;
        if std::mem::take(&mut self.is_implicit) {
            self.after_transaction(false);
        } else {
            self.transaction = self.transaction.after_error();
            // Those that were opened before a savepoint live on.
            if self.transaction == Transaction::Failed && !self.has_savepoints {
                self.store.end_transaction(false);
            }
        }
        if self.has_savepoints {
            self.session.state().undo_to_savepoint();
            return Ok(());
        }
        self.end_settings(false);
        match self.roll_back() {
            // The sandbox is gone, and the transaction with it.
            Err(Failure::Error(_)) if self.engine.is_gone() => Ok(()),
            done => done,
        }
    }
}

/// What has an effect in a transaction only.
pub fn outside(what: &str) -> Error {
    let message = format!("{what} can only be used in transaction blocks");
    Error::new(sqlstate::NO_ACTIVE_TRANSACTION, message)
}
