//! A scan: rows come in batches that grow, and SQLite takes them one by one.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use wire::Value as Content;

use super::Extension;
use super::best_index;
use super::module::Table;
use crate::extensions::calls::{call, forget_pointers};
use crate::extensions::pointers::{self, Pointer};
use crate::ffi::imports::fetch_batch;
use crate::ffi::layout::{Batch, HostValue};
use crate::host::dispatch::{self, SqlError};
use crate::sqlite::connection::Connection;
use crate::sqlite::context::Context;
use crate::sqlite::value::Value;
use crate::sqlite::vtab;

/// Rows of a scan's first batch: LIMIT 1 must not compute a thousand rows.
const FIRST_ROWS: u32 = 4;

/// The factor by which each batch is larger than the one before.
const GROWTH: u32 = 4;

/// Limit on rows in a batch. More are not faster: a column of this many is still in the processor's
/// first cache when SQLite reads it.
const MAX_ROWS: u32 = 256;

/// The position of a column that is not fetched.
const NOT_FETCHED: u32 = u32::MAX;

/// A cursor.
pub struct Cursor {
    extension: Rc<Extension>,
    handle: u32,
    /// As [`Table`] has it.
    takes_unchanged: bool,
    /// Columns need more than their values: whether they are unchanged, or subtypes.
    is_special: bool,
    /// How many columns are fetched.
    width: usize,
    /// The position of each column among the fetched ones.
    positions: Vec<u32>,
    batch: Batch,
    /// The pointers among the values, by index; SQLite may read one twice.
    pointers: Vec<(usize, Rc<Pointer>)>,
    /// How many rows remain, including the current one; 0 at the end.
    rows: usize,
    /// The index of the row's first value.
    first: usize,
    limit: u32,
}

impl Cursor {
    pub fn new(extension: Rc<Extension>, handle: u32, takes_unchanged: bool) -> Self {
        Self {
            extension,
            handle,
            takes_unchanged,
            is_special: true,
            width: 0,
            positions: Vec::new(),
            batch: Batch::NONE,
            pointers: Vec::new(),
            rows: 0,
            first: 0,
            limit: FIRST_ROWS,
        }
    }

    /// Move to the first row of the next batch.
    #[cold]
    #[inline(never)]
    fn fetch(&mut self, db: &Connection) -> Result<(), SqlError> {
        self.release();
        let extension = self.extension.handle;
        if self.extension.has_pointers {
            forget_pointers(db, extension);
        }
        let batch = call(db, extension, fetch_batch(extension, self.handle, self.limit))?;
        if let Some(what) = self.fault(&batch) {
            return Err(self.extension.broke(what));
        }
        self.rows = batch.row_ids().len();
        self.is_special = self.takes_unchanged || !batch.subtypes().is_empty();
        self.limit = (self.limit * GROWTH).min(MAX_ROWS);
        if self.extension.has_pointers {
            self.pointers = pointers_in(&batch, extension);
        }
        self.batch = batch;
        Ok(())
    }

    /// The violation of the contract in a batch, if there is one.
    fn fault(&self, batch: &Batch) -> Option<&'static str> {
        let (rows, values) = (batch.row_ids().len(), batch.values().len());
        if values != rows * self.width {
            return Some("its rows have another width than was asked for");
        }
        let has_other_count = |count| count != 0 && count != values;
        if has_other_count(batch.subtypes().len()) {
            return Some("it gave subtypes for other values than its rows have");
        }
        if has_other_count(batch.required_count()) {
            return Some("it required other values than its rows have");
        }
        let is_stuck = rows == 0 && !batch.is_last();
        is_stuck.then_some("it gave no rows, and not that none follow")
    }

    fn release(&mut self) {
        self.rows = 0;
        self.first = 0;
        self.pointers.clear();
        self.batch = Batch::NONE;
    }

    /// Set a value that is not an integer, or that needs more. Not inlined, since its use of the
    /// stack would slow down the other values.
    #[inline(never)]
    fn set_special(&self, context: &Context, index: usize, value: &HostValue) {
        if self.takes_unchanged && context.is_unchanged() && !self.batch.is_required(index) {
            return;
        }
        if let Some((_, pointer)) = self.pointers.iter().find(|(at, _)| *at == index) {
            return context.set_pointer(pointer.clone());
        }
        context.copy_value(value);
        if let Some(subtype) = self.batch.subtypes().get(index) {
            context.set_subtype(*subtype);
        }
    }
}

/// The pointers among the values of a batch.
fn pointers_in(batch: &Batch, extension: u32) -> Vec<(usize, Rc<Pointer>)> {
    let values = batch.values().iter().zip(batch.subtypes()).enumerate();
    values
        .filter_map(|(index, (value, subtype))| {
            Some((index, Pointer::new(value, *subtype, extension)?))
        })
        .collect()
}

impl vtab::Cursor for Cursor {
    type Table = Table;

    fn filter(
        &mut self,
        db: &Connection,
        table: &Table,
        number: c_int,
        text: Option<&CStr>,
        arguments: &[&Value],
    ) -> Result<(), SqlError> {
        let (extension, cursor) = (self.extension.handle, self.handle);
        let (columns, text) = best_index::carried(text.unwrap_or_default(), table.columns);
        let subtypes = arguments.iter().map(|value| (value.subtype(), value.pointer()));
        let subtypes = pointers::subtypes(subtypes, extension);
        let arguments: Vec<_> =
            arguments.iter().map(|value| best_index::argument(value, extension)).collect();
        let text = text.as_deref();
        let begun = dispatch::table_filter(
            extension, cursor, number, text, &arguments, &subtypes, &columns,
        );
        call(db, extension, begun)?;
        let count = columns.iter().max().map_or(0, |last| *last as usize + 1);
        self.positions = vec![NOT_FETCHED; count];
        for (position, column) in (0..).zip(&columns) {
            self.positions[*column as usize] = position;
        }
        self.width = columns.len();
        self.limit = FIRST_ROWS;
        self.fetch(db)
    }

    #[inline]
    fn next(&mut self, db: &Connection) -> Result<(), SqlError> {
        self.rows = self.rows.saturating_sub(1);
        self.first += self.width;
        if self.rows > 0 || self.batch.is_last() { Ok(()) } else { self.fetch(db) }
    }

    #[inline]
    fn is_at_end(&self) -> bool {
        self.rows == 0
    }

    #[inline]
    fn column(&self, context: &Context, column: u32) {
        let position = self.positions.get(column as usize).map_or(NOT_FETCHED, |at| *at) as usize;
        if position >= self.width {
            // NULL for a column that is not fetched.
            return;
        }
        let index = self.first + position;
        match self.batch.values().get(index) {
            // By far the most frequent, and slower in a match of five cases.
            Some(Content::Integer(integer)) if !self.is_special => context.set_integer(*integer),
            Some(value) => self.set_special(context, index, value),
            None => {}
        }
    }

    fn row_id(&self) -> Result<i64, SqlError> {
        if let Some(error) = self.batch.row_id_error() {
            return Err(error);
        }
        let ids = self.batch.row_ids();
        Ok(ids.get(ids.len() - self.rows).copied().unwrap_or_default())
    }

    fn close(mut self, db: &Connection) {
        self.release();
        let (extension, cursor) = (self.extension.handle, self.handle);
        // SQLite ignores a failure of xClose.
        let _ = call(db, extension, dispatch::table_close(extension, cursor));
    }
}
