//! The cache directory: compiled components by content, engine and settings.

use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::libc::O_NOFOLLOW;

use crate::artifact::engine::{EngineKind, WASMTIME_VERSION};
use crate::artifact::processor;
use crate::installation::owner::{OTHERS_WRITE, is_private};
use crate::installation::user_directories;

/// Limit on compiled components in the cache. Each takes a few megabytes, and each version
/// of this program adds one for each component.
const MAX_ARTIFACTS: usize = 64;

/// How long an unused file stays, such as one of a version that was replaced.
const MAX_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A directory of this user for files that can be made again.
#[derive(Debug, Clone)]
pub struct Directory(PathBuf);

impl Directory {
    /// The directory [`user_directories::cache`]; none if it cannot be used.
    pub fn by_xdg() -> Option<Self> {
        Self::open(user_directories::cache()?)
    }

    /// The directory at `path`, which is made if it is missing. None if that
    /// fails or another user could write in it, since the runner trusts its
    /// files.
    pub fn open(path: PathBuf) -> Option<Self> {
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(_) => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).ok()?;
                fs::metadata(&path).ok()?
            }
        };
        (metadata.is_dir() && is_private(&metadata, OTHERS_WRITE)).then_some(Self(path))
    }

    /// Its path.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// The path of the file `name` in the subdirectory `part`; none if another
    /// user could write there.
    pub fn path(&self, part: &str, name: &str) -> Option<PathBuf> {
        Some(Self::open(self.0.join(part))?.0.join(name))
    }

    /// The path of the code compiled from the `.wasm` with this hash for the engine
    /// of this kind and this processor: machines with one home directory keep their own. Code
    /// that these versions made with other settings does not load, and is made anew.
    pub fn compiled(&self, kind: EngineKind, content: &blake3::Hash) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        (kind, WASMTIME_VERSION, env!("CARGO_PKG_VERSION"), processor::level()).hash(&mut hasher);
        self.path("compiled", &format!("{}-{:016x}.cwasm", content.to_hex(), hasher.finish()))
    }

    /// The path of the copy of the `.cwasm` with this hash.
    pub fn copied(&self, content: &blake3::Hash) -> Option<PathBuf> {
        self.path("compiled", &format!("{}.cwasm", content.to_hex()))
    }

    /// Write a file completely or not at all. A failure costs only time, so it
    /// is ignored.
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

/// Remove the files of a subdirectory that were unused for too long, and the ones unused for
/// longest where there are too many.
fn prune(part: &Path) {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(part)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((last_use(&entry.metadata().ok()?)?, entry.path())))
        .collect();
    files.sort();
    let now = SystemTime::now();
    let is_old = |used| now.duration_since(used).is_ok_and(|unused| unused > MAX_UNUSED);
    let old = files.partition_point(|(used, _)| is_old(*used));
    let too_many = files.len().saturating_sub(MAX_ARTIFACTS);
    for (_, path) in &files[..old.max(too_many)] {
        let _ = fs::remove_file(path);
    }
}

/// When a file was written, or used as far as the file system records that: by Linux's default to
/// the day, which costs a start nothing.
fn last_use(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok().max(metadata.accessed().ok())
}

/// Open a file of the cache; none if it does not exist or another user could
/// have written it.
pub fn open(path: &Path) -> Option<File> {
    let file = File::options().read(true).custom_flags(O_NOFOLLOW).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && is_private(&metadata, OTHERS_WRITE)).then_some(file)
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

    /// Sets the times at which a file was written and used, in days before now.
    fn set_days(path: &Path, written: u64, used: u64) {
        let before = |days: u64| SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let times = fs::FileTimes::new().set_modified(before(written)).set_accessed(before(used));
        File::options().write(true).open(path).unwrap().set_times(times).unwrap();
    }

    #[test]
    fn a_file_in_daily_use_stays() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path().join("cache")).unwrap();
        let paths: Vec<PathBuf> = (0..MAX_ARTIFACTS)
            .map(|number| directory.path("part", &format!("{number}")).unwrap())
            .collect();
        for (number, path) in paths.iter().enumerate() {
            fs::write(path, b"").unwrap();
            // The first is the oldest, and the only one that was used later.
            set_days(path, 20 - number as u64 / 8, if number == 0 { 0 } else { 20 });
        }
        directory.write(&directory.path("part", "new").unwrap(), b"");
        assert!(paths[0].exists() && !paths[1].exists() && paths[2].exists());
    }

    #[test]
    fn files_of_replaced_versions_go_after_a_month() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path().join("cache")).unwrap();
        let [replaced, used] =
            ["replaced", "used"].map(|name| directory.path("part", name).unwrap());
        for (path, days) in [(&replaced, 31), (&used, 1)] {
            fs::write(path, b"").unwrap();
            set_days(path, 90, days);
        }
        directory.write(&directory.path("part", "new").unwrap(), b"");
        assert!(!replaced.exists() && used.exists());
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
