//! How long requests, statements and locks may take.

use std::time::Duration;

use super::SessionConnection;
use crate::session::control::{Ended, Times};
use crate::session::error::Result;
use crate::session::writers::WaitLimits;

/// How long SQLite tries a lock that another program has, unless less is said.
const MAX_BUSY: Duration = Duration::from_secs(5);

impl SessionConnection {
    /// How long to wait for the next request, and what happens then.
    pub fn patience(&self) -> (Duration, Ended) {
        let idle = (self.rules.times.idle, Ended::Idle(self.rules.times.idle));
        let Some(began) = self.transaction else { return idle };
        let left = self.rules.times.transaction.saturating_sub(began.elapsed());
        if left < self.rules.times.idle {
            (left, Ended::Transaction(self.rules.times.transaction))
        } else {
            idle
        }
    }

    /// The server's times.
    pub fn times(&self) -> Times {
        self.rules.times
    }

    /// How long a statement may take.
    pub fn statement_limit(&self) -> Duration {
        let server = self.rules.times.statement;
        self.statement_time.map_or(server, |own| own.min(server))
    }

    /// Limit the next statements, and how long they wait for their turn to write; `None` for the
    /// server's limit.
    pub fn limit_statements(&mut self, time: Option<Duration>) {
        self.statement_time = time;
        self.db.limit_statement_time(time);
    }

    /// Limit how long the next statements wait for a lock; `None` for no limit.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn limit_locks(&mut self, time: Option<Duration>) -> Result<()> {
        let is_other = std::mem::replace(&mut self.lock_time, time) != time;
        if self.is_shortened.replace(false) | is_other {
            self.db.busy_timeout(time.unwrap_or(MAX_BUSY))?;
        }
        Ok(())
    }

    pub(super) fn wait_limits(&self) -> WaitLimits {
        WaitLimits { statement: self.statement_limit(), lock: self.lock_time }
    }
}
