//! Scalar functions.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::{mem, slice};

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_context, sqlite3_value};

use super::abi::{
    Failure, Numbers, RawList, RawOutput, RawResult, RawValue, Subtypes, give, lower,
};
use super::inline_value::{RawInlineValue, RawOption};
use super::pointers::{self, Pointer};
use super::sql::served_raw;
use crate::host::extension_types::TextEncoding;

/// A function that an extension registered: what SQLite hands back at a call.
pub struct Registered {
    pub extension: u32,
    /// Changes when the extension registers it again, also while it is called.
    pub function: Cell<u32>,
    pub encoding: TextEncoding,
    /// The function reads the subtypes of its arguments.
    pub wants_subtypes: bool,
    pub subtypes: Subtypes,
    pub numbers: Numbers,
    /// There is a shorter way for a call with one short argument.
    pub is_unary: bool,
    /// Its arguments and results may be pointers.
    pub has_pointers: bool,
}

impl Registered {
    fn pointer(&self, output: &RawOutput) -> Option<Rc<Pointer>> {
        if !self.has_pointers {
            return None;
        }
        Pointer::of(&output.value, output.subtype, self.extension)
    }
}

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "scalar-call"]
    fn scalar_call(
        extension: u32,
        function: u32,
        arguments: *const RawValue,
        count: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut RawResult<RawOutput>,
    );
    #[link_name = "unary-call"]
    fn unary_call(
        extension: u32,
        function: u32,
        head: u32,
        word_0: u64,
        word_1: u64,
        word_2: u64,
        word_3: u64,
        word_4: u64,
        word_5: u64,
        word_6: u64,
        word_7: u64,
        result: *mut RawOption,
    );
    #[link_name = "unary-pending-result"]
    fn unary_pending_result(extension: u32, function: u32, result: *mut RawResult<RawOutput>);
}

/// SQLite's limit (`SQLITE_MAX_FUNCTION_ARG`) is 1000; more than this many are
/// put on the heap.
const ARGUMENTS_ON_STACK: usize = 16;

/// Arguments, and their subtypes where they are wanted, ready to cross.
pub struct Lowered {
    stack: [RawValue; ARGUMENTS_ON_STACK],
    heap: Vec<RawValue>,
    count: usize,
    pub subtypes: Vec<u8>,
    /// There is a pointer among them, which SQLite may drop after the call.
    pub has_pointers: bool,
}

impl Lowered {
    /// # Safety
    ///
    /// `values` are `count` values that SQLite protects until the call ends.
    pub unsafe fn new(
        registered: &Registered,
        count: c_int,
        values: *mut *mut sqlite3_value,
    ) -> Self {
        let values = match count {
            0 => &[],
            // SAFETY: the caller's promise.
            _ => unsafe { slice::from_raw_parts(values, count as usize) },
        };
        let mut lowered = Self {
            stack: [RawValue::NULL; ARGUMENTS_ON_STACK],
            heap: Vec::new(),
            count: values.len(),
            subtypes: Vec::new(),
            has_pointers: false,
        };
        // SAFETY: the caller's promise.
        let lower = |value: &*mut sqlite3_value| unsafe {
            match registered.has_pointers {
                true => pointers::lower(*value, registered),
                false => lower(*value, registered.encoding, registered.numbers),
            }
        };
        if values.len() > ARGUMENTS_ON_STACK {
            lowered.heap = values.iter().map(lower).collect();
        } else {
            for (place, value) in lowered.stack.iter_mut().zip(values) {
                *place = lower(value);
            }
        }
        if registered.has_pointers {
            // SAFETY: as above.
            let subtypes = unsafe { pointers::subtypes(values, registered.extension) };
            lowered.has_pointers = subtypes.contains(&pointers::SUBTYPE);
            lowered.subtypes = subtypes;
        } else if registered.wants_subtypes {
            // SAFETY: as above.
            let subtype = |value: &*mut _| unsafe { sqlite::sqlite3_value_subtype(*value) as u8 };
            lowered.subtypes = values.iter().map(subtype).collect();
        }
        lowered
    }

    pub fn values(&self) -> &[RawValue] {
        if self.heap.is_empty() { &self.stack[..self.count] } else { &self.heap }
    }
}

/// SQLite's call of a scalar function.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn call(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: the user data is a `Registered` that lives as long as the
    // registration; the rest is SQLite's own.
    unsafe {
        let registered = &*sqlite::sqlite3_user_data(context).cast::<Registered>();
        if registered.is_unary && count == 1 {
            let value = lower(*values, registered.encoding, registered.numbers);
            if let Some(argument) = RawInlineValue::of(&value) {
                return call_unary(context, registered, &argument, values);
            }
        }
        let db = sqlite::sqlite3_context_db_handle(context);
        if registered.has_pointers {
            pointers::forget(db, registered.extension);
        }
        let lowered = Lowered::new(registered, count, values);
        let result = served_raw(db, registered.extension, |result| {
            call_lowered(registered, &lowered, result);
        });
        answer(context, result, registered);
    }
}

/// # Safety
///
/// What was lowered is still there.
unsafe fn call_lowered(
    registered: &Registered,
    lowered: &Lowered,
    result: &mut RawResult<RawOutput>,
) {
    let arguments = RawList::of(lowered.values());
    let subtypes = RawList::of(&lowered.subtypes);
    // SAFETY: the import's signature is the lowered form of `scalar-call`, and
    // the result outlives it.
    unsafe {
        scalar_call(
            registered.extension,
            registered.function.get(),
            arguments.data,
            arguments.count,
            subtypes.data,
            subtypes.count,
            result,
        );
    }
}

/// A call with one short argument.
///
/// # Safety
///
/// `context` is the call's, and `values` its one argument.
unsafe fn call_unary(
    context: *mut sqlite3_context,
    registered: &Registered,
    argument: &RawInlineValue,
    values: *mut *mut sqlite3_value,
) {
    let (extension, function) = (registered.extension, registered.function.get());
    let [a, b, c, d, e, f, g, h] = argument.words;
    let mut short = RawOption::NONE;
    // SAFETY: the imports' signatures are the lowered forms of `unary-call` and
    // `unary-pending-result`, and the results outlive them; the rest is the caller's
    // promise.
    unsafe {
        unary_call(extension, function, argument.head, a, b, c, d, e, f, g, h, &mut short);
        if short.is_some != 0 {
            return short.short.give(context, registered);
        }
        let db = sqlite::sqlite3_context_db_handle(context);
        let mut is_repeated = false;
        let result = served_raw(db, extension, |result| {
            if mem::replace(&mut is_repeated, true) {
                call_lowered(registered, &Lowered::new(registered, 1, values), result);
            } else {
                unary_pending_result(extension, function, result);
            }
        });
        answer(context, result, registered);
    }
}

/// Give what came back to SQLite.
///
/// # Safety
///
/// A call has filled `result`; `context` is the call's.
pub unsafe fn answer(
    context: *mut sqlite3_context,
    result: RawResult<RawOutput>,
    registered: &Registered,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match result.get() {
            Ok(output) => match registered.pointer(&output) {
                Some(pointer) => pointer.give(context),
                None => give(context, output, registered.encoding, registered.subtypes),
            },
            Err(error) => Failure::from_raw(error).give(context),
        }
    }
}

/// SQLite drops a registration.
///
/// # Safety
///
/// `registered` is a `Registered` from `Box::into_raw`.
pub unsafe extern "C" fn forget(registered: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(registered.cast::<Registered>()) });
}
