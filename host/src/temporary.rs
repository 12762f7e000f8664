//! Temporary files: unnamed ones, in a directory of this user's own.

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use nix::unistd::geteuid;
use rustix::fs::{CWD, Mode, OFlags, fstat, mkdir, openat};

static DIRECTORY: OnceLock<OwnedFd> = OnceLock::new();

/// Make the directory if it is missing, and open it: once for the process.
///
/// # Errors
///
/// When it cannot be made, or somebody else could reach into it.
pub fn prepare() -> io::Result<BorrowedFd<'static>> {
    if let Some(directory) = DIRECTORY.get() {
        return Ok(directory.as_fd());
    }
    let directory = open()?;
    Ok(DIRECTORY.get_or_init(|| directory).as_fd())
}

/// A file without a name, for reading and writing.
///
/// # Errors
///
/// When there is no directory for it, or no room.
pub fn file() -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(openat(prepare()?, ".", flags, Mode::RUSR | Mode::WUSR)?.into())
}

fn open() -> io::Result<OwnedFd> {
    let user = geteuid().as_raw();
    let path = env::temp_dir().join(format!("sqlite-wasm-run-{user}"));
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(CWD, &path, flags, Mode::empty()).or_else(|_| {
        mkdir(&path, Mode::RWXU)?;
        openat(CWD, &path, flags, Mode::empty())
    })?;
    let status = fstat(&directory)?;
    let is_ours = status.st_uid == user && status.st_mode & 0o077 == 0;
    if is_ours { Ok(directory) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
