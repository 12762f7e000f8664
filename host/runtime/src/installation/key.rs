//! The user's key. It signs the native code that this user's runner compiles,
//! so that the runner recognizes its own code.
//!
//! ```no_run
//! use sqlite_wasm_runtime::installation::key::Key;
//!
//! let key = Key::of_user()?;
//! # Ok::<(), anyhow::Error>(())
//! ```

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::hash::Hash;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use nix::libc::O_NOFOLLOW;
use siphasher::sip128::{Hasher128, SipHasher24};

use crate::installation::owner::{OTHERS, OTHERS_WRITE, is_private};
use crate::installation::user_directories;
use crate::words::escape::escaped;

/// The file's name in [`user_directories::state`].
const FILE: &str = "key";

/// Bytes of the part that signs native code, with keyed BLAKE3.
const SEAL_BYTES: usize = blake3::KEY_LEN;

/// Bytes of the part that signs the cache's records, with SipHash-2-4. Each
/// start reads a record, and BLAKE3 would first detect the features of the
/// processor.
const RECORD_BYTES: usize = 16;

/// Bytes of the file.
const KEY_BYTES: usize = SEAL_BYTES + RECORD_BYTES;

/// A user's key.
#[derive(Clone)]
pub struct Key {
    seal: [u8; SEAL_BYTES],
    record: [u8; RECORD_BYTES],
}

/// Prints nothing of the key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key in [`user_directories::state`], which is created if missing. A file that
    /// another user could have read or written is replaced.
    ///
    /// # Errors
    ///
    /// When the directory is missing, or another user could write in it.
    pub fn of_user() -> Result<Self> {
        let directory = user_directories::state()
            .context("this user has no home directory; set `XDG_STATE_HOME` to a directory")?;
        Self::of_directory(&directory)
            .with_context(|| format!("failed to read or make the key in `{}`", escaped(&directory)))
    }

    /// The key in `directory`.
    ///
    /// # Errors
    ///
    /// As [`Self::of_user`].
    pub fn of_directory(directory: &Path) -> Result<Self> {
        let path = directory.join(FILE);
        if let Some(key) = Self::read(&path) {
            return Ok(key);
        }
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let metadata = fs::metadata(directory)?;
        if !is_private(&metadata, OTHERS_WRITE) {
            bail!("another user can write in it; `chmod go-w` it");
        }
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(&random()?)?;
        // Of two concurrent first starts one creates the key, and both use it.
        if let Err(taken) = file.persist_noclobber(&path)
            && Self::read(&path).is_none()
        {
            taken.file.persist(&path)?;
        }
        Self::read(&path).context("failed to store it there")
    }

    /// The key in the file `path`; none if another user could read it.
    fn read(path: &Path) -> Option<Self> {
        let mut file = File::options().read(true).custom_flags(O_NOFOLLOW).open(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !is_private(&metadata, OTHERS) {
            return None;
        }
        let mut bytes = [0; KEY_BYTES];
        file.read_exact(&mut bytes).ok()?;
        let (seal, record) = bytes.split_first_chunk()?;
        Some(Self { seal: *seal, record: *record.first_chunk()? })
    }

    /// The signature of `data`, for a seal.
    pub(crate) fn seal(&self, data: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.seal, data)
    }

    /// The signature of a record of the cache.
    pub(crate) fn sign(&self, record: impl Hash) -> [u8; 16] {
        let mut hasher = SipHasher24::new_with_key(&self.record);
        record.hash(&mut hasher);
        hasher.finish128().as_bytes()
    }
}

fn random() -> Result<[u8; KEY_BYTES]> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).context("failed to get random numbers")?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn directory() -> tempfile::TempDir {
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o700)).tempdir().unwrap()
    }

    #[test]
    fn a_key_is_made_once() {
        let directory = directory();
        let place = directory.path().join("a/b");
        let (first, second) =
            (Key::of_directory(&place).unwrap(), Key::of_directory(&place).unwrap());
        assert_eq!(first.seal(b"x"), second.seal(b"x"));
        assert_eq!(first.sign(1), second.sign(1));
        assert_ne!(first.sign(1), second.sign(2));
        let mode = fs::metadata(place.join(FILE)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_others_could_know_is_replaced() {
        let directory = directory();
        let first = Key::of_directory(directory.path()).unwrap();
        let file = directory.path().join(FILE);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let second = Key::of_directory(directory.path()).unwrap();
        assert_ne!(first.seal(b"x"), second.seal(b"x"));
        fs::write(&file, "short").unwrap();
        let third = Key::of_directory(directory.path()).unwrap();
        assert_ne!(second.seal(b"x"), third.seal(b"x"));
    }

    #[test]
    fn a_key_is_not_followed_through_a_link() {
        let (directory, other) = (directory(), directory());
        let planted = Key::of_directory(other.path()).unwrap();
        std::os::unix::fs::symlink(other.path().join(FILE), directory.path().join(FILE)).unwrap();
        let key = Key::of_directory(directory.path()).unwrap();
        assert_ne!(planted.seal(b"x"), key.seal(b"x"));
    }

    #[test]
    fn a_directory_that_others_may_write_has_no_key() {
        let directory = directory();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Key::of_directory(directory.path()).is_err());
    }
}
