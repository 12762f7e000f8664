//! Failures, with SQLite's result codes.

use std::ffi::{CString, c_int};

use wire::code;

use crate::host::dispatch::SqlError;

/// A failure with a message; without a message, SQLite's text for the code applies.
pub fn failure(code: c_int, message: &str) -> SqlError {
    SqlError { code, message: message.to_owned() }
}

/// The result code for a failure. An extension chooses the code, but OK, ROW and DONE are not
/// failures, and SQLite treats -1 as success.
pub fn failure_code(error: &SqlError) -> c_int {
    match error.code & 0xff {
        code::OK | code::ROW | code::DONE => code::ERROR,
        _ if error.code < 0 => code::ERROR,
        _ => error.code,
    }
}

/// `text` up to its first NUL.
pub fn c_text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}
