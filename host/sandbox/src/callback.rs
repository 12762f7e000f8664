//! Callbacks of the sandbox: closures of the program, one call at a time.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, TryLockError};

use runtime::database::wire::{Value, code};
use runtime::database::{Callback, Event, Returned};

/// A value for SQL, or a result code and a message.
pub type Outcome = Result<Value<Vec<u8>>, (i32, String)>;

/// A closure that is called with values from the sandbox, which can be any bytes.
pub trait Called: Send {
    /// Called for `event`.
    fn call(&mut self, event: Event, bytes: &[u8]) -> Outcome;
}

struct Exclusive<C>(Mutex<C>);

/// A callback of an instance.
pub fn callback(called: impl Called + 'static) -> Arc<dyn Callback> {
    Arc::new(Exclusive(Mutex::new(called)))
}

impl<C: Called> Callback for Exclusive<C> {
    fn call(&self, event: Event, bytes: &[u8]) -> Returned<'_> {
        let returned = match self.0.try_lock() {
            Ok(mut called) => called.call(event, bytes),
            // It has panicked before, which SQL has received as an error.
            Err(TryLockError::Poisoned(called)) => called.into_inner().call(event, bytes),
            Err(TryLockError::WouldBlock) => {
                Err((code::MISUSE, "the program's function is called by its own SQL".to_owned()))
            }
        };
        returned.map(|value| value.map(Cow::Owned))
    }
}
