//! Limits on the number of sessions, and of clients that wait for one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::Error;

/// How long a client waits for a session: most become free within milliseconds, and a client that
/// waits longer should get an error.
const MAX_WAIT: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5_000 });

/// A session's place; free again when it is dropped.
#[derive(Debug)]
pub struct Slot(#[expect(dead_code, reason = "dropped")] OwnedSemaphorePermit);

/// The places of all sessions, and of those who wait: as many again.
#[derive(Debug, Clone)]
pub struct Slots {
    free: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    count: usize,
}

impl Slots {
    pub fn new(count: usize) -> Self {
        let places = || Arc::new(Semaphore::new(count));
        Self { free: places(), waiting: places(), count }
    }

    /// Wait until all sessions have ended, and closed their connections. None begins any more.
    pub async fn all_free(&self) {
        let all = u32::try_from(self.count).unwrap_or(u32::MAX);
        if let Ok(all) = self.free.acquire_many(all).await {
            all.forget();
        }
    }

    /// A place at once, or when another client ends.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] where too many wait, or none ends in time.
    pub async fn take(&self) -> Result<Slot, Error> {
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Ok(Slot(permit));
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| Error::Full)?;
        match timeout(MAX_WAIT, self.free.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Slot(permit)),
            _ => Err(Error::Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_too_long_or_too_many_are_refused() {
        let slots = Slots::new(1);
        let first = slots.take().await.unwrap();
        let waits = tokio::spawn({
            let slots = slots.clone();
            async move { slots.take().await }
        });
        tokio::task::yield_now().await;
        assert!(matches!(slots.take().await, Err(Error::Full)));
        assert!(matches!(waits.await.unwrap(), Err(Error::Full)));
        drop(first);
        assert!(slots.take().await.is_ok());
    }
}
