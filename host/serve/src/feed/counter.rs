//! How many commits a database has had. SQLite counts them in its file and, with a log, in the index of the log, so that
//! also those of other programs are seen.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Where the file's header says whether there is a log, and what says so.
const VERSION: usize = 18;
const LOG: u8 = 2;

/// The count in the file's header.
const FILE_COUNT: usize = 24;

/// The header of the index, which is there twice, and the count in it.
const INDEX_HEADER: usize = 48;
const INDEX_COUNT: usize = 8;

/// How often the header of the index is read until both agree: another program may be writing it.
const TRIES: usize = 10;

/// How many commits there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    is_of_log: bool,
    number: u32,
}

impl Count {
    /// After one more.
    pub fn next(self) -> Self {
        Self { number: self.number.wrapping_add(1), ..self }
    }
}

/// The files of a database that have the count.
#[derive(Debug)]
pub struct Counter {
    file: Part,
    index: Part,
}

#[derive(Debug)]
struct Part {
    path: PathBuf,
    open: Option<File>,
}

impl Counter {
    pub fn new(path: &Path) -> Self {
        let mut index = path.as_os_str().to_owned();
        index.push("-shm");
        let part = |path: PathBuf| Part { path, open: None };
        Self { file: part(path.to_owned()), index: part(index.into()) }
    }

    /// Leave files that no longer have the name.
    pub fn renewed(&mut self) -> &mut Self {
        self.file.renew();
        self.index.renew();
        self
    }

    /// The current count; `None` if it cannot be read.
    pub fn read(&mut self) -> Option<Count> {
        let mut header = [0; FILE_COUNT + 4];
        // A new file is empty.
        let length = self.file.read(&mut header)?;
        if length == header.len() && header[VERSION] == LOG {
            return self.read_index().map(|number| Count { is_of_log: true, number });
        }
        let number = u32::from_be_bytes(*header[FILE_COUNT..].first_chunk()?);
        Some(Count { is_of_log: false, number })
    }

    fn read_index(&mut self) -> Option<u32> {
        for _ in 0..TRIES {
            let mut headers = [0; 2 * INDEX_HEADER];
            let length = self.index.read(&mut headers)?;
            let (one, other) = headers.split_at(INDEX_HEADER);
            if length == headers.len() && one == other {
                return Some(u32::from_ne_bytes(*one[INDEX_COUNT..].first_chunk()?));
            }
        }
        None
    }
}

impl Part {
    /// The first bytes: how many there are.
    fn read(&mut self, bytes: &mut [u8]) -> Option<usize> {
        if self.open.is_none() {
            // Links are not followed, and nothing waits for a pipe.
            let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
            let file = OpenOptions::new().read(true).custom_flags(flags).open(&self.path).ok()?;
            self.open =
                Some(file).filter(|file| file.metadata().is_ok_and(|found| found.is_file()));
        }
        self.open.as_ref()?.read_at(bytes, 0).ok()
    }

    fn renew(&mut self) {
        let named = self.path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()));
        let open = self.open.as_ref().and_then(|file| file.metadata().ok());
        if open.map(|found| (found.dev(), found.ino())) != named {
            self.open = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_file_or_from_the_index() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let mut counter = Counter::new(&path);
        assert_eq!(counter.read(), None);
        std::fs::write(&path, "").unwrap();
        let of = |is_of_log, number| Some(Count { is_of_log, number });
        assert_eq!(counter.read(), of(false, 0));
        let mut header = [0; 100];
        header[FILE_COUNT..28].copy_from_slice(&u32::MAX.to_be_bytes());
        std::fs::write(&path, header).unwrap();
        assert_eq!(counter.read(), of(false, u32::MAX));
        assert_eq!(counter.read().map(Count::next), of(false, 0));
        header[VERSION] = LOG;
        std::fs::write(&path, header).unwrap();
        assert_eq!(counter.read(), None);
        let mut index = [0; 2 * INDEX_HEADER];
        index[INDEX_COUNT] = 7;
        let shm = directory.path().join("a.db-shm");
        std::fs::write(&shm, index).unwrap();
        assert_eq!(counter.read(), None, "the headers differ");
        index[INDEX_HEADER + INDEX_COUNT] = 7;
        std::fs::write(&shm, index).unwrap();
        assert_eq!(counter.read(), of(true, u32::from_ne_bytes([7, 0, 0, 0])));
        // Another file with the name is read after this only.
        std::fs::remove_file(&shm).unwrap();
        assert!(counter.read().is_some() && counter.renewed().read().is_none());
        std::os::unix::fs::symlink(&path, &shm).unwrap();
        assert_eq!(counter.renewed().read(), None);
    }
}
