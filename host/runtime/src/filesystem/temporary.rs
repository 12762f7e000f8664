//! Temporary files, in a private directory of the user below the first usable
//! directory of SQLite's own search order.
//!
//! [`prepare`] opens the directory before the second wall goes up; [`file`]
//! creates files in it. Without a usable directory only temporary files fail.

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::unistd::geteuid;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, fstat, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use crate::filesystem::descriptors;

/// The directories that SQLite tries after `$SQLITE_TMPDIR` and `$TMPDIR`
/// (`unixTempFileDir` in `os_unix.c`). The caller tries the working directory
/// last, with [`file_in`].
const DIRECTORIES: &[&str] = &["/var/tmp", "/usr/tmp", "/tmp"];

/// How many further names for the directory are tried if another user owns the first one.
const MAX_DIRECTORY_NAMES: u32 = 8;

/// How many file names are tried: a process that died with the same process id may have left files.
const MAX_FILE_NAMES: u32 = 100;

/// Permissions for the owner alone.
const PRIVATE: Mode = Mode::RWXU;

/// The directory of this process.
static DIRECTORY: OnceLock<PrivateDirectory> = OnceLock::new();

/// A directory that belongs to this user alone.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    handle: OwnedFd,
}

impl PrivateDirectory {
    /// Its path when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsFd for PrivateDirectory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// The directory for temporary files, which the first call chooses and opens.
///
/// # Errors
///
/// When no directory is usable; later calls try again.
pub fn prepare() -> io::Result<&'static PrivateDirectory> {
    if let Some(directory) = DIRECTORY.get() {
        return Ok(directory);
    }
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for parent in directories() {
        match private_in(&parent) {
            Ok(directory) => return Ok(DIRECTORY.get_or_init(|| directory)),
            Err(error) => failure = error.into(),
        }
    }
    Err(failure)
}

/// A file without a name, for this user alone.
///
/// # Errors
///
/// When no directory is usable.
pub fn file() -> io::Result<File> {
    let first = prepare().and_then(|directory| file_in(directory.as_fd()));
    let Err(error) = first else { return first };
    // Try the other directories if this one was removed or is not writable.
    let unusable = [Errno::NOENT, Errno::ROFS, Errno::ACCESS, Errno::PERM];
    if !unusable.contains(&Errno::from_io_error(&error).unwrap_or(Errno::IO)) {
        return Err(error);
    }
    let file = directories().find_map(|parent| {
        let directory = private_in(&parent).ok()?;
        file_in(directory.as_fd()).ok()
    });
    file.ok_or(error)
}

/// A file without a name in `directory`.
///
/// # Errors
///
/// When it cannot be made.
pub fn file_in(directory: BorrowedFd<'_>) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    // `O_EXCL`: the file can never get a name.
    let unnamed = OFlags::TMPFILE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    match openat(directory, ".", unnamed, mode) {
        Ok(file) => Ok(descriptors::above_streams(file)?.into()),
        // Some file systems do not support `O_TMPFILE`.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => named_file_in(directory, mode),
        Err(error) => Err(error.into()),
    }
}

/// Create a file and remove its name.
fn named_file_in(directory: BorrowedFd<'_>, mode: Mode) -> io::Result<File> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    let mut result = Err(Errno::EXIST);
    for _ in 0..MAX_FILE_NAMES {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sqlite-wasm-run-{}-{count}", std::process::id());
        result = openat(directory, &*name, flags, mode);
        match result {
            Ok(_) => unlinkat(directory, &*name, AtFlags::empty())?,
            Err(Errno::EXIST) => continue,
            Err(_) => {}
        }
        break;
    }
    Ok(descriptors::above_streams(result?)?.into())
}

fn directories() -> impl Iterator<Item = PathBuf> {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let named = named.filter_map(|path| std::path::absolute(path).ok());
    named.chain(DIRECTORIES.iter().map(PathBuf::from))
}

/// This user's private directory in `parent`.
fn private_in(parent: &Path) -> rustix::io::Result<PrivateDirectory> {
    let name = parent.join(format!("sqlite-wasm-run-{}", geteuid()));
    match open_private(&name) {
        // Another user has that name.
        Err(Errno::EXIST) => {}
        result => return result,
    }
    let mut result = Err(Errno::EXIST);
    for number in 0..MAX_DIRECTORY_NAMES {
        let path = parent.join(format!("sqlite-wasm-run-{}-{number}", geteuid()));
        result = open_private(&path);
        if !matches!(result, Err(Errno::EXIST)) {
            break;
        }
    }
    result
}

/// Open or create the directory at `path`; [`Errno::EXIST`] if the name belongs
/// to anything else than a directory of this user.
fn open_private(path: &Path) -> rustix::io::Result<PrivateDirectory> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(CWD, path, flags, Mode::empty());
    let handle = match open() {
        Err(Errno::NOENT) => {
            match mkdirat(CWD, path, PRIVATE) {
                // A concurrent start has created it.
                Ok(()) | Err(Errno::EXIST) => open()?,
                Err(error) => return Err(error),
            }
        }
        // A file or a link.
        Err(Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return Err(Errno::EXIST),
        result => result?,
    };
    let status = fstat(&handle)?;
    if status.st_uid != geteuid().as_raw() {
        return Err(Errno::EXIST);
    }
    if Mode::from_raw_mode(status.st_mode) != PRIVATE {
        fchmod(&handle, PRIVATE)?;
    }
    Ok(PrivateDirectory { path: path.to_owned(), handle })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn name(parent: &Path) -> PathBuf {
        parent.join(format!("sqlite-wasm-run-{}", geteuid()))
    }

    #[test]
    fn the_directory_is_private_and_used_again() {
        let parent = tempfile::tempdir().unwrap();
        let first = private_in(parent.path()).unwrap();
        assert_eq!(first.path(), name(parent.path()));
        let mode = || fs::metadata(name(parent.path())).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o700);
        fs::set_permissions(first.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(private_in(parent.path()).unwrap().path(), first.path());
        assert_eq!(mode(), 0o700);
    }

    #[test]
    fn a_link_or_file_in_its_place_is_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let target = tempfile::tempdir().unwrap();
        symlink(target.path(), name(parent.path())).unwrap();
        let other = private_in(parent.path()).unwrap();
        assert_ne!(other.path(), name(parent.path()));
        assert!(fs::symlink_metadata(other.path()).unwrap().is_dir());
    }

    #[test]
    fn files_have_no_name() {
        let parent = tempfile::tempdir().unwrap();
        let directory = private_in(parent.path()).unwrap();
        let unnamed = file_in(directory.as_fd()).unwrap();
        let named = named_file_in(directory.as_fd(), Mode::RUSR | Mode::WUSR).unwrap();
        for mut file in [unnamed, named] {
            file.write_all(b"text").unwrap();
            file.rewind().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "text");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
