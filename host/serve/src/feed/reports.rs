//! How a session reports its commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlite_sandbox::Connection;
use sqlite_sandbox::hooks::TransactionStep;

use super::{Feed, MAX_ROWS};

/// No ticket is open.
const NONE: u64 = u64::MAX;

/// Reports the commits of a session, on its thread.
#[derive(Debug)]
pub struct Reports {
    feed: Arc<Feed>,
    /// The run of the feed for which SQLite reports; 0 where it does not.
    run: u64,
    ticket: Arc<AtomicU64>,
}

impl Reports {
    pub fn new(feed: Arc<Feed>) -> Self {
        Self { feed, run: 0, ticket: Arc::new(AtomicU64::new(NONE)) }
    }

    /// The feed.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// Before a statement: let SQLite report, or no longer.
    ///
    /// # Errors
    ///
    /// When the sandbox cannot be called.
    pub fn follow(&mut self, db: &Connection) -> sqlite_sandbox::Result<()> {
        let run = self.feed.run();
        if run == self.run {
            return Ok(());
        }
        if run == 0 {
            db.changes_hook(MAX_ROWS, None::<fn(TransactionStep)>)?;
            self.settle();
        } else if self.run == 0 {
            let (feed, ticket) = (self.feed.clone(), self.ticket.clone());
            let end = move |feed: &Feed, is_committed| match ticket.swap(NONE, Ordering::Relaxed) {
                NONE => {}
                number => feed.ends(number, is_committed),
            };
            let own = self.ticket.clone();
            db.changes_hook(
                MAX_ROWS,
                Some(move |step| match step {
                    TransactionStep::Commits(changes) => {
                        end(&feed, false);
                        own.store(feed.commits(changes).unwrap_or(NONE), Ordering::Relaxed);
                    }
                    step => end(&feed, step == TransactionStep::Committed),
                }),
            )?;
        }
        self.run = run;
        Ok(())
    }

    /// After a statement: a commit that has not been made by now was not.
    pub fn settle(&self) {
        let ticket = self.ticket.swap(NONE, Ordering::Relaxed);
        if ticket != NONE {
            self.feed.ends(ticket, false);
        }
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.settle();
    }
}
