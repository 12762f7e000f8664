//! Who may write next. SQLite lets writers of one database try again and again, so that with many of
//! them some wait for ever; here they stand in a line.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a session waits in the line. Then it tries without its turn, and SQLite reports who
/// is in the way: another process, or a long transaction.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The line of a database's writers.
#[derive(Debug, Clone)]
pub struct Writers(Arc<Semaphore>);

/// A session's turn, until it is dropped.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "dropped")] OwnedSemaphorePermit);

impl Default for Writers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl Writers {
    /// Wait for the turn; called on a session's thread.
    pub fn wait(&self, runtime: &Handle) -> Option<Turn> {
        if let Ok(permit) = self.0.clone().try_acquire_owned() {
            return Some(Turn(permit));
        }
        let turn = async { timeout(MAX_WAIT, self.0.clone().acquire_owned()).await };
        runtime.block_on(turn).ok()?.ok().map(Turn)
    }
}
