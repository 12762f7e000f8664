//! How a function of an extension is called: at once, or so that the call can
//! wait for SQL.

use super::instance::{Instance, Lent, Sandboxed};
use super::types::{InlineValue, Output, SqlError};

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
        let extension: &mut Sandboxed = $extension;
        extension.ready()?;
        match extension.take_answer() {
            Some(answer) => answer,
            None => {
                $(let $number = extension.number_of($handle)?;)?
                match extension.instance()? {
                    Instance::Direct(live) => {
                        let outcome = live.exports.$interface().and_then(|exports| {
                            exports.$function(&mut live.store $(, $argument)*)
                        });
                        extension.concluded(answer!(outcome $($plain)?))
                    }
                    Instance::Suspendable(mut live) => extension.begin(Box::pin(async move {
                        let outcome = match live.exports.$interface() {
                            Ok(exports) => {
                                exports.$function(&mut live.store $(, $argument)*).await
                            }
                            Err(error) => Err(error),
                        };
                        let outcome: wasmtime::Result<Result<_, SqlError>> =
                            answer!(outcome $($plain)?);
                        let outcome = outcome.map(|answer| Box::new(answer) as Box<_>);
                        (live, outcome)
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

/// Call a function that there is no SQL in, so that the call cannot wait. It
/// cannot fail but by breaking down.
macro_rules! call_at_once {
    ($extension:expr, $interface:ident.$function:ident($($argument:expr),*)) => {{
        let extension: &mut Sandboxed = $extension;
        match extension.instance()? {
            Instance::Direct(live) => {
                let outcome = live.exports.$interface().and_then(|exports| {
                    exports.$function(&mut live.store $(, $argument)*)
                });
                extension.concluded(outcome.map(Ok))
            }
            Instance::Suspendable(mut live) => {
                let outcome = live.exports.$interface().and_then(|exports| {
                    at_once(exports.$function(&mut live.store $(, $argument)*))
                });
                extension.concluded_at_once(live, outcome)
            }
        }
    }};
}

/// None when the answer is set aside: it is long, a failure, or not there yet.
pub fn unary_call(
    extension: &mut Sandboxed,
    function: u32,
    argument: InlineValue,
) -> Result<Option<InlineValue>, SqlError> {
    extension.ready()?;
    let function = extension.function(function)?;
    match extension.instance()? {
        Instance::Direct(live) => {
            let outcome = live
                .exports
                .unary()
                .and_then(|exports| exports.call_call(&mut live.store, function, argument));
            extension.concluded(outcome.map(Ok))
        }
        Instance::Suspendable(mut live) => {
            let answer = extension.begin(Box::pin(async move {
                let outcome = long_unary_call(&mut live, function, argument).await;
                (live, outcome.map(|answer| Box::new(answer) as Box<_>))
            }));
            extension.set_aside = Some(answer);
            Ok(None)
        }
    }
}

/// The answer as that of `scalar-call`, by which a call is repeated that had to
/// wait for SQL.
async fn long_unary_call(
    live: &mut Lent,
    function: u32,
    argument: InlineValue,
) -> wasmtime::Result<Result<Output, SqlError>> {
    let exports = live.exports.unary()?;
    match exports.call_call(&mut live.store, function, argument).await? {
        Some(short) => Ok(Ok(short.output())),
        None => exports.call_pending_result(&mut live.store, function).await,
    }
}
