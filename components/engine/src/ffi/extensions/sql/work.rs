//! Operations of an extension as bytes: `sql.work` has their layout.

use std::ffi::{CStr, c_int};

use libsqlite3_sys as sqlite;
use sqlite::sqlite3;

use super::super::abi::failure;
use super::{about, access, blob, kept, statement};
use crate::host::dispatch::SqlError;

type Answer<T> = Result<T, SqlError>;

/// A value that is to be bound.
pub enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// Where a blob is.
#[derive(Clone, Copy)]
pub struct BlobPlace<'a> {
    pub is_writable: bool,
    pub row_id: i64,
    pub schema: &'a CStr,
    pub table: &'a CStr,
    pub column: &'a CStr,
    /// All of this, as it came.
    pub key: &'a [u8],
}

/// A database of the connection.
pub enum Wanted<'a> {
    /// SQLite takes none for `main`, and for all where it looks at transactions.
    Named(Option<&'a CStr>),
    Place(c_int),
}

enum Operation<'a> {
    Write { blob: u32, offset: u32, data: &'a [u8] },
    Reset(u32),
    Close(u32),
    Bind { statement: u32, parameter: u32, value: Value<'a> },
    Prepare(&'a str),
    Execute(&'a str),
    Step { statement: u32, limit: u32 },
    OpenBlobs { count: u32, places: &'a [u8] },
    ReopenBlob { blob: u32, row_id: i64 },
    Read { blob: u32, offset: u32, length: u32 },
    LastInsertRowId,
    Changes,
    CloseAll,
    ErrorOffset,
    Describe(u32),
    Expand(u32),
    Column { schema: Option<&'a CStr>, table: &'a CStr, column: Option<&'a CStr> },
    Database(Wanted<'a>),
    Autocommit,
    SetLastInsertRowId(i64),
}

fn malformed() -> SqlError {
    failure(sqlite::SQLITE_MISUSE, "the extension asks for what SQLite has not, or in part")
}

/// The bytes of operations, from the next one on.
struct Operations<'a>(&'a [u8]);

impl<'a> Operations<'a> {
    fn take<const N: usize>(&mut self) -> Answer<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    fn u8(&mut self) -> Answer<u8> {
        self.take().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Answer<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn i64(&mut self) -> Answer<i64> {
        self.take().map(i64::from_le_bytes)
    }

    /// With the zero byte behind them.
    fn terminated(&mut self) -> Answer<&'a [u8]> {
        let length = (self.u32()? as usize).checked_add(1).ok_or_else(malformed)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn bytes(&mut self) -> Answer<&'a [u8]> {
        self.terminated().map(|bytes| &bytes[..bytes.len() - 1])
    }

    fn text(&mut self) -> Answer<&'a str> {
        std::str::from_utf8(self.bytes()?)
            .map_err(|_| failure(sqlite::SQLITE_ERROR, "the SQL is no UTF-8"))
    }

    fn name(&mut self) -> Answer<&'a CStr> {
        CStr::from_bytes_with_nul(self.terminated()?)
            .map_err(|_| failure(sqlite::SQLITE_ERROR, "a name has a NUL"))
    }

    fn optional_name(&mut self) -> Answer<Option<&'a CStr>> {
        match self.u8()? {
            0 => Ok(None),
            3 => self.name().map(Some),
            _ => Err(malformed()),
        }
    }

    fn database(&mut self) -> Answer<Wanted<'a>> {
        let Some(1) = self.0.first() else { return self.optional_name().map(Wanted::Named) };
        let (_, place) = (self.u8()?, self.i64()?);
        // No connection has so many.
        Ok(Wanted::Place(place.try_into().unwrap_or(c_int::MAX)))
    }

    fn column(&mut self) -> Answer<Operation<'a>> {
        let (schema, table) = (self.optional_name()?, self.name()?);
        Ok(Operation::Column { schema, table, column: self.optional_name()? })
    }

    fn value(&mut self) -> Answer<Value<'a>> {
        Ok(match self.u8()? {
            0 => Value::Null,
            1 => Value::Integer(self.i64()?),
            2 => Value::Real(f64::from_bits(self.i64()? as u64)),
            3 => Value::Text(self.bytes()?),
            4 => Value::Blob(self.bytes()?),
            _ => return Err(malformed()),
        })
    }

    fn place(&mut self) -> Answer<BlobPlace<'a>> {
        let start = self.0;
        let (is_writable, row_id) = (self.u8()? != 0, self.i64()?);
        let (schema, table, column) = (self.name()?, self.name()?, self.name()?);
        let key = &start[..start.len() - self.0.len()];
        Ok(BlobPlace { is_writable, row_id, schema, table, column, key })
    }

    fn places(&mut self) -> Answer<Operation<'a>> {
        let count = self.u32()?;
        let places = self.0;
        for _ in 0..count {
            self.take::<9>()?;
            for _ in 0..3 {
                self.terminated()?;
            }
        }
        Ok(Operation::OpenBlobs { count, places })
    }

    fn next(&mut self) -> Answer<Operation<'a>> {
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
            7 => self.places()?,
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

/// Who asks.
#[derive(Clone, Copy)]
pub struct Asker {
    pub db: *mut sqlite3,
    pub extension: u32,
}

/// Do what is asked: the reply of the operation that has one.
///
/// # Safety
///
/// The asker's connection is the one that called it.
pub unsafe fn done(asker: Asker, operations: &[u8]) -> Answer<Vec<u8>> {
    let mut operations = Operations(operations);
    let mut answer = Ok(Vec::new());
    while !operations.0.is_empty() {
        let operation = match operations.next() {
            Ok(operation) => operation,
            // What follows cannot be told apart.
            Err(error) => return answer.and(Err(error)),
        };
        // SAFETY: the caller's promise.
        match unsafe { tidied(asker.extension, operation) } {
            // SAFETY: the same.
            Some(operation) if answer.is_ok() => match unsafe { asked(asker, operation) } {
                Ok(None) => {}
                Ok(Some(reply)) => answer = Ok(reply),
                Err(error) => answer = Err(error),
            },
            _ => {}
        }
    }
    answer
}

/// What ends something, and is done in any case; other operations are given
/// back.
///
/// # Safety
///
/// None of what is ended runs.
unsafe fn tidied(extension: u32, operation: Operation) -> Option<Operation> {
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            Operation::Reset(statement) => kept::reset(extension, statement),
            Operation::Close(handle) => kept::close(extension, handle),
            Operation::CloseAll => kept::close_all_of(extension),
            operation => return Some(operation),
        }
    }
    None
}

/// # Safety
///
/// As [`done`].
unsafe fn asked(asker: Asker, operation: Operation) -> Answer<Option<Vec<u8>>> {
    let Asker { db, extension } = asker;
    // SAFETY: the caller's promise.
    unsafe {
        match operation {
            Operation::Write { blob, offset, data } => {
                access::check_write()?;
                blob::write(extension, blob, offset, data).map(|()| None)
            }
            Operation::Bind { statement, parameter, value } => {
                statement::bind(extension, statement, parameter as c_int, value).map(|()| None)
            }
            Operation::Prepare(text) => {
                super::check_depth()?;
                statement::prepare(db, extension, text).map(Some)
            }
            Operation::Execute(text) => {
                super::check_depth()?;
                statement::execute(db, text).map(|()| None)
            }
            Operation::Step { statement, limit } => {
                super::check_depth()?;
                statement::step(extension, statement, limit).map(Some)
            }
            Operation::OpenBlobs { count, places } => {
                super::check_depth()?;
                opened(asker, count, Operations(places)).map(Some)
            }
            Operation::ReopenBlob { blob, row_id } => {
                blob::reopen(extension, blob, row_id).map(Some)
            }
            Operation::Read { blob, offset, length } => {
                blob::read(extension, blob, offset, length).map(Some)
            }
            Operation::LastInsertRowId => Ok(Some(number(sqlite::sqlite3_last_insert_rowid(db)))),
            Operation::Changes => Ok(Some(changes(db))),
            Operation::ErrorOffset => Ok(Some(number(sqlite::sqlite3_error_offset(db).into()))),
            Operation::Describe(statement) => about::described(extension, statement).map(Some),
            Operation::Expand(statement) => about::expanded(extension, statement).map(Some),
            Operation::Column { schema, table, column } => {
                about::column(db, schema, table, column).map(Some)
            }
            Operation::Database(wanted) => Ok(Some(about::database(db, wanted))),
            Operation::Autocommit => Ok(Some(number(sqlite::sqlite3_get_autocommit(db).into()))),
            Operation::SetLastInsertRowId(row_id) => {
                access::check_write()?;
                sqlite::sqlite3_set_last_insert_rowid(db, row_id);
                Ok(None)
            }
            other => {
                tidied(extension, other);
                Ok(None)
            }
        }
    }
}

fn number(number: i64) -> Vec<u8> {
    number.to_le_bytes().to_vec()
}

/// Open blobs, of which only the first must be there.
///
/// # Safety
///
/// As [`done`].
unsafe fn opened(asker: Asker, count: u32, mut places: Operations) -> Answer<Vec<u8>> {
    let mut reply = Vec::with_capacity(64);
    for place in 0..count {
        let is_first = place == 0;
        // SAFETY: the caller's promise.
        match unsafe { blob::open(asker, places.place()?, is_first, &mut reply) } {
            Err(error) if is_first => return Err(error),
            Err(_) => blob::tell_none(&mut reply),
            Ok(()) => {}
        }
    }
    Ok(reply)
}

/// # Safety
///
/// `db` is an open connection.
unsafe fn changes(db: *mut sqlite3) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let counts = unsafe { [sqlite::sqlite3_changes(db), sqlite::sqlite3_total_changes(db)] };
    counts.iter().flat_map(|count| i64::from(*count).to_le_bytes()).collect()
}
