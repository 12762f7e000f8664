//! A scan: rows come in batches that grow, and are handed to SQLite one by one.

use std::rc::Rc;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3, sqlite3_context, sqlite3_vtab_cursor};

use super::super::abi::{
    Failure, RawError, RawList, RawResult, RawValue, give_copy, release, release_value,
};
use super::super::sql::{served, served_raw};
use super::Extension;
use crate::host::dispatch;
use crate::host::table_types::FilterArgument;

/// Rows of a scan's first batch: LIMIT 1 must not compute a thousand.
const FIRST_ROWS: u32 = 4;

/// By how much each batch is larger than the one before.
const GROWTH: u32 = 4;

/// Rows of a batch at most; larger ones gain nothing and take memory.
const MAX_ROWS: u32 = 1024;

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

/// `option<T>`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawOption<T> {
    is_some: u8,
    value: T,
}

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "table-fetch"]
    fn table_fetch(extension: u32, cursor: u32, limit: u32, result: *mut RawResult<RawBatch>);
}

/// A cursor, as SQLite sees it.
#[repr(C)]
pub struct Cursor {
    head: sqlite3_vtab_cursor,
    db: *mut sqlite3,
    extension: Rc<Extension>,
    number: u32,
    /// The columns that are fetched, in order.
    columns: Vec<u32>,
    batch: Option<RawBatch>,
    row: usize,
    limit: u32,
}

impl Cursor {
    pub fn new(db: *mut sqlite3, extension: Rc<Extension>, number: u32) -> Self {
        Self {
            // SAFETY: SQLite fills it in.
            head: unsafe { std::mem::zeroed() },
            db,
            extension,
            number,
            columns: Vec::new(),
            batch: None,
            row: 0,
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
        self.columns = columns;
        self.limit = FIRST_ROWS;
        self.fetch()
    }

    /// Go to the next row.
    pub fn next(&mut self) -> Result<(), Failure> {
        self.row += 1;
        match &self.batch {
            Some(batch) if self.row >= batch.row_ids.count && batch.is_last == 0 => self.fetch(),
            _ => Ok(()),
        }
    }

    pub fn is_at_end(&self) -> bool {
        self.batch.as_ref().is_none_or(|batch| self.row >= batch.row_ids.count)
    }

    /// The row id; a failure where the rows have none.
    pub fn row_id(&self) -> Result<i64, Failure> {
        match &self.batch {
            Some(batch) if batch.row_id_error.is_some != 0 => {
                // SAFETY: it is there, and not released yet.
                Err(unsafe { Failure::copied(batch.row_id_error.value) })
            }
            // SAFETY: the list has more than `row` items.
            Some(batch) if self.row < batch.row_ids.count => unsafe {
                Ok(*batch.row_ids.data.add(self.row))
            },
            _ => Ok(0),
        }
    }

    /// Give a column of the row to SQLite; NULL for one that was not asked for.
    ///
    /// # Safety
    ///
    /// `context` is xColumn's.
    pub unsafe fn give(&self, context: *mut sqlite3_context, column: u32) {
        let Some(place) = self.columns.iter().position(|wanted| *wanted == column) else {
            return;
        };
        let Some(batch) = &self.batch else {
            return;
        };
        let place = self.row * self.columns.len() + place;
        if place < batch.values.count {
            // SAFETY: the list has more than `place` values, not released yet.
            unsafe { give_copy(context, *batch.values.data.add(place)) };
        }
        if place < batch.subtypes.count {
            // SAFETY: the list has more than `place` items.
            unsafe {
                sqlite::sqlite3_result_subtype(context, (*batch.subtypes.data.add(place)).into());
            }
        }
    }

    fn fetch(&mut self) -> Result<(), Failure> {
        self.release();
        // SAFETY: the import's lowered form, which fills the result; a cursor
        // does not outlive its connection.
        let fetched = unsafe {
            served_raw(self.db, self.extension.number, |result| {
                table_fetch(self.extension.number, self.number, self.limit, result);
            })
            .get()
        };
        // SAFETY: the error came from the host.
        let batch = fetched.map_err(|error| unsafe { Failure::from_raw(error) })?;
        self.batch = Some(batch);
        self.row = 0;
        self.limit = (self.limit * GROWTH).min(MAX_ROWS);
        if batch.values.count != batch.row_ids.count * self.columns.len() {
            return Err(self.extension.broke("its rows have another width than was asked for"));
        }
        if batch.subtypes.count != 0 && batch.subtypes.count != batch.values.count {
            return Err(self
                .extension
                .broke("it gave subtypes for other values than its rows have"));
        }
        if batch.row_ids.count == 0 && batch.is_last == 0 {
            return Err(self.extension.broke("it gave no rows, and not that none follow"));
        }
        Ok(())
    }

    fn release(&mut self) {
        let Some(batch) = self.batch.take() else {
            return;
        };
        // SAFETY: the batch came from the host and is not used any more.
        unsafe {
            for place in 0..batch.values.count {
                release_value(*batch.values.data.add(place));
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
