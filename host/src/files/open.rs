//! How names become files: inside of a grant, by the rules of the native unix
//! VFS (`os_unix.c`, `unixOpen` and `findCreateFileMode`).

use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use cap_fs_ext::{FileTypeExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, PermissionsExt as _};

use super::file::File;
use super::{Error, code};
use crate::bindings::sqlite_wasm::host::files::{ErrorCode, FileAttributes, OpenFlags};
use crate::grants::{Access, Place};

/// `SQLITE_DEFAULT_FILE_PERMISSIONS`.
const DEFAULT_BITS: u32 = 0o644;

/// Permissions and owner that a journal takes from its database.
struct Ownership {
    bits: u32,
    uid: u32,
    gid: u32,
}

/// Open the file at `place`; true when it can only be read although writing
/// was asked for.
pub fn open(place: Place<'_>, how: OpenFlags) -> Result<(File, bool), Error> {
    if how.contains(OpenFlags::REWRITE) {
        return Ok((File::at(place, open_rewriting(place)?, false), false));
    }
    let wants_write = how.contains(OpenFlags::READ_WRITE);
    if !wants_write {
        return Ok((File::at(place, open_reading(place)?, false), false));
    }
    match open_writing(place, how) {
        Ok(file) => {
            let new_journal = how.contains(OpenFlags::JOURNAL | OpenFlags::CREATE);
            if how.contains(OpenFlags::DELETE_ON_CLOSE) {
                place.dir.remove_file(place.path)?;
            }
            Ok((File::at(place, file, new_journal), false))
        }
        Err(ErrorCode::IsDirectory) => Err(ErrorCode::IsDirectory.into()),
        // The first failure tells more than "there is no such file".
        Err(refused) => {
            let file = open_reading(place).map_err(|_| refused)?;
            Ok((File::at(place, file, false), true))
        }
    }
}

/// Open the shared memory at `place`, whose database lies beside it; true when
/// it can only be read.
pub fn open_shared_memory(
    place: Place<'_>,
    read_only: bool,
) -> Result<(std::fs::File, bool), ErrorCode> {
    let writing = if read_only {
        Err(ErrorCode::ReadOnly)
    } else {
        open_writing(place, OpenFlags::JOURNAL | OpenFlags::CREATE)
    };
    match writing {
        Ok(file) => Ok((file, false)),
        Err(_) => Ok((open_reading(place)?, true)),
    }
}

/// The kinds of file system that lie on another machine, or in a program, and
/// need not show one program's memory to another. See `statfs(2)`.
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

fn open_reading(place: Place<'_>) -> Result<std::fs::File, ErrorCode> {
    open_with(place, OpenOptions::new().read(true))
}

fn open_writing(place: Place<'_>, how: OpenFlags) -> Result<std::fs::File, ErrorCode> {
    if place.access == Access::ReadOnly {
        return Err(ErrorCode::ReadOnly);
    }
    let like = if how.contains(OpenFlags::JOURNAL) { database_ownership(place) } else { None };
    let file = open_with(
        place,
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(how.contains(OpenFlags::CREATE))
            .create_new(how.contains(OpenFlags::EXCLUSIVE))
            .mode(like.as_ref().map_or(DEFAULT_BITS, |like| like.bits)),
    )?;
    if let Some(like) = like {
        take_ownership(&file, &like).map_err(|error| code(&error))?;
    }
    Ok(file)
}

/// As `fopen` opens for `w`.
fn open_rewriting(place: Place<'_>) -> Result<std::fs::File, ErrorCode> {
    if place.access == Access::ReadOnly {
        return Err(ErrorCode::ReadOnly);
    }
    open_with(place, OpenOptions::new().write(true).create(true).truncate(true))
}

fn open_with(place: Place<'_>, options: &mut OpenOptions) -> Result<std::fs::File, ErrorCode> {
    // Links were followed by `resolve`; one that appears later is an attack.
    options.follow(FollowSymlinks::No);
    // A folder opens for reading, as natively, and then has no bytes to read.
    Ok(place.dir.open_with(place.path, options).map_err(|error| code(&error))?.into_std())
}

/// The ownership of the database that the journal at `place` belongs to: its
/// name without the last `-` and what follows.
fn database_ownership(place: Place<'_>) -> Option<Ownership> {
    let name = place.path.to_str()?;
    let database = &name[..name.rfind('-')?];
    let metadata = place.dir.metadata(database).ok()?;
    Some(Ownership {
        bits: metadata.permissions().mode() & 0o777,
        uid: cap_std::fs::MetadataExt::uid(&metadata),
        gid: cap_std::fs::MetadataExt::gid(&metadata),
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

/// Return when the folder that holds `path`, below `dir`, is on the device. As
/// in `os_unix.c`, one that cannot be opened is left to the system: a folder
/// may be written by who cannot read it.
pub fn sync_folder(dir: &Dir, path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    dir.open(folder).map_or(Ok(()), |folder| folder.into_std().sync_data())
}

/// SQLite's `SQLITE_ACCESS_EXISTS`: an empty file counts as none.
pub fn exists(place: Place<'_>) -> bool {
    match plain_status(place) {
        Some(Status::Missing) => false,
        Some(Status::File { size }) => size > 0,
        Some(Status::Other) => true,
        None => place
            .dir
            .metadata(place.path)
            .is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0),
    }
}

/// What stands at a name.
enum Status {
    Missing,
    File { size: u64 },
    Other,
}

/// What stands at a name directly in the granted folder, by one plain system
/// call: no link can lead such a name out. None where the capability library
/// must look: deeper names, and links.
fn plain_status(place: Place<'_>) -> Option<Status> {
    use rustix::fs::{AtFlags, FileType, statat};
    let name = place.path.as_os_str().as_bytes();
    if name.contains(&b'/') || matches!(name, b"." | b"..") {
        return None;
    }
    let status = match statat(place.dir.as_fd(), place.path, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) => status,
        Err(rustix::io::Errno::NOENT) => return Some(Status::Missing),
        Err(_) => return None,
    };
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => Some(Status::File { size: u64::try_from(status.st_size).ok()? }),
        FileType::Symlink => None,
        _ => Some(Status::Other),
    }
}

/// Whether this user may read and write: opened to see, which the capability
/// library keeps inside of the grant.
pub fn is_writable(place: Place<'_>) -> bool {
    let mut options = OpenOptions::new();
    place.access == Access::ReadWrite && open_with(place, options.read(true).write(true)).is_ok()
}

/// What WASI does not tell of a file or folder.
pub fn attributes(place: Place<'_>) -> io::Result<FileAttributes> {
    let metadata = place.dir.symlink_metadata(place.path)?;
    Ok(FileAttributes {
        permissions: metadata.permissions().mode() & 0o777,
        is_pipe: metadata.file_type().is_fifo(),
    })
}

/// Set the permission bits of a file or folder.
pub fn set_permissions(place: Place<'_>, bits: u32) -> io::Result<()> {
    let bits = cap_std::fs::Permissions::from_mode(bits & 0o777);
    place.dir.set_permissions(place.path, bits)
}
