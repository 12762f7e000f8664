//! Channels, on which sessions of the Postgres wire say something to each other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bell::Bell;

/// Notes of a transaction, and those that wait for a session; and their bytes. A session that lets more wait does not
/// read them.
pub const MAX_NOTES: usize = 10_000;
pub const MAX_NOTE_BYTES: usize = 4 << 20;

/// Channels that a session hears at most.
const MAX_CHANNELS: usize = 1000;

/// What was said on a channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Note {
    /// Of the session that said it.
    pub process: i32,
    pub channel: String,
    pub payload: String,
}

impl Note {
    /// The bytes that it takes, and what is around it.
    pub fn size(&self) -> usize {
        self.channel.len() + self.payload.len() + 64
    }
}

/// The sessions that hear something.
#[derive(Debug, Default)]
pub struct Channels(Mutex<HashMap<u64, Arc<Mailbox>>>);

/// What waits for a session.
#[derive(Debug)]
pub struct Mailbox {
    pub bell: Bell,
    state: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    channels: HashSet<String>,
    /// Whether it hears of commits.
    hears_commits: bool,
    notes: VecDeque<Arc<Note>>,
    bytes: usize,
    /// Too many waited.
    is_lost: bool,
}

/// A session's mailbox, until it is dropped.
#[derive(Debug)]
pub struct Heard {
    mailbox: Arc<Mailbox>,
    number: u64,
}

/// Too many notes waited for a session.
#[derive(Debug, PartialEq, Eq)]
pub struct Overflow;

impl Channels {
    fn all(&self) -> MutexGuard<'_, HashMap<u64, Arc<Mailbox>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mailbox for a session.
    ///
    /// # Errors
    ///
    /// Where there are too many open files.
    pub fn enter(&self, number: u64) -> io::Result<Heard> {
        let mailbox = Arc::new(Mailbox { bell: Bell::new()?, state: Mutex::default() });
        self.all().insert(number, mailbox.clone());
        Ok(Heard { mailbox, number })
    }

    /// The session hears nothing any more.
    pub fn leave(&self, heard: &Heard) {
        self.all().remove(&heard.number);
    }

    /// Put notes into the mailboxes of those who hear them: all get those of several sessions in one order.
    pub fn tell(&self, notes: &[Arc<Note>]) {
        for mailbox in self.all().values() {
            mailbox.put(notes);
        }
    }

    /// There are news of commits.
    pub fn ring_for_commits(&self) {
        let all = self.all();
        all.values().filter(|one| one.state().hears_commits).for_each(|one| one.bell.ring());
    }
}

impl Mailbox {
    fn state(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, notes: &[Arc<Note>]) {
        let mut state = self.state();
        let mut is_new = false;
        for note in notes {
            if state.is_lost || !state.channels.contains(&note.channel) {
                continue;
            }
            is_new = true;
            if state.notes.len() == MAX_NOTES || state.bytes + note.size() > MAX_NOTE_BYTES {
                *state = Waiting { is_lost: true, ..Waiting::default() };
                break;
            }
            state.bytes += note.size();
            state.notes.push_back(note.clone());
        }
        drop(state);
        if is_new {
            self.bell.ring();
        }
    }
}

impl Heard {
    pub fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    /// Whether it may listen on `more` further channels.
    pub fn has_room(&self, more: usize) -> bool {
        self.mailbox.state().channels.len() + more <= MAX_CHANNELS
    }

    /// Hear a channel.
    pub fn listen(&self, channel: String) {
        self.mailbox.state().channels.insert(channel);
    }

    pub fn unlisten(&self, channel: &str) {
        self.mailbox.state().channels.remove(channel);
    }

    /// Hear of commits, or no longer.
    pub fn hear_commits(&self, is_on: bool) {
        self.mailbox.state().hears_commits = is_on;
    }

    /// Whether it hears nothing.
    pub fn is_idle(&self) -> bool {
        let state = self.mailbox.state();
        state.channels.is_empty() && !state.hears_commits && !state.is_lost
    }

    /// What has come.
    ///
    /// # Errors
    ///
    /// Where that was too much: it is gone.
    pub fn take(&self) -> Result<VecDeque<Arc<Note>>, Overflow> {
        let mut state = self.mailbox.state();
        if state.is_lost {
            return Err(Overflow);
        }
        state.bytes = 0;
        Ok(std::mem::take(&mut state.notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(channel: &str, payload: &str) -> Arc<Note> {
        Arc::new(Note { process: 1, channel: channel.to_owned(), payload: payload.to_owned() })
    }

    #[test]
    fn who_listens_gets_what_is_said() {
        let channels = Channels::default();
        let (one, two) = (channels.enter(1).unwrap(), channels.enter(2).unwrap());
        one.listen("a".to_owned());
        one.listen("b".to_owned());
        channels.tell(&[note("a", "1"), note("c", "2"), note("b", "3")]);
        one.unlisten("b");
        channels.tell(&[note("b", "4")]);
        let heard: Vec<_> = one.take().unwrap().iter().map(|note| note.payload.clone()).collect();
        assert_eq!(heard, ["1", "3"]);
        assert!(one.take().unwrap().is_empty() && two.take().unwrap().is_empty());
        channels.leave(&one);
        channels.tell(&[note("a", "5")]);
        assert!(one.take().unwrap().is_empty());
    }

    #[test]
    fn who_does_not_read_loses_all() {
        let channels = Channels::default();
        let one = channels.enter(1).unwrap();
        (1..MAX_CHANNELS).for_each(|channel| one.listen(channel.to_string()));
        assert!(one.has_room(1) && !one.has_room(2));
        one.listen("0".to_owned());
        let long = note("0", &"x".repeat(1 << 20));
        (0..5).for_each(|_| channels.tell(std::slice::from_ref(&long)));
        assert_eq!(one.take(), Err(Overflow));
        assert_eq!(one.mailbox.state().bytes, 0);
        let two = channels.enter(2).unwrap();
        two.listen("0".to_owned());
        let many = vec![note("0", ""); MAX_NOTES];
        channels.tell(&many);
        assert_eq!(two.take().unwrap().len(), MAX_NOTES);
        channels.tell(&many);
        channels.tell(&many[..1]);
        assert_eq!(two.take(), Err(Overflow));
    }
}
