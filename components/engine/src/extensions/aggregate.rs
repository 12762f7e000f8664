//! Aggregate and window functions: rows are collected and sent many at once.

use std::ffi::c_int;
use std::ptr::null_mut;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_context, sqlite3_value};

use super::abi::{Failure, RawList, RawOutput, RawResult, RawValue};
use super::pointers;
use super::scalar::{Lowered, Registered, answer};
use super::sql::{served, served_raw};
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
    /// # Safety
    ///
    /// `db` is the connection that calls.
    unsafe fn start(db: *mut sqlite3, registered: &Registered) -> Result<Self, Failure> {
        // SAFETY: the caller's connection.
        let started = unsafe {
            if registered.has_pointers {
                pointers::forget(db, registered.extension);
            }
            served(db, registered.extension, || {
                dispatch::aggregate_start(registered.extension, registered.function.get())
            })
        };
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

    /// # Safety
    ///
    /// `db` is the connection that calls.
    unsafe fn collect(
        &mut self,
        db: *mut sqlite3,
        registered: &Registered,
        direction: Direction,
        row: &Lowered,
    ) -> Result<(), Failure> {
        let values = row.values();
        if self.direction != direction || self.width != values.len() as u32 {
            // SAFETY: the caller's connection.
            unsafe { self.send(db, registered) }?;
            self.direction = direction;
            self.width = values.len() as u32;
        }
        for value in values {
            let value = value.with_bytes_in(&mut self.bytes);
            self.rows.push(value);
        }
        self.subtypes.extend(&row.subtypes);
        self.count += 1;
        if self.count == MAX_ROWS || self.bytes.len() > MAX_BYTES || row.has_pointers {
            // SAFETY: the caller's connection.
            unsafe { self.send(db, registered) }?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// `db` is the connection that calls.
    unsafe fn send(&mut self, db: *mut sqlite3, registered: &Registered) -> Result<(), Failure> {
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
        // SAFETY: the import's lowered form; the lists live until it returns,
        // and it fills the result.
        let sent = unsafe {
            served_raw(db, registered.extension, |result: &mut RawResult<()>| {
                send(
                    registered.extension,
                    self.accumulator,
                    self.count,
                    self.width,
                    rows.data,
                    rows.count,
                    subtypes.data,
                    subtypes.count,
                    result,
                );
            })
            .get()
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
unsafe fn registered<'a>(context: *mut sqlite3_context) -> (*mut sqlite3, &'a Registered) {
    // SAFETY: the user data of our registrations.
    unsafe {
        let registered = &*sqlite::sqlite3_user_data(context).cast::<Registered>();
        (sqlite::sqlite3_context_db_handle(context), registered)
    }
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
            let db = sqlite::sqlite3_context_db_handle(context);
            *place = Box::into_raw(Box::new(Computation::start(db, registered)?));
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
        let (db, registered) = registered(context);
        let row = Lowered::new(registered, count, values);
        let collected = computation(context, registered)
            .and_then(|computation| computation.collect(db, registered, direction, &row));
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
        let (db, registered) = registered(context);
        // A frame may have no rows.
        let computation = match computation(context, registered) {
            Ok(computation) => computation,
            Err(failure) => return failure.give(context),
        };
        if let Err(failure) = computation.send(db, registered) {
            return failure.give(context);
        }
        let result = served_raw(db, registered.extension, |result| {
            aggregate_value(registered.extension, computation.accumulator, result);
        });
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
        let (db, registered) = registered(context);
        // No bytes: SQLite makes no place where there was no row.
        let place: *mut *mut Computation = sqlite::sqlite3_aggregate_context(context, 0).cast();
        let computation = if place.is_null() || (*place).is_null() {
            Computation::start(db, registered)
        } else {
            let computation = *Box::from_raw(*place);
            *place = null_mut();
            Ok(computation)
        };
        let mut computation = match computation {
            Ok(computation) => computation,
            Err(failure) => return failure.give(context),
        };
        if let Err(failure) = computation.send(db, registered) {
            // Nobody is there to be told of another failure.
            let _ = served(db, registered.extension, || {
                dispatch::aggregate_abandon(registered.extension, computation.accumulator)
            });
            return failure.give(context);
        }
        let result = served_raw(db, registered.extension, |result| {
            aggregate_finish(registered.extension, computation.accumulator, result);
        });
        answer(context, result, registered);
    }
}
