//! What happens between two statements, besides what the client wants.

use std::sync::Arc;

use access::policy::first_words;
use tokio::runtime::Handle;

use super::{AtCommits, SessionConnection};
use crate::feed::Feed;
use crate::session::error::Result;

impl SessionConnection {
    /// Tell SQLite what holds for the next statement.
    pub(super) fn ready(&mut self) -> Result<()> {
        self.reports.follow(&self.db)?;
        self.reads.apply(&self.db, self.rules.role)
    }

    /// Its feed of changes.
    pub fn feed(&self) -> &Arc<Feed> {
        self.reports.feed()
    }

    /// The runtime of the server.
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Call this whenever a transaction that writes has been committed, before the next one writes.
    pub fn at_commits(&mut self, call: AtCommits) {
        self.at_commits = Some(call);
    }

    /// After a statement, while the turn to write is this session's.
    pub(super) fn note_commit(&mut self, sql: &str, is_open: bool, is_ok: bool) {
        if is_open || !is_ok || self.turn.is_none() {
            return;
        }
        let is_undone = || first_words(sql).next_word().is_some_and(|word| word.is("ROLLBACK"));
        if let Some(call) = self.at_commits.as_mut().filter(|_| !is_undone()) {
            call();
        }
    }
}
