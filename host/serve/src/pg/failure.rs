//! What goes wrong, as clients see it.

use sqlite_sandbox::Limit;
use sqlite_wasm_postgres::Error;
use sqlite_wasm_postgres::error::sqlstate;
use wire::code;

use crate::session::control::Ended;
use crate::session::error::{Error as SessionError, is_extension_trap};

/// Why a message is not followed.
#[derive(Debug)]
pub enum Failure {
    /// The connection goes on.
    Error(Error),
    /// The connection ends.
    Fatal(Error),
    /// The client is gone.
    Gone,
}

/// The result of a message.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Database(error) => of_database(&error),
            SessionError::Postgres(error) => Self::Error(*error),
            SessionError::Ended(ended) => Self::Fatal(of_end(ended)),
            SessionError::Gone => Self::Gone,
            SessionError::Cancelled => Self::Fatal(shutdown()),
            SessionError::ReadOnly => {
                Self::Error(Error::new(sqlstate::READ_ONLY_TRANSACTION, error.to_string()))
            }
            SessionError::Refused(refusal) if refusal.is_syntax() => {
                Self::Error(Error::new(sqlstate::SYNTAX_ERROR, refusal.to_string()))
            }
            SessionError::Refused(refusal) if refusal.is_reserved() => {
                Self::Error(Error::new(sqlstate::RESERVED_NAME, refusal.to_string()))
            }
            SessionError::Refused(_) => {
                Self::Error(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, error.to_string()))
            }
            SessionError::Full => Self::Fatal(Error::new("53300", error.to_string())),
            other => Self::Error(Error::new(sqlstate::INTERNAL_ERROR, other.to_string())),
        }
    }
}

fn of_database(error: &sqlite_sandbox::Error) -> Failure {
    use sqlite_sandbox::Error as Database;
    let mut found = with_sqlstate(error);
    match error {
        Database::Trapped(_) | Database::MalformedReply | Database::Sandbox(_) => {
            return Failure::Fatal(Error::new(sqlstate::INTERNAL_ERROR, error.to_string()));
        }
        error if is_extension_trap(error) => found.code = sqlstate::INTERNAL_ERROR,
        Database::LimitReached(Limit::StatementTime(_)) => {
            found.message = "canceling statement due to statement timeout".to_owned();
        }
        Database::SqliteFailure(error, _)
            if code::primary(error.extended_code) == code::INTERRUPT =>
        {
            found.message = "canceling statement due to user request".to_owned();
        }
        _ => {}
    }
    Failure::Error(found)
}

/// The error with its SQLSTATE.
fn with_sqlstate(error: &sqlite_sandbox::Error) -> Error {
    use sqlite_sandbox::Error as Database;
    match error {
        Database::SqliteFailure(error, message) => {
            Error::of_sqlite(error.extended_code, message.as_deref().unwrap_or("SQLite failed"))
        }
        Database::SqlInputError { error, msg, sql, offset } => {
            let found = Error::of_sqlite(error.extended_code, msg);
            match usize::try_from(*offset) {
                Ok(offset) => found.at(sql, offset),
                Err(_) => found,
            }
        }
        Database::LimitReached(limit) => Error::new(of_limit(limit), error.to_string()),
        Database::InvalidParameterCount(..) => {
            Error::new(sqlstate::PROTOCOL_VIOLATION, error.to_string())
        }
        _ => Error::new(sqlstate::INTERNAL_ERROR, error.to_string()),
    }
}

fn of_limit(limit: &Limit) -> &'static str {
    match limit {
        Limit::Memory(_) => sqlstate::OUT_OF_MEMORY,
        // As where PostgreSQL's `temp_file_limit` is reached.
        Limit::TemporaryFiles(_) => sqlstate::CONFIGURATION_LIMIT_EXCEEDED,
        Limit::StatementTime(_) | Limit::Time(_) => sqlstate::QUERY_CANCELED,
        _ => sqlstate::PROGRAM_LIMIT_EXCEEDED,
    }
}

/// A session that has ended on its own.
pub fn of_end(ended: Ended) -> Error {
    let (code, message) = match ended {
        Ended::Idle(_) => ("57P05", "terminating connection due to idle-session timeout"),
        Ended::Transaction(_) => {
            (sqlstate::TRANSACTION_TIMEOUT, "terminating connection due to transaction timeout")
        }
    };
    Error::new(code, message)
}

/// The error for too many long messages at a time.
pub fn no_room() -> Error {
    Error::new(sqlstate::OUT_OF_MEMORY, "too many long messages at a time").hint("try again")
}

/// The server ends.
pub fn shutdown() -> Error {
    Error::new("57P01", "terminating connection due to administrator command")
}
