//! Descriptors with locks, for a program that forks: its child shares them, and a lock lasts until
//! the last copy is closed. So the child closes its copies at once; mappings are not inherited.

use std::cell::RefCell;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Mutex, MutexGuard};

use crate::limits::call_clock::{self, Clock};

/// All that are open.
static HELD: Mutex<Vec<RawFd>> = Mutex::new(Vec::new());

thread_local! {
    /// The list and the clock while this thread forks: the child gets both in a usable state.
    static FORKING: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

type Kept = (MutexGuard<'static, Vec<RawFd>>, MutexGuard<'static, Clock>);

/// A descriptor that a child must close, until this is dropped.
#[derive(Debug)]
pub struct Held(RawFd);

impl Held {
    /// Name a descriptor. It is closed after this is dropped.
    pub fn new(file: &impl AsRawFd) -> Self {
        let descriptor = file.as_raw_fd();
        list().push(descriptor);
        Self(descriptor)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = list();
        if let Some(at) = held.iter().position(|descriptor| *descriptor == self.0) {
            held.swap_remove(at);
        }
    }
}

fn list() -> MutexGuard<'static, Vec<RawFd>> {
    HELD.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Before a fork: the list does not change until [`after_in_parent`] or [`after_in_child`].
pub fn before() {
    FORKING.set(Some((list(), call_clock::clock())));
}

/// In the parent after a fork.
pub fn after_in_parent() {
    FORKING.set(None);
}

/// In the child after a fork: `close` closes each descriptor; nothing uses them any more.
pub fn after_in_child(close: impl Fn(RawFd)) {
    if let Some((mut held, _clock)) = FORKING.take() {
        held.drain(..).for_each(close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_closes_what_is_held() {
        let (first, second) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        let held = (Held::new(&first), Held::new(&second));
        drop(held.0);
        before();
        let closed = RefCell::new(Vec::new());
        after_in_child(|descriptor| closed.borrow_mut().push(descriptor));
        assert!(closed.borrow().contains(&second.as_raw_fd()));
        before();
        after_in_parent();
        drop(held.1);
    }
}
