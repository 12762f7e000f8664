//! Failures, as SQLite reports them.

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// One of SQLite's result codes, as in [`code`].
    pub code: i32,
    /// What is shown: the function first, then what it allows. Empty for
    /// SQLite's own text for the code.
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

/// SQLite's result codes that an extension may want; more are in `sqlite3.h`.
pub mod code {
    /// Where nothing else fits.
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
    /// Stored content is not as it must be.
    pub const CORRUPT: i32 = 11;
    /// A text or blob is too long.
    pub const TOOBIG: i32 = 18;
    /// A constraint refuses the change.
    pub const CONSTRAINT: i32 = 19;
    /// A value is of the wrong class.
    pub const MISMATCH: i32 = 20;
    /// The extension was used in a way it does not support.
    pub const MISUSE: i32 = 21;
    /// It was not granted, as writing is not by `sql:ro`.
    pub const AUTH: i32 = 23;
    /// A number is out of range.
    pub const RANGE: i32 = 25;
}
