//! The hooks of a connection, as the sandbox calls them. Its bytes may be anything.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use runtime::database::wire::library::{Call, Function, Hook};
use runtime::database::wire::{Reader, Value};
use runtime::database::{Callback, Event};

use crate::error::Result;
use crate::session::Session;

/// What a hook does with its arguments; an integer for SQLite.
pub type Hooked = Box<dyn FnMut(&mut Reader) -> Result<i32> + Send>;

/// SQLITE_DENY: the reply of an authorizer that fails.
const DENY: i32 = 1;

/// The hooks, by their numbers.
#[derive(Default)]
pub struct Hooks(Mutex<[Option<Hooked>; Hook::COUNT]>);

impl Hooks {
    fn take(&self, place: usize) -> Option<Hooked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(place)?.take()
    }

    fn put(&self, place: usize, hook: Option<Hooked>) -> Option<Hooked> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut all[place], hook)
    }

    fn run(&self, event: u8, arguments: &mut Reader) -> i32 {
        let place = usize::from(event.wrapping_sub(Hook::FIRST_EVENT));
        let failed = if place == Hook::Authorizer as usize { DENY } else { 0 };
        // Not locked meanwhile: what it does may call another one.
        let Some(mut hook) = self.take(place) else { return failed };
        let reply = catch_unwind(AssertUnwindSafe(|| hook(arguments).unwrap_or(failed)));
        self.put(place, Some(hook));
        reply.unwrap_or(failed)
    }
}

impl Callback for Hooks {
    fn call(&self, _: Event, bytes: &[u8]) -> std::result::Result<Value<Vec<u8>>, (i32, String)> {
        let mut from = Reader(bytes);
        // The event, and the connection that has only these hooks.
        let reply = match (from.u8(), from.u32()) {
            (Ok(event), Ok(_)) => self.run(event, &mut from),
            _ => 0,
        };
        Ok(Value::Blob(reply.to_le_bytes().to_vec()))
    }
}

impl Session {
    /// Set, replace or remove a hook. `number` is a hook's own.
    pub fn set_hook(&self, hook: Hook, call: Option<Hooked>, number: u32) -> Result<()> {
        let (hooks, _) = self.connected()?;
        let is_set = call.is_some();
        // Dropped when SQLite does not call it any more.
        let _old = hooks.put(hook as usize, call);
        let set = Call::new(Function::Hook).u8(hook as u8).u8(is_set.into()).u32(number);
        self.call(&set, |_| Ok(()))
    }

    /// Let SQLite call the hooks of this connection, once.
    fn connected(&self) -> Result<&(Arc<Hooks>, u32)> {
        if let Some(connected) = self.hooks.get() {
            return Ok(connected);
        }
        let hooks = Arc::new(Hooks::default());
        let address = self.address_of(self.connection, self.add(hooks.clone()))?;
        Ok(self.hooks.get_or_init(|| (hooks, address)))
    }

    /// Where the sandbox has this connection.
    pub fn address(&self) -> Result<u32> {
        Ok(self.connected()?.1)
    }

    /// SQLite calls no hook when it closes the connection.
    pub fn clear_hooks(&self) -> Result<()> {
        let all = [
            Hook::Busy,
            Hook::Commit,
            Hook::Rollback,
            Hook::Update,
            Hook::Preupdate,
            Hook::Wal,
            Hook::Authorizer,
            Hook::Trace,
        ];
        let set = |hook: &Hook| {
            let (hooks, _) = self.hooks.get()?;
            hooks.put(*hook as usize, None).map(|_| self.set_hook(*hook, None, 0))
        };
        all.iter().filter_map(set).collect()
    }
}
