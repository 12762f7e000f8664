//! How names become files: resolved inside a grant, by the rules of the native unix VFS
//! (`os_unix.c`, `unixOpen` and `findCreateFileMode`).

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, chmod, fdatasync, fstat, ftruncate, openat, readlinkat,
    statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

use super::{Error, code};
use crate::contract::bindings::sqlite_wasm::host::files::{
    ErrorCode, FileAttributes, FileKind, OpenFlags,
};
use crate::filesystem::descriptors;
use crate::filesystem::grants::{Access, Grants, LastLink, Mask, Place, Refused};

/// `SQLITE_DEFAULT_FILE_PERMISSIONS`.
const DEFAULT_BITS: u32 = 0o644;

/// The permissions of files that `fopen` makes.
const STREAM_BITS: u32 = 0o666;

/// Permissions and owner that a journal takes from its database.
struct Ownership {
    bits: u32,
    uid: u32,
    gid: u32,
}

/// A file that was opened by its path.
pub struct Opened<'a> {
    pub place: Place<'a>,
    pub file: std::fs::File,
    /// It can only be read although writing was requested.
    pub read_only: bool,
    /// It is a new journal: its first sync must reach the directory too.
    pub new_journal: bool,
}

/// Open the file at `path`.
pub fn open<'a>(grants: &Grants, path: &'a [u8], how: OpenFlags) -> Result<Opened<'a>, Error> {
    let last = if how.contains(OpenFlags::NO_FOLLOW) { LastLink::Keep } else { LastLink::Follow };
    let place = grants.place(path, last)?;
    if how.contains(OpenFlags::REWRITE) {
        let file = open_rewriting(grants, &place)?;
        return Ok(Opened { place, file, read_only: false, new_journal: false });
    }
    if !how.contains(OpenFlags::READ_WRITE) {
        let file = open_reading(grants, &place)?;
        return Ok(Opened { place, file, read_only: false, new_journal: false });
    }
    match open_writing(grants, &place, how) {
        Ok(file) => {
            let new_journal = how.contains(OpenFlags::JOURNAL | OpenFlags::CREATE);
            if how.contains(OpenFlags::DELETE_ON_CLOSE) {
                remove(&place)?;
            }
            Ok(Opened { place, file, read_only: false, new_journal })
        }
        Err(ErrorCode::IsDirectory) => Err(ErrorCode::IsDirectory.into()),
        // The first failure says more than "no such file".
        Err(refused) => {
            let file = open_reading(grants, &place).map_err(|_| refused)?;
            Ok(Opened { place, file, read_only: true, new_journal: false })
        }
    }
}

/// Open the shared memory at `place`, next to its database; true when
/// it can only be read.
pub fn open_shared_memory(
    grants: &Grants,
    place: &Place<'_>,
    read_only: bool,
) -> Result<(std::fs::File, bool), ErrorCode> {
    let writing = if read_only {
        Err(ErrorCode::ReadOnly)
    } else {
        open_writing(grants, place, OpenFlags::JOURNAL | OpenFlags::CREATE)
    };
    match writing {
        Ok(file) => Ok((file, false)),
        Err(_) => Ok((open_reading(grants, place)?, true)),
    }
}

/// File systems that are on another machine, or in a program, and need not show one program's
/// memory to another. See `statfs(2)`.
const UNSHARED: &[u32] = &[
    0x0102_1997, // 9p
    0x5346_414f, // AFS
    0x00c3_6400, // Ceph
    0xff53_4d42, // CIFS
    0x7375_7245, // Coda
    0x6573_5546, // FUSE
    0x0bd0_0bd0, // Lustre
    0x0000_6969, // NFS
    0x0000_517b, // SMB
    0xfe53_4d42, // SMB2
    0x786f_4256, // vboxsf
];

/// Whether the memory of a mapped file is one and the same for all programs.
pub fn can_share_memory(file: &std::fs::File) -> bool {
    let Ok(status) = rustix::fs::fstatfs(file) else {
        return false;
    };
    // The type of the field differs between machines, its 32 bits do not.
    !UNSHARED.contains(&(status.f_type as u32))
}

fn open_reading(grants: &Grants, place: &Place<'_>) -> Result<std::fs::File, ErrorCode> {
    open_at(grants, place, OFlags::RDONLY, DEFAULT_BITS)
}

fn open_writing(
    grants: &Grants,
    place: &Place<'_>,
    how: OpenFlags,
) -> Result<std::fs::File, ErrorCode> {
    check_writable(place)?;
    let like = if how.contains(OpenFlags::JOURNAL) { database_ownership(place) } else { None };
    let bits = like.as_ref().map_or(DEFAULT_BITS, |like| like.bits);
    let mut flags = OFlags::RDWR;
    flags.set(OFlags::CREATE, how.intersects(OpenFlags::CREATE | OpenFlags::EXCLUSIVE));
    flags.set(OFlags::EXCL, how.contains(OpenFlags::EXCLUSIVE));
    let file = open_at(grants, place, flags, bits)?;
    if let Some(like) = like {
        take_ownership(&file, &like).map_err(|error| code(&error))?;
    }
    Ok(file)
}

/// As `fopen` opens for `w`.
fn open_rewriting(grants: &Grants, place: &Place<'_>) -> Result<std::fs::File, ErrorCode> {
    check_writable(place)?;
    let flags = OFlags::WRONLY | OFlags::CREATE;
    if !grants.may_mask_opened() {
        return open_at(grants, place, flags | OFlags::TRUNC, STREAM_BITS);
    }
    // Check the kind of file before anything is truncated.
    let file = open_at(grants, place, flags, STREAM_BITS)?;
    let status = fstat(&file).map_err(failed)?;
    if FileType::from_raw_mode(status.st_mode) == FileType::RegularFile {
        ftruncate(&file, 0).map_err(failed)?;
    }
    Ok(file)
}

/// Fails where the grant or a mask allows no change.
pub fn check_writable(place: &Place<'_>) -> Result<(), ErrorCode> {
    match place.access {
        Access::ReadWrite => Ok(()),
        Access::ReadOnly => Err(ErrorCode::ReadOnly),
    }
}

fn open_at(
    grants: &Grants,
    place: &Place<'_>,
    flags: OFlags,
    bits: u32,
) -> Result<std::fs::File, ErrorCode> {
    // Links were followed already; one that appears later is an attack. A
    // directory opens for reading, as natively, and then has no bytes to read.
    let all = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mode = Mode::from_raw_mode(bits);
    let opened = retry_on_intr(|| openat(&place.dir, &*place.name, all, mode)).map_err(failed)?;
    let opened = descriptors::above_streams(opened).map_err(failed)?;
    match grants.mask_of(&opened) {
        Some(Mask::Hidden) => Err(ErrorCode::NotGranted),
        Some(Mask::ReadOnly) if flags.intersects(OFlags::RDWR | OFlags::WRONLY) => {
            Err(ErrorCode::ReadOnly)
        }
        _ => Ok(opened.into()),
    }
}

fn failed(error: Errno) -> ErrorCode {
    code(&error.into())
}

/// The ownership of the database that the journal at `place` belongs to: its
/// name without the last `-` and what follows.
fn database_ownership(place: &Place<'_>) -> Option<Ownership> {
    let end = place.name.iter().rposition(|byte| *byte == b'-')?;
    let status = statat(&place.dir, &place.name[..end], AtFlags::SYMLINK_NOFOLLOW).ok()?;
    (FileType::from_raw_mode(status.st_mode) != FileType::Symlink).then_some(Ownership {
        bits: status.st_mode & 0o777,
        uid: status.st_uid,
        gid: status.st_gid,
    })
}

/// A journal that its database's owner cannot read would lock the database.
fn take_ownership(file: &std::fs::File, like: &Ownership) -> io::Result<()> {
    let metadata = file.metadata()?;
    // The mode of `open` is cut by the process's umask.
    if metadata.len() == 0 && metadata.mode() & 0o777 != like.bits {
        file.set_permissions(std::fs::Permissions::from_mode(like.bits))?;
    }
    if nix::unistd::geteuid().is_root() && (metadata.uid(), metadata.gid()) != (like.uid, like.gid)
    {
        fchown(file.as_fd(), Some(like.uid), Some(like.gid))?;
    }
    Ok(())
}

/// Remove the file at `place`.
pub fn remove(place: &Place<'_>) -> io::Result<()> {
    Ok(unlinkat(&place.dir, &*place.name, AtFlags::empty())?)
}

/// Return when the directory of `place` is on the device. As in `os_unix.c`, one
/// that cannot be opened is left to the system: a directory may be written by
/// who cannot read it.
pub fn sync_directory(place: &Place<'_>) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat(&place.dir, ".", flags, Mode::empty()) {
        Ok(directory) => Ok(fdatasync(directory)?),
        Err(_) => Ok(()),
    }
}

/// SQLite's `SQLITE_ACCESS_EXISTS`: an empty file counts as none. One system
/// call where the text of the path is enough and the name is not a link.
pub fn exists(grants: &Grants, path: &[u8]) -> bool {
    let plain = match grants.plain_place(path) {
        Ok(Some(place)) => status(&place),
        Ok(None) => None,
        Err(_) => return false,
    };
    let found = match plain {
        Some(Ok(status)) => Ok(status),
        Some(Err(Errno::NOENT)) => return false,
        _ => match grants.place(path, LastLink::Follow) {
            Ok(place) => statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW),
            Err(_) => return false,
        },
    };
    found.is_ok_and(|status| {
        let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
        !grants.hides(&status) && (!is_file || status.st_size > 0)
    })
}

/// The status of `place`; `None` for a link.
fn status(place: &Place<'_>) -> Option<Result<Stat, Errno>> {
    match statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) if FileType::from_raw_mode(status.st_mode) == FileType::Symlink => None,
        status => Some(status),
    }
}

/// Whether this user may read and write: opened to see.
pub fn is_writable(grants: &Grants, path: &[u8]) -> bool {
    grants.place(path, LastLink::Follow).is_ok_and(|place| {
        place.access == Access::ReadWrite
            && open_at(grants, &place, OFlags::RDWR, DEFAULT_BITS).is_ok()
    })
}

/// Where the link `path` leads.
pub fn link_target(grants: &Grants, path: &[u8]) -> Result<Vec<u8>, Error> {
    let place = grants.place(path, LastLink::Keep)?;
    let target = readlinkat(&place.dir, &*place.name, Vec::new()).map_err(failed)?;
    Ok(target.into_bytes())
}

/// The attributes of `path`.
pub fn attributes(grants: &Grants, path: &[u8]) -> Result<FileAttributes, Error> {
    let place = grants.place(path, LastLink::Keep)?;
    let status = statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    if grants.hides(&status) {
        return Err(ErrorCode::NotGranted.into());
    }
    let kind = match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => FileKind::Regular,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Pipe,
        _ => FileKind::Other,
    };
    Ok(FileAttributes {
        kind,
        permissions: status.st_mode & 0o777,
        size: status.st_size.try_into().unwrap_or_default(),
        modified: status.st_mtime,
    })
}

/// Set the permission bits of a file or directory.
pub fn set_permissions(grants: &Grants, path: &[u8], bits: u32) -> Result<(), Error> {
    let place = grants.place(path, LastLink::Follow)?;
    check_writable(&place)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let entry = openat(&place.dir, &*place.name, flags, Mode::empty()).map_err(failed)?;
    let status = fstat(&entry).map_err(failed)?;
    if FileType::from_raw_mode(status.st_mode) == FileType::Symlink {
        return Err(ErrorCode::IsLink.into());
    }
    if grants.masks(&status) {
        return Err(ErrorCode::ReadOnly.into());
    }
    // By the handle: a name could lead elsewhere by now.
    chmod(own_name(&entry), Mode::from_raw_mode(bits & 0o777)).map_err(failed)?;
    Ok(())
}

fn own_name(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Code(refused.into())
    }
}

impl From<Refused> for ErrorCode {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NotGranted => Self::NotGranted,
            Refused::Links | Refused::NotRegular => Self::Invalid,
            Refused::System(error) => failed(error),
        }
    }
}
