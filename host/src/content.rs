//! What is in a file, remembered: hashing six megabytes at each start would
//! cost as much as all the rest of it.
//!
//! A file that has the same device, inode, size and times as when it was
//! hashed has the same content: every write changes the last of them, and
//! nobody can set it back.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blake3::Hash;

use crate::cache::Folder;

/// A change this young could share its time with a later one: file systems
/// count in steps of some milliseconds.
const SETTLED: Duration = Duration::from_millis(100);

/// Hashes of files, in memory of earlier ones where a cache folder is there.
#[derive(Debug)]
pub struct ContentHashes {
    folder: Option<Folder>,
}

impl ContentHashes {
    /// Remembered in `folder`, or not at all.
    pub fn new(folder: Option<Folder>) -> Self {
        Self { folder }
    }

    /// The hash of the first `length` bytes of `file`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn of(&self, file: &File, length: u64) -> io::Result<Hash> {
        let Some(record) = self.record(file, length)? else {
            return hash(file, length);
        };
        if let Some(known) = fs::read(&record).ok().and_then(|bytes| bytes.try_into().ok()) {
            return Ok(Hash::from_bytes(known));
        }
        let hash = hash(file, length)?;
        if let Some(folder) = &self.folder {
            folder.write(&record, hash.as_bytes());
        }
        Ok(hash)
    }

    /// Where the hash of this very state of the file is remembered; none when
    /// nothing is to be remembered of it.
    fn record(&self, file: &File, length: u64) -> io::Result<Option<PathBuf>> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let metadata = file.metadata()?;
        if !is_settled(&metadata) {
            return Ok(None);
        }
        // Nobody else can write the folder, so an ordinary hash will do; the
        // strong one would look for the processor's abilities at each start.
        let mut hasher = DefaultHasher::new();
        [
            metadata.dev(),
            metadata.ino(),
            metadata.size(),
            metadata.mtime() as u64,
            metadata.mtime_nsec() as u64,
            metadata.ctime() as u64,
            metadata.ctime_nsec() as u64,
            length,
        ]
        .hash(&mut hasher);
        let name = format!("{:x}-{:x}-{:016x}", metadata.dev(), metadata.ino(), hasher.finish());
        Ok(folder.path("content", &name))
    }
}

fn is_settled(metadata: &fs::Metadata) -> bool {
    let changed = Duration::new(metadata.ctime().max(0) as u64, metadata.ctime_nsec() as u32);
    SystemTime::now().duration_since(UNIX_EPOCH + changed).is_ok_and(|age| age > SETTLED)
}

/// By position: the file's own offset is the caller's.
fn hash(file: &File, length: u64) -> io::Result<Hash> {
    const PIECE_BYTES: usize = 1 << 20;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut at = 0;
    while at < length {
        let wanted = usize::try_from(length - at).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        file.read_exact_at(&mut piece[..wanted], at)?;
        hasher.update(&piece[..wanted]);
        at += wanted as u64;
    }
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_changed_file_has_another_hash_although_it_was_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let hashes = ContentHashes::new(Folder::open(folder.path().join("cache")));
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one").unwrap();
        std::thread::sleep(2 * SETTLED);
        let first = hashes.of(&file, 3).unwrap();
        assert_eq!(hashes.of(&file, 3).unwrap(), first);
        file.write_all_at(b"two", 0).unwrap();
        assert_eq!(hashes.of(&file, 3).unwrap(), blake3::hash(b"two"));
    }
}
