//! The work on the fiber of an instance: it owns the store, and performs the program's calls.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context, Result};
use wasmtime::Store;
use wasmtime::component::{InstancePre, TypedFunc, WasmList};

use super::exports::Exports;
use super::fiber::Exit;
use super::host::Host;
use super::messages::{Call, InlineOperations, Input, Output};
use super::time;
use crate::contract::types::SqlError;
use crate::extensions::trap_message;

/// Longest reply of one call, in bytes: SQLite's longest value. The component chooses the length,
/// and the host makes a copy.
pub const MAX_REPLY_BYTES: usize = 1 << 30;

type Reply = (Result<WasmList<u8>, SqlError>,);

/// A store with an instance that has not trapped.
struct Live {
    store: Store<Host>,
    perform: TypedFunc<(u32, Vec<u8>), Reply>,
    perform_inline: TypedFunc<(u32, InlineOperations), Reply>,
}

/// Create an instance in `store`, and perform calls until the end.
pub fn run(
    mut store: Store<Host>,
    pre: &InstancePre<Host>,
    exports: &Exports,
    exit: Exit<Input, Output>,
) {
    store.data_mut().exit = Some(exit);
    let mut live = match Live::start(store, pre, exports) {
        Ok(live) => live,
        Err((store, error)) => return last(store, Output::Started(Err(error))),
    };
    let mut output = Output::Started(Ok(()));
    loop {
        let exit = live.store.data().exit.as_ref();
        let Some(Input::Perform(mut call)) = exit.map(|exit| exit.leave(output)) else { return };
        // The host's code does not panic; if it did, only this instance would end.
        let performed = catch_unwind(AssertUnwindSafe(|| live.perform(&mut call)));
        output = match performed {
            Ok(Ok(())) => Output::Performed(call),
            Ok(Err(trap)) => {
                let why = trap_message(&trap, &live.store.data().log.contents());
                return last(live.store, Output::Trapped(why));
            }
            Err(_) => return last(live.store, Output::Trapped("the host panicked".to_owned())),
        };
    }
}

/// Leave the fiber for the last time, after closing the files and locks of the instance.
fn last(mut store: Store<Host>, output: Output) {
    let exit = store.data_mut().exit.take();
    drop(store);
    if let Some(exit) = exit {
        exit.leave(output);
    }
}

impl Live {
    fn start(
        mut store: Store<Host>,
        pre: &InstancePre<Host>,
        exports: &Exports,
    ) -> Result<Self, (Store<Host>, anyhow::Error)> {
        let functions = catch_unwind(AssertUnwindSafe(|| {
            let instance = pre.instantiate(&mut store)?;
            let perform = instance.get_typed_func(&mut store, exports.perform)?;
            Ok((perform, instance.get_typed_func(&mut store, exports.perform_inline)?))
        }));
        let functions = functions.unwrap_or_else(|_| wasmtime::bail!("the host panicked"));
        let functions = functions.map_err(anyhow::Error::from);
        match functions.context("failed to start the database within its limits") {
            Ok((perform, perform_inline)) => Ok(Self { store, perform, perform_inline }),
            Err(error) => Err((store, error)),
        }
    }

    fn perform(&mut self, call: &mut Call) -> wasmtime::Result<()> {
        let store = &mut self.store;
        time::begin(store, call.statement_end);
        let (result,) = match InlineOperations::new(&call.operations) {
            Some(few) => self.perform_inline.call(&mut *store, (call.connection, few))?,
            None => {
                let many = std::mem::take(&mut call.operations);
                self.perform.call(&mut *store, (call.connection, many))?
            }
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
            Err(error) => Err(store.data_mut().failure(error)),
        };
        Ok(())
    }
}
