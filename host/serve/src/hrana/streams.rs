//! Streams over HTTP, between two requests: each waits under its baton, which works once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use access::token::{self, TokenHash};
use tokio::time::sleep;

use super::texts::Texts;
use crate::session::Session;
use crate::session::control::Ended;
use crate::session::error::{Error, Result};

/// Interval at which streams that have ended are looked for. Their sessions are free already.
const SWEEP: Duration = Duration::from_secs(1);

/// A stream: a session, and who uses it.
#[derive(Debug)]
pub struct Stream {
    pub session: Session,
    pub texts: Arc<Mutex<Texts>>,
    pub user: String,
    pub database: String,
}

/// Ends of streams that are remembered, so that a client learns why its stream is gone.
const MAX_ENDS: usize = 1024;

/// The streams that wait for their next request. There are at most as many as sessions.
#[derive(Debug, Default)]
pub struct Streams {
    open: Mutex<HashMap<TokenHash, Stream>>,
    ends: Mutex<VecDeque<End>>,
}

/// Why a stream has ended, for the user and the database of its baton.
#[derive(Debug)]
struct End {
    baton: TokenHash,
    user: String,
    database: String,
    why: Ended,
}

impl Streams {
    /// Keep a stream, and get its baton.
    ///
    /// # Errors
    ///
    /// When the system provides no randomness.
    pub fn keep(&self, stream: Stream) -> Result<String> {
        let baton = token::secret().map_err(|error| Error::Request(error.to_string()))?;
        self.all().insert(token::hash(&baton), stream);
        Ok(baton)
    }

    /// The stream with this baton, if it is this user's and this database's.
    ///
    /// # Errors
    ///
    /// Why the stream has ended: by that code clients open a new one. Otherwise one error for all
    /// reasons.
    pub fn take(&self, baton: &str, user: &str, database: &str) -> Result<Stream> {
        let key = token::hash(baton);
        let mut all = self.all();
        let is_own = |stream: &Stream| stream.user == user && stream.database == database;
        let stream = if all.get(&key).is_some_and(is_own) { all.remove(&key) } else { None };
        drop(all);
        let stream = stream.ok_or_else(|| self.why_gone(&key, user, database))?;
        match stream.session.ended() {
            None => Ok(stream),
            Some(why) => {
                self.remember(key, stream.user, stream.database, why);
                Err(Error::Ended(why))
            }
        }
    }

    /// The stream of this baton has ended meanwhile.
    pub fn has_ended(&self, baton: &str, stream: Stream, why: Ended) {
        self.remember(token::hash(baton), stream.user, stream.database, why);
    }

    fn remember(&self, baton: TokenHash, user: String, database: String, why: Ended) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        remember(&mut ends, End { baton, user, database, why });
    }

    fn why_gone(&self, key: &TokenHash, user: &str, database: &str) -> Error {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |end: &&End| end.baton == *key && end.user == user && end.database == database;
        let unknown = || Error::Request("the baton is wrong, or was used before".to_owned());
        ends.iter().find(is_it).map_or_else(unknown, |end| Error::Ended(end.why))
    }

    /// Forget the streams whose sessions have ended, until the server ends.
    pub async fn forget_ended(self: Arc<Self>) {
        loop {
            sleep(SWEEP).await;
            self.forget();
        }
    }

    fn forget(&self) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = |_: &TokenHash, stream: &mut Stream| stream.session.has_ended();
        for (baton, Stream { session, user, database, .. }) in self.all().extract_if(ended) {
            let Some(why) = session.ended() else { continue };
            remember(&mut ends, End { baton, user, database, why });
        }
    }

    /// End all streams.
    pub fn close(&self) {
        self.all().clear();
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<TokenHash, Stream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remember(ends: &mut VecDeque<End>, end: End) {
    if ends.len() == MAX_ENDS {
        ends.pop_front();
    }
    ends.push_back(end);
}
