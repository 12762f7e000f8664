//! What changes in a database, for those who listen: which rows of which tables each commit has changed, whichever
//! client of the server made it. There is one order, that of the commits, and subscribers learn of a commit when it
//! is visible, and never of what was rolled back.
//!
//! Sessions report their commits ([`Reports`]), but only while somebody listens. Each has a ticket from before the
//! commit, when no other connection can commit, so the order of tickets is that of the commits. What other programs
//! write, and sessions that do not report yet, shows by the count of commits that SQLite keeps in the file: a gap in it
//! is a commit of which nothing is known.

mod bell;
pub mod channels;
mod counter;
mod message;
mod recent;
mod reports;
mod subscriber;
mod subscriptions;
mod tickets;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlite_sandbox::hooks::Changes;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

pub use bell::Woken;
use channels::Channels;
use counter::{Count, Counter};
pub use message::Commit;
use recent::RecentCommits;
pub use reports::Reports;
pub use subscriber::{News, Subscriber};
pub use subscriptions::{Subscription, Subscriptions};
use tickets::{Ticket, Tickets};

/// How often the file is looked at for commits of other programs.
const LOOK: Duration = Duration::from_millis(100);

/// Subscribers wake up at most once in this time: then they take all that has come at once, and a writer of many
/// commits does not share the processor with them for each one. Nobody sees a delay of 10 ms. With 50 subscribers on
/// two cores a commit then takes 1.07 times as long, and at half of it 1.19 times.
const PACE: Duration = Duration::from_millis(10);

/// How long commits are still kept when the last subscriber has gone: so long one may be away and miss nothing.
const LINGER: Duration = Duration::from_secs(10);

/// Row ids in a message at most; that of a commit that changes more has only its tables.
const MAX_ROWS: u32 = 1000;

/// The feed of a database.
pub struct Feed {
    /// A random id while commits are reported, 0 otherwise.
    run: AtomicU64,
    state: Mutex<State>,
    /// Wakes who wakes the subscribers.
    fresh: Notify,
    /// The position of the last commit.
    news: watch::Sender<u64>,
    /// On which sessions of the Postgres wire talk.
    pub channels: Channels,
}

struct State {
    subscribers: usize,
    /// When the last subscriber has gone.
    deserted: Option<Instant>,
    recent: RecentCommits,
    tickets: Tickets,
    counter: Counter,
    /// The count of commits after the last one that is known.
    known: Option<Count>,
}

impl std::fmt::Debug for Feed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feed").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Feed {
    /// That of a file.
    pub fn new(path: &Path) -> Self {
        let state = State {
            subscribers: 0,
            deserted: None,
            recent: RecentCommits::default(),
            tickets: Tickets::default(),
            counter: Counter::new(path),
            known: None,
        };
        Self {
            run: AtomicU64::new(0),
            state: Mutex::new(state),
            fresh: Notify::new(),
            news: watch::Sender::new(0),
            channels: Channels::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) -> u64 {
        self.run.load(Ordering::Acquire)
    }

    /// One more subscriber: let commits be reported from now on.
    fn enter(self: &Arc<Self>, runtime: &Handle) -> u64 {
        let mut state = self.state();
        state.subscribers += 1;
        state.deserted = None;
        if self.run() == 0 {
            state.known = state.counter.read();
            state.tickets = Tickets::after(&state.tickets);
            state.recent.clear();
            self.run.store(random(), Ordering::Release);
            runtime.spawn(self.clone().tend());
        }
        state.recent.last()
    }

    fn leave(&self) {
        let mut state = self.state();
        state.subscribers -= 1;
        if state.subscribers == 0 {
            state.deserted = Some(Instant::now());
        }
    }

    /// Wake subscribers, and look at the file, until nobody has listened for some time.
    async fn tend(self: Arc<Self>) {
        let mut ticks = interval(LOOK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.fresh.notified() => {
                    let last = self.state().recent.last();
                    self.news.send_replace(last);
                    self.channels.ring_for_commits();
                    sleep(PACE).await;
                }
                _ = ticks.tick() => if !self.look() { return },
            }
        }
    }

    /// Look for commits of other programs: whether anybody still listens.
    fn look(&self) -> bool {
        let mut state = self.state();
        if state.deserted.is_some_and(|since| since.elapsed() >= LINGER) {
            self.run.store(0, Ordering::Release);
            state.recent.clear();
            return false;
        }
        // A session that is about to commit may already have: it reports next.
        if state.tickets.is_empty() {
            let now = state.counter.renewed().read();
            if state.note_count(now) {
                self.fresh.notify_one();
            }
        }
        true
    }

    /// A transaction of this server is about to be committed, and nobody else can commit now.
    fn commits(&self, changes: Changes) -> Option<u64> {
        let mut state = self.state();
        if self.run() == 0 {
            return None;
        }
        let before = state.counter.read();
        Some(state.tickets.take(before, changes))
    }

    /// The commit was made, or not.
    fn ends(&self, ticket: u64, is_committed: bool) {
        let mut state = self.state();
        state.tickets.ends(ticket, is_committed);
        let mut is_news = false;
        while let Some(ended) = state.tickets.next_ended() {
            is_news |= state.tell(ended);
        }
        if is_news {
            self.fresh.notify_one();
        }
    }
}

impl State {
    /// What the file says of the commits so far: whether others have made some.
    fn note_count(&mut self, now: Option<Count>) -> bool {
        let is_other = now != self.known;
        if is_other {
            self.known = now;
            self.recent.add(None);
        }
        is_other
    }

    /// Tell of a commit, and of those of others before it: whether there is anything.
    fn tell(&mut self, ended: Ticket) -> bool {
        // A count that could not be read says nothing.
        let is_other = ended.before.is_some() && self.note_count(ended.before);
        let Some(changes) = ended.changes else { return is_other };
        let is_change = changes.is_partial || changes.schema || !changes.tables.is_empty();
        if is_change {
            self.known = self.known.map(Count::next);
            self.recent.add(Some(changes));
        }
        is_other || is_change
    }
}

/// An id that no other run has.
fn random() -> u64 {
    let bytes = ring::rand::generate::<[u8; 8]>(&ring::rand::SystemRandom::new());
    // Without random bytes the time makes runs differ.
    let now = || std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64);
    bytes.map_or_else(|_| now(), |bytes| u64::from_le_bytes(bytes.expose())).max(1)
}
