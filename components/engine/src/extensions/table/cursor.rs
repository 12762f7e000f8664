//! A scan: rows come in batches that grow, and are handed to SQLite one by one.

use std::ptr::null;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_context, sqlite3_vtab_cursor};

use super::super::abi::{
    Failure, INTEGER, RawError, RawList, RawResult, RawValue, give_copy, release, release_value,
};
use super::super::pointers::{self, Pointer};
use super::super::sql::{served, served_raw};
use super::{Extension, Table};
use crate::ffi::read_list::allocation_count;
use crate::host::dispatch;
use crate::host::table_types::FilterArgument;

/// Rows of a scan's first batch: LIMIT 1 must not compute a thousand.
const FIRST_ROWS: u32 = 4;

/// By how much each batch is larger than the one before.
const GROWTH: u32 = 4;

/// Rows of a batch at most. More gain nothing: a column of so many is still in
/// the processor's first cache when SQLite reads it.
const MAX_ROWS: u32 = 256;

/// `table-types.batch`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawBatch {
    row_ids: RawList<i64>,
    values: RawList<RawValue>,
    subtypes: RawList<u8>,
    row_id_error: RawOption<RawError>,
    is_last: u8,
}

impl RawBatch {
    /// No rows, and none follow.
    const NONE: Self = {
        let message = RawList { data: null(), count: 0 };
        Self {
            row_ids: RawList { data: null(), count: 0 },
            values: RawList { data: null(), count: 0 },
            subtypes: RawList { data: null(), count: 0 },
            row_id_error: RawOption { is_some: 0, value: RawError { code: 0, message } },
            is_last: 1,
        }
    };

    /// How often memory was taken for it, but for what its values lead to.
    fn allocations(&self) -> u32 {
        let message = match self.row_id_error.is_some {
            0 => 0,
            _ => self.row_id_error.value.message.count,
        };
        let lists = [self.row_ids.count, self.values.count, self.subtypes.count, message];
        lists.iter().filter(|count| **count > 0).count() as u32
    }
}

/// `option<T>`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawOption<T> {
    is_some: u8,
    value: T,
}

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "table-fetch-batch"]
    fn table_fetch_batch(extension: u32, cursor: u32, limit: u32, result: *mut RawResult<RawBatch>);
}

/// A cursor, as SQLite sees it.
#[repr(C)]
pub struct Cursor {
    head: sqlite3_vtab_cursor,
    db: *mut sqlite3,
    extension: Rc<Extension>,
    number: u32,
    /// As [`super::Table`] has it.
    takes_unchanged: bool,
    /// More is to be looked at than the value of a column: whether it stays as
    /// it is, or its subtype.
    has_more: bool,
    /// How many columns are fetched.
    width: usize,
    /// By column: its place among those that are fetched.
    places: Vec<u32>,
    batch: RawBatch,
    /// Those among the values, with their places; SQLite may ask for one twice.
    pointers: Vec<(usize, Rc<Pointer>)>,
    /// Whether values of the batch have memory of their own, or may have.
    has_bytes: bool,
    /// Rows of the batch from this one on; none at the end.
    rows: usize,
    /// The values of the row.
    values: *const RawValue,
    limit: u32,
}

/// A column that is not fetched.
const NOWHERE: u32 = u32::MAX;

impl Cursor {
    pub fn new(table: &Table, number: u32) -> Self {
        Self {
            // SAFETY: SQLite fills it in.
            head: unsafe { std::mem::zeroed() },
            db: table.db,
            extension: table.extension.clone(),
            number,
            takes_unchanged: table.takes_unchanged,
            has_more: true,
            width: 0,
            places: Vec::new(),
            batch: RawBatch::NONE,
            pointers: Vec::new(),
            has_bytes: false,
            rows: 0,
            values: null(),
            limit: FIRST_ROWS,
        }
    }

    /// Begin a scan.
    pub fn filter(
        &mut self,
        number: i32,
        text: Option<String>,
        arguments: &[FilterArgument],
        subtypes: &[u8],
        columns: Vec<u32>,
    ) -> Result<(), Failure> {
        let text = text.as_deref();
        let (extension, cursor) = (self.extension.number, self.number);
        // SAFETY: a cursor does not outlive its connection.
        let filtered = unsafe {
            served(self.db, extension, || {
                dispatch::table_filter(
                    extension, cursor, number, text, arguments, subtypes, &columns,
                )
            })
        };
        filtered.map_err(Failure::from_error)?;
        let last = columns.iter().max().map_or(0, |last| *last as usize + 1);
        self.places = vec![NOWHERE; last];
        for (place, column) in (0..).zip(&columns) {
            self.places[*column as usize] = place;
        }
        self.width = columns.len();
        self.limit = FIRST_ROWS;
        self.fetch()
    }

    /// Go to the next row; false when it is to be fetched.
    #[inline]
    pub fn next(&mut self) -> bool {
        self.rows = self.rows.saturating_sub(1);
        self.values = self.values.wrapping_add(self.width);
        self.rows > 0 || self.batch.is_last != 0
    }

    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.rows == 0
    }

    /// The place of the row in the batch.
    fn row(&self) -> usize {
        self.batch.row_ids.count - self.rows
    }

    /// The row id; a failure where the rows have none.
    pub fn row_id(&self) -> Result<i64, Failure> {
        if self.batch.row_id_error.is_some != 0 {
            // SAFETY: it is there, and not released yet.
            return Err(unsafe { Failure::copied(self.batch.row_id_error.value) });
        }
        match self.is_at_end() {
            true => Ok(0),
            // SAFETY: the list has more items than that.
            false => Ok(unsafe { *self.batch.row_ids.data.add(self.row()) }),
        }
    }

    /// Give a column of the row to SQLite; NULL for one that was not asked for.
    ///
    /// # Safety
    ///
    /// `context` is xColumn's, which SQLite does not call at the end.
    #[inline]
    pub unsafe fn give(&self, context: *mut sqlite3_context, column: u32) {
        // `NOWHERE` is in no row either.
        let place = self.places.get(column as usize).map_or(NOWHERE, |place| *place) as usize;
        if place >= self.width {
            return;
        }
        // SAFETY: there is a row, of `width` values, not released yet.
        unsafe {
            let value = &*self.values.add(place);
            // By far the most, and dearer in a choice of five.
            if value.tag == INTEGER && !self.has_more {
                sqlite::sqlite3_result_int64(context, value.payload.integer);
            } else {
                self.give_other(context, place);
            }
        }
    }

    /// Not inlined: what it needs of the stack costs the others too.
    ///
    /// # Safety
    ///
    /// As [`Self::give`]; the row has the place.
    #[inline(never)]
    unsafe fn give_other(&self, context: *mut sqlite3_context, place: usize) {
        // SAFETY: the caller's promise; there are as many subtypes as values, where
        // there are any.
        unsafe {
            if self.takes_unchanged && sqlite::sqlite3_vtab_nochange(context) != 0 {
                return;
            }
            let index = self.row() * self.width + place;
            if let Some((_, pointer)) = self.pointers.iter().find(|(at, _)| *at == index) {
                return pointer.clone().give(context);
            }
            give_copy(context, *self.values.add(place));
            if self.batch.subtypes.count > 0 {
                let subtype = *self.batch.subtypes.data.add(index);
                sqlite::sqlite3_result_subtype(context, subtype.into());
            }
        }
    }

    /// The next batch; the cursor is at its first row.
    pub fn fetch(&mut self) -> Result<(), Failure> {
        self.release();
        if self.extension.has_pointers {
            // SAFETY: a cursor does not outlive its connection.
            unsafe { pointers::forget(self.db, self.extension.number) };
        }
        let before = allocation_count();
        // SAFETY: the import's lowered form, which fills the result; a cursor
        // does not outlive its connection.
        let fetched = unsafe {
            served_raw(self.db, self.extension.number, |result| {
                table_fetch_batch(self.extension.number, self.number, self.limit, result);
            })
            .get()
        };
        // SAFETY: the error came from the host.
        let batch = fetched.map_err(|error| unsafe { Failure::from_raw(error) })?;
        self.batch = batch;
        self.has_bytes = allocation_count().wrapping_sub(before) != batch.allocations();
        self.rows = batch.row_ids.count;
        self.values = batch.values.data;
        self.has_more = self.takes_unchanged || batch.subtypes.count > 0;
        self.limit = (self.limit * GROWTH).min(MAX_ROWS);
        let fault = self.fault();
        match fault {
            Some(_) => self.release(),
            // SAFETY: the batch has as many values as subtypes, or none.
            None => self.pointers = unsafe { self.found_pointers() },
        }
        fault.map_or(Ok(()), |what| Err(self.extension.broke(what)))
    }

    /// # Safety
    ///
    /// The batch has no fault.
    unsafe fn found_pointers(&self) -> Vec<(usize, Rc<Pointer>)> {
        let count = if self.extension.has_pointers { self.batch.subtypes.count } else { 0 };
        let pointer = |place| {
            // SAFETY: the caller's promise.
            let (value, subtype) = unsafe {
                (&*self.batch.values.data.add(place), *self.batch.subtypes.data.add(place))
            };
            Some((place, Pointer::of(value, subtype, self.extension.number)?))
        };
        (0..count).filter_map(pointer).collect()
    }

    /// What no row can be given from.
    fn fault(&self) -> Option<&'static str> {
        let RawBatch { row_ids, values, subtypes, is_last, .. } = &self.batch;
        if values.count != row_ids.count * self.width {
            return Some("its rows have another width than was asked for");
        }
        if subtypes.count != 0 && subtypes.count != values.count {
            return Some("it gave subtypes for other values than its rows have");
        }
        let is_stuck = row_ids.count == 0 && *is_last == 0;
        is_stuck.then_some("it gave no rows, and not that none follow")
    }

    fn release(&mut self) {
        let batch = std::mem::replace(&mut self.batch, RawBatch::NONE);
        self.rows = 0;
        self.pointers.clear();
        // SAFETY: the batch came from the host and is not used any more.
        unsafe {
            if self.has_bytes {
                for place in 0..batch.values.count {
                    release_value(*batch.values.data.add(place));
                }
            }
            release(batch.values);
            release(batch.subtypes);
            if batch.row_id_error.is_some != 0 {
                release(batch.row_id_error.value.message);
            }
            release(batch.row_ids);
        }
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.release();
        let (extension, cursor) = (self.extension.number, self.number);
        // Nobody is there to be told of a failure.
        // SAFETY: a cursor does not outlive its connection.
        let _ = unsafe { served(self.db, extension, || dispatch::table_close(extension, cursor)) };
    }
}
