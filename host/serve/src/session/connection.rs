//! One client's connection with the server's rules: roles, and times of transactions.

mod commits;
mod schema;
mod times;

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::policy::{self, Kind, Role};
use sqlite_sandbox::types::ToSql;
use sqlite_sandbox::{Connection, Row, Statement};
use tokio::runtime::Handle;

pub use super::changes::Changes;
use super::control::{Control, Ended};
use super::error::{Error, Result};
use super::read_only::{OnlyReads, is_read_only_begin, read_only_begin};
use super::way::Way;
use super::writers::{self, Turn, Writers};
use super::{Opened, Rules};
use crate::feed::Reports;
pub use schema::Entry;

/// Virtual machine steps of SQLite between two looks at the clock.
const STEPS: i32 = 4096;

/// Characters of a slow statement that the log shows at most.
const MAX_LOGGED: usize = 300;

/// What is to be done when a transaction that writes has been committed.
pub type AtCommits = Box<dyn FnMut() + Send>;

/// A connection with its rules. It lives on the thread of its session.
pub struct SessionConnection {
    db: Connection,
    writers: Writers,
    /// From its first write to the end of the transaction.
    turn: Option<Turn>,
    rules: Rules,
    control: Arc<Control>,
    runtime: Handle,
    /// When the open transaction began.
    transaction: Option<Instant>,
    /// The client's own limits, of statements and of locks.
    statement_time: Option<Duration>,
    lock_time: Option<Duration>,
    /// Whether SQLite's time for a lock is what a wait in the line has left of it.
    is_shortened: Cell<bool>,
    /// Whether a query does nothing else: no extension runs other SQL meanwhile.
    has_plain_queries: bool,
    /// Whether the last statement can have begun or ended a transaction.
    may_have_ended: bool,
    /// None after what can have changed it.
    last_insert_rowid: Option<i64>,
    reads: OnlyReads,
    reports: Reports,
    /// Called when a transaction that writes has been committed, before the next one writes.
    at_commits: Option<AtCommits>,
}

impl SessionConnection {
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn new(
        opened: Opened,
        rules: Rules,
        control: Arc<Control>,
        runtime: Handle,
    ) -> Result<Self> {
        let Opened { db, writers, has_plain_queries, reading, feed } = opened;
        control.interrupts(db.get_interrupt_handle());
        let seen = control.clone();
        let mut way = Way::default();
        let looks = move || {
            way.give();
            seen.must_end()
        };
        db.progress_handler(STEPS, Some(looks))?;
        let (turn, transaction, statement_time) = (None, None, None);
        let (may_have_ended, last_insert_rowid) = (true, None);
        Ok(Self {
            db,
            writers,
            turn,
            rules,
            control,
            runtime,
            transaction,
            statement_time,
            lock_time: None,
            is_shortened: Cell::new(false),
            has_plain_queries,
            may_have_ended,
            last_insert_rowid,
            reads: OnlyReads::new(reading),
            reports: Reports::new(feed),
            at_commits: None,
        })
    }

    /// Whether no transaction is open.
    pub fn is_autocommit(&self) -> bool {
        self.transaction.is_none()
    }

    /// Whether its sandbox is gone.
    pub fn is_gone(&self) -> bool {
        self.db.is_gone()
    }

    /// Run the only statement of `sql`: `bind` binds its parameters, `begin` gets its columns,
    /// `row` each row.
    ///
    /// # Errors
    ///
    /// SQLite's, the policy's, and those of the functions.
    pub fn run(
        &mut self,
        sql: &str,
        bind: impl FnOnce(&mut Statement<'_>) -> Result<()>,
        begin: impl FnOnce(&Statement<'_>) -> Result<()>,
        row: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<Changes> {
        let only_reads = is_read_only_begin(sql)?;
        let sql = if only_reads { "BEGIN" } else { sql };
        let kind = self.check(sql)?.unwrap_or_default();
        // Where a transaction is open BEGIN fails, and that one goes on.
        if only_reads && self.is_autocommit() {
            self.reads.begin();
        }
        let start = Instant::now();
        let done = self.run_checked(sql, kind, bind, begin, row);
        self.finish(sql, start, done)
    }

    /// Let the next statements only read, whatever extensions they call, or write again.
    pub fn only_read(&mut self, is_on: bool) {
        self.reads.let_only_read(is_on);
    }

    fn run_checked(
        &mut self,
        sql: &str,
        kind: Kind,
        bind: impl FnOnce(&mut Statement<'_>) -> Result<()>,
        begin: impl FnOnce(&Statement<'_>) -> Result<()>,
        mut row: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<Changes> {
        self.ready()?;
        let mut statement = self.db.prepare_cached(sql)?;
        let writes = self.admit(sql, &statement)?;
        let changes_rows = kind.may_change_rows && !statement.readonly();
        // Each call of the sandbox takes as long as a short query, so none requests what is known.
        let is_query = statement.readonly() && statement.column_count() > 0;
        self.may_have_ended = !((is_query || changes_rows) && self.has_plain_queries);
        if changes_rows {
            self.last_insert_rowid = None;
        }
        bind(&mut statement)?;
        begin(&statement)?;
        let limits = self.wait_limits();
        let wait = || self.writers.wait(&self.db, &self.runtime, limits, &self.is_shortened);
        self.turn = writers::turn(self.turn.take(), writes, wait)?;
        let mut rows = statement.raw_query().read_whole();
        while let Some(found) = rows.next()? {
            row(found)?;
        }
        drop(rows);
        let rows = if changes_rows { self.db.changes()? } else { 0 };
        Ok(Changes { rows, ..Changes::default() })
    }

    /// The row id of the last insertion.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn last_insert_rowid(&mut self) -> Result<i64> {
        if let Some(known) = self.last_insert_rowid {
            return Ok(known);
        }
        let found = self.db.last_insert_rowid()?;
        self.last_insert_rowid = Some(found);
        Ok(found)
    }

    /// Run all statements of a text; their rows are dropped.
    ///
    /// # Errors
    ///
    /// That of the first statement that fails; the ones before it were run.
    pub fn run_all(&mut self, mut sql: &str) -> Result<()> {
        loop {
            if let Some(rest) = read_only_begin(sql) {
                self.run("BEGIN READONLY", |_| Ok(()), |_| Ok(()), |_| Ok(()))?;
                sql = rest;
                continue;
            }
            if self.check(sql)?.is_none() {
                return Ok(());
            }
            let start = Instant::now();
            let done = self.run_first(sql);
            // SQLite takes at least a character; a broken sandbox might not.
            let used = self.finish(sql, start, done)?;
            sql = sql.get(used..).filter(|_| used > 0).ok_or(Error::Gone)?;
        }
    }

    fn run_first(&mut self, sql: &str) -> Result<usize> {
        self.ready()?;
        let (mut statement, used) = self.db.prepare_first(sql)?;
        let writes = self.admit(sql, &statement)?;
        let limits = self.wait_limits();
        let wait = || self.writers.wait(&self.db, &self.runtime, limits, &self.is_shortened);
        self.turn = writers::turn(self.turn.take(), writes, wait)?;
        let mut rows = statement.raw_query().read_whole();
        while rows.next()?.is_some() {}
        Ok(used)
    }

    /// Run a statement that returns no rows again and again: `work` gets a function that runs it
    /// with some values.
    ///
    /// # Errors
    ///
    /// SQLite's, the policy's, and those of `work`.
    pub fn run_often<V: ToSql, T>(
        &mut self,
        sql: &str,
        work: impl FnOnce(&mut dyn FnMut(&[V]) -> Result<usize>) -> Result<T>,
    ) -> Result<T> {
        self.check(sql)?;
        let start = Instant::now();
        let done = self.run_often_checked(sql, work);
        self.finish(sql, start, done)
    }

    fn run_often_checked<V: ToSql, T>(
        &mut self,
        sql: &str,
        work: impl FnOnce(&mut dyn FnMut(&[V]) -> Result<usize>) -> Result<T>,
    ) -> Result<T> {
        self.ready()?;
        let mut statement = self.db.prepare_cached(sql)?;
        let writes = self.admit(sql, &statement)?;
        let limits = self.wait_limits();
        let wait = || self.writers.wait(&self.db, &self.runtime, limits, &self.is_shortened);
        self.turn = writers::turn(self.turn.take(), writes, wait)?;
        let control = self.control.clone();
        work(&mut |values| {
            // Short statements do not see the clock themselves.
            if control.must_end() {
                return Err(Error::Cancelled);
            }
            for (index, value) in (1..).zip(values) {
                statement.raw_bind_parameter(index, value)?;
            }
            Ok(statement.raw_execute()?)
        })
    }

    /// Prepare a statement that is run later, and look at it.
    ///
    /// # Errors
    ///
    /// SQLite's and the policy's.
    pub fn inspect<T>(
        &self,
        sql: &str,
        look: impl FnOnce(&Statement<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check(sql)?;
        look(&*self.db.prepare_cached(sql)?)
    }

    /// The rows of a query of the server itself, without the role's rules.
    ///
    /// # Errors
    ///
    /// SQLite's.
    pub fn own_rows<T>(
        &self,
        sql: &str,
        row: impl FnMut(&Row<'_>) -> sqlite_sandbox::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map((), row)?;
        Ok(rows.collect::<sqlite_sandbox::Result<_>>()?)
    }

    /// Whether rows violate foreign keys that are checked at the commit.
    ///
    /// # Errors
    /// When the sandbox cannot be called.
    pub fn has_foreign_key_violations(&self) -> Result<bool> {
        Ok(self.db.has_foreign_key_violations()?)
    }

    /// The connection, for functions of the server.
    pub fn connection(&self) -> &Connection {
        &self.db
    }

    /// Who may end this session.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// How many statements stay prepared.
    pub fn keep_statements(&self, count: usize) {
        self.db.set_prepared_statement_cache_capacity(count);
    }

    /// Prepare a statement, and look at it.
    ///
    /// # Errors
    ///
    /// SQLite's and the policy's.
    pub fn describe<T>(
        &self,
        sql: &str,
        look: impl FnOnce(&Statement<'_>, Kind) -> T,
    ) -> Result<T> {
        let sql = if is_read_only_begin(sql)? { "BEGIN" } else { sql };
        let kind = self.check(sql)?.unwrap_or_default();
        let statement = self.db.prepare(sql)?;
        Ok(look(&statement, kind))
    }

    /// Whether the client may run the first statement of `sql` now.
    fn check(&self, sql: &str) -> Result<Option<Kind>> {
        if self.control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if self.control.is_transaction_over() {
            return Err(self.transaction_over());
        }
        policy::check(sql, self.rules.role, self.writers.has_checkpoints()).map_err(Error::Refused)
    }

    fn transaction_over(&self) -> Error {
        Error::Ended(Ended::Transaction(self.rules.times.transaction))
    }

    /// A reader's statement must be one that SQLite calls read-only, besides `query_only`.
    /// Returns whether it writes.
    fn admit(&self, sql: &str, statement: &Statement<'_>) -> Result<bool> {
        let writes = !statement.readonly() && !policy::only_shows(sql);
        if writes && (self.rules.role == Role::Read || self.reads.is_begun()) {
            return Err(Error::ReadOnly);
        }
        self.control.note_writing(writes || self.control.is_writing());
        Ok(writes)
    }

    /// Note what a statement did to the transaction, count it, and name the limit that ended it.
    fn finish<T>(&mut self, sql: &str, start: Instant, done: Result<T>) -> Result<T> {
        let took = start.elapsed();
        self.reports.settle();
        self.rules.metrics.statement(took, done.is_ok());
        if self.rules.times.slow.is_some_and(|slow| took >= slow) {
            let sql: String = sql.chars().take(MAX_LOGGED).collect();
            tracing::warn!(milliseconds = took.as_millis() as u64, ?sql, "slow statement");
        }
        let ended = self.control.is_transaction_over();
        if std::mem::replace(&mut self.may_have_ended, true) || done.is_err() {
            self.last_insert_rowid = None;
            // A connection that cannot tell is gone, and so is its transaction.
            let is_open = !self.db.is_autocommit().unwrap_or(true);
            self.note_commit(sql, is_open, done.is_ok());
            self.note_transaction(is_open);
        } else {
            self.note_commit(sql, self.transaction.is_some(), true);
            self.note_transaction(self.transaction.is_some());
        }
        match done {
            Err(_) if self.control.is_cancelled() => Err(Error::Cancelled),
            Err(_) if ended => Err(self.transaction_over()),
            done => done,
        }
    }

    fn note_transaction(&mut self, is_open: bool) {
        if !is_open {
            self.turn = None;
            self.reads.end();
            self.control.note_writing(false);
        }
        if is_open == self.transaction.is_some() {
            return;
        }
        self.transaction = is_open.then(Instant::now);
        let time = self.rules.times.transaction;
        self.control.limit_transaction(self.transaction.and_then(|began| began.checked_add(time)));
    }
}
