//! A message to the user when WAL does not work on a file system without shared memory: SQLite
//! itself only says that the database cannot be opened, or leaves the journal mode as it is.

use crate::ffi::libc::flush_output;

/// The message for one database, shown once and only when it matters.
pub struct WalNote {
    path: String,
    /// `PRAGMA locking_mode=exclusive` was seen, under which WAL works.
    exclusive: bool,
    is_shown: bool,
}

/// Where a database's header says whether it is in WAL mode, and how.
const WRITE_VERSION: usize = 18;
const WAL_VERSION: u8 = 2;

/// How many bytes of the header SQLite reads when it opens the file, before it knows the locking
/// mode.
const FIRST_READ_BYTES: usize = 100;

impl WalNote {
    /// For the database at `path`.
    pub fn new(path: &[u8]) -> Self {
        Self { path: String::from_utf8_lossy(path).into_owned(), exclusive: false, is_shown: false }
    }

    /// A PRAGMA is about to be run.
    pub fn pragma(&mut self, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("locking_mode") {
            self.exclusive = value.eq_ignore_ascii_case("exclusive");
        }
        if name.eq_ignore_ascii_case("journal_mode") && value.eq_ignore_ascii_case("wal") {
            self.show();
        }
    }

    /// The beginning of the file was read.
    pub fn header(&mut self, page: &[u8]) {
        let is_page = page.len() > FIRST_READ_BYTES;
        if is_page && page[WRITE_VERSION..WRITE_VERSION + 2].contains(&WAL_VERSION) {
            self.show();
        }
    }

    fn show(&mut self) {
        if self.exclusive || self.is_shown {
            return;
        }
        self.is_shown = true;
        flush_output();
        eprintln!(
            "`{}` lies on a file system where programs cannot share memory; for WAL begin with \
             `PRAGMA locking_mode=exclusive`, or use `PRAGMA journal_mode=delete`",
            self.path
        );
    }
}
