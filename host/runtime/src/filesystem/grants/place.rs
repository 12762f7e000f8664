//! The results of resolving a path.

use std::borrow::Cow;
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2, readlinkat_raw};
use rustix::io::Errno;

use super::access::Access;
use super::identity::Identity;

/// A resolved path inside a grant: the handle of a directory, and one name in
/// it.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The directory.
    pub dir: Arc<OwnedFd>,
    /// The name of an entry, which is not followed if it is a link; `.` for the
    /// directory itself.
    pub name: Cow<'a, [u8]>,
    /// The access to the entry.
    pub access: Access,
    /// The access to the directory.
    pub(super) around: Access,
    /// The directory, if its entries have rules.
    pub(super) directory: Option<Identity>,
    pub(super) only_databases: bool,
}

impl Place<'static> {
    pub(super) fn directory(dir: Arc<OwnedFd>, access: Access) -> Self {
        Self {
            dir,
            name: Cow::Borrowed(b"."),
            access,
            around: access,
            directory: None,
            only_databases: false,
        }
    }
}

impl Place<'_> {
    /// The same path with an owned name.
    pub fn into_owned(self) -> Place<'static> {
        Place { name: Cow::Owned(self.name.into_owned()), ..self }
    }
}

/// Why a path was refused. All paths outside the grants are refused alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It is outside all granted directories, or leaves them.
    NotGranted,
    /// It has too many links.
    Links,
    /// It names a file of another type.
    NotRegular,
    /// The system's error, inside a granted directory.
    System(Errno),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGranted => f.write_str("it is outside the granted directories"),
            Self::Links => f.write_str("it has too many symbolic links"),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

pub fn is_link(place: &Place<'_>) -> bool {
    let mut room = [0; 1];
    &*place.name != b"." && readlinkat_raw(&place.dir, &*place.name, &mut room[..]).is_ok()
}

/// Open a directory below another one, provided that the path has no links and
/// stays on one file system.
pub fn open_plain(dir: &OwnedFd, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(dir, path, flags, Mode::empty(), resolve)
}
