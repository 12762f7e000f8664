//! Copies of databases, page by page (`sqlite3_backup`).

use std::ffi::{CStr, c_int};
use std::ptr::NonNull;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_backup;
use wire::Progress;

use super::connection::Connection;
use crate::host::dispatch::SqlError;

/// A backup, finished when it is dropped; its connections are closed later.
pub struct Backup(NonNull<sqlite3_backup>);

impl Backup {
    /// As `sqlite3_backup_init`: copy a database of `source` over one of `target`.
    pub fn start(
        target: (&Connection, &CStr),
        source: (&Connection, &CStr),
    ) -> Result<Self, SqlError> {
        // SAFETY: open connections and C strings.
        let backup = unsafe {
            sqlite::sqlite3_backup_init(
                target.0.as_ptr(),
                target.1.as_ptr(),
                source.0.as_ptr(),
                source.1.as_ptr(),
            )
        };
        NonNull::new(backup).map(Self).ok_or_else(|| target.0.last_error())
    }

    /// Copy `pages` pages, or all; the result code of a failure.
    pub fn step(&mut self, pages: c_int) -> Result<Progress, c_int> {
        let backup = self.0.as_ptr();
        // SAFETY: the backup is not finished.
        let (code, remaining, total) = unsafe {
            let code = sqlite::sqlite3_backup_step(backup, pages);
            let remaining = sqlite::sqlite3_backup_remaining(backup);
            (code, remaining, sqlite::sqlite3_backup_pagecount(backup))
        };
        let is_done = code == sqlite::SQLITE_DONE;
        match code {
            sqlite::SQLITE_OK | sqlite::SQLITE_DONE => {
                Ok(Progress { is_done, remaining: remaining as u32, total: total as u32 })
            }
            code => Err(code),
        }
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        // SAFETY: the backup is finished once. Failures were those of its steps.
        unsafe { sqlite::sqlite3_backup_finish(self.0.as_ptr()) };
    }
}
