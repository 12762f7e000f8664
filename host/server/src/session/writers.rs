//! Who may write next. SQLite lets writers of one database try again and again, so that with many of
//! them some wait for ever; here they stand in a line.

use std::sync::Arc;
use std::time::Duration;

use sqlite_wasm::{Connection, Limit};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::Result;
use super::log::Log;

/// How long a session waits in the line. Then it tries without its turn, and SQLite reports who
/// is in the way: another process, or a long transaction.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The line of a database's writers.
#[derive(Debug, Clone)]
pub struct Writers {
    line: Arc<Semaphore>,
    log: Arc<Log>,
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

    /// Wait for the turn, and no longer than `most`; called on a session's thread.
    ///
    /// # Errors
    ///
    /// The limit of a statement where that is `most`, and that of the log.
    pub fn wait(
        &self,
        db: &Connection,
        runtime: &Handle,
        most: Option<Duration>,
    ) -> Result<Option<Turn>> {
        let turn = self.wait_in_line(runtime, most)?;
        self.log.check(db)?;
        Ok(turn)
    }

    fn wait_in_line(&self, runtime: &Handle, most: Option<Duration>) -> Result<Option<Turn>> {
        if let Ok(permit) = self.line.clone().try_acquire_owned() {
            return Ok(Some(Turn(permit)));
        }
        let short = most.filter(|most| *most < MAX_WAIT);
        let turn =
            async { timeout(short.unwrap_or(MAX_WAIT), self.line.clone().acquire_owned()).await };
        match (runtime.block_on(turn), short) {
            (Ok(permit), _) => Ok(permit.ok().map(Turn)),
            (Err(_), None) => Ok(None),
            (Err(_), Some(most)) => {
                Err(sqlite_wasm::Error::LimitReached(Limit::StatementTime(most)).into())
            }
        }
    }
}

/// The turn to write, if the statement writes and it is not this session's already.
pub fn turn(
    turn: Option<Turn>,
    writes: bool,
    wait: impl FnOnce() -> Result<Option<Turn>>,
) -> Result<Option<Turn>> {
    if writes && turn.is_none() { wait() } else { Ok(turn) }
}
