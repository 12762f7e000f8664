//! The result codes of SQLite for failed operations of the host.

use std::ffi::c_int;

use wire::code;

use crate::host::files::ErrorCode;

/// A result code of SQLite other than `SQLITE_OK`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub c_int);

/// The code for a failure of an open file; `io` is the extended code of the operation, as in the
/// native unix VFS.
pub fn io_code(error: ErrorCode, io: c_int) -> Code {
    match error {
        ErrorCode::Full => Code(code::FULL),
        _ => Code(io),
    }
}

/// The code for a failed open.
pub fn open_code(error: ErrorCode, new_journal: bool) -> Code {
    match error {
        ErrorCode::Access | ErrorCode::ReadOnly if new_journal => Code(code::READONLY_DIRECTORY),
        ErrorCode::IsLink => Code(code::CANTOPEN_SYMLINK),
        _ => Code(code::CANTOPEN),
    }
}

/// The code for a failed delete.
pub fn delete_code(error: ErrorCode) -> Code {
    match error {
        ErrorCode::NotFound => Code(code::IOERR_DELETE_NOENT),
        _ => Code(code::IOERR_DELETE),
    }
}

/// `SQLITE_OK` or the code, for C.
pub fn to_c(result: Result<(), Code>) -> c_int {
    match result {
        Ok(()) => code::OK,
        Err(Code(code)) => code,
    }
}
