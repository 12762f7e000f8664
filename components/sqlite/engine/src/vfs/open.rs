//! Opening files for SQLite.

use std::ffi::c_int;

use libsqlite3_sys as sqlite;

use super::database_file::DatabaseFile;
use crate::ffi::libc::flush_output;
use crate::host::files::{self, ErrorCode, OpenFlags};
use crate::host::process;
use crate::result_code::{Code, open_code};

const JOURNALS: c_int =
    sqlite::SQLITE_OPEN_MAIN_JOURNAL | sqlite::SQLITE_OPEN_SUPER_JOURNAL | sqlite::SQLITE_OPEN_WAL;

fn open_flags(flags: c_int) -> OpenFlags {
    [
        (sqlite::SQLITE_OPEN_READWRITE, OpenFlags::READ_WRITE),
        (sqlite::SQLITE_OPEN_CREATE, OpenFlags::CREATE),
        (sqlite::SQLITE_OPEN_EXCLUSIVE, OpenFlags::EXCLUSIVE),
        (sqlite::SQLITE_OPEN_DELETEONCLOSE, OpenFlags::DELETE_ON_CLOSE),
        (JOURNALS, OpenFlags::JOURNAL),
    ]
    .into_iter()
    .filter(|(mask, _)| flags & mask != 0)
    // Links were followed by xFullPathname; one that appears later is an attack.
    .fold(OpenFlags::NO_FOLLOW, |all, (_, flag)| all | flag)
}

/// A file without a name, which ends with its handle.
pub fn open_temporary() -> Result<DatabaseFile, Code> {
    let file = files::open_temporary().map_err(|error| open_code(error, false))?;
    Ok(DatabaseFile::new(file, false))
}

/// Open the file at `path` with SQLite's flags, and the flags that it was opened with. `parameter`
/// looks up a boolean parameter of the name of a database, and has a default.
pub fn open(
    path: &[u8],
    flags: c_int,
    parameter: impl Fn(&std::ffi::CStr, bool) -> bool,
) -> Result<(DatabaseFile, c_int), Code> {
    let new_journal = flags & JOURNALS != 0 && flags & sqlite::SQLITE_OPEN_CREATE != 0;
    let opened = files::open(path, open_flags(flags)).map_err(|error| {
        if error == ErrorCode::NotGranted {
            flush_output();
            process::check_granted(path);
        }
        open_code(error, new_journal)
    })?;
    let out = if opened.read_only {
        flags & !(sqlite::SQLITE_OPEN_READWRITE | sqlite::SQLITE_OPEN_CREATE)
            | sqlite::SQLITE_OPEN_READONLY
    } else {
        flags
    };
    if flags & sqlite::SQLITE_OPEN_MAIN_DB == 0 {
        return Ok((DatabaseFile::new(opened.file, false), out));
    }
    let file = DatabaseFile::new(opened.file, true)
        .with_parameters(parameter(c"psow", true), parameter(c"readonly_shm", false));
    let file =
        if opened.shared_memory { file.sharing_memory() } else { file.without_shared_memory(path) };
    Ok((file, out))
}
