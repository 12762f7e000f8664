//! The hooks of a connection, as the sandbox calls them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use runtime::database::wire::{Event, Operations, Reader};

use crate::client::EngineClient;
use crate::error::Result;

/// Decodes the arguments and calls the hook; an integer for SQLite.
pub type Hooked = Box<dyn FnMut(&mut Reader) -> Result<i32> + Send>;

/// SQLITE_DENY: the result of an authorizer that fails.
const DENY: i32 = 1;

/// A hook, and how often it was replaced.
#[derive(Default)]
struct Place {
    hook: Option<Hooked>,
    changes: u64,
}

/// The hooks, by index.
#[derive(Default)]
pub struct Hooks(Mutex<[Place; Event::HOOKS]>);

impl Hooks {
    fn all(&self) -> MutexGuard<'_, [Place; Event::HOOKS]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, place: usize) -> Option<(Hooked, u64)> {
        let mut all = self.all();
        let place = all.get_mut(place)?;
        Some((place.hook.take()?, place.changes))
    }

    fn put(&self, place: usize, hook: Option<Hooked>) -> Option<Hooked> {
        let place = &mut self.all()[place];
        place.changes += 1;
        std::mem::replace(&mut place.hook, hook)
    }

    /// Put back a hook that was taken, unless it was replaced or removed meanwhile.
    fn restore(&self, place: usize, hook: Hooked, changes: u64) {
        let place = &mut self.all()[place];
        if place.changes == changes {
            place.hook = Some(hook);
        }
    }

    /// Call the hook of an event. Returns its result.
    pub fn run(&self, event: Event, arguments: &mut Reader) -> i32 {
        let place = Event::hook(event as u8);
        let failed = if event == Event::Authorizer { DENY } else { 0 };
        // Not locked during the call: the hook may cause calls of other hooks.
        let Some((mut hook, changes)) = self.take(place) else { return failed };
        let reply = catch_unwind(AssertUnwindSafe(|| hook(arguments).unwrap_or(failed)));
        self.restore(place, hook, changes);
        reply.unwrap_or(failed)
    }
}

impl EngineClient {
    /// Set, replace or remove a hook. `number` is an argument of some hooks.
    pub fn set_hook(&self, hook: Event, call: Option<Hooked>, number: u32) -> Result<()> {
        let hooks = &self.events()?.hooks;
        let is_set = call.is_some();
        // Drop the old one only after SQLite has stopped calling it.
        let _old = hooks.put(Event::hook(hook as u8), call);
        let set = Operations::default().call_hook(hook as u8, is_set, number);
        self.call(&set, |_| Ok(()))
    }

    /// Remove all hooks: SQLite calls none when it closes the connection.
    pub fn clear_hooks(&self) -> Result<()> {
        let all = [
            Event::Busy,
            Event::Commit,
            Event::Rollback,
            Event::Update,
            Event::Preupdate,
            Event::Wal,
            Event::Authorizer,
            Event::Trace,
            Event::Changes,
        ];
        let set = |hook: &Event| {
            let (events, _) = self.events.get()?;
            let hooks = &events.hooks;
            hooks.put(Event::hook(*hook as u8), None).map(|_| self.set_hook(*hook, None, 0))
        };
        all.iter().filter_map(set).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const COMMIT: usize = Event::hook(Event::Commit as u8);

    fn called(hooks: &Hooks) -> i32 {
        hooks.run(Event::Commit, &mut Reader(&[]))
    }

    /// A hook that replaces itself while it runs.
    fn sets(hooks: &Arc<Hooks>, make: fn() -> Option<Hooked>) -> Option<Hooked> {
        let hooks = hooks.clone();
        Some(Box::new(move |_| {
            hooks.put(COMMIT, make());
            Ok(1)
        }))
    }

    #[test]
    fn stays_after_a_call() {
        let hooks = Hooks::default();
        hooks.put(COMMIT, Some(Box::new(|_| Ok(3))));
        assert_eq!((called(&hooks), called(&hooks)), (3, 3));
    }

    #[test]
    fn removes_itself() {
        let hooks = Arc::new(Hooks::default());
        hooks.put(COMMIT, sets(&hooks, || None));
        assert_eq!((called(&hooks), called(&hooks)), (1, 0));
    }

    #[test]
    fn replaces_itself() {
        let hooks = Arc::new(Hooks::default());
        hooks.put(COMMIT, sets(&hooks, || Some(Box::new(|_| Ok(2)))));
        assert_eq!((called(&hooks), called(&hooks), called(&hooks)), (1, 2, 2));
    }
}
