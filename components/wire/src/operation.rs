//! Operations of `sql-work`, as SQLite's side reads them.

use core::ffi::CStr;

use crate::{Error, Reader, Value, tag};

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal;)*) => {
        /// The byte with which an operation begins. Its parameters follow, laid out as
        /// in [`Reader`].
        ///
        /// At most one operation of a request has a reply. After an operation that fails, only
        /// operations that release something are performed: [`Opcode::Reset`], [`Opcode::Close`],
        /// [`Opcode::CloseAll`] and [`Opcode::Keep`].
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Opcode {
            $($(#[doc = $doc])* $name = $code,)*
        }

        impl Opcode {
            /// All of them, with their names.
            pub const ALL: &[(&str, Self)] = &[$((stringify!($name), Self::$name)),*];

            /// The operation that begins with a byte.
            #[inline]
            pub const fn of(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

opcodes! {
    /// Write into a blob: blob, offset, the bytes.
    Write = 0;
    /// Reset a statement: statement.
    Reset = 1;
    /// Close a statement or blob: its handle.
    Close = 2;
    /// Bind a parameter: statement, parameter, value.
    Bind = 3;
    /// Prepare the first statement of a text: text. Reply: [`Prepared`](crate::Prepared),
    /// count and names of parameters, count and names of columns.
    Prepare = 4;
    /// Run all statements of a text: text.
    Execute = 5;
    /// Read rows: statement, limit. Reply: [`Rows`](crate::Rows), values.
    Step = 6;
    /// Open blobs: their count, and for each its [`BlobLocation`]. Reply for each:
    /// [`Opened`](crate::Opened), and the bytes of the first one if it is small. Fails if the first
    /// one cannot be opened.
    OpenBlobs = 7;
    /// Move a blob to another row: blob, row id. Reply as for [`Opcode::OpenBlobs`].
    ReopenBlob = 8;
    /// Read a blob: blob, offset, length. Reply: the bytes, and nothing else.
    Read = 9;
    /// `sqlite3_last_insert_rowid`. Reply: i64.
    LastInsertRowId = 10;
    /// Rows changed by the last statement, and by all. Reply: two i64.
    Changes = 11;
    /// Close everything that the extension has open.
    CloseAll = 12;
    /// `sqlite3_error_offset`. Reply: i64.
    ErrorOffset = 13;
    /// `sqlite3_stmt_isexplain` (u8) of a statement, count of its columns, and their
    /// declared types as values: statement.
    Describe = 14;
    /// `sqlite3_expanded_sql` as a value: statement.
    Expand = 15;
    /// `sqlite3_table_column_metadata`: schema as a value, NULL for any; table; column as
    /// a value, NULL for none. Reply: declared type and collation as values, and three
    /// flags.
    Column = 16;
    /// A database by its position or name, as a value. Reply: name and file as values,
    /// `sqlite3_db_readonly` and `sqlite3_txn_state` (i32); NULL and -1 for none.
    Database = 17;
    /// `sqlite3_get_autocommit`. Reply: i64.
    Autocommit = 18;
    /// `sqlite3_set_last_insert_rowid`: row id.
    SetLastInsertRowId = 19;
    /// Keep a blob open that would [end with the call](BlobLocation::ends_with_call): blob.
    Keep = 20;
    /// Run a statement for its changes: statement. Reply: [`Ran`](crate::Ran).
    Run = 21;
    /// Bind the parameter after the one that the previous operation has bound: value.
    BindNext = 22;
}

/// The location of a blob: flags, row id, schema, table, column.
#[derive(Clone, Copy, Debug)]
pub struct BlobLocation<'a> {
    /// It is opened for writing too: flag 1.
    pub is_writable: bool,
    /// It is closed when the extension's call ends, unless it is kept: flag 2. Its handle stays in
    /// use until it is closed too, possibly in a later call.
    pub ends_with_call: bool,
    /// The row.
    pub row_id: i64,
    /// The database.
    pub schema: &'a CStr,
    /// The table.
    pub table: &'a CStr,
    /// The column.
    pub column: &'a CStr,
    /// These fields as they were received; see [`BlobLocation::set_row_id`].
    pub key: &'a [u8],
}

impl<'a> BlobLocation<'a> {
    /// Read it.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        let start = reader.0;
        let (flags, row_id) = (reader.u8()?, reader.i64()?);
        let (is_writable, ends_with_call) = (flags & 1 != 0, flags & 2 != 0);
        let (schema, table, column) = (reader.name()?, reader.name()?, reader.name()?);
        let key = &start[..start.len() - reader.0.len()];
        Ok(Self { is_writable, ends_with_call, row_id, schema, table, column, key })
    }

    /// Change the row id in a [`BlobLocation::key`].
    pub fn set_row_id(key: &mut [u8], row_id: i64) {
        key[1..9].copy_from_slice(&row_id.to_le_bytes());
    }

    fn skip(reader: &mut Reader<'a>) -> Result<(), Error> {
        reader.take::<9>()?;
        (0..3).try_for_each(|_| reader.terminated().map(|_| ()))
    }
}

/// A database of the connection.
#[derive(Clone, Copy, Debug)]
pub enum Database<'a> {
    /// Without a name SQLite means `main`, or all databases for the state of transactions.
    Named(Option<&'a CStr>),
    /// The position in `PRAGMA database_list`.
    At(i64),
}

impl<'a> Database<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        match reader.0.first() {
            Some(&tag::INTEGER) => {
                reader.u8()?;
                reader.i64().map(Self::At)
            }
            _ => reader.optional_name().map(Self::Named),
        }
    }
}

/// An operation; see [`Opcode`].
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    Write { blob: u32, offset: u32, data: &'a [u8] },
    Reset(u32),
    Close(u32),
    Bind { statement: u32, parameter: u32, value: Value<&'a [u8]> },
    Prepare(&'a str),
    Execute(&'a str),
    Step { statement: u32, limit: u32 },
    OpenBlobs { count: u32, locations: Reader<'a> },
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
    Keep(u32),
    Run(u32),
    BindNext(Value<&'a [u8]>),
}

impl<'a> Operation<'a> {
    /// Read one operation.
    pub fn read(from: &mut Reader<'a>) -> Result<Self, Error> {
        Ok(match Opcode::of(from.u8()?).ok_or(Error::Malformed)? {
            Opcode::Write => {
                Self::Write { blob: from.u32()?, offset: from.u32()?, data: from.bytes()? }
            }
            Opcode::Reset => Self::Reset(from.u32()?),
            Opcode::Close => Self::Close(from.u32()?),
            Opcode::Bind => {
                Self::Bind { statement: from.u32()?, parameter: from.u32()?, value: from.value()? }
            }
            Opcode::Prepare => Self::Prepare(from.sql()?),
            Opcode::Execute => Self::Execute(from.sql()?),
            Opcode::Step => Self::Step { statement: from.u32()?, limit: from.u32()? },
            Opcode::OpenBlobs => {
                let count = from.u32()?;
                let locations = *from;
                (0..count).try_for_each(|_| BlobLocation::skip(from))?;
                Self::OpenBlobs { count, locations }
            }
            Opcode::ReopenBlob => Self::ReopenBlob { blob: from.u32()?, row_id: from.i64()? },
            Opcode::Read => {
                Self::Read { blob: from.u32()?, offset: from.u32()?, length: from.u32()? }
            }
            Opcode::LastInsertRowId => Self::LastInsertRowId,
            Opcode::Changes => Self::Changes,
            Opcode::CloseAll => Self::CloseAll,
            Opcode::ErrorOffset => Self::ErrorOffset,
            Opcode::Describe => Self::Describe(from.u32()?),
            Opcode::Expand => Self::Expand(from.u32()?),
            Opcode::Column => Self::Column {
                schema: from.optional_name()?,
                table: from.name()?,
                column: from.optional_name()?,
            },
            Opcode::Database => Self::Database(Database::read(from)?),
            Opcode::Autocommit => Self::Autocommit,
            Opcode::SetLastInsertRowId => Self::SetLastInsertRowId(from.i64()?),
            Opcode::Keep => Self::Keep(from.u32()?),
            Opcode::Run => Self::Run(from.u32()?),
            Opcode::BindNext => Self::BindNext(from.value()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_is_its_byte() {
        for (index, (_, opcode)) in Opcode::ALL.iter().enumerate() {
            assert_eq!((*opcode as usize, Opcode::of(index as u8)), (index, Some(*opcode)));
        }
        assert_eq!(Opcode::of(Opcode::ALL.len() as u8), None);
    }
}
