//! Errors.

use std::fmt;
use std::time::Duration;

use runtime::database::wire::code;
use runtime::database::{Failure, Reason};

use crate::types::{FromSqlError, Type};

/// A result, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error, boxed.
pub type BoxedError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// SQLite's result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteError {
    /// Its kind.
    pub code: ErrorCode,
    /// The extended result code, as in `sqlite3.h`.
    pub extended_code: i32,
}

macro_rules! codes {
    ($($name:ident = $code:ident,)*) => {
        /// The kinds of SQLite's errors.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = concat!("`SQLITE_", stringify!($code), "`")] $name,)*
            /// `SQLITE_ERROR`, or a code that SQLite does not define.
            Unknown,
        }

        impl ErrorCode {
            /// The kind of a result code, plain or extended.
            pub fn of(code: i32) -> Self {
                match code::primary(code) {
                    $(code::$code => Self::$name,)*
                    _ => Self::Unknown,
                }
            }
        }
    };
}

codes! {
    InternalMalfunction = INTERNAL,
    PermissionDenied = PERM,
    OperationAborted = ABORT,
    DatabaseBusy = BUSY,
    DatabaseLocked = LOCKED,
    OutOfMemory = NOMEM,
    ReadOnly = READONLY,
    OperationInterrupted = INTERRUPT,
    SystemIoFailure = IOERR,
    DatabaseCorrupt = CORRUPT,
    NotFound = NOTFOUND,
    DiskFull = FULL,
    CannotOpen = CANTOPEN,
    FileLockingProtocolFailed = PROTOCOL,
    SchemaChanged = SCHEMA,
    TooBig = TOOBIG,
    ConstraintViolation = CONSTRAINT,
    TypeMismatch = MISMATCH,
    ApiMisuse = MISUSE,
    NoLargeFileSupport = NOLFS,
    AuthorizationForStatementDenied = AUTH,
    ParameterOutOfRange = RANGE,
    NotADatabase = NOTADB,
}

/// A limit of [`Builder`](crate::Builder) that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`Builder::memory`](crate::Builder::memory), in bytes.
    Memory(usize),
    /// [`Builder::statement_time`](crate::Builder::statement_time). Where a single step of SQLite took
    /// longer, the sandbox is lost: see [`Connection::is_gone`](crate::Connection::is_gone).
    StatementTime(Duration),
    /// [`Builder::time`](crate::Builder::time); the same holds.
    Time(Duration),
    /// [`Builder::rows`](crate::Builder::rows).
    Rows(u64),
    /// [`Builder::bytes`](crate::Builder::bytes).
    Bytes(u64),
    /// [`Builder::temporary_files`](crate::Builder::temporary_files), in bytes.
    TemporaryFiles(u64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(bytes) => write!(f, "the memory limit of {bytes} bytes"),
            Self::StatementTime(time) => write!(f, "the time limit of a statement, {time:?}"),
            Self::Time(time) => write!(f, "the time limit of the connection, {time:?}"),
            Self::Rows(rows) => write!(f, "the limit of {rows} rows for a statement"),
            Self::Bytes(bytes) => write!(f, "the limit of {bytes} bytes for a statement"),
            Self::TemporaryFiles(bytes) => {
                write!(f, "the limit of {bytes} bytes of temporary files")
            }
        }
    }
}

/// Why an operation failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// SQLite's error, with its message.
    SqliteFailure(SqliteError, Option<String>),
    /// SQLite could not prepare a statement.
    SqlInputError {
        /// SQLite's code.
        error: SqliteError,
        /// Its message.
        msg: String,
        /// The statement.
        sql: String,
        /// The position in `sql` at which it failed, in bytes; -1 if it is not known.
        offset: i32,
    },
    /// A limit was reached. The connection can still be used, except after [`Limit::Time`].
    LimitReached(Limit),
    /// The sandboxed SQLite has trapped and is lost, with this connection. Other connections are
    /// not affected.
    Trapped(String),
    /// The sandbox sent a reply that SQLite never sends. The connection is closed.
    MalformedReply,
    /// The sandbox could not be started.
    Sandbox(anyhow::Error),
    /// A value of a column is not of the requested type.
    FromSqlConversionFailure(usize, Type, BoxedError),
    /// An integer of a column is out of the range of the requested type.
    IntegralValueOutOfRange(usize, i64),
    /// A value cannot be converted for SQLite.
    ToSqlConversionFailure(BoxedError),
    /// No parameter has this name.
    InvalidParameterName(String),
    /// How many parameters were given, and how many are needed.
    InvalidParameterCount(usize, usize),
    /// An executed statement returned rows.
    ExecuteReturnedResults,
    /// A query that must return a row returned none.
    QueryReturnedNoRows,
    /// A query that must return one row returned more.
    QueryReturnedMoreThanOneRow,
    /// No column has this index, counted from 0.
    InvalidColumnIndex(usize),
    /// No column has this name.
    InvalidColumnName(String),
    /// A column has a value of another type.
    InvalidColumnType(usize, String, Type),
    /// A statement changed this many rows instead of 1.
    StatementChangedRows(usize),
    /// The text has more than one statement.
    MultipleStatement,
    /// The error of a function of the program.
    UserFunctionError(BoxedError),
    /// An argument of a function has a value of another type.
    InvalidFunctionParameterType(usize, Type),
    /// A path that is not absolute and has no directory, or no name.
    InvalidPath(std::path::PathBuf),
    /// The offset is beyond the end of a blob.
    BlobSizeError,
}

impl Error {
    /// SQLite's error, if it is one.
    pub fn sqlite_error(&self) -> Option<&SqliteError> {
        match self {
            Self::SqliteFailure(error, _) | Self::SqlInputError { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The kind of SQLite's error, if it is one.
    pub fn sqlite_error_code(&self) -> Option<ErrorCode> {
        self.sqlite_error().map(|error| error.code)
    }

    /// The result code and message of an SQL function that fails with this error.
    pub(crate) fn for_sql(&self) -> (i32, String) {
        let code = self.sqlite_error().map_or(code::ERROR, |error| error.extended_code);
        (code, self.to_string())
    }

    pub(crate) fn sqlite(code: i32, message: impl Into<String>) -> Self {
        let error = SqliteError { code: ErrorCode::of(code), extended_code: code };
        Self::SqliteFailure(error, Some(message.into()))
    }

    pub(crate) fn from_sql(index: usize, found: Type, error: FromSqlError) -> Self {
        match error {
            FromSqlError::OutOfRange(number) => Self::IntegralValueOutOfRange(index, number),
            error => Self::FromSqlConversionFailure(index, found, Box::new(error)),
        }
    }

    /// The error of a failed call; `limits` are those of the connection.
    pub(crate) fn of(failure: Failure, limits: &crate::builder::Limits) -> Self {
        let Failure { code, message, reason } = failure;
        let limit = match reason {
            Some(Reason::Trapped) => return Self::Trapped(message),
            Some(Reason::Memory) => Some(Limit::Memory(limits.memory)),
            Some(Reason::StatementTime) => limits.statement_time.map(Limit::StatementTime),
            Some(Reason::TemporaryFiles) => limits.temporary_files.map(Limit::TemporaryFiles),
            Some(Reason::Time) => limits.time.map(Limit::Time),
            Some(Reason::Interrupted) | None => None,
        };
        limit.map_or_else(|| Self::sqlite(code, message), Self::LimitReached)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SqliteFailure(error, None) => write!(f, "SQLite error {}", error.extended_code),
            Self::SqliteFailure(_, Some(message)) => f.write_str(message),
            Self::SqlInputError { msg, sql, offset, .. } => {
                write!(f, "{msg} in {sql} at offset {offset}")
            }
            Self::LimitReached(limit) => write!(f, "{limit} was reached"),
            Self::Trapped(message) => f.write_str(message),
            Self::MalformedReply => f.write_str("the sandboxed database broke its protocol"),
            Self::Sandbox(error) => write!(f, "{error:#}"),
            Self::FromSqlConversionFailure(index, found, error) => {
                write!(f, "failed to convert column {index}, which is {found}: {error}")
            }
            Self::IntegralValueOutOfRange(index, number) => {
                write!(f, "integer {number} of column {index} is out of range")
            }
            Self::ToSqlConversionFailure(error) | Self::UserFunctionError(error) => error.fmt(f),
            Self::InvalidParameterName(name) => write!(f, "there is no parameter `{name}`"),
            Self::InvalidParameterCount(given, needed) => {
                write!(f, "{given} parameters were given, and the statement has {needed}")
            }
            Self::ExecuteReturnedResults => f.write_str("the statement returned rows; query it"),
            Self::QueryReturnedNoRows => f.write_str("the query returned no rows"),
            Self::QueryReturnedMoreThanOneRow => {
                f.write_str("the query returned more than one row")
            }
            Self::InvalidColumnIndex(index) => write!(f, "there is no column {index}"),
            Self::InvalidColumnName(name) => write!(f, "there is no column `{name}`"),
            Self::InvalidColumnType(index, name, found) => {
                write!(f, "column {index}, `{name}`, is {found}")
            }
            Self::StatementChangedRows(count) => write!(f, "the statement changed {count} rows"),
            Self::MultipleStatement => f.write_str("the text has more than one statement"),
            Self::InvalidFunctionParameterType(index, found) => {
                write!(f, "argument {index} is {found}")
            }
            Self::InvalidPath(path) => write!(f, "`{}` is not a path of a file", path.display()),
            Self::BlobSizeError => f.write_str("it lies beyond the end of the blob"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::FromSqlConversionFailure(_, _, error)
            | Self::ToSqlConversionFailure(error)
            | Self::UserFunctionError(error) => Some(&**error),
            Self::Sandbox(error) => error.source(),
            _ => None,
        }
    }
}

/// The reply of the sandbox cannot be decoded.
impl From<runtime::database::wire::Error> for Error {
    fn from(_: runtime::database::wire::Error) -> Self {
        Self::MalformedReply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_codes_have_the_kind_of_plain_ones() {
        assert_eq!(ErrorCode::of(code::CONSTRAINT_UNIQUE), ErrorCode::ConstraintViolation);
        assert_eq!(ErrorCode::of(code::ERROR), ErrorCode::Unknown);
        assert_eq!(ErrorCode::of(-1), ErrorCode::Unknown);
    }
}
