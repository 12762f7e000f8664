//! Shares of what all clients have in common: nobody takes the last of it, so that something is left
//! for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who takes from what all share.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Party {
    User(String),
    Database(String),
}

/// How much each party has taken.
#[derive(Debug)]
pub struct Shares {
    most: usize,
    taken: Mutex<HashMap<Party, usize>>,
}

/// One that was taken, until it is dropped.
#[derive(Debug)]
pub struct Share {
    party: Party,
    of: Arc<Shares>,
}

impl Shares {
    /// Each party takes at most this many.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// One more for a party; `None` if it has its share.
    pub fn take(self: &Arc<Self>, party: Party) -> Option<Share> {
        let mut taken = self.taken();
        let count = taken.entry(party.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Share { party, of: self.clone() })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Party, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.of.taken();
        if let Some(count) = taken.get_mut(&self.party) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.party);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_takes_its_share_only() {
        let shares = Shares::new(2);
        let take = |name: &str| shares.take(Party::User(name.to_owned()));
        let held = [take("a"), take("a")];
        assert!(held.iter().all(Option::is_some) && take("a").is_none() && take("b").is_some());
        // A database of the same name is another party.
        assert!(shares.take(Party::Database("a".to_owned())).is_some());
        drop(held);
        assert!(take("a").is_some());
        assert!(shares.taken().is_empty());
    }
}
