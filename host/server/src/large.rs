//! Large requests, of which few are in memory at a time: a decoded request takes up to twenty times
//! its bytes (`{"stmt":{}}` is a list of lists).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::session::error::{Error, Result};

/// Maximum size of a small request, in bytes. Each connection may have one.
const SMALL: usize = 64 << 10;

/// Large requests at a time.
const MAX_LARGE: usize = 8;

/// How long a further one waits.
const MAX_WAIT: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5_000 });

/// Room for a request, until it is dropped.
#[derive(Debug)]
pub struct Room(Option<OwnedSemaphorePermit>);

impl Room {
    /// Whether it is room for a large request.
    pub fn is_large(&self) -> bool {
        self.0.is_some()
    }
}

/// The room for large requests.
#[derive(Debug)]
pub struct Large(Arc<Semaphore>);

impl Default for Large {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_LARGE)))
    }
}

impl Large {
    /// Room for a request of this size; without a size it may be large.
    ///
    /// # Errors
    ///
    /// [`Error::Full`] where the large ones before it take too long.
    pub async fn room(&self, bytes: Option<usize>) -> Result<Room> {
        if bytes.is_some_and(|bytes| bytes <= SMALL) {
            return Ok(Room(None));
        }
        match timeout(MAX_WAIT, self.0.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Room(Some(permit))),
            _ => Err(Error::Full),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn small_requests_need_no_room() {
        let large = Large::default();
        let mut held = Vec::new();
        for _ in 0..MAX_LARGE {
            held.push(large.room(Some(SMALL + 1)).await.unwrap());
        }
        assert!(large.room(Some(SMALL)).await.is_ok());
        assert!(large.room(None).await.is_err());
        held.pop();
        assert!(large.room(None).await.is_ok());
    }
}
