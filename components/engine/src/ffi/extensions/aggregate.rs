//! Aggregate and window functions: rows are collected and sent many at once.

use std::ffi::c_int;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_context, sqlite3_value};

use super::abi::{Failure, RawList, RawOutput, RawResult, RawValue};
use super::scalar::{Lowered, Registered, answer};
use crate::host::dispatch;

/// Rows collected before they are sent.
const MAX_ROWS: u32 = 64;

/// Bytes of text and blobs collected before they are sent: they are kept in
/// copies until then.
const MAX_BYTES: usize = 64 << 10;

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "aggregate-step"]
    fn aggregate_step(
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: *const RawValue,
        values: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut RawResult<()>,
    );
    #[link_name = "aggregate-inverse"]
    fn aggregate_inverse(
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: *const RawValue,
        values: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut RawResult<()>,
    );
    #[link_name = "aggregate-value"]
    fn aggregate_value(extension: u32, accumulator: u32, result: *mut RawResult<RawOutput>);
    #[link_name = "aggregate-finish"]
    fn aggregate_finish(extension: u32, accumulator: u32, result: *mut RawResult<RawOutput>);
}

/// What is to be done with the rows collected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Add,
    Remove,
}

/// One computation.
struct Computation {
    accumulator: u32,
    direction: Direction,
    count: u32,
    width: u32,
    /// Text and blobs have places in `bytes` for addresses.
    rows: Vec<RawValue>,
    bytes: Vec<u8>,
    subtypes: Vec<u8>,
}

impl Computation {
    fn start(registered: &Registered) -> Result<Self, Failure> {
        let started = dispatch::aggregate_start(registered.extension, registered.function);
        Ok(Self {
            accumulator: started.map_err(Failure::from_error)?,
            direction: Direction::Add,
            count: 0,
            width: 0,
            rows: Vec::new(),
            bytes: Vec::new(),
            subtypes: Vec::new(),
        })
    }

    fn collect(
        &mut self,
        registered: &Registered,
        direction: Direction,
        row: &Lowered,
    ) -> Result<(), Failure> {
        let values = row.values();
        if self.direction != direction || self.width != values.len() as u32 {
            self.send(registered)?;
            self.direction = direction;
            self.width = values.len() as u32;
        }
        for value in values {
            let value = value.with_bytes_in(&mut self.bytes);
            self.rows.push(value);
        }
        self.subtypes.extend(&row.subtypes);
        self.count += 1;
        if self.count == MAX_ROWS || self.bytes.len() > MAX_BYTES {
            self.send(registered)?;
        }
        Ok(())
    }

    fn send(&mut self, registered: &Registered) -> Result<(), Failure> {
        if self.count == 0 {
            return Ok(());
        }
        for value in &mut self.rows {
            value.place_bytes(&self.bytes);
        }
        let rows = RawList::of(&self.rows);
        let subtypes = RawList::of(&self.subtypes);
        let send = match self.direction {
            Direction::Add => aggregate_step,
            Direction::Remove => aggregate_inverse,
        };
        let mut result = RawResult::empty();
        // SAFETY: the import's lowered form; the lists live until it returns,
        // and it fills the result.
        let sent = unsafe {
            send(
                registered.extension,
                self.accumulator,
                self.count,
                self.width,
                rows.data,
                rows.count,
                subtypes.data,
                subtypes.count,
                &mut result,
            );
            result.get()
        };
        self.count = 0;
        self.rows.clear();
        self.bytes.clear();
        self.subtypes.clear();
        // SAFETY: the error came from the host.
        sent.map_err(|error| unsafe { Failure::from_raw(error) })
    }
}

/// # Safety
///
/// `context` is that of an aggregate's call.
unsafe fn registered<'a>(context: *mut sqlite3_context) -> &'a Registered {
    // SAFETY: the user data of our registrations.
    unsafe { &*sqlite::sqlite3_user_data(context).cast::<Registered>() }
}

/// The computation of a group, begun where there is none yet.
///
/// # Safety
///
/// `context` is that of an aggregate's call.
unsafe fn computation<'a>(
    context: *mut sqlite3_context,
    registered: &Registered,
) -> Result<&'a mut Computation, Failure> {
    let bytes = size_of::<*mut Computation>() as c_int;
    // SAFETY: the caller's promise; SQLite keeps the place, with null at first,
    // as long as the group.
    unsafe {
        let place: *mut *mut Computation = sqlite::sqlite3_aggregate_context(context, bytes).cast();
        if place.is_null() {
            return Err(Failure { code: sqlite::SQLITE_NOMEM, message: Vec::new() });
        }
        if (*place).is_null() {
            *place = Box::into_raw(Box::new(Computation::start(registered)?));
        }
        Ok(&mut **place)
    }
}

/// # Safety
///
/// As SQLite calls xStep and xInverse.
unsafe fn collect(
    context: *mut sqlite3_context,
    direction: Direction,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: the caller's promise; the place holds null or a computation.
    unsafe {
        let registered = registered(context);
        let row = Lowered::new(registered, count, values);
        let collected = computation(context, registered)
            .and_then(|computation| computation.collect(registered, direction, &row));
        if let Err(failure) = collected {
            failure.give(context);
        }
    }
}

/// xStep.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn step(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: the caller's promise.
    unsafe { collect(context, Direction::Add, count, values) };
}

/// xInverse.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn inverse(
    context: *mut sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite3_value,
) {
    // SAFETY: the caller's promise.
    unsafe { collect(context, Direction::Remove, count, values) };
}

/// xValue.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn value(context: *mut sqlite3_context) {
    // SAFETY: SQLite's own argument; the place holds null or a computation.
    unsafe {
        let registered = registered(context);
        // A frame may have no rows.
        let computation = match computation(context, registered) {
            Ok(computation) => computation,
            Err(failure) => return failure.give(context),
        };
        if let Err(failure) = computation.send(registered) {
            return failure.give(context);
        }
        let mut result = RawResult::empty();
        aggregate_value(registered.extension, computation.accumulator, &mut result);
        answer(context, result, registered);
    }
}

/// xFinal; also called, with nobody to read the result, when the statement
/// ends early.
///
/// # Safety
///
/// SQLite calls it with what it was registered with.
pub unsafe extern "C" fn finish(context: *mut sqlite3_context) {
    // SAFETY: the place holds null or a computation, which ends here.
    unsafe {
        let registered = registered(context);
        // No bytes: SQLite makes no place where there was no row.
        let place: *mut *mut Computation = sqlite::sqlite3_aggregate_context(context, 0).cast();
        let computation = if place.is_null() || (*place).is_null() {
            Computation::start(registered)
        } else {
            let computation = *Box::from_raw(*place);
            *place = null_mut();
            Ok(computation)
        };
        let mut computation = match computation {
            Ok(computation) => computation,
            Err(failure) => return failure.give(context),
        };
        if let Err(failure) = computation.send(registered) {
            dispatch::aggregate_abandon(registered.extension, computation.accumulator);
            return failure.give(context);
        }
        let mut result = RawResult::empty();
        aggregate_finish(registered.extension, computation.accumulator, &mut result);
        answer(context, result, registered);
    }
}
