//! Keys with which another connection cancels a statement.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use ring::rand::{SecureRandom, SystemRandom};

use crate::session::control::Control;

/// The sessions that can be cancelled. A key has 63 random bits: its process, too, is a random
/// number.
#[derive(Debug, Default)]
pub struct Keys(Mutex<HashMap<i32, (u32, Arc<Control>)>>);

/// The key of a session, until it is dropped.
#[derive(Debug)]
pub struct Key {
    keys: Arc<Keys>,
    pub process: i32,
    pub secret: u32,
}

impl Keys {
    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<i32, (u32, Arc<Control>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A key for a session.
    ///
    /// # Errors
    ///
    /// When the system has no random numbers.
    pub fn add(self: &Arc<Self>, control: Arc<Control>) -> Result<Key> {
        let mut all = self.all();
        loop {
            let mut bytes = [0; 8];
            SystemRandom::new().fill(&mut bytes).ok().context("no random numbers")?;
            let number = u64::from_le_bytes(bytes);
            let (process, secret) = ((number >> 33) as i32, number as u32);
            if process > 0 && !all.contains_key(&process) {
                all.insert(process, (secret, control));
                return Ok(Key { keys: self.clone(), process, secret });
            }
        }
    }

    /// Cancel the statement of the session with this key. The sender does not learn whether it
    /// exists.
    pub fn cancel(&self, process: i32, secret: u32) {
        if let Some((known, control)) = self.all().get(&process)
            && *known == secret
        {
            control.interrupt();
        }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.keys.all().remove(&self.process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_end() {
        let keys = Arc::new(Keys::default());
        let one = keys.add(Arc::new(Control::new())).unwrap();
        let other = keys.add(Arc::new(Control::new())).unwrap();
        assert!(one.process > 0 && one.process != other.process);
        assert_ne!(one.secret, other.secret);
        keys.cancel(one.process, one.secret);
        drop(one);
        assert_eq!(keys.all().len(), 1);
    }
}
