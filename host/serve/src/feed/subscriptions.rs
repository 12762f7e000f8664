//! How many streams of events there are.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::shares::{Party, Share, Shares};

/// Streams of events of a server; each is a task and what is on its way to its client, 64 KiB.
const MAX_STREAMS: usize = 256;

/// Those of a user, where there are several.
const MAX_OF_USER: usize = 128;

/// The streams of a server.
#[derive(Debug)]
pub struct Subscriptions {
    free: Arc<Semaphore>,
    shares: Option<Arc<Shares>>,
}

/// That of a client, until it is dropped.
#[derive(Debug)]
pub struct Subscription {
    _permit: OwnedSemaphorePermit,
    _share: Option<Share>,
}

impl Subscriptions {
    pub fn new(has_users: bool) -> Self {
        let shares = has_users.then(|| Shares::new(MAX_OF_USER));
        Self { free: Arc::new(Semaphore::new(MAX_STREAMS)), shares }
    }

    /// Add one for a user; `None` if there are too many.
    pub fn take(&self, user: &str) -> Option<Subscription> {
        let share = match &self.shares {
            Some(shares) => Some(shares.take(Party::User(user.to_owned()))?),
            None => None,
        };
        let permit = self.free.clone().try_acquire_owned().ok()?;
        Some(Subscription { _permit: permit, _share: share })
    }
}
