//! Calling a function of an extension: directly, or so that the call can be suspended while it
//! waits for SQL.

use super::room::{Returned, taken};
use crate::contract::bindings::sqlite_wasm::host::dispatch::{InlineOutcome, Unfinished};
use crate::contract::types::{InlineArguments, InlineValue, Output, SqlError, check_arguments};
use crate::extensions::ExtensionsView;
use crate::extensions::sandbox::{
    Answer, FunctionHandle, Held, Instance, Ready, Suspendable, at_once,
};
use crate::words::received;

/// Call a function of an extension's interface: `interface.function(…)`. Returns the result, or why
/// it is not available yet.
///
/// If an instance replaces one that trapped, it is connected first. Then:
///
/// - `with ID = HANDLE`: the extension's id for the caller's HANDLE, for the arguments;
/// - `of ID = FUNCTION`: the same for a function, which may be registered only on connecting;
/// - `then CLOSURE`: called when the call is done, with its instance and result;
/// - `plain`: the extension's function cannot fail.
macro_rules! call {
    ($extension:expr, $interface:ident.$function:ident($($argument:expr),*)
        $(, with $id:ident = $handle:expr)? $(, of $function_id:ident = $called:expr)? $(, then $then:expr)? $(; $plain:ident)?) => {{
        let extension: &mut Instance = $extension;
        $(let $id = extension.id_of($handle)?;)?
        extension.ready()?;
        let then = then!($($then)?);
        match extension.instance()? {
            Ready::Direct(started) => {
                $(let $function_id = $called.id(started)?;)?
                let outcome = started.exports.$interface().and_then(|exports| {
                    exports.$function(&mut started.store $(, $argument)*)
                });
                let answer = extension.concluded(answer!(outcome $($plain)?));
                then(extension, answer).map_err(Unfinished::Failed)
            }
            Ready::Suspendable(mut started) => extension.begin(async move {
                let outcome: wasmtime::Result<Answer<_>> = async {
                    if let Err(failure) = started.reconnect().await? {
                        return Ok(Err(failure));
                    }
                    $(let $function_id = match $called.id(&started) {
                        Ok(id) => id,
                        Err(failure) => return Ok(Err(failure)),
                    };)?
                    let exports = started.exports.$interface()?;
                    let outcome = exports.$function(&mut started.store $(, $argument)*).await;
                    answer!(outcome $($plain)?)
                }
                .await;
                (started, outcome)
            }, then),
        }
    }};
}

macro_rules! then {
    () => {
        |_: &mut Instance, answer| answer
    };
    ($then:expr) => {
        $then
    };
}

macro_rules! answer {
    ($outcome:ident) => {
        $outcome
    };
    ($outcome:ident plain) => {
        $outcome.map(Ok)
    };
}

/// Call a function that cannot use SQL, so the call cannot be suspended. It fails only by trapping.
macro_rules! call_at_once {
    ($extension:expr, $interface:ident.$function:ident($($argument:expr),*)) => {{
        let extension: &mut Instance = $extension;
        match extension.instance()? {
            Ready::Direct(started) => {
                let outcome = started.exports.$interface().and_then(|exports| {
                    exports.$function(&mut started.store $(, $argument)*)
                });
                extension.concluded(outcome.map(Ok))
            }
            Ready::Suspendable(mut started) => {
                let outcome = started.exports.$interface().and_then(|exports| {
                    at_once(exports.$function(&mut started.store $(, $argument)*))
                });
                extension.concluded_at_once(started, outcome)
            }
        }
    }};
}

/// The functions that continue a suspended call, by the type of its result.
macro_rules! resumes {
    ($($name:ident: $result:ty;)*) => {$(
        fn $name(
            &mut self,
            extension: u32,
            reply: Answer<Vec<u8>>,
        ) -> Result<$result, Unfinished> {
            self.resume(extension, reply)
        }
    )*};
}

/// The result of a call that ends the object behind `handle`, even if the call fails.
pub fn forgetting<T>(handle: u32) -> impl FnOnce(&mut Instance, Answer<T>) -> Answer<T> + Send {
    move |extension, answer| {
        extension.handles.remove(handle);
        answer
    }
}

/// The result of a call that creates an object: the caller gets a handle for it.
pub fn with_handle(extension: &mut Instance, id: Answer<u32>) -> Answer<u32> {
    extension.handle_of(id?)
}

/// A call with inline arguments. A result that is not inline is stored in the instance.
pub fn inline_call(
    extension: &mut Instance,
    function: u32,
    arguments: InlineArguments,
) -> Answer<InlineOutcome> {
    check_arguments(&arguments)?;
    extension.ready()?;
    let function = extension.function(function);
    match extension.instance()? {
        Ready::Direct(started) => {
            let function = function.id(started)?;
            let outcome = started
                .exports
                .inline()
                .and_then(|exports| exports.call_call(&mut started.store, function, arguments));
            let answer = extension.concluded(outcome.map(Ok))?;
            Ok(answer.map_or(InlineOutcome::Stored, InlineOutcome::Done))
        }
        Ready::Suspendable(mut started) => {
            let begun = extension.begin(
                async move {
                    let outcome = whole_inline_call(&mut started, function, arguments).await;
                    (started, outcome)
                },
                |_, answer| answer,
            );
            stored(extension, begun)
        }
    }
}

/// The result of an inline call, even if it is too long to be returned inline.
async fn whole_inline_call(
    started: &mut Suspendable,
    function: FunctionHandle,
    arguments: InlineArguments,
) -> wasmtime::Result<Answer<Output>> {
    if let Err(failure) = started.reconnect().await? {
        return Ok(Err(failure));
    }
    let function = match function.id(started) {
        Ok(function) => function,
        Err(failure) => return Ok(Err(failure)),
    };
    let exports = started.exports.inline()?;
    match exports.call_call(&mut started.store, function, arguments).await? {
        Some(inline) => Ok(Ok(inline.output())),
        None => exports.call_pending_result(&mut started.store, function).await,
    }
}

fn stored(extension: &mut Instance, begun: Result<Output, Unfinished>) -> Answer<InlineOutcome> {
    match begun {
        Err(Unfinished::Failed(failure)) => Err(failure),
        Err(Unfinished::Pending(request)) => Ok(InlineOutcome::Pending(request)),
        Ok(output) => Ok(InlineValue::of(&output).map_or_else(
            || {
                extension.pending_result = Some(Ok(output));
                InlineOutcome::Stored
            },
            InlineOutcome::Done,
        )),
    }
}

impl From<SqlError> for Unfinished {
    fn from(failure: SqlError) -> Self {
        Self::Failed(failure)
    }
}

impl ExtensionsView<'_> {
    /// The instance of that id. A bundled extension gets its code by its first call.
    #[inline]
    pub(super) fn extension(&mut self, id: u32) -> Result<&mut Instance, SqlError> {
        let package = self.ctx.registry.package(id);
        if package.is_some_and(|package| package.code().is_none()) {
            self.ctx.make_ready(id)?;
        }
        let extension = self.ctx.registry.get_mut(id)?;
        extension.calls(None);
        Ok(extension)
    }

    /// Make a call whose failure SQLite does not show, and report a trap all the same.
    pub(super) fn reporting_traps<T, E: From<SqlError>>(
        &mut self,
        id: u32,
        call: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let extension = self.extension(id)?;
        extension.take_trap();
        extension.reports_trap = true;
        let answer = call(self);
        self.report_trap(id)?;
        answer
    }

    /// Report the trap of a call that is done, if SQLite does not show it.
    pub(super) fn report_trap(&mut self, id: u32) -> Result<(), SqlError> {
        let extension = self.extension(id)?;
        if !extension.is_suspended()
            && std::mem::take(&mut extension.reports_trap)
            && let Some(trap) = extension.take_trap()
        {
            self.ctx.report(&trap);
        }
        Ok(())
    }

    pub(super) fn resume<T: Returned>(
        &mut self,
        extension: u32,
        reply: Answer<Vec<u8>>,
    ) -> Result<T, Unfinished> {
        let reply =
            reply.map_err(|error| SqlError { message: received::text(error.message), ..error });
        let reply = match self.extension(extension)?.held.take() {
            None => reply,
            Some(Held::Result(result)) => return taken(result, reply),
            Some(Held::Request(request)) => match reply {
                Ok(_) => return Err(Unfinished::Pending(request)),
                no_room => no_room,
            },
        };
        self.with_room(extension, |view| {
            let result = view.extension(extension)?.resume(reply);
            view.report_trap(extension)?;
            result
        })
    }

    /// The instance for a call with a batch of rows; the batch is counted.
    pub(super) fn with_batch(&mut self, extension: u32) -> Result<&mut Instance, SqlError> {
        let extension = self.extension(extension)?;
        extension.usage.batches += 1;
        Ok(extension)
    }

    pub(super) fn compared(
        &mut self,
        extension: u32,
        collation: u32,
        left: &[u8],
        right: &[u8],
    ) -> Result<i32, SqlError> {
        call_at_once!(self.extension(extension)?, collation.call_compare(collation, left, right))
    }
}
