//! Rows, which arrive in blocks and are decoded without copying them.

mod converted;

use std::fmt;
use std::time::Duration;

use runtime::database::wire::{self, Operations, Reader, tag};

use crate::error::{Error, Limit, Result};
use crate::statement::Statement;
use crate::types::{FromSql, ValueRef};
pub use converted::{AndThenRows, MappedRows, OptionalExtension};

/// Rows of the first block, and the factor for each next one: a query from which one row is read
/// does not compute hundreds. After any other request of the connection, which may have changed what
/// the query reads, a block is a first one again.
const FIRST_ROWS: u32 = 1;
const GROWTH: u32 = 4;

/// Rows of the first block where all are read: most queries of programs then need one request.
const FIRST_OF_ALL: u32 = 64;

/// Limit on the rows of a block. The sandbox ends a block earlier when it exceeds 1 MiB.
const MAX_ROWS: u32 = 256;

/// Maximum size of a block's memory that is reused for the next query, in bytes.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Limit on the columns of a statement: the maximum of SQLite's compile-time limit.
pub const MAX_COLUMNS: u32 = 32767;

/// Memory that a statement reuses.
#[derive(Default)]
pub struct Room {
    pub block: Vec<u8>,
    pub offsets: Vec<u32>,
}

/// The rows of a query, one by one: `while let Some(row) = rows.next()? { … }`.
pub struct Rows<'stmt> {
    row: Row<'stmt>,
    /// The position of the next row in the block.
    position: usize,
    /// How many rows are left in the block.
    left: u32,
    width: u32,
    /// How many rows the first block has at most, and this one.
    first_rows: u32,
    block_rows: u32,
    /// How many requests the connection had sent when the block arrived.
    requests: u64,
    state: State,
    /// Only the first row is needed: the statement is reset by the same request.
    is_one: bool,
    /// Time, rows and bytes so far, for the limits.
    time: Duration,
    rows: u64,
    bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No request was sent.
    New,
    /// The statement may have more rows.
    Running,
    /// It has no more rows, and is reset.
    Done,
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").finish_non_exhaustive()
    }
}

impl<'stmt> Rows<'stmt> {
    pub(crate) fn new(statement: &'stmt Statement<'_>) -> Self {
        let room = statement.raw.as_ref().map(|raw| raw.room.take()).unwrap_or_default();
        Self {
            row: Row { statement, block: room.block, offsets: room.offsets },
            position: 0,
            left: 0,
            width: 0,
            first_rows: FIRST_ROWS,
            block_rows: FIRST_ROWS,
            requests: 0,
            state: State::New,
            is_one: false,
            time: Duration::ZERO,
            rows: 0,
            bytes: 0,
        }
    }

    pub(crate) fn of_one(statement: &'stmt Statement<'_>) -> Self {
        let mut rows = Self::new(statement);
        rows.is_one = true;
        rows
    }

    /// Fetch many rows from the first request on, for a caller that reads all of them. A request in
    /// between, which may change what the query reads, is not seen by the rows of the block.
    #[must_use]
    pub fn read_whole(mut self) -> Self {
        self.first_rows = FIRST_OF_ALL;
        self
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    ///
    /// SQLite's, and [`Error::LimitReached`], after the rows before it.
    #[expect(clippy::should_implement_trait, reason = "the row borrows from `self`")]
    #[inline]
    pub fn next(&mut self) -> Result<Option<&Row<'stmt>>> {
        if self.left == 0 && (self.state == State::Done || !self.fetch()?) {
            return Ok(None);
        }
        self.left -= 1;
        self.advance()?;
        Ok(Some(&self.row))
    }

    /// The rows, converted by `f`.
    pub fn mapped<F, T>(self, f: F) -> MappedRows<'stmt, F>
    where
        F: FnMut(&Row<'_>) -> Result<T>,
    {
        MappedRows { rows: self, map: f }
    }

    /// The same with another type of error.
    pub fn and_then<F, T, E>(self, f: F) -> AndThenRows<'stmt, F>
    where
        F: FnMut(&Row<'_>) -> Result<T, E>,
    {
        AndThenRows { rows: self, map: f }
    }

    /// Find the offsets of the values of the next row.
    fn advance(&mut self) -> Result<()> {
        let Row { statement, block, offsets } = &mut self.row;
        let end = index_values(block, self.position, self.width, offsets);
        let end = statement.db.client.checked(end.ok_or(Error::MalformedReply));
        let end = end.inspect_err(|_| self.state = State::Done)?;
        let limits = &statement.db.client.limits;
        self.rows += 1;
        self.bytes += (end - self.position) as u64;
        self.position = end;
        let reached = match (limits.rows, limits.bytes) {
            (Some(rows), _) if self.rows > rows => Limit::Rows(rows),
            (_, Some(bytes)) if self.bytes > bytes => Limit::Bytes(bytes),
            _ => return Ok(()),
        };
        self.left = 0;
        self.reset();
        Err(Error::LimitReached(reached))
    }

    /// Fetch a block. Returns whether it has a row.
    #[cold]
    fn fetch(&mut self) -> Result<bool> {
        let client = &self.row.statement.db.client;
        let raw = self.row.statement.raw()?;
        let (bound, handle) = raw.begin();
        let Some(handle) = handle else {
            self.state = State::Done;
            return Ok(false);
        };
        if self.state == State::Running && client.take_interruption() {
            self.reset();
            return Err(Error::sqlite(9, "interrupted"));
        }
        let only_reads = self.state == State::Running && self.requests == client.requests();
        self.block_rows =
            if only_reads { (self.block_rows * GROWTH).min(MAX_ROWS) } else { self.first_rows };
        let mut operations = bound.step(handle, self.block_rows);
        if self.is_one {
            operations = operations.reset(handle);
        }
        let left = client.statement_time.get().map(|limit| limit.saturating_sub(self.time));
        let (took, performed) = client.perform_within(&operations, &mut self.row.block, left);
        self.requests = client.requests();
        raw.keep(operations);
        self.time += took;
        self.state = State::Done;
        performed?;
        let rows = client.checked(self.read())?;
        let is_over = rows.is_last || self.is_one;
        self.state = if is_over { State::Done } else { State::Running };
        Ok(rows.count > 0)
    }

    /// Read how many rows a block has.
    fn read(&mut self) -> Result<wire::Rows> {
        let block = &self.row.block;
        let mut reader = Reader(block);
        let rows = wire::Rows::read(&mut reader)?;
        let is_possible = rows.width <= MAX_COLUMNS
            && rows.count <= self.block_rows
            && (rows.count > 0 || rows.is_last);
        if !is_possible {
            return Err(Error::MalformedReply);
        }
        self.position = block.len() - reader.0.len();
        (self.left, self.width) = (rows.count, rows.width);
        Ok(rows)
    }

    /// Reset a statement that may have more rows, since it holds locks.
    fn reset(&mut self) {
        if std::mem::replace(&mut self.state, State::Done) == State::Running
            && let Some(raw) = &self.row.statement.raw
            && let (_, Some(handle)) = raw.begin()
        {
            let operations = Operations::default().reset(handle);
            // The next request reports a failure of the connection.
            let _ = self.row.statement.db.client.perform(&operations, &mut self.row.block);
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        self.reset();
        let Row { statement, block, offsets } = &mut self.row;
        if let Some(raw) = &statement.raw
            && block.capacity() <= MAX_KEPT_BYTES
        {
            raw.room.set(Room { block: std::mem::take(block), offsets: std::mem::take(offsets) });
        }
    }
}

/// Find the offsets of `width` values from `position` on, and the end of the last one. None if the
/// bytes are malformed.
#[inline]
pub fn index_values(
    bytes: &[u8],
    mut position: usize,
    width: u32,
    offsets: &mut Vec<u32>,
) -> Option<usize> {
    offsets.clear();
    for _ in 0..width {
        offsets.push(u32::try_from(position).ok()?);
        position = end_of_value(bytes, position)?;
    }
    Some(position)
}

/// The end of the value at a position; none if it is not one.
#[inline]
pub fn end_of_value(bytes: &[u8], position: usize) -> Option<usize> {
    let length = match *bytes.get(position)? {
        tag::NULL => 1,
        tag::INTEGER | tag::REAL => 9,
        tag::TEXT | tag::BLOB => {
            let length = bytes.get(position + 1..)?.first_chunk()?;
            (u32::from_le_bytes(*length) as usize).checked_add(6)?
        }
        _ => return None,
    };
    position.checked_add(length).filter(|end| *end <= bytes.len())
}

/// The value at an offset that [`index_values`] found.
#[inline]
pub fn value_at(bytes: &[u8], offset: u32) -> ValueRef<'_> {
    let rest = bytes.get(offset as usize..).unwrap_or_default();
    Reader(rest).value().map_or(ValueRef::Null, ValueRef::from)
}

/// A row of a query.
pub struct Row<'stmt> {
    pub(crate) statement: &'stmt Statement<'stmt>,
    block: Vec<u8>,
    offsets: Vec<u32>,
}

impl fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.offsets.iter().map(|offset| value_at(&self.block, *offset));
        f.debug_list().entries(values).finish()
    }
}

impl Row<'_> {
    /// The value of a column, by its index from 0 or its name.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidColumnIndex`] and [`Error::InvalidColumnName`] if the column does not exist;
    /// [`Error::InvalidColumnType`], [`Error::IntegralValueOutOfRange`] and
    /// [`Error::FromSqlConversionFailure`] if it is not of the type.
    #[inline]
    pub fn get<I: RowIndex, T: FromSql>(&self, index: I) -> Result<T> {
        let index = index.index(self.statement)?;
        let value = self.get_ref(index)?;
        T::column_result(value).map_err(|error| match error {
            crate::types::FromSqlError::InvalidType => {
                let name = self.statement.column_name(index).unwrap_or_default().to_owned();
                Error::InvalidColumnType(index, name, value.data_type())
            }
            error => Error::from_sql(index, value.data_type(), error),
        })
    }

    /// The value of a column, borrowed.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidColumnIndex`] and [`Error::InvalidColumnName`].
    #[inline]
    pub fn get_ref<I: RowIndex>(&self, index: I) -> Result<ValueRef<'_>> {
        let index = index.index(self.statement)?;
        let offset = self.offsets.get(index).ok_or(Error::InvalidColumnIndex(index))?;
        Ok(value_at(&self.block, *offset))
    }
}

/// Identifies a column: its index from 0, or its name.
pub trait RowIndex {
    #[doc(hidden)]
    fn index(&self, statement: &Statement<'_>) -> Result<usize>;
}

impl RowIndex for usize {
    #[inline]
    fn index(&self, _: &Statement<'_>) -> Result<usize> {
        Ok(*self)
    }
}

impl RowIndex for &str {
    fn index(&self, statement: &Statement<'_>) -> Result<usize> {
        statement.column_index(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_nothing_beyond_the_end() {
        let mut writer = wire::Writer::default();
        writer.integer(7);
        writer.text(b"ab");
        writer.null();
        let mut offsets = Vec::new();
        assert_eq!(index_values(&writer.0, 0, 3, &mut offsets), Some(writer.0.len()));
        assert_eq!(value_at(&writer.0, offsets[1]), ValueRef::Text(b"ab"));
        for end in 0..writer.0.len() {
            assert_eq!(index_values(&writer.0[..end], 0, 3, &mut offsets), None);
        }
        assert_eq!(index_values(&[5], 0, 1, &mut offsets), None);
        assert_eq!(index_values(&[3, 255, 255, 255, 255, 0], 0, 1, &mut offsets), None);
        assert_eq!(value_at(&[], 9), ValueRef::Null);
    }
}
