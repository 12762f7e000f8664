//! Copies of databases, page by page.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use runtime::database::wire::{Operations, Reader, code};

use crate::connection::{Connection, OpenFlags};
use crate::error::{Error, ErrorCode, Result};

/// Pages of one step, and the pause after it, in which other connections can write.
const PAGES_PER_STEP: i32 = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// How often a step that finds the file locked is tried, with a pause of 0.1 s after each try.
const MAX_TRIES: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// The progress of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages that are still to be copied.
    pub remaining: u32,
    /// All pages of the source.
    pub pagecount: u32,
}

impl Connection {
    /// Copy the database `schema` (`main`) to the file at `path`, in a directory that
    /// [`Builder::directory`](crate::Builder::directory) grants. Other connections can read and
    /// write meanwhile.
    ///
    /// ```
    /// # use sqlite_sandbox::{Access, Database, backup::Progress};
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
    /// # Ok::<(), sqlite_sandbox::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// SQLite's: `SQLITE_CANTOPEN` if the directory is not granted, `SQLITE_BUSY` if the files stay
    /// locked for 5 s.
    pub fn backup<F: FnMut(Progress)>(
        &self,
        schema: &str,
        path: impl AsRef<Path>,
        progress: Option<F>,
    ) -> Result<()> {
        self.copy(schema, path.as_ref(), false, progress)
    }

    /// Replace the database `schema` by the one in the file at `path`.
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
        let flags = if is_restore {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        let path = path.as_os_str().as_bytes();
        let open = Operations::default().open_connection(flags.number(), 0, path);
        let file = self.client.program(&open, |reply| Ok(reply.u32()?))?;
        let copied = self.copy_with(file, schema, is_restore, progress);
        let close = Operations::default().close_connection();
        copied.and(self.client.program_on(file, &close, |_| Ok(())))
    }

    fn copy_with<F: FnMut(Progress)>(
        &self,
        file: u32,
        schema: &str,
        is_restore: bool,
        progress: Option<F>,
    ) -> Result<()> {
        let own = (self.client.connection, self.client.address()?, schema);
        let file = (file, self.client.address_of(file, 0)?, "main");
        let (target, source) = if is_restore { (own, file) } else { (file, own) };
        let (name, source_name) = (Some(target.2.as_bytes()), Some(source.2.as_bytes()));
        let init = Operations::default().call_backup_init(name, source.1, source_name, None);
        let backup = self.client.call_on(target.0, &init, |reply| Ok(reply.u32()?))?;
        let copied = self.run(target.0, backup, progress);
        // If this fails, a step has failed before, with the same error.
        let finish = Operations::default().call_backup_finish(backup);
        let finished = self.client.code_on(target.0, &finish, |_| Ok(()));
        copied.and(finished.map(drop))
    }

    fn run<F: FnMut(Progress)>(
        &self,
        target: u32,
        backup: u32,
        mut progress: Option<F>,
    ) -> Result<()> {
        let mut tries = 0;
        let step = Operations::default().call_backup_step(backup, PAGES_PER_STEP);
        loop {
            let read = |reply: &mut Reader| {
                Ok(Progress { remaining: reply.u32()?, pagecount: reply.u32()? })
            };
            match self.client.code_on(target, &step, read)? {
                (code::OK | code::DONE, copied) if copied.remaining > copied.pagecount => {
                    return Err(Error::MalformedReply);
                }
                (code @ (code::OK | code::DONE), copied) => {
                    tries = 0;
                    if let Some(progress) = &mut progress {
                        progress(copied);
                    }
                    if code == code::DONE {
                        return Ok(());
                    }
                    thread::sleep(PAUSE);
                }
                (code, _) if is_busy(code) && tries < MAX_TRIES => {
                    tries += 1;
                    thread::sleep(BUSY_PAUSE);
                }
                (code, _) => return Err(Error::sqlite(code, "")),
            }
        }
    }
}

fn is_busy(code: i32) -> bool {
    matches!(ErrorCode::of(code), ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
}
