//! Failures, with SQLite's result codes.

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// One of SQLite's result codes, as in [`code`].
    pub code: i32,
    /// The message for the user: first the function, then what it allows. Empty for SQLite's text
    /// for the code.
    pub message: String,
}

impl Error {
    /// An error with this code.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::new(code::ERROR, message)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::new(code::ERROR, message)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Result codes of SQLite that extensions use; `sqlite3.h` has more.
pub mod code {
    /// Any other failure.
    pub const ERROR: i32 = 1;
    /// Not allowed.
    pub const PERM: i32 = 3;
    /// Out of memory.
    pub const NOMEM: i32 = 7;
    /// The table cannot be written.
    pub const READONLY: i32 = 8;
    /// The statement was interrupted.
    pub const INTERRUPT: i32 = 9;
    /// A file could not be read or written.
    pub const IOERR: i32 = 10;
    /// Stored content is malformed.
    pub const CORRUPT: i32 = 11;
    /// A text or blob is too long.
    pub const TOOBIG: i32 = 18;
    /// A constraint refuses the change.
    pub const CONSTRAINT: i32 = 19;
    /// A value is of the wrong class.
    pub const MISMATCH: i32 = 20;
    /// The extension was used in a way it does not support.
    pub const MISUSE: i32 = 21;
    /// A capability was not granted, such as writing with `sql:ro`.
    pub const AUTH: i32 = 23;
    /// A number is out of range.
    pub const RANGE: i32 = 25;
}
