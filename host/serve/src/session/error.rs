//! Why a request of a client fails.

use std::fmt;

use access::policy::Refusal;
use wire::code;

use super::control::Ended;

/// A result, or an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request of a client fails.
#[derive(Debug)]
pub enum Error {
    /// SQLite's error, or a limit.
    Database(sqlite_sandbox::Error),
    /// The role does not allow the statement.
    Refused(Refusal),
    /// The statement writes, and the role is `read`.
    ReadOnly,
    /// The session was ended on its own.
    Ended(Ended),
    /// The client has disconnected, or has cancelled the request.
    Cancelled,
    /// A statement of a stream with an open cursor, or of a stream that is not open.
    Order(&'static str),
    /// A failure that was reported before, by its description.
    Performed(Failure),
    /// All sessions are in use.
    Full,
    /// The reply is too long.
    TooLong(u64),
    /// The session's thread is gone.
    Gone,
    /// The request itself is wrong.
    Request(String),
    /// An error with a SQLSTATE, of the Postgres wire.
    Postgres(Box<sqlite_wasm_postgres::Error>),
}

impl Error {
    /// An error code for programs: SQLite's name, or one of this server.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Database(error) => database_code(error),
            Self::Refused(refusal) if refusal.is_syntax() => "SQLITE_ERROR",
            Self::Refused(_) => "SQLITE_AUTH",
            Self::ReadOnly => "SQLITE_READONLY",
            Self::Ended(Ended::Idle(_)) => "STREAM_EXPIRED",
            Self::Ended(Ended::Transaction(_)) => "TRANSACTION_TIMEOUT",
            Self::Cancelled => "SQLITE_INTERRUPT",
            Self::Order(_) => "BAD_ORDER",
            Self::Performed(failure) => failure.code,
            Self::Full => "SERVER_FULL",
            Self::TooLong(_) => "RESPONSE_TOO_LARGE",
            Self::Gone => "STREAM_CLOSED",
            Self::Request(_) => "BAD_REQUEST",
            Self::Postgres(error) => error.code,
        }
    }
}

/// Whether the sandbox of an extension has trapped. SQLite reports that as an error of the function, with
/// the host's message; the session goes on.
pub fn is_extension_trap(error: &sqlite_sandbox::Error) -> bool {
    match error {
        sqlite_sandbox::Error::SqliteFailure(error, Some(message)) => {
            let named = message.strip_prefix("the extension `");
            let trapped = named.and_then(|rest| rest.split_once("` "));
            error.extended_code == code::ERROR
                && trapped.is_some_and(|(_, rest)| rest.starts_with("trapped"))
        }
        _ => false,
    }
}

fn database_code(error: &sqlite_sandbox::Error) -> &'static str {
    use sqlite_sandbox::Error as Database;
    match error {
        Database::LimitReached(_) => "LIMIT_REACHED",
        Database::Trapped(_) | Database::MalformedReply => "SANDBOX_TRAPPED",
        error if is_extension_trap(error) => "SANDBOX_TRAPPED",
        Database::Sandbox(_) => "SERVER_ERROR",
        _ => {
            let found = error.sqlite_error().map_or(code::ERROR, |error| error.extended_code);
            code::name(code::primary(found)).unwrap_or("SQLITE_ERROR")
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Its text has the whole statement, which the client knows.
            Self::Database(sqlite_sandbox::Error::SqlInputError { msg, .. }) => f.write_str(msg),
            Self::Database(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::ReadOnly => f.write_str("attempt to write with the role `read`"),
            Self::Ended(Ended::Idle(time)) => {
                write!(f, "the connection was closed after {time:?} without a request")
            }
            Self::Ended(Ended::Transaction(time)) => {
                write!(f, "the time limit of a transaction, {time:?} was reached")
            }
            Self::Cancelled => f.write_str("interrupted"),
            Self::Order(message) => f.write_str(message),
            Self::Performed(failure) => f.write_str(&failure.message),
            Self::Full => f.write_str("the server has no room for another client; try again later"),
            Self::TooLong(bytes) => write!(f, "the reply exceeds the limit of {bytes} bytes"),
            Self::Gone => f.write_str("the connection is closed"),
            Self::Request(message) => f.write_str(message),
            Self::Postgres(error) => f.write_str(&error.message),
        }
    }
}

/// An error, as clients see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    pub code: &'static str,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self { message: error.to_string(), code: error.code() }
    }
}

impl From<sqlite_sandbox::Error> for Error {
    fn from(error: sqlite_sandbox::Error) -> Self {
        Self::Database(error)
    }
}

impl From<sqlite_wasm_postgres::Error> for Error {
    fn from(error: sqlite_wasm_postgres::Error) -> Self {
        Self::Postgres(Box::new(error))
    }
}
