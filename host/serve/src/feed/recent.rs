//! The last commits, which all subscribers share: one that does not read takes no further memory.

use std::collections::VecDeque;
use std::sync::Arc;

use sqlite_sandbox::hooks::Changes;

use super::message::Commit;

/// Commits that are kept at most: some seconds of a busy database.
const MAX_COMMITS: usize = 4096;

/// Bytes of them at most, for each database in use.
const MAX_BYTES: usize = 4 << 20;

/// The last commits, from the oldest to the newest.
#[derive(Debug, Default)]
pub struct RecentCommits {
    all: VecDeque<Arc<Commit>>,
    bytes: usize,
    last: u64,
}

impl RecentCommits {
    /// The position of the last commit.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The position of the first one that is kept; that of the next one if none is kept.
    pub fn first(&self) -> u64 {
        self.last + 1 - self.all.len() as u64
    }

    /// Forget all; positions go on.
    pub fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// Add a commit; `None` if nothing is known about it.
    pub fn add(&mut self, changes: Option<Changes>) {
        self.last += 1;
        let commit = Arc::new(Commit::new(self.last, changes));
        self.bytes += commit.size();
        self.all.push_back(commit);
        while self.all.len() > MAX_COMMITS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.all.pop_front() else { return };
            self.bytes -= oldest.size();
        }
    }

    /// Those from this position on.
    pub fn from(&self, number: u64) -> impl Iterator<Item = &Arc<Commit>> {
        let skipped = number.saturating_sub(self.first());
        self.all.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use sqlite_sandbox::hooks::ChangedRows;

    use super::*;

    #[test]
    fn only_so_many_are_kept() {
        let mut kept = RecentCommits::default();
        assert_eq!((kept.first(), kept.last()), (1, 0));
        (0..MAX_COMMITS + 10).for_each(|_| kept.add(None));
        assert_eq!((kept.first(), kept.last()), (11, MAX_COMMITS as u64 + 10));
        assert_eq!(kept.from(11).count(), MAX_COMMITS);
        assert_eq!(kept.from(kept.last()).count(), 1);
        assert_eq!(kept.from(kept.last() + 1).count(), 0);
        for _ in 0..300 {
            let rows = ChangedRows::RowIds((0..1000).collect());
            let mut changes = Changes::default();
            changes.tables.insert("t".to_owned(), rows);
            kept.add(Some(changes));
        }
        assert!(kept.bytes <= MAX_BYTES && kept.all.len() > 50, "{}", kept.all.len());
        assert_eq!(kept.bytes, kept.all.iter().map(|one| one.size()).sum::<usize>());
        kept.clear();
        assert_eq!((kept.first(), kept.bytes), (kept.last() + 1, 0));
    }
}
