//! Scalar functions.

use std::cell::RefCell;

use crate::arguments::Arguments;
use crate::function::{Risk, Signature, Stability, signature_choices};
use crate::inline_value::{self, InlineArguments, InlineValue};
use crate::{Definition, Output, Result, Value, bindings, sql};

/// A scalar function of the extension's table.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub(crate) signature: Signature,
    call: fn(Arguments<'_>) -> Result<Output>,
}

impl Scalar {
    /// A function of `arguments` arguments, 0 to 127 or
    /// [`ANY_NUMBER`](crate::ANY_NUMBER).
    pub const fn new(
        name: &'static str,
        arguments: i8,
        result: Stability,
        risk: Risk,
        call: fn(Arguments<'_>) -> Result<Output>,
    ) -> Self {
        let signature = Signature::new(name, arguments, result, risk);
        Self { signature, call }
    }

    /// Whether a call with this name and number of arguments means this function.
    pub fn fits(&self, name: &str, arguments: usize) -> bool {
        let declared = usize::try_from(self.signature.arguments).unwrap_or(arguments);
        self.signature.name == name && declared == arguments
    }

    /// Call it as SQLite would; for tests.
    pub fn call(&self, mut arguments: Vec<Value>) -> Result<Value> {
        let arguments = Arguments::new(self.signature.name, &mut arguments, &[]);
        (self.call)(arguments).map(|output| output.value)
    }
}

signature_choices!(Scalar);

fn called<T: Definition>(function: u32, values: &mut [Value], subtypes: &[u8]) -> Result<Output> {
    if let Some(number) = function.checked_sub(sql::FIRST_REGISTERED) {
        return T::REGISTERED(number, Arguments::new("", values, subtypes));
    }
    let scalar = &T::SCALARS[function as usize];
    (scalar.call)(Arguments::new(scalar.signature.name, values, subtypes))
}

impl<T: Definition> bindings::scalar::exports::sqlite_wasm::extension::scalar::Guest for T {
    fn call(function: u32, mut values: Vec<Value>, subtypes: Vec<u8>) -> Result<Output> {
        called::<T>(function, &mut values, &subtypes)
    }
}

thread_local! {
    /// What `inline.call` could not give.
    static ANSWER: RefCell<Option<Result<Output>>> = const { RefCell::new(None) };
}

impl<T: Definition> bindings::scalar::exports::sqlite_wasm::extension::inline::Guest for T {
    fn call(function: u32, arguments: InlineArguments) -> Option<InlineValue> {
        let mut values = [const { Value::Null }; inline_value::MAX_COUNT];
        let count = inline_value::take(&arguments, &mut values);
        let answer = called::<T>(function, &mut values[..count], &[]);
        let given = answer.as_ref().ok().and_then(inline_value::of);
        if given.is_none() {
            ANSWER.set(Some(answer));
        }
        given
    }

    fn pending_result(_function: u32) -> Result<Output> {
        ANSWER.take().unwrap_or_else(|| Ok(Output::default()))
    }
}
