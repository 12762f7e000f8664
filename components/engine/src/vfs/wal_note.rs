//! Why WAL does not work on a file system without shared memory, told to the
//! person: SQLite itself only says that the database cannot be opened, or
//! leaves the journal mode as it is.

use crate::ffi::output::flush_output;

/// The note for one database, given once and only when it matters.
pub struct WalNote {
    path: String,
    /// `PRAGMA locking_mode=exclusive` was seen, under which WAL works.
    exclusive: bool,
    told: bool,
}

/// Where a database's header says whether it is in WAL mode, and how.
const WRITE_VERSION: usize = 18;
const WAL_VERSION: u8 = 2;

/// SQLite reads so many bytes of the header when it opens the file, before
/// anything can be said about locking.
const FIRST_READ_BYTES: usize = 100;

impl WalNote {
    /// For the database at `path`.
    pub fn new(path: &[u8]) -> Self {
        Self { path: String::from_utf8_lossy(path).into_owned(), exclusive: false, told: false }
    }

    /// A PRAGMA is about to be run.
    pub fn pragma(&mut self, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("locking_mode") {
            self.exclusive = value.eq_ignore_ascii_case("exclusive");
        }
        if name.eq_ignore_ascii_case("journal_mode") && value.eq_ignore_ascii_case("wal") {
            self.tell();
        }
    }

    /// The beginning of the file was read.
    pub fn header(&mut self, page: &[u8]) {
        let is_page = page.len() > FIRST_READ_BYTES;
        if is_page && page[WRITE_VERSION..WRITE_VERSION + 2].contains(&WAL_VERSION) {
            self.tell();
        }
    }

    fn tell(&mut self) {
        if self.exclusive || self.told {
            return;
        }
        self.told = true;
        flush_output();
        eprintln!(
            "`{}` lies on a file system where programs cannot share memory; for WAL begin with \
             `PRAGMA locking_mode=exclusive`, or use `PRAGMA journal_mode=delete`",
            self.path
        );
    }
}
