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

use crate::cache::Directory;
use crate::key::Key;

/// A change younger than this could have the same time as a later one: file
/// systems count in steps of some milliseconds.
const SETTLED: Duration = Duration::from_millis(100);

/// Bytes of a signature.
const SIGNATURE_BYTES: usize = 16;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The BLAKE3 of the file's content.
    Content,
    /// The file is undamaged, sealed native code for the content with this
    /// BLAKE3.
    Artifact,
}

/// The state of a file, which every change to the file alters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl State {
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

impl From<&Metadata> for State {
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
    place: Option<(Directory, Arc<Key>)>,
}

impl Records {
    /// In `directory`, signed with `key`; without both nothing is remembered.
    pub fn new(directory: Option<Directory>, key: Option<Arc<Key>>) -> Self {
        Self { place: directory.zip(key) }
    }

    /// The stored hash of a file in this state.
    pub fn get(&self, state: &State, fact: Fact) -> Option<Hash> {
        let (_, key) = self.place.as_ref()?;
        let record = fs::read(self.path(state, fact)?).ok()?;
        let (hash, signature) = record.split_first_chunk::<{ blake3::OUT_LEN }>()?;
        let is_ours = *signature == key.sign((state, fact, hash));
        is_ours.then(|| Hash::from_bytes(*hash))
    }

    /// Store the hash of the file in this state. A state that is too young is
    /// not stored.
    pub fn put(&self, state: &State, fact: Fact, hash: &Hash) {
        let Some((directory, key)) = self.place.as_ref().filter(|_| state.is_settled()) else {
            return;
        };
        let Some(path) = self.path(state, fact) else { return };
        let mut record = hash.as_bytes().to_vec();
        record.extend::<[u8; SIGNATURE_BYTES]>(key.sign((state, fact, hash.as_bytes())));
        directory.write(&path, &record);
    }

    fn path(&self, state: &State, fact: Fact) -> Option<PathBuf> {
        let (directory, _) = self.place.as_ref()?;
        // The hash only names the file; the record itself is signed.
        let mut hasher = DefaultHasher::new();
        (state, fact).hash(&mut hasher);
        let name = format!("{:x}-{:x}-{:016x}", state.device, state.inode, hasher.finish());
        directory.path("content", &name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_signed() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path().join("cache")).unwrap();
        let key = |name: &str| Arc::new(Key::of_directory(&temporary.path().join(name)).unwrap());
        let records = Records::new(Some(directory.clone()), Some(key("one")));
        let file = File::open("/etc/passwd").unwrap();
        let state = State::of(&file).unwrap();
        let hash = blake3::hash(b"content");
        records.put(&state, Fact::Content, &hash);
        assert_eq!(records.get(&state, Fact::Content), Some(hash));
        assert_eq!(records.get(&state, Fact::Artifact), None);
        assert_eq!(records.get(&State { inode: 1, ..state }, Fact::Content), None);
        let others = Records::new(Some(directory), Some(key("other")));
        assert_eq!(others.get(&state, Fact::Content), None);
        // A record that was moved to another name speaks of another state.
        let (from, to) = (
            records.path(&state, Fact::Content).unwrap(),
            records.path(&state, Fact::Artifact).unwrap(),
        );
        fs::rename(from, to).unwrap();
        assert_eq!(records.get(&state, Fact::Artifact), None);
    }
}
