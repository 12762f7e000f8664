//! Failures, with SQLite's result codes.

pub use wire::code;

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
