//! One call of a tool: a sandbox of its own, one transaction, and limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sql_tokens::from_first_word;
use sqlite_sandbox::{Connection, ErrorCode, InterruptHandle, Statement};

use crate::catalog::{self, Catalog};
use crate::databases::{Access, Databases, Offered, Ready};
use crate::guard::{Guard, Refused, read_catalog};
use crate::hints;
use crate::options::Limits;
use crate::rows::Rows;
use crate::values::Parameters;

/// A call that runs.
pub struct Call<'a> {
    db: Connection,
    offered: &'a Offered,
    guard: Guard,
    catalog: Arc<Catalog>,
    access: Access,
    limits: Limits,
    start: Instant,
    /// The statements so far.
    pub ran: Vec<Ran>,
}

/// A statement that a call has run, for the audit.
#[derive(Debug)]
pub struct Ran {
    pub sql: String,
    pub took: Duration,
    pub rows: u64,
    pub outcome: &'static str,
}

/// Why a call fails, for an agent.
#[derive(Debug)]
pub struct Failure {
    /// For the audit: SQLite's name, or one of ours.
    pub code: &'static str,
    pub message: String,
}

impl Failure {
    /// A wrong argument, or something that is not there.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { code: "ARGUMENT", message: message.into() }
    }
}

impl From<Refused> for Failure {
    fn from(Refused(message): Refused) -> Self {
        Self { code: "NOT_PERMITTED", message }
    }
}

impl<'a> Call<'a> {
    /// Begin the transaction of a call; `running` gets what interrupts it.
    ///
    /// # Errors
    ///
    /// Where the database cannot be read, or another program has locked it.
    pub fn begin(
        databases: &Databases,
        offered: &'a Offered,
        access: Access,
        limits: Limits,
        running: impl FnOnce(InterruptHandle),
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        let opened = databases.connect(offered, access);
        let Ready { db, guard, catalog } =
            opened.map_err(|error| hints::failure(&error, "", &offered.catalog()))?;
        running(db.get_interrupt_handle());
        let mut call = Self { db, offered, guard, catalog, access, limits, start, ran: Vec::new() };
        call.start().map_err(|error| hints::failure(&error, "", &call.catalog))?;
        Ok(call)
    }

    fn start(&mut self) -> sqlite_sandbox::Result<()> {
        self.limit_time();
        self.db.execute_batch(match self.access {
            Access::ReadOnly => "BEGIN",
            Access::ReadWrite => "BEGIN IMMEDIATE",
        })?;
        self.renew()
    }

    /// The schema that the transaction sees.
    fn renew(&mut self) -> sqlite_sandbox::Result<()> {
        let version = catalog::version(&self.db)?;
        if version == self.catalog.version {
            return Ok(());
        }
        let read = || read_catalog(&self.db, &self.offered.lists);
        // What a transaction has changed, others do not see: it may be undone.
        self.catalog = match self.access {
            Access::ReadOnly => self.offered.renewed(version, read)?,
            Access::ReadWrite => Arc::new(read()?),
        };
        self.guard.renew(self.catalog.clone());
        // Reading it has taken the authorizer away.
        self.db.authorizer(Some(self.guard.authorizer()))
    }

    /// What is left of the call's time is that of the next statement.
    fn limit_time(&self) {
        self.db.limit_statement_time(Some(self.limits.time.saturating_sub(self.start.elapsed())));
    }

    /// The schema.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The name of the database.
    pub fn name(&self) -> &str {
        &self.offered.named.name
    }

    /// Run one statement of the agent, and encode at most `most` of its rows.
    ///
    /// # Errors
    ///
    /// With what helps to correct the statement.
    pub fn run(
        &mut self,
        sql: &str,
        parameters: &Parameters,
        most: Option<u32>,
    ) -> Result<Rows, Failure> {
        let start = Instant::now();
        let done = self.run_one(sql, parameters, most);
        let (rows, outcome) = match &done {
            Ok(rows) => (rows.count(), "ok"),
            Err(failure) => (0, failure.code),
        };
        self.ran.push(Ran { sql: sql.to_owned(), took: start.elapsed(), rows, outcome });
        done
    }

    fn run_one(
        &mut self,
        sql: &str,
        parameters: &Parameters,
        most: Option<u32>,
    ) -> Result<Rows, Failure> {
        self.guard.begin(sql)?;
        self.limit_time();
        let done = self.run_permitted(sql, parameters, most);
        self.guard.begin_own();
        let refused = self.guard.refused();
        let rows = match (done, refused) {
            (Err(_), Some(refused)) => return Err(refused.into()),
            (done, _) => done.map_err(|error| self.failure(error, sql))?,
        };
        if self.access == Access::ReadWrite {
            self.renew().map_err(|error| hints::failure(&error, "", &self.catalog))?;
        }
        Ok(rows)
    }

    fn run_permitted(
        &self,
        sql: &str,
        parameters: &Parameters,
        most: Option<u32>,
    ) -> Result<Rows, Error> {
        if from_first_word(sql).is_empty() {
            return Err(Error::Argument("`sql` has no statement".to_owned()));
        }
        let mut statement = self.db.prepare(sql)?;
        if self.access == Access::ReadOnly && !statement.readonly() {
            return Err(Error::Writes);
        }
        parameters.bind(&mut statement).map_err(Error::Argument)?;
        let rows = self.limits.rows.min(most.unwrap_or(u32::MAX));
        let before = self.changes(&statement)?;
        let mut rows = Rows::read(&mut statement, rows, self.limits.bytes)?;
        if let Some(before) = before {
            rows.changes = Some(self.db.total_changes()?.saturating_sub(before));
        }
        Ok(rows)
    }

    fn changes(&self, statement: &Statement<'_>) -> sqlite_sandbox::Result<Option<u64>> {
        (!statement.readonly()).then(|| self.db.total_changes()).transpose()
    }

    fn failure(&self, error: Error, sql: &str) -> Failure {
        match error {
            Error::Argument(message) => Failure::argument(message),
            Error::Writes => Failure {
                code: "NOT_PERMITTED",
                message:
                    "this tool only reads; a database that can be written has the tool `execute`"
                        .to_owned(),
            },
            Error::Database(error) => {
                let denied =
                    error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied);
                if denied && self.access == Access::ReadOnly {
                    self.failure(Error::Writes, sql)
                } else {
                    hints::failure(&error, sql, &self.catalog)
                }
            }
        }
    }

    /// Commit, once `note` has noted what was done.
    ///
    /// # Errors
    ///
    /// That of `note`, and SQLite's: a deferred constraint, a full disk.
    pub fn commit(&self, note: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        note()?;
        if self.access == Access::ReadOnly {
            return Ok(());
        }
        self.limit_time();
        let done = self.db.execute_batch("COMMIT");
        done.map_err(|error| hints::failure(&error, "", &self.catalog))
    }

    /// End the transaction, so that no lock is left. Ending the sandbox takes longer than that, and
    /// needs nobody who waits.
    pub fn end(self) -> Connection {
        // After a commit no transaction is open; one that cannot be rolled back ends with the sandbox.
        let _ = self.db.execute_batch("ROLLBACK");
        self.db
    }
}

enum Error {
    Database(sqlite_sandbox::Error),
    Argument(String),
    Writes,
}

impl From<sqlite_sandbox::Error> for Error {
    fn from(error: sqlite_sandbox::Error) -> Self {
        Self::Database(error)
    }
}
