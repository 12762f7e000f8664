//! LISTEN, NOTIFY and `pg_notify` of a session: what is said in a transaction is heard after its commit.

use std::collections::HashSet;
use std::sync::Arc;

use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::{Error, Result};
use tokio::runtime::Handle;

use super::failure::Failure;
use super::out::Out;
use crate::feed::channels::{Heard, MAX_NOTE_BYTES, MAX_NOTES, Note};
use crate::feed::{Feed, News, Subscriber};

/// The channel on which the server itself reports commits.
pub const COMMITS: &str = "sqlite_changes";

/// Bytes of a channel's name at most, and of what is said there, as in PostgreSQL.
const MAX_CHANNEL: usize = 63;
const MAX_PAYLOAD: usize = 7999;

/// What happens at the commit.
#[derive(Debug)]
enum Pending {
    Note(Arc<Note>),
    Listen(String),
    /// All channels where none is named.
    Unlisten(Option<String>),
}

/// What a session hears, and what it says.
#[derive(Debug)]
pub struct Notes {
    feed: Arc<Feed>,
    runtime: Handle,
    process: i32,
    /// None before it has listened.
    heard: Option<Heard>,
    subscriber: Option<Subscriber>,
    pending: Vec<Pending>,
    /// The notes among them: one that is said twice is heard once.
    said: HashSet<Arc<Note>>,
    bytes: usize,
    /// How much was pending before each savepoint.
    marks: Vec<usize>,
}

impl Notes {
    pub fn new(feed: Arc<Feed>, runtime: Handle, process: i32) -> Self {
        let (heard, subscriber, pending, said, bytes, marks) = Default::default();
        Self { feed, runtime, process, heard, subscriber, pending, said, bytes, marks }
    }

    /// Say something on a channel.
    ///
    /// # Errors
    ///
    /// 22023 for names and texts that no channel takes, 42939 for the server's own channel, 54000 for too many.
    pub fn notify(&mut self, channel: &str, payload: &str) -> Result<()> {
        check_channel(channel)?;
        if channel == COMMITS {
            let message = format!("the server reports commits on the channel \"{COMMITS}\"");
            return Err(Error::new(sqlstate::RESERVED_NAME, message).hint("choose another name"));
        }
        if payload.len() > MAX_PAYLOAD {
            return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "payload string too long"));
        }
        let (channel, payload) = (channel.to_owned(), payload.to_owned());
        let note = Arc::new(Note { process: self.process, channel, payload });
        if self.said.contains(&note) {
            return Ok(());
        }
        self.add(note.size(), Pending::Note(note.clone()))?;
        self.said.insert(note);
        Ok(())
    }

    /// Hear a channel from the commit on.
    ///
    /// # Errors
    ///
    /// As [`Self::notify`].
    pub fn listen(&mut self, channel: &str) -> Result<()> {
        check_channel(channel)?;
        let more = self.pending.iter().filter(|one| matches!(one, Pending::Listen(_))).count();
        if !self.enter()?.has_room(more + 1) {
            let message = "the session listens on too many channels";
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
        }
        self.add(channel.len(), Pending::Listen(channel.to_owned()))
    }

    /// Hear a channel, or all, no longer.
    ///
    /// # Errors
    ///
    /// 54000.
    pub fn unlisten(&mut self, channel: Option<&str>) -> Result<()> {
        if self.heard.is_none() {
            return Ok(());
        }
        self.add(channel.map_or(0, str::len), Pending::Unlisten(channel.map(str::to_owned)))
    }

    fn enter(&mut self) -> Result<&Heard> {
        let heard = match self.heard.take() {
            Some(heard) => heard,
            None => {
                let entered = self.feed.channels.enter(u64::from(self.process.cast_unsigned()));
                let failed = |error| format!("failed to begin to listen: {error}");
                entered.map_err(|error| Error::new("53000", failed(error)))?
            }
        };
        Ok(self.heard.insert(heard))
    }

    fn add(&mut self, bytes: usize, pending: Pending) -> Result<()> {
        if self.pending.len() >= MAX_NOTES || self.bytes + bytes > MAX_NOTE_BYTES {
            let message = "too many notifications in a transaction";
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
        }
        self.bytes += bytes;
        self.pending.push(pending);
        Ok(())
    }

    /// `SAVEPOINT`.
    pub fn savepoint(&mut self) {
        self.marks.push(self.pending.len());
    }

    /// `RELEASE SAVEPOINT`.
    pub fn release(&mut self, mark: usize) {
        self.marks.truncate(mark);
    }

    /// `ROLLBACK TO SAVEPOINT`.
    pub fn roll_back_to(&mut self, mark: usize) {
        self.marks.truncate(mark + 1);
        let Some(before) = self.marks.last() else { return };
        for undone in self.pending.drain((*before).min(self.pending.len())..) {
            let bytes = match undone {
                Pending::Note(note) => {
                    self.said.remove(&note);
                    note.size()
                }
                Pending::Listen(name) | Pending::Unlisten(Some(name)) => name.len(),
                Pending::Unlisten(None) => 0,
            };
            self.bytes -= bytes;
        }
    }

    /// The transaction has been undone.
    pub fn forget(&mut self) {
        self.said.clear();
        self.pending.clear();
        self.marks.clear();
        self.bytes = 0;
    }

    /// The transaction has been committed: what was said is heard.
    pub fn commit(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.forget();
        if pending.is_empty() {
            return;
        }
        let mut notes = Vec::new();
        for one in pending {
            match one {
                Pending::Note(note) => notes.push(note),
                Pending::Listen(channel) => self.begin(channel),
                Pending::Unlisten(channel) => self.end(channel.as_deref()),
            }
        }
        if !notes.is_empty() {
            self.feed.channels.tell(&notes);
        }
    }

    fn begin(&mut self, channel: String) {
        let Some(heard) = &self.heard else { return };
        if channel == COMMITS {
            let new = || Subscriber::new(self.feed.clone(), &self.runtime);
            self.subscriber.get_or_insert_with(new);
            heard.hear_commits(true);
        } else {
            heard.listen(channel);
        }
    }

    fn end(&mut self, channel: Option<&str>) {
        if channel.is_none_or(|channel| channel == COMMITS) {
            self.subscriber = None;
        }
        let Some(heard) = &self.heard else { return };
        match channel {
            None => {
                self.feed.channels.leave(heard);
                self.heard = None;
            }
            Some(COMMITS) => heard.hear_commits(false),
            Some(channel) => heard.unlisten(channel),
        }
    }

    /// Where the session hears something, what wakes it.
    pub fn heard(&self) -> Option<&Heard> {
        self.heard.as_ref().filter(|heard| !heard.is_idle())
    }

    /// Write what has come, and no more than some at a time: whether there may be more.
    ///
    /// # Errors
    ///
    /// [`Failure::Fatal`] where the client has not read for too long.
    pub fn deliver(&mut self, out: &mut Out) -> Result<bool, Failure> {
        let Some(heard) = &self.heard else { return Ok(false) };
        let notes = heard.take().map_err(|_| {
            let message = "terminating connection: too many notifications were not read";
            let hint = "connect again, LISTEN, and then read again what they tell of";
            Failure::Fatal(Error::new(sqlstate::OUT_OF_MEMORY, message).hint(hint))
        })?;
        for note in notes {
            out.notification(note.process, &note.channel, &note.payload);
        }
        let Some(news) = self.subscriber.as_mut().and_then(Subscriber::take) else {
            return Ok(false);
        };
        match news {
            News::Commits(commits) => {
                for commit in commits {
                    out.notification(0, COMMITS, &commit.shorter_than(MAX_PAYLOAD + 1));
                }
            }
            News::Lost { since, last } => {
                let payload = format!("{{\"commit\":{last},\"since\":{since},\"reset\":true}}");
                out.notification(0, COMMITS, &payload);
            }
        }
        Ok(true)
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        if let Some(heard) = &self.heard {
            self.feed.channels.leave(heard);
        }
    }
}

fn check_channel(name: &str) -> Result<()> {
    let wrong = |message| Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    match name.len() {
        0 => wrong("channel name cannot be empty"),
        1..=MAX_CHANNEL => Ok(()),
        _ => wrong("channel name too long"),
    }
}
