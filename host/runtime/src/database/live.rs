//! The work on the fiber of an instance: it owns the store, and performs the program's calls.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result};
use wasmtime::Store;
use wasmtime::component::{InstancePre, TypedFunc, WasmList};
use wire::room::{MAX_UNASKED, ask};

use super::exports::Exports;
use super::fiber::Exit;
use super::host::Host;
use super::mailbox::{Mailbox, Room};
use super::messages::{Call, Input, Output};
use super::process::Continued;
use super::time;
use crate::contract::types::SqlError;
use crate::extensions::trap_message;
use crate::imports::data::Data;
use crate::limits::statement::Running;

/// Longest reply of one call, in bytes: SQLite's longest value. The component chooses the length,
/// and the host makes a copy.
pub const MAX_REPLY_BYTES: usize = 1 << 30;

type Reply = (Result<WasmList<u8>, SqlError>,);

/// A store with an instance that has not trapped.
struct Live {
    store: Store<Data>,
    perform: TypedFunc<(u32, Vec<u8>), Reply>,
    perform_in_mailbox: TypedFunc<(u32, u32), (u32,)>,
    last_reply: TypedFunc<(), Reply>,
    mailbox: Mailbox,
}

/// Create an instance in `store`, and perform calls until the end.
pub fn run(
    mut store: Store<Data>,
    pre: &InstancePre<Data>,
    exports: &Exports,
    exit: Exit<Input, Output>,
) {
    store.data_mut().of_mut::<Host>().exit = Some(exit);
    let mut live = match Live::start(store, pre, exports) {
        Ok(live) => live,
        Err((store, error)) => return last(store, Output::Started(Err(error))),
    };
    let mut output = Output::Started(Ok(()));
    loop {
        let exit = live.store.data().of::<Host>().exit.as_ref();
        let Some(Input::Perform(mut call)) = exit.map(|exit| exit.leave(output)) else { return };
        // The host's code does not panic; if it did, only this instance would end.
        let performed = catch_unwind(AssertUnwindSafe(|| live.perform(&mut call)));
        output = match performed {
            Ok(Ok(())) => Output::Performed(call),
            Ok(Err(trap)) => {
                let why = trap_message(&trap, &live.store.data().of::<Host>().log.contents());
                let reason = trap.downcast_ref::<Continued>().map(|Continued(reason)| *reason);
                return last(live.store, Output::Trapped(why, reason));
            }
            Err(_) => {
                return last(live.store, Output::Trapped("the host panicked".to_owned(), None));
            }
        };
    }
}

/// Leave the fiber for the last time, after closing the files and locks of the instance.
fn last(mut store: Store<Data>, output: Output) {
    let exit = store.data_mut().of_mut::<Host>().exit.take();
    drop(store);
    if let Some(exit) = exit {
        exit.leave(output);
    }
}

impl Live {
    fn start(
        mut store: Store<Data>,
        pre: &InstancePre<Data>,
        exports: &Exports,
    ) -> Result<Self, (Store<Data>, anyhow::Error)> {
        let started = catch_unwind(AssertUnwindSafe(|| {
            let instance = pre.instantiate(&mut store)?;
            let share = instance
                .get_typed_func::<(&Room, &Room), ()>(&mut store, exports.share_mailboxes)?;
            let (operations, events) = (Room::default(), Room::default());
            share.call(&mut store, (&operations, &events))?;
            store.data_mut().of_mut::<Host>().events = Some(events.mailbox()?);
            Ok((
                instance.get_typed_func(&mut store, exports.perform)?,
                instance.get_typed_func(&mut store, exports.perform_in_mailbox)?,
                instance.get_typed_func(&mut store, exports.last_reply)?,
                operations.mailbox()?,
            ))
        }));
        let started = started.unwrap_or_else(|_| wasmtime::bail!("the host panicked"));
        let started = started.map_err(anyhow::Error::from);
        match started.context("failed to start the database within its limits") {
            Ok((perform, perform_in_mailbox, last_reply, mailbox)) => {
                Ok(Self { store, perform, perform_in_mailbox, last_reply, mailbox })
            }
            Err(error) => Err((store, error)),
        }
    }

    fn perform(&mut self, call: &mut Call) -> wasmtime::Result<()> {
        let store = &mut self.store;
        time::begin(store, call.statement_end);
        let process = &store.data().of::<Host>().process;
        let end = process.next_end().map(|(end, _)| end);
        let _running = Running::begin(end, process.interrupter.clone());
        let (result,) = match self.mailbox.put(&call.operations) {
            Some(count) => {
                let (count,) =
                    self.perform_in_mailbox.call(&mut *store, (call.connection, count))?;
                if self.mailbox.take(count, &mut call.reply) {
                    call.result = Ok(());
                    return Ok(());
                }
                self.last_reply.call(&mut *store, ())?
            }
            None if has_room(&self.perform_in_mailbox, &mut self.mailbox, &mut *store, call)? => {
                let many = std::mem::take(&mut call.operations);
                self.perform.call(&mut *store, (call.connection, many))?
            }
            None => self.last_reply.call(&mut *store, ())?,
        };
        call.result = match result {
            Ok(list) => {
                let bytes = list.as_le_slice(&*store);
                if bytes.len() > MAX_REPLY_BYTES {
                    return Err(wasmtime::format_err!("its reply is too long"));
                }
                call.reply.extend_from_slice(bytes);
                Ok(())
            }
            Err(error) => Err(store.data_mut().of_mut::<Host>().failure(error)),
        };
        Ok(())
    }
}

/// Whether the component has memory for the operations. What the host allocates there it cannot refuse:
/// it traps.
fn has_room(
    perform: &TypedFunc<(u32, u32), (u32,)>,
    mailbox: &mut Mailbox,
    store: &mut Store<Data>,
    call: &mut Call,
) -> wasmtime::Result<bool> {
    if call.operations.len() <= MAX_UNASKED {
        return Ok(true);
    }
    let count = mailbox.put(&ask(call.operations.len())).unwrap_or_default();
    let (count,) = perform.call(store, (call.connection, count))?;
    Ok(mailbox.take(count, &mut call.reply))
}
