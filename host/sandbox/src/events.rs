//! What SQLite calls outside the sandbox for a connection: its hooks, functions and collations. The
//! bytes come from the sandbox and can be malformed.

use std::mem;
use std::sync::Arc;

use runtime::database::Callback;
use runtime::database::wire::{Event, Reader, Writer};

use crate::client::EngineClient;
use crate::error::Result;
use crate::functions::Registered;
use crate::hooks::Hooks;

/// What the program has registered with a connection.
#[derive(Default)]
pub struct Events {
    pub hooks: Hooks,
    pub registered: Registered,
}

impl Events {
    /// Perform an event. Returns the integer of the reply; the rest is written.
    fn perform(&self, event: Event, from: &mut Reader, reply: &mut Writer) -> i32 {
        match event {
            Event::Scalar
            | Event::AggregateStep
            | Event::AggregateInverse
            | Event::AggregateValue
            | Event::AggregateFinal => match self.registered.call(event, from, reply) {
                Ok(()) => 0,
                Err(error) => {
                    let (code, message) = error.for_sql();
                    reply.bytes(message.as_bytes());
                    code
                }
            },
            Event::Compare => self.registered.compare(from),
            Event::Destroy => {
                if let Ok(id) = from.u32() {
                    self.registered.remove(id);
                }
                0
            }
            hook => self.hooks.run(hook, from),
        }
    }
}

impl Callback for Events {
    fn call(&self, arguments: &[u8], reply: &mut Vec<u8>) {
        let mut from = Reader(arguments);
        // The event, and the connection: there is one.
        let (Ok(event), Ok(_)) = (from.u8(), from.u32()) else { return };
        let Some(event) = Event::of(event) else { return };
        let mut written = Writer(mem::take(reply));
        written.u32(0);
        let code = self.perform(event, &mut from, &mut written);
        written.0[..size_of::<i32>()].copy_from_slice(&code.to_le_bytes());
        *reply = written.0;
    }
}

impl EngineClient {
    /// Connect SQLite to what the program registers with this connection, once.
    pub fn events(&self) -> Result<&Events> {
        Ok(&self.connected()?.0)
    }

    /// The address of this connection in the sandbox.
    pub fn address(&self) -> Result<u32> {
        Ok(self.connected()?.1)
    }

    fn connected(&self) -> Result<&(Arc<Events>, u32)> {
        if let Some(connected) = self.events.get() {
            return Ok(connected);
        }
        let events = Arc::new(Events::default());
        let address = self.address_of(self.connection, self.add(events.clone()))?;
        Ok(self.events.get_or_init(|| (events, address)))
    }
}
