//! Limits on sessions, and on clients that wait for one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::Error;
use crate::shares::{Party, Share, Shares};

/// How long a client waits for a session: most become free within milliseconds, and a client that
/// waits longer should get an error.
const MAX_WAIT: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5_000 });

/// A session's slot; free again when it is dropped.
#[derive(Debug)]
pub struct Slot {
    _permit: OwnedSemaphorePermit,
    _shares: Vec<Share>,
}

/// Sessions of the owner, by a Unix socket, beyond the others.
const OWNERS: usize = 4;

/// The slots of all sessions, and of the clients that wait: as many again.
#[derive(Debug, Clone)]
pub struct Slots {
    free: Arc<Semaphore>,
    owners: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    count: usize,
    shares_of_users: Arc<Shares>,
    shares_of_databases: Arc<Shares>,
    has_users: bool,
    has_databases: bool,
}

impl Slots {
    /// Create `count` slots. If there are several users, or several databases, each database has at most nine tenths,
    /// and a user nine tenths of that: one leaves room for others in a database, too.
    pub fn new(count: usize, has_users: bool, has_databases: bool) -> Self {
        let places = |count| Arc::new(Semaphore::new(count));
        let (free, waiting, owners) = (places(count), places(count), places(OWNERS));
        let share = |count: usize| if count > 1 { count - count.div_ceil(10) } else { count };
        let shares_of_databases = Shares::new(share(count));
        let shares_of_users = Shares::new(share(share(count)));
        Self {
            free,
            owners,
            waiting,
            count,
            shares_of_users,
            shares_of_databases,
            has_users,
            has_databases,
        }
    }

    /// Wait until all sessions have ended, and closed their connections. None begins any more.
    pub async fn all_free(&self) {
        let all = u32::try_from(self.count).unwrap_or(u32::MAX);
        if let Ok(all) = self.free.acquire_many(all).await {
            all.forget();
        }
        if let Ok(owners) = self.owners.acquire_many(OWNERS as u32).await {
            owners.forget();
        }
    }

    /// A slot at once, or when another client ends.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] where too many wait, none ends in time, or the user or the database has its share.
    pub async fn take(&self, user: &str, database: &str, is_owner: bool) -> Result<Slot, Error> {
        let owners = || self.owners.clone().try_acquire_owned().ok().filter(|_| is_owner);
        let at_once = || self.free.clone().try_acquire_owned().ok();
        if is_owner && let Some(permit) = at_once().or_else(owners) {
            return Ok(Slot { _permit: permit, _shares: Vec::new() });
        }
        let shares = self.shares(user, database).ok_or(Error::Full)?;
        if let Some(permit) = at_once() {
            return Ok(Slot { _permit: permit, _shares: shares });
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| Error::Full)?;
        match timeout(MAX_WAIT, self.free.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Slot { _permit: permit, _shares: shares }),
            _ => Err(Error::Full),
        }
    }

    fn shares(&self, user: &str, database: &str) -> Option<Vec<Share>> {
        let mut shares = Vec::new();
        if self.has_users {
            shares.push(self.shares_of_users.take(Party::User(user.to_owned()))?);
        }
        if self.has_databases {
            shares.push(self.shares_of_databases.take(Party::Database(database.to_owned()))?);
        }
        Some(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_too_long_or_too_many_are_refused() {
        let slots = Slots::new(1, true, true);
        let first = slots.take("a", "x", false).await.unwrap();
        let waits = tokio::spawn({
            let slots = slots.clone();
            async move { slots.take("a", "x", false).await }
        });
        tokio::task::yield_now().await;
        assert!(matches!(slots.take("a", "x", false).await, Err(Error::Full)));
        assert!(matches!(waits.await.unwrap(), Err(Error::Full)));
        // The owner gets in.
        assert!(slots.take("a", "x", true).await.is_ok());
        drop(first);
        assert!(slots.take("a", "x", false).await.is_ok());
    }

    #[tokio::test]
    async fn a_user_and_a_database_leave_some_for_others() {
        let slots = Slots::new(4, true, true);
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(slots.take("a", "x", false).await.unwrap());
        }
        assert!(matches!(slots.take("a", "x", false).await, Err(Error::Full)));
        // Another user of this database has room.
        held.push(slots.take("b", "x", false).await.unwrap());
        for (user, database) in [("a", "y"), ("b", "x")] {
            assert!(matches!(slots.take(user, database, false).await, Err(Error::Full)));
        }
        assert!(slots.take("b", "y", false).await.is_ok());
    }
}
