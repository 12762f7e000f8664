//! Scalar functions.

use std::cell::RefCell;
use std::ptr;

use wire::{InlineArguments, InlineValue};

use crate::arguments::Arguments;
use crate::function::{Risk, Signature, Stability, signature_choices};
use crate::provider::Provider;
use crate::{Output, Result, Value, bindings};

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

    /// Whether a call with this name and argument count is a call of this function.
    pub fn fits(&self, name: &str, arguments: usize) -> bool {
        let declared = usize::try_from(self.signature.arguments).unwrap_or(arguments);
        self.signature.name == name && declared == arguments
    }

    /// Call it as SQLite would; for tests.
    pub fn call(&self, mut arguments: Vec<Value>) -> Result<Value> {
        let arguments = Arguments::new(self.signature.name, &mut arguments, &[]);
        (self.call)(arguments).map(|output| output.value)
    }

    pub(crate) fn call_with(&self, values: &mut [Value], subtypes: &[u8]) -> Result<Output> {
        (self.call)(Arguments::new(self.signature.name, values, subtypes))
    }
}

signature_choices!(Scalar);

impl<T: Provider> bindings::scalar::exports::sqlite_wasm::extension::scalar::Guest for T {
    fn call(function: u32, mut values: Vec<Value>, subtypes: Vec<u8>) -> Result<Output> {
        <T as Provider>::call(function, &mut values, &subtypes)
    }
}

/// `option<inline-value>` in the layout of the canonical ABI.
#[repr(C)]
pub struct Returned {
    is_some: u8,
    value: InlineValue,
}

thread_local! {
    /// The result of `inline.call`, which the host reads directly after it.
    static RETURNED: RefCell<Returned> =
        const { RefCell::new(Returned { is_some: 0, value: InlineValue::NULL }) };
    /// The result that `inline.call` could not return.
    static ANSWER: RefCell<Option<Result<Output>>> = const { RefCell::new(None) };
}

/// `inline.call`. The code of `wit-bindgen` would copy the words of all arguments once more, from
/// where they were just stored, and those of the result.
pub fn call_inline<T: Provider>(function: u32, arguments: &InlineArguments) -> *const Returned {
    bindings::run_constructors();
    let answer = match arguments.only() {
        Some(value) => T::call(function, &mut [value.into()], &[]),
        None => call_with_some::<T>(function, arguments),
    };
    RETURNED.with_borrow_mut(|returned| {
        let is_given = match &answer {
            Ok(Output { value, subtype }) => returned.value.set(value.borrowed(), *subtype),
            Err(_) => false,
        };
        returned.is_some = is_given.into();
        if !is_given {
            ANSWER.set(Some(answer));
        }
        ptr::from_ref(returned)
    })
}

fn call_with_some<T: Provider>(function: u32, arguments: &InlineArguments) -> Result<Output> {
    let mut values = [const { Value::Null }; InlineArguments::MAX_COUNT];
    let mut count = 0;
    for (place, value) in values.iter_mut().zip(arguments.values()) {
        *place = value.into();
        count += 1;
    }
    T::call(function, &mut values[..count], &[])
}

impl<T: Provider> bindings::inline::exports::sqlite_wasm::extension::inline::Guest for T {
    fn pending_result(_function: u32) -> Result<Output> {
        ANSWER.take().unwrap_or_else(|| Ok(Output::default()))
    }
}

/// Export `inline.call`: in components only, since native symbols cannot have such names.
#[doc(hidden)]
#[macro_export]
macro_rules! export_inline_call {
    ($_table:expr) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::inline::{InlineArguments, Returned, call_inline};

            #[unsafe(export_name = "sqlite-wasm:extension/inline@0.1.0#call")]
            extern "C" fn exported(
                function: u32,
                heads: u64,
                a: u64,
                b: u64,
                c: u64,
                d: u64,
                e: u64,
                f: u64,
                g: u64,
                h: u64,
            ) -> *const Returned {
                let words = [a, b, c, d, e, f, g, h];
                call_inline::<SqliteExtension>(function, &InlineArguments { heads, words })
            }
        };
    };
}
