//! Cached hashes of files: hashing six megabytes would double the time of each
//! start.
//!
//! A file with the same device, inode, size and times as when it was hashed has
//! the same content, since every write changes the `ctime`, which cannot be set
//! back. Records are signed with the user's key, so that records of others are
//! ignored.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blake3::Hash;

use crate::artifact::cache::Directory;
use crate::installation::key::Key;

/// A change younger than this could have the same time as a later one: file
/// systems count in steps of some milliseconds.
const SETTLED: Duration = Duration::from_millis(100);

/// Bytes of a signature.
const SIGNATURE_BYTES: usize = 16;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HashKind {
    /// The BLAKE3 of the file's content.
    Content,
    /// The file is undamaged, sealed native code for the content with this
    /// BLAKE3.
    Artifact,
}

/// The state of a file, which every change to the file alters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    /// The state of an open file, to be taken before its content is read.
    ///
    /// # Errors
    ///
    /// When the system refuses.
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|metadata| Self::from(&metadata))
    }

    fn is_settled(&self) -> bool {
        let changed = Duration::new(self.changed.0.max(0) as u64, self.changed.1 as u32);
        SystemTime::now().duration_since(UNIX_EPOCH + changed).is_ok_and(|age| age > SETTLED)
    }
}

impl From<&Metadata> for FileState {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Records of earlier runs about files.
#[derive(Debug)]
pub struct Records {
    storage: Option<(Directory, Arc<Key>)>,
}

impl Records {
    /// Records in `directory`, signed with `key`; without both nothing is stored.
    pub fn new(directory: Option<Directory>, key: Option<Arc<Key>>) -> Self {
        Self { storage: directory.zip(key) }
    }

    /// The stored hash of a file in this state.
    pub fn get(&self, state: &FileState, kind: HashKind) -> Option<Hash> {
        let (_, key) = self.storage.as_ref()?;
        let record = fs::read(self.path(state, kind)?).ok()?;
        let (hash, signature) = record.split_first_chunk::<{ blake3::OUT_LEN }>()?;
        let is_ours = *signature == key.sign((state, kind, hash));
        is_ours.then(|| Hash::from_bytes(*hash))
    }

    /// Store the hash of the file in this state. A state that is too young is
    /// not stored.
    pub fn put(&self, state: &FileState, kind: HashKind, hash: &Hash) {
        let Some((directory, key)) = self.storage.as_ref().filter(|_| state.is_settled()) else {
            return;
        };
        let Some(path) = self.path(state, kind) else { return };
        let mut record = hash.as_bytes().to_vec();
        record.extend::<[u8; SIGNATURE_BYTES]>(key.sign((state, kind, hash.as_bytes())));
        directory.write(&path, &record);
    }

    fn path(&self, state: &FileState, kind: HashKind) -> Option<PathBuf> {
        let (directory, _) = self.storage.as_ref()?;
        // The hash only names the file; the record itself is signed.
        let mut hasher = DefaultHasher::new();
        (state, kind).hash(&mut hasher);
        let name = format!("{:x}-{:x}-{:016x}", state.device, state.inode, hasher.finish());
        directory.path("content", &name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_signed() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path().join("cache")).unwrap();
        let key = |name: &str| Arc::new(Key::of_directory(&temporary.path().join(name)).unwrap());
        let records = Records::new(Some(directory.clone()), Some(key("one")));
        let file = File::open("/etc/passwd").unwrap();
        let state = FileState::of(&file).unwrap();
        let hash = blake3::hash(b"content");
        records.put(&state, HashKind::Content, &hash);
        assert_eq!(records.get(&state, HashKind::Content), Some(hash));
        assert_eq!(records.get(&state, HashKind::Artifact), None);
        assert_eq!(records.get(&FileState { inode: 1, ..state }, HashKind::Content), None);
        let others = Records::new(Some(directory), Some(key("other")));
        assert_eq!(others.get(&state, HashKind::Content), None);
        // A record that was moved to another name speaks of another state.
        let (from, to) = (
            records.path(&state, HashKind::Content).unwrap(),
            records.path(&state, HashKind::Artifact).unwrap(),
        );
        fs::rename(from, to).unwrap();
        assert_eq!(records.get(&state, HashKind::Artifact), None);
    }
}
