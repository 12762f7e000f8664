//! Who may write next. SQLite lets writers of one database try again and again, so that with many of
//! them some wait for ever; here they stand in a line.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlite_sandbox::{Connection, Limit};
use sqlite_wasm_postgres::error::sqlstate;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::{Error, Result};
use super::log::Log;

/// How long a session waits in the line. Then it tries without its turn, and SQLite reports who
/// is in the way: another process, or a long transaction.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// What counts as no wait: SQLite's time for a lock stays as it is.
const NO_WAIT: Duration = Duration::from_millis(1);

/// The line of a database's writers.
#[derive(Debug, Clone)]
pub struct Writers {
    line: Arc<Semaphore>,
    log: Arc<Log>,
}

/// How long a statement may take, and wait for a lock.
#[derive(Debug, Clone, Copy)]
pub struct WaitLimits {
    pub statement: Duration,
    /// `None` for no limit.
    pub lock: Option<Duration>,
}

/// A session's turn, until it is dropped.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "dropped")] OwnedSemaphorePermit);

impl Writers {
    pub fn new(log: Log) -> Self {
        Self { line: Arc::new(Semaphore::new(1)), log: Arc::new(log) }
    }

    /// Whether the server and its clients make checkpoints.
    pub fn has_checkpoints(&self) -> bool {
        self.log.has_checkpoints
    }

    /// Wait for the turn; called on a session's thread.
    ///
    /// # Errors
    ///
    /// The limits of a statement, and that of the log.
    pub fn wait(
        &self,
        db: &Connection,
        runtime: &Handle,
        limits: WaitLimits,
        is_shortened: &Cell<bool>,
    ) -> Result<Option<Turn>> {
        let start = Instant::now();
        let turn = self.wait_in_line(runtime, limits)?;
        // SQLite may have to wait for another program, for as long as is left.
        if let (Some(lock), waited) = (limits.lock, start.elapsed())
            && waited >= NO_WAIT
        {
            db.busy_timeout(lock.saturating_sub(waited))?;
            is_shortened.set(true);
        }
        self.log.check(db)?;
        Ok(turn)
    }

    fn wait_in_line(&self, runtime: &Handle, limits: WaitLimits) -> Result<Option<Turn>> {
        if let Ok(permit) = self.line.clone().try_acquire_owned() {
            return Ok(Some(Turn(permit)));
        }
        let WaitLimits { statement, lock } = limits;
        let most = lock.unwrap_or(MAX_WAIT).min(statement);
        let turn = async { timeout(most, self.line.clone().acquire_owned()).await };
        match runtime.block_on(turn) {
            Ok(permit) => Ok(permit.ok().map(Turn)),
            Err(_) if lock == Some(most) => Err(lock_timeout()),
            Err(_) if statement == most => {
                Err(sqlite_sandbox::Error::LimitReached(Limit::StatementTime(most)).into())
            }
            Err(_) => Ok(None),
        }
    }
}

fn lock_timeout() -> Error {
    let message = "canceling statement due to lock timeout";
    Error::Postgres(Box::new(sqlite_wasm_postgres::Error::new(
        sqlstate::LOCK_NOT_AVAILABLE,
        message,
    )))
}

/// The turn to write, if the statement writes and it is not this session's already.
pub fn turn(
    turn: Option<Turn>,
    writes: bool,
    wait: impl FnOnce() -> Result<Option<Turn>>,
) -> Result<Option<Turn>> {
    if writes && turn.is_none() { wait() } else { Ok(turn) }
}
