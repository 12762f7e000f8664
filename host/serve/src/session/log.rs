//! The write-ahead log of a database. `max_page_count` limits the database, and nothing in SQLite
//! its log: that grows while readers, or `--no-checkpoints`, prevent that it begins again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sqlite_sandbox::{Connection, Error, ErrorCode, SqliteError};
use wire::code;

/// A log may have this size whatever that of the database is, in bytes: Litestream shortens one of
/// 500 MB, and leaves the size of smaller ones as it is after their checkpoints.
const MIN_BYTES: u64 = 1 << 30;

/// The log of a database, and its limit.
#[derive(Debug)]
pub struct Log {
    file: PathBuf,
    max_bytes: u64,
    pub has_checkpoints: bool,
}

impl Log {
    /// That of the database in `file`, which has a limit too.
    pub fn of(file: &Path, max_database_bytes: u64, has_checkpoints: bool) -> Self {
        let mut file = OsString::from(file);
        file.push("-wal");
        Self { file: file.into(), max_bytes: max_database_bytes.max(MIN_BYTES), has_checkpoints }
    }

    /// Check that a transaction may write. One that has begun ends at the limit of the database,
    /// since SQLite writes each page to the log once.
    ///
    /// # Errors
    ///
    /// `SQLITE_FULL`.
    pub fn check(&self, db: &Connection) -> sqlite_sandbox::Result<()> {
        if self.is_full() && self.has_checkpoints {
            // Those after commits do not shorten the file. Whether this one does is seen below.
            let _ = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
        }
        if !self.is_full() {
            return Ok(());
        }
        let error = SqliteError { code: ErrorCode::DiskFull, extended_code: code::FULL };
        let message = format!(
            "the write-ahead log exceeds the limit of {} bytes; writers are refused until a checkpoint",
            self.max_bytes
        );
        Err(Error::SqliteFailure(error, Some(message)))
    }

    fn is_full(&self) -> bool {
        self.file.metadata().is_ok_and(|found| found.len() > self.max_bytes)
    }
}
