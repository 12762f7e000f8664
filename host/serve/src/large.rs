//! Large requests, of which few are in memory at a time: a decoded request takes up to twenty times
//! its bytes (`{"stmt":{}}` is a list of lists).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use crate::session::error::{Error, Result};
use crate::shares::{Party, Share, Shares};

/// Maximum size of a small request, in bytes. Each connection may have one.
const SMALL: usize = 64 << 10;

/// Large requests at a time.
const MAX_LARGE: usize = 8;

/// How long a further one waits.
const MAX_WAIT: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5_000 });

/// How often a user looks for one of his share.
const PAUSE: Duration = Duration::from_millis(10);

/// Room for a request, until it is dropped.
#[derive(Debug)]
pub struct Room(Option<(OwnedSemaphorePermit, Option<Share>)>);

impl Room {
    /// Whether it is room for a large request.
    pub fn is_large(&self) -> bool {
        self.0.is_some()
    }
}

/// The room for large requests.
#[derive(Debug)]
pub struct Large {
    free: Arc<Semaphore>,
    /// `None` if there is only one user.
    shares: Option<Arc<Shares>>,
}

impl Large {
    /// The room of all, of which a user has half where there are several.
    pub fn new(has_users: bool) -> Self {
        let free = Arc::new(Semaphore::new(MAX_LARGE));
        Self { free, shares: has_users.then(|| Shares::new(MAX_LARGE / 2)) }
    }

    /// Room for a user's request of this size; without a size it may be large.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] where the large ones before it take too long, or are the user's share.
    pub async fn room(&self, bytes: Option<usize>, user: &str) -> Result<Room> {
        if bytes.is_some_and(|bytes| bytes <= SMALL) {
            return Ok(Room(None));
        }
        let room = async {
            let share = match &self.shares {
                Some(shares) => Some(self.share(shares, user).await),
                None => None,
            };
            Some((self.free.clone().acquire_owned().await.ok()?, share))
        };
        match timeout(MAX_WAIT, room).await {
            Ok(Some(room)) => Ok(Room(Some(room))),
            _ => Err(Error::Full),
        }
    }

    async fn share(&self, shares: &Arc<Shares>, user: &str) -> Share {
        loop {
            match shares.take(Party::User(user.to_owned())) {
                Some(share) => return share,
                None => sleep(PAUSE).await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn small_requests_need_no_room() {
        let large = Large::new(false);
        let mut held = Vec::new();
        for _ in 0..MAX_LARGE {
            held.push(large.room(Some(SMALL + 1), "a").await.unwrap());
        }
        assert!(large.room(Some(SMALL), "a").await.is_ok());
        assert!(large.room(None, "a").await.is_err());
        held.pop();
        assert!(large.room(None, "a").await.is_ok());
    }

    #[tokio::test]
    async fn a_user_leaves_half_for_others() {
        let large = Large::new(true);
        let mut held = Vec::new();
        for _ in 0..MAX_LARGE / 2 {
            held.push(large.room(None, "a").await.unwrap());
        }
        assert!(large.room(None, "a").await.is_err() && large.room(None, "b").await.is_ok());
    }
}
