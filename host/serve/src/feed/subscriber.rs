//! One who listens.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::{Commit, Feed};

/// Commits that one takes at a time, and their bytes: what is on its way to a client is all that it takes.
const MAX_TAKEN: usize = 256;
const MAX_BYTES: usize = 64 << 10;

/// What a subscriber has not seen yet.
#[derive(Debug)]
pub enum News {
    /// Commits, from the oldest to the newest.
    Commits(Vec<Arc<Commit>>),
    /// Some are no longer kept: those from `since` to `last`.
    Lost { since: u64, last: u64 },
}

/// One who listens, until it is dropped.
#[derive(Debug)]
pub struct Subscriber {
    feed: Arc<Feed>,
    next: u64,
    wakes: watch::Receiver<u64>,
}

impl Subscriber {
    /// From the next commit on.
    pub fn new(feed: Arc<Feed>, runtime: &Handle) -> Self {
        let wakes = feed.news.subscribe();
        let next = feed.enter(runtime) + 1;
        Self { feed, next, wakes }
    }

    /// The position of the last commit that it has seen.
    pub fn last(&self) -> u64 {
        self.next - 1
    }

    /// What names that position for [`Self::resume`].
    pub fn place(&self, number: u64) -> String {
        format!("{:016x}-{number}", self.feed.run())
    }

    /// Continue after a position. Returns false if what followed is no longer known.
    pub fn resume(&mut self, place: &str) -> bool {
        let state = self.feed.state();
        let number = place.split_once('-').and_then(|(run, number)| {
            let run = u64::from_str_radix(run, 16).ok()?;
            number.parse::<u64>().ok().filter(|_| run == self.feed.run())
        });
        let next = number.and_then(|number| number.checked_add(1));
        match next.filter(|next| (state.recent.first()..=state.recent.last() + 1).contains(next)) {
            Some(next) => {
                self.next = next;
                true
            }
            None => false,
        }
    }

    /// Wait until there may be news.
    pub async fn wait(&mut self) {
        // It never closes: this has the feed.
        let _ = self.wakes.changed().await;
    }

    /// What it has not seen yet.
    pub fn take(&mut self) -> Option<News> {
        let state = self.feed.state();
        if self.next < state.recent.first() {
            let (since, last) = (self.next, state.recent.last());
            self.next = last + 1;
            return Some(News::Lost { since, last });
        }
        let mut bytes = 0;
        let fits = |commit: &&Arc<Commit>| {
            let is_first = bytes == 0;
            bytes += commit.size();
            is_first || bytes <= MAX_BYTES
        };
        let taken: Vec<_> =
            state.recent.from(self.next).take(MAX_TAKEN).take_while(fits).cloned().collect();
        self.next += taken.len() as u64;
        (!taken.is_empty()).then_some(News::Commits(taken))
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.feed.leave();
    }
}
