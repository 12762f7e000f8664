//! The cache directory: compiled components by content, engine and settings.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::libc::O_NOFOLLOW;
use wasmtime::Engine;

use crate::engine::code_settings;
use crate::places;

/// Most compiled components kept; each has a few megabytes, and a version of
/// this program leaves one for each component behind.
const MAX_ARTIFACTS: usize = 64;

/// A directory of this user's for what can be made again.
#[derive(Debug, Clone)]
pub struct Directory(PathBuf);

impl Directory {
    /// The directory that [`places::cache`] names. None when it cannot be used.
    pub fn by_xdg() -> Option<Self> {
        Self::open(places::cache()?)
    }

    /// That directory, made when it is missing. None when it cannot be made, or
    /// somebody else could write in it: what lies there is trusted.
    pub fn open(path: PathBuf) -> Option<Self> {
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(_) => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).ok()?;
                fs::metadata(&path).ok()?
            }
        };
        let is_ours = metadata.uid() == nix::unistd::geteuid().as_raw();
        (metadata.is_dir() && is_ours && metadata.mode() & 0o022 == 0).then_some(Self(path))
    }

    /// The file `name` in the part `part` of the directory; none when the part is
    /// not this user's alone.
    pub fn path(&self, part: &str, name: &str) -> Option<PathBuf> {
        Some(Self::open(self.0.join(part))?.0.join(name))
    }

    /// Where the compiled form of a `.wasm` is kept, whose content has this hash.
    pub fn compiled(&self, engine: &Engine, content: &blake3::Hash) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        code_settings(engine).ok()?.hash(&mut hasher);
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        self.path("compiled", &format!("{}-{:016x}.cwasm", content.to_hex(), hasher.finish()))
    }

    /// Where the copy of a `.cwasm` is kept, whose content has this hash.
    pub fn copied(&self, content: &blake3::Hash) -> Option<PathBuf> {
        self.path("compiled", &format!("{}.cwasm", content.to_hex()))
    }

    /// Write a file whole or not at all. A cache that cannot be written costs
    /// time and is no failure.
    pub fn write(&self, path: &Path, content: &[u8]) {
        let _ = self.try_write(path, content);
    }

    fn try_write(&self, path: &Path, content: &[u8]) -> std::io::Result<()> {
        let part = path.parent().unwrap_or(&self.0);
        let mut file = tempfile::NamedTempFile::new_in(part)?;
        file.write_all(content)?;
        file.persist(path)?;
        prune(part);
        Ok(())
    }
}

/// Remove the oldest files of a part that has grown too large.
fn prune(part: &Path) {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(part)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let too_many = files.len().saturating_sub(MAX_ARTIFACTS);
    for (_, path) in &files[..too_many] {
        let _ = fs::remove_file(path);
    }
}

/// Open a file of the cache; none when it is not there, or another user could
/// have written it.
pub fn open(path: &Path) -> Option<File> {
    let file = File::options().read(true).custom_flags(O_NOFOLLOW).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_ours = metadata.uid() == nix::unistd::geteuid().as_raw();
    (metadata.is_file() && is_ours && metadata.mode() & 0o022 == 0).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_that_others_may_write_is_not_used() {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Directory::open(directory.path().into()).is_none());
    }

    #[test]
    fn the_oldest_files_go_first() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path().join("cache")).unwrap();
        for number in 0..MAX_ARTIFACTS + 3 {
            directory.write(&directory.path("part", &format!("{number:04}")).unwrap(), b"");
        }
        let kept = fs::read_dir(temporary.path().join("cache/part")).unwrap().count();
        assert_eq!(kept, MAX_ARTIFACTS);
        assert!(directory.path("part", "0066").unwrap().exists());
    }
}
