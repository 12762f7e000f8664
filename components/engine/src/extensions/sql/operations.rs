//! Operations as bytes, in the layout of `sql.work`.

use std::ffi::{CStr, c_int};

use libsqlite3_sys as sqlite;

use crate::ffi::layout::Value;
use crate::host::dispatch::SqlError;
use crate::sqlite::error::failure;

/// Where a blob is.
#[derive(Clone, Copy)]
pub struct BlobLocation<'a> {
    pub is_writable: bool,
    pub row_id: i64,
    /// The schema, table and column.
    pub names: [&'a CStr; 3],
    /// All of this, as the extension sent it.
    pub bytes: &'a [u8],
}

/// A database of the connection.
pub enum Database<'a> {
    /// SQLite takes none for `main`, and for all where it looks at transactions.
    Named(Option<&'a CStr>),
    Index(c_int),
}

/// An operation.
pub enum Operation<'a> {
    Write { blob: u32, offset: u32, data: &'a [u8] },
    Reset(u32),
    Close(u32),
    Bind { statement: u32, parameter: u32, value: Value<&'a [u8]> },
    Prepare(&'a str),
    Execute(&'a str),
    Step { statement: u32, limit: u32 },
    OpenBlobs { count: u32, locations: Operations<'a> },
    ReopenBlob { blob: u32, row_id: i64 },
    Read { blob: u32, offset: u32, length: u32 },
    LastInsertRowId,
    Changes,
    CloseAll,
    ErrorOffset,
    Describe(u32),
    Expand(u32),
    Column { schema: Option<&'a CStr>, table: &'a CStr, column: Option<&'a CStr> },
    Database(Database<'a>),
    Autocommit,
    SetLastInsertRowId(i64),
}

/// The error for bytes that are not an operation.
fn malformed() -> SqlError {
    failure(sqlite::SQLITE_MISUSE, "the extension asks for what SQLite has not, or in part")
}

/// The bytes of operations, from the next one on.
#[derive(Clone, Copy)]
pub struct Operations<'a>(pub &'a [u8]);

impl<'a> Operations<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SqlError> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    fn u8(&mut self) -> Result<u8, SqlError> {
        self.take().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, SqlError> {
        self.take().map(u32::from_le_bytes)
    }

    fn i64(&mut self) -> Result<i64, SqlError> {
        self.take().map(i64::from_le_bytes)
    }

    /// With the zero byte at the end.
    fn terminated(&mut self) -> Result<&'a [u8], SqlError> {
        let length = (self.u32()? as usize).checked_add(1).ok_or_else(malformed)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn bytes(&mut self) -> Result<&'a [u8], SqlError> {
        self.terminated().map(|bytes| &bytes[..bytes.len() - 1])
    }

    fn text(&mut self) -> Result<&'a str, SqlError> {
        std::str::from_utf8(self.bytes()?)
            .map_err(|_| failure(sqlite::SQLITE_ERROR, "the SQL is no UTF-8"))
    }

    fn name(&mut self) -> Result<&'a CStr, SqlError> {
        CStr::from_bytes_with_nul(self.terminated()?)
            .map_err(|_| failure(sqlite::SQLITE_ERROR, "a name has a NUL"))
    }

    fn optional_name(&mut self) -> Result<Option<&'a CStr>, SqlError> {
        match self.u8()? {
            0 => Ok(None),
            3 => self.name().map(Some),
            _ => Err(malformed()),
        }
    }

    fn database(&mut self) -> Result<Database<'a>, SqlError> {
        let Some(1) = self.0.first() else { return self.optional_name().map(Database::Named) };
        let (_, index) = (self.u8()?, self.i64()?);
        // No connection has more.
        Ok(Database::Index(index.try_into().unwrap_or(c_int::MAX)))
    }

    fn column(&mut self) -> Result<Operation<'a>, SqlError> {
        let (schema, table) = (self.optional_name()?, self.name()?);
        Ok(Operation::Column { schema, table, column: self.optional_name()? })
    }

    fn value(&mut self) -> Result<Value<&'a [u8]>, SqlError> {
        Ok(match self.u8()? {
            0 => Value::Null,
            1 => Value::Integer(self.i64()?),
            2 => Value::Real(f64::from_bits(self.i64()? as u64)),
            3 => Value::Text(self.bytes()?),
            4 => Value::Blob(self.bytes()?),
            _ => return Err(malformed()),
        })
    }

    /// The next location of a blob.
    pub fn location(&mut self) -> Result<BlobLocation<'a>, SqlError> {
        let start = self.0;
        let (is_writable, row_id) = (self.u8()? != 0, self.i64()?);
        let names = [self.name()?, self.name()?, self.name()?];
        let bytes = &start[..start.len() - self.0.len()];
        Ok(BlobLocation { is_writable, row_id, names, bytes })
    }

    fn open_blobs(&mut self) -> Result<Operation<'a>, SqlError> {
        let (count, locations) = (self.u32()?, *self);
        for _ in 0..count {
            self.take::<9>()?;
            for _ in 0..3 {
                self.terminated()?;
            }
        }
        Ok(Operation::OpenBlobs { count, locations })
    }

    /// Whether there are no more.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next operation.
    pub fn next(&mut self) -> Result<Operation<'a>, SqlError> {
        Ok(match self.u8()? {
            0 => Operation::Write { blob: self.u32()?, offset: self.u32()?, data: self.bytes()? },
            1 => Operation::Reset(self.u32()?),
            2 => Operation::Close(self.u32()?),
            3 => Operation::Bind {
                statement: self.u32()?,
                parameter: self.u32()?,
                value: self.value()?,
            },
            4 => Operation::Prepare(self.text()?),
            5 => Operation::Execute(self.text()?),
            6 => Operation::Step { statement: self.u32()?, limit: self.u32()? },
            7 => self.open_blobs()?,
            8 => Operation::ReopenBlob { blob: self.u32()?, row_id: self.i64()? },
            9 => Operation::Read { blob: self.u32()?, offset: self.u32()?, length: self.u32()? },
            10 => Operation::LastInsertRowId,
            11 => Operation::Changes,
            12 => Operation::CloseAll,
            14 => Operation::ErrorOffset,
            15 => Operation::Describe(self.u32()?),
            16 => Operation::Expand(self.u32()?),
            17 => self.column()?,
            18 => Operation::Database(self.database()?),
            19 => Operation::Autocommit,
            20 => Operation::SetLastInsertRowId(self.i64()?),
            _ => return Err(malformed()),
        })
    }
}
