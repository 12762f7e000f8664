//! Streams over HTTP, between two requests: each waits under its baton, which works once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use super::texts::Texts;
use crate::auth::{self, TokenHash};
use crate::session::Session;
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

/// The streams that wait for their next request. There are at most as many as sessions.
#[derive(Debug, Default)]
pub struct Streams(Mutex<HashMap<TokenHash, Stream>>);

impl Streams {
    /// Keep a stream, and get its baton.
    ///
    /// # Errors
    ///
    /// When the system has no random numbers.
    pub fn keep(&self, stream: Stream) -> Result<String> {
        let baton = auth::secret().map_err(|error| Error::Request(error.to_string()))?;
        self.all().insert(auth::hash(&baton), stream);
        Ok(baton)
    }

    /// The stream with this baton, if it is this user's and this database's.
    ///
    /// # Errors
    ///
    /// Where there is none: one error for all reasons.
    pub fn take(&self, baton: &str, user: &str, database: &str) -> Result<Stream> {
        let key = auth::hash(baton);
        let mut all = self.all();
        let is_own = |stream: &Stream| stream.user == user && stream.database == database;
        let stream = match all.get(&key).is_some_and(is_own) {
            true => all.remove(&key),
            false => None,
        };
        stream.ok_or_else(|| Error::Request("the baton is wrong, or has expired".to_owned()))
    }

    /// Forget the streams whose sessions have ended, until the server ends.
    pub async fn forget_ended(self: Arc<Self>) {
        loop {
            sleep(SWEEP).await;
            self.all().retain(|_, stream| !stream.session.has_ended());
        }
    }

    /// End all streams.
    pub fn close(&self) {
        self.all().clear();
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<TokenHash, Stream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
