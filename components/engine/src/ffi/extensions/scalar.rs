//! Scalar functions.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_context, sqlite3_value};

use super::abi::{
    Failure, Numbers, RawList, RawOutput, RawResult, RawValue, Subtypes, give, lower,
};
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
}

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "call-scalar"]
    fn call_scalar(
        extension: u32,
        function: u32,
        arguments: *const RawValue,
        count: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut RawResult<RawOutput>,
    );
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
        };
        // SAFETY: the caller's promise.
        let lower = |value: &*mut sqlite3_value| unsafe {
            lower(*value, registered.encoding, registered.numbers)
        };
        if values.len() > ARGUMENTS_ON_STACK {
            lowered.heap = values.iter().map(lower).collect();
        } else {
            for (place, value) in lowered.stack.iter_mut().zip(values) {
                *place = lower(value);
            }
        }
        if registered.wants_subtypes {
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
        let lowered = Lowered::new(registered, count, values);
        let arguments = RawList::of(lowered.values());
        let subtypes = RawList::of(&lowered.subtypes);
        let db = sqlite::sqlite3_context_db_handle(context);
        let result = served_raw(db, registered.extension, |result| {
            call_scalar(
                registered.extension,
                registered.function.get(),
                arguments.data,
                arguments.count,
                subtypes.data,
                subtypes.count,
                result,
            );
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
            Ok(output) => give(context, output, registered.encoding, registered.subtypes),
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
