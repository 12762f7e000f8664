//! What is asked of SQLite, and its replies, as bytes: `sql.work` has their
//! layout.

use super::mistaken;
use crate::extensions::types::{SqlError, Value};

const WRITE: u8 = 0;
const RESET: u8 = 1;
const CLOSE: u8 = 2;
const BIND: u8 = 3;
const PREPARE: u8 = 4;
const EXECUTE: u8 = 5;
const STEP: u8 = 6;
const OPEN_BLOBS: u8 = 7;
const REOPEN_BLOB: u8 = 8;
const READ: u8 = 9;
const LAST_INSERT_ROW_ID: u8 = 10;
const CHANGES: u8 = 11;
const CLOSE_ALL: u8 = 12;

/// Operations, one after the other.
#[derive(Debug, Default)]
pub struct Work(Vec<u8>);

impl Work {
    fn of(code: u8) -> Self {
        Self(vec![code])
    }

    fn on(code: u8, handle: u32) -> Self {
        Self::of(code).u32(handle)
    }

    pub fn write(handle: u32, offset: u32, data: &[u8]) -> Self {
        Self::on(WRITE, handle).u32(offset).bytes(data)
    }

    pub fn reset(handle: u32) -> Self {
        Self::on(RESET, handle)
    }

    pub fn close(handle: u32) -> Self {
        Self::on(CLOSE, handle)
    }

    pub fn close_all() -> Self {
        Self::of(CLOSE_ALL)
    }

    pub fn prepare(text: &str) -> Self {
        Self::of(PREPARE).bytes(text.as_bytes())
    }

    pub fn execute(text: &str) -> Self {
        Self::of(EXECUTE).bytes(text.as_bytes())
    }

    /// Bind, and step.
    pub fn step(handle: u32, bindings: &[(u32, Value)], limit: u32) -> Self {
        let bound = bindings.iter().fold(Self::default(), |work, (parameter, value)| {
            work.u8(BIND).u32(handle).u32(*parameter).value(value)
        });
        bound.u8(STEP).u32(handle).u32(limit)
    }

    pub fn open_blob(schema: &str, table: &str, column: &str, row_id: i64, writable: bool) -> Self {
        let place = Self::of(OPEN_BLOBS).u32(1).u8(writable.into()).i64(row_id);
        place.bytes(schema.as_bytes()).bytes(table.as_bytes()).bytes(column.as_bytes())
    }

    pub fn reopen_blob(handle: u32, row_id: i64) -> Self {
        Self::on(REOPEN_BLOB, handle).i64(row_id)
    }

    pub fn read(handle: u32, offset: u32, length: u32) -> Self {
        Self::on(READ, handle).u32(offset).u32(length)
    }

    pub fn last_insert_row_id() -> Self {
        Self::of(LAST_INSERT_ROW_ID)
    }

    pub fn changes() -> Self {
        Self::of(CHANGES)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn size_bytes(&self) -> usize {
        self.0.len()
    }

    /// These, and others behind them.
    pub fn append(&mut self, other: Self) {
        match self.0.is_empty() {
            true => self.0 = other.0,
            false => self.0.extend_from_slice(&other.0),
        }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn u8(mut self, number: u8) -> Self {
        self.0.push(number);
        self
    }

    fn u32(mut self, number: u32) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn i64(mut self, number: i64) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        // Lists of components have 32 bits for their lengths.
        let mut work = self.u32(bytes.len() as u32);
        work.0.extend_from_slice(bytes);
        work.u8(0)
    }

    fn value(self, value: &Value) -> Self {
        match value {
            Value::Null => self.u8(0),
            Value::Integer(number) => self.u8(1).i64(*number),
            Value::Real(real) => self.u8(2).i64(real.to_bits() as i64),
            Value::Text(bytes) => self.u8(3).bytes(bytes),
            Value::Blob(bytes) => self.u8(4).bytes(bytes),
        }
    }
}

impl From<Vec<u8>> for Work {
    fn from(operations: Vec<u8>) -> Self {
        Self(operations)
    }
}

/// A reply that is read from its beginning. The caller may have answered
/// something else than was asked.
pub struct Reply<'a>(pub &'a [u8]);

impl<'a> Reply<'a> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], SqlError> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(mistaken)?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn bool(&mut self) -> Result<bool, SqlError> {
        self.take::<1>().map(|[byte]| byte != 0)
    }

    pub fn u32(&mut self) -> Result<u32, SqlError> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn i64(&mut self) -> Result<i64, SqlError> {
        self.take().map(i64::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], SqlError> {
        let length = self.u32()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(mistaken)?;
        self.0 = rest;
        self.take::<1>()?;
        Ok(bytes)
    }

    /// Names, with their count in front.
    pub fn names(&mut self) -> Result<Vec<String>, SqlError> {
        let count = self.u32()?;
        let name = |_| self.bytes().map(|name| String::from_utf8_lossy(name).into_owned());
        (0..count).map(name).collect()
    }

    /// All values that follow.
    pub fn values(mut self) -> Result<Vec<Value>, SqlError> {
        let mut values = Vec::new();
        while !self.0.is_empty() {
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn value(&mut self) -> Result<Value, SqlError> {
        Ok(match self.take::<1>()? {
            [0] => Value::Null,
            [1] => Value::Integer(self.i64()?),
            [2] => Value::Real(f64::from_bits(self.i64()? as u64)),
            [3] => Value::Text(self.bytes()?.to_vec()),
            [4] => Value::Blob(self.bytes()?.to_vec()),
            _ => return Err(mistaken()),
        })
    }
}
