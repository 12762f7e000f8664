//! Copies of databases, page by page.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use runtime::database::wire::{self, ProgramOperation};

use crate::connection::Connection;
use crate::error::{Error, ErrorCode, Result};

/// Pages of a step, and the pause after it, in which other connections can write.
const PAGES_PER_STEP: i32 = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// How often a step that finds the file in use is repeated, with a pause of a tenth of a second.
const MAX_TRIES: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// How far a backup is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages that are not copied yet.
    pub remaining: u32,
    /// Pages of the source.
    pub pagecount: u32,
}

impl Connection {
    /// Copy the database `schema` (`main`) to the file at `path`, in a directory that
    /// [`Builder::directory`](crate::Builder::directory) grants. Other connections can read and
    /// write meanwhile.
    ///
    /// ```
    /// # use sqlite_wasm::{Access, Database, backup::Progress};
    /// # let builder = Database::builder().component("../../target/release/database.cwasm");
    /// let directory = std::env::temp_dir().join("sqlite-wasm-backup");
    /// std::fs::create_dir_all(&directory).unwrap();
    /// let database = builder.directory(&directory, Access::ReadWrite).build()?;
    /// let mut db = database.open_in_memory()?;
    /// db.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (7)")?;
    /// db.backup("main", directory.join("copy.db"), None::<fn(Progress)>)?;
    /// db.execute_batch("DROP TABLE t")?;
    /// db.restore("main", directory.join("copy.db"), None::<fn(Progress)>)?;
    /// assert_eq!(db.query_row("SELECT a FROM t", (), |row| row.get::<_, i64>(0))?, 7);
    /// # Ok::<(), sqlite_wasm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// SQLite's: `SQLITE_CANTOPEN` where the directory is not granted, `SQLITE_BUSY` where the
    /// files stay in use for 5 s.
    pub fn backup<F: FnMut(Progress)>(
        &self,
        schema: &str,
        path: impl AsRef<Path>,
        progress: Option<F>,
    ) -> Result<()> {
        self.copy(schema, path.as_ref(), false, progress)
    }

    /// Replace the database `schema` by that in the file at `path`.
    ///
    /// # Errors
    ///
    /// As [`Self::backup`].
    pub fn restore<F: FnMut(Progress)>(
        &mut self,
        schema: &str,
        path: impl AsRef<Path>,
        progress: Option<F>,
    ) -> Result<()> {
        self.copy(schema, path.as_ref(), true, progress)
    }

    fn copy<F: FnMut(Progress)>(
        &self,
        schema: &str,
        path: &Path,
        is_restore: bool,
        progress: Option<F>,
    ) -> Result<()> {
        let (schema, path) = (schema.as_bytes(), path.as_os_str().as_bytes());
        let start = ProgramOperation::StartBackup { is_restore, schema, path };
        let backup = self.session.program(start, |reply| Ok(reply.u32()?))?;
        let copied = self.run(backup, progress);
        let finish = ProgramOperation::FinishBackup(backup);
        let finished = self.session.program(finish, |_| Ok(()));
        copied.and(finished)
    }

    fn run<F: FnMut(Progress)>(&self, backup: u32, mut progress: Option<F>) -> Result<()> {
        let mut tries = 0;
        loop {
            let step = ProgramOperation::StepBackup { backup, pages: PAGES_PER_STEP };
            match self.session.program(step, |reply| Ok(wire::Progress::read(reply)?)) {
                Ok(step) => {
                    tries = 0;
                    if let Some(progress) = &mut progress {
                        progress(Progress { remaining: step.remaining, pagecount: step.total });
                    }
                    if step.is_done {
                        return Ok(());
                    }
                    thread::sleep(PAUSE);
                }
                Err(error) if is_busy(&error) && tries < MAX_TRIES => {
                    tries += 1;
                    thread::sleep(BUSY_PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
