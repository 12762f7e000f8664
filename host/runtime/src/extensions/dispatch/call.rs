//! How a function of an extension is called: at once, or so that the call can
//! wait for SQL.

use crate::contract::types::{InlineValue, Output, SqlError};
use crate::extensions::sandbox::{Instance, Ready, Started, suspendable};

/// Call a function of an extension's interface: `interface.function(…)`.
///
/// A fresh instance is connected first. Then:
///
/// - `with NUMBER = HANDLE`: the extension's own number of what the caller
///   calls HANDLE, for the arguments;
/// - `plain`: the extension's function cannot fail.
macro_rules! call {
    ($extension:expr, $interface:ident.$function:ident($($argument:expr),*)
        $(, with $number:ident = $handle:expr)? $(; $plain:ident)?) => {{
        let extension: &mut Instance = $extension;
        extension.ready()?;
        match extension.take_result() {
            Some(answer) => answer,
            None => {
                $(let $number = extension.number_of($handle)?;)?
                match extension.instance()? {
                    Ready::Direct(started) => {
                        let outcome = started.exports.$interface().and_then(|exports| {
                            exports.$function(&mut started.store $(, $argument)*)
                        });
                        extension.concluded(answer!(outcome $($plain)?))
                    }
                    Ready::Suspendable(mut started) => extension.begin(Box::pin(async move {
                        let outcome = match started.exports.$interface() {
                            Ok(exports) => {
                                exports.$function(&mut started.store $(, $argument)*).await
                            }
                            Err(error) => Err(error),
                        };
                        let outcome: wasmtime::Result<Result<_, SqlError>> =
                            answer!(outcome $($plain)?);
                        let outcome = outcome.map(|answer| Box::new(answer) as Box<_>);
                        (started, outcome)
                    })),
                }
            }
        }
    }};
}

macro_rules! answer {
    ($outcome:ident) => {
        $outcome
    };
    ($outcome:ident plain) => {
        $outcome.map(Ok)
    };
}

/// Call a function that cannot use SQL, so that the call cannot wait. It
/// cannot fail but by trapping.
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

/// None when the answer is pending: it is long, a failure, or not there yet.
pub fn unary_call(
    extension: &mut Instance,
    function: u32,
    argument: InlineValue,
) -> Result<Option<InlineValue>, SqlError> {
    extension.ready()?;
    let function = extension.function(function)?;
    match extension.instance()? {
        Ready::Direct(started) => {
            let outcome = started
                .exports
                .unary()
                .and_then(|exports| exports.call_call(&mut started.store, function, argument));
            extension.concluded(outcome.map(Ok))
        }
        Ready::Suspendable(mut started) => {
            let answer = extension.begin(Box::pin(async move {
                let outcome = long_unary_call(&mut started, function, argument).await;
                (started, outcome.map(|answer| Box::new(answer) as Box<_>))
            }));
            extension.pending_result = Some(answer);
            Ok(None)
        }
    }
}

/// The result as that of `scalar-call`, which repeats a call that had to
/// wait for SQL.
async fn long_unary_call(
    started: &mut Started<suspendable::Exports>,
    function: u32,
    argument: InlineValue,
) -> wasmtime::Result<Result<Output, SqlError>> {
    let exports = started.exports.unary()?;
    match exports.call_call(&mut started.store, function, argument).await? {
        Some(short) => Ok(Ok(short.output())),
        None => exports.call_pending_result(&mut started.store, function).await,
    }
}
