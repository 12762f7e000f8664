//! `wasi:filesystem` by the rules of the grants: what `files` refuses, WASI
//! refuses too.
//!
//! Each function that takes a path is put in front of the generated one. The
//! host resolves the path to the handle of a directory and one name, as for
//! `files`, and hands on this directory, with the rights that were found, and
//! the name, which is not followed if it is a link. A file that is open keeps
//! the rights that it was opened with. Paths are taken as bytes: see `received`.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Weak};

use rustix::fs::{AtFlags, FileType, statat};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::filesystem::{
    Descriptor, Dir, FsPerms, OpenMode, WasiFilesystemCtxView, WasiFilesystemView,
};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorFlags, ErrorCode as Reported, Host, HostDescriptor, NewTimestamp, OpenFlags,
    PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

use crate::grants::{Access, Grants, LastLink, Place, Refused};
use crate::received;

/// The interfaces, in the version that `wasmtime-wasi` has.
const TYPES: &str = "wasi:filesystem/types@0.2.12";
const PREOPENS: &str = "wasi:filesystem/preopens@0.2.12";

/// Most files and directories that a component has open by WASI, streams on them
/// included. The component chooses; the process has about a thousand
/// descriptors, and half of them may be databases.
const MAX_DESCRIPTORS: usize = 256;

/// What may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// Whatever has a name.
    All,
    /// Files and directories. Opening or reading a pipe or a device may wait for
    /// as long as its other side likes, and no limit of time ends a call that
    /// waits in the host.
    Regular,
}

/// What a component may reach by WASI.
pub struct WasiFiles {
    grants: Arc<Grants>,
    /// Directories that it is given, by their names for it.
    directories: Vec<(String, Arc<OwnedFd>, Access)>,
    kinds: Kinds,
    /// What was opened, by this component or by a stream of it.
    open: Vec<Weak<File>>,
}

impl WasiFiles {
    /// All granted directories, by their names for the component. Those whose
    /// names are not text are left to `files`: WASI has no other names.
    pub fn new(grants: Arc<Grants>, kinds: Kinds) -> Self {
        let directories = grants.iter().filter_map(|grant| {
            let name = grant.guest.to_str()?.to_owned();
            Some((name, grant.dir().clone(), grant.as_directory()?))
        });
        Self { directories: directories.collect(), grants, kinds, open: Vec::new() }
    }

    /// The granted directory `guest` by another name too.
    #[must_use]
    pub fn with_name(mut self, guest: &str, name: &str) -> Self {
        let known = self.directories.iter().find(|directory| directory.0 == guest);
        if let Some((_, dir, access)) = known.filter(|_| guest != name).cloned() {
            self.directories.push((name.to_owned(), dir, access));
        }
        self
    }

    /// Fails when no more may be open.
    fn check_room(&mut self) -> Result<(), ErrorCode> {
        if self.open.len() >= MAX_DESCRIPTORS {
            self.open.retain(|file| file.strong_count() > 0);
        }
        match self.open.len() < MAX_DESCRIPTORS {
            true => Ok(()),
            // WASI has no word for too many files.
            false => Err(ErrorCode::InsufficientMemory),
        }
    }

    fn count(&mut self, descriptor: &Descriptor) {
        self.open.push(Arc::downgrade(match descriptor {
            Descriptor::File(file) => &file.file,
            Descriptor::Dir(dir) => &dir.dir,
        }));
    }
}

fn descriptor(dir: &OwnedFd, access: Access) -> std::io::Result<Descriptor> {
    let (perms, mode) = match access {
        Access::ReadOnly => (FsPerms::ReadOnly, OpenMode::READ),
        Access::ReadWrite => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
    };
    Ok(Descriptor::Dir(Dir::new(dir.try_clone()?.into(), perms, mode, true)))
}

/// A directory, and the rules of its component.
struct Base<'a> {
    files: WasiFilesystemCtxView<'a>,
    grants: Arc<Grants>,
}

/// A path that was resolved: a descriptor of our own for the directory, and the
/// name in it.
struct Target {
    dir: Resource<Descriptor>,
    place: Place<'static>,
    name: String,
}

impl Target {
    fn dir(&self) -> Resource<Descriptor> {
        Resource::new_borrow(self.dir.rep())
    }
}

impl Base<'_> {
    fn resolve(
        &mut self,
        base: &Resource<Descriptor>,
        path: &[u8],
        last: LastLink,
    ) -> FsResult<Target> {
        let Descriptor::Dir(dir) = self.files.table.get(base)? else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let access = match dir.perms {
            FsPerms::ReadOnly => Access::ReadOnly,
            FsPerms::ReadWrite => Access::ReadWrite,
        };
        if path.is_empty() {
            return Err(ErrorCode::NoEntry.into());
        }
        let handle = OwnedFd::from(dir.dir.try_clone().map_err(failed)?);
        let place = self.grants.place_below(Arc::new(handle), access, path, last);
        let place = place.map_err(refused)?;
        // A link's target may be other bytes than text.
        let name = String::from_utf8(place.name.to_vec());
        let name = name.map_err(|_| ErrorCode::IllegalByteSequence)?;
        let dir = descriptor(&place.dir, place.access).map_err(failed)?;
        Ok(Target { dir: self.files.table.push(dir)?, place, name })
    }

    /// Do `what` with the place that `path` leads to.
    fn with<R>(
        &mut self,
        base: &Resource<Descriptor>,
        path: &[u8],
        last: LastLink,
        what: impl FnOnce(&mut Self, &Target) -> FsResult<R>,
    ) -> FsResult<R> {
        let target = self.resolve(base, path, last)?;
        let result = what(self, &target);
        self.files.table.delete(target.dir)?;
        result
    }

    /// Fails for what may not be moved, removed or replaced.
    fn check_movable(&self, target: &Target) -> FsResult<()> {
        match self.grants.may_move(&target.place) {
            true => Ok(()),
            false => Err(ErrorCode::NotPermitted.into()),
        }
    }
}

/// The entry that a path names, whether or not it says that this is a directory.
fn entry(path: &[u8]) -> &[u8] {
    let slashes = path.iter().rev().take_while(|&&byte| byte == b'/').count();
    &path[..path.len() - slashes]
}

fn failed(error: std::io::Error) -> FsError {
    FsError::from(error)
}

/// Outside the grants all paths look the same.
fn refused(refused: Refused) -> FsError {
    match refused {
        Refused::NotGranted | Refused::NotRegular => ErrorCode::NotPermitted.into(),
        Refused::Links => ErrorCode::Loop.into(),
        Refused::System(error) => failed(error.into()),
    }
}

fn last(flags: PathFlags) -> LastLink {
    match flags.contains(PathFlags::SYMLINK_FOLLOW) {
        true => LastLink::Follow,
        false => LastLink::Keep,
    }
}

/// Offer the interface under these rules, in place of the one that is there.
///
/// # Errors
///
/// When it cannot be put in its place.
pub fn add_to_linker<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker
        .instance(PREOPENS)?
        .func_wrap("get-directories", move |mut store, ()| Ok((directories(&mut store, view)?,)))?;
    add_opening(linker, view)?;
    add_looking(linker, view)?;
    add_changing(linker, view)?;
    add_moving(linker, view)?;
    linker.allow_shadowing(false);
    Ok(())
}

fn directories<T: WasiView + 'static>(
    store: &mut StoreContextMut<'_, T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
    let mut given = Vec::new();
    for (name, dir, access) in view(store.data_mut()).directories.clone() {
        let descriptor = descriptor(&dir, access)?;
        let files = view(store.data_mut());
        if files.check_room().is_err() {
            wasmtime::bail!("the component asked too often for its directories");
        }
        files.count(&descriptor);
        given.push((store.data_mut().filesystem().table.push(descriptor)?, name));
    }
    Ok(given)
}

type Fd = Resource<Descriptor>;

/// Run `call`, and tell the component of a failure as WASI does.
fn answer<T: WasiView + 'static, R>(
    store: &mut StoreContextMut<'_, T>,
    view: fn(&mut T) -> &mut WasiFiles,
    call: impl FnOnce(&mut Base<'_>) -> FsResult<R>,
) -> wasmtime::Result<(Result<R, Reported>,)> {
    let grants = view(store.data_mut()).grants.clone();
    let mut base = Base { files: store.data_mut().filesystem(), grants };
    Ok((match call(&mut base) {
        Ok(value) => Ok(value),
        Err(error) => Err(base.files.convert_error_code(error)?),
    },))
}

fn add_opening<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    type Opening = (Fd, PathFlags, String, OpenFlags, DescriptorFlags);
    linker.instance(TYPES)?.func_wrap(
        "[method]descriptor.open-at",
        move |mut store, (fd, path_flags, path, how, flags): Opening| {
            let files = view(store.data_mut());
            let (room, kinds) = (files.check_room(), files.kinds);
            let opened = answer(&mut store, view, |base| {
                room?;
                base.with(&fd, path.as_bytes(), last(path_flags), |base, target| {
                    check_kind(&target.place, kinds)?;
                    let name = target.name.clone();
                    base.files.open_at(target.dir(), PathFlags::empty(), name, how, flags)
                })
            })?;
            if let Ok(opened) = &opened.0 {
                let descriptor = store.data_mut().filesystem().table.get(opened)?.clone();
                view(store.data_mut()).count(&descriptor);
            }
            Ok(opened)
        },
    )
}

/// What is not there may be made; nothing of a component's own takes the name of
/// a pipe or device meanwhile, since it cannot make one.
fn check_kind(place: &Place<'_>, kinds: Kinds) -> FsResult<()> {
    if kinds == Kinds::All {
        return Ok(());
    }
    let Ok(status) = statat(&place.dir, &*place.name, AtFlags::SYMLINK_NOFOLLOW) else {
        return Ok(());
    };
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile | FileType::Directory | FileType::Symlink => Ok(()),
        _ => Err(ErrorCode::NotPermitted.into()),
    }
}

fn add_looking<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    let mut types = linker.instance(TYPES)?;
    types.func_wrap(
        "[method]descriptor.stat-at",
        move |mut store, (fd, flags, path): (Fd, PathFlags, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, path.as_bytes(), last(flags), |base, target| {
                    base.files.stat_at(target.dir(), PathFlags::empty(), target.name.clone())
                })
            })
        },
    )?;
    types.func_wrap(
        "[method]descriptor.metadata-hash-at",
        move |mut store, (fd, flags, path): (Fd, PathFlags, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, path.as_bytes(), last(flags), |base, target| {
                    let name = target.name.clone();
                    base.files.metadata_hash_at(target.dir(), PathFlags::empty(), name)
                })
            })
        },
    )?;
    types.func_wrap("[method]descriptor.readlink-at", move |mut store, (fd, path): (Fd, String)| {
        answer(&mut store, view, |base| {
            base.with(&fd, path.as_bytes(), LastLink::Keep, |base, target| {
                base.files.readlink_at(target.dir(), target.name.clone())
            })
        })
    })
}

fn add_changing<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    type Times = (Fd, PathFlags, String, NewTimestamp, NewTimestamp);
    let mut types = linker.instance(TYPES)?;
    types.func_wrap(
        "[method]descriptor.set-times-at",
        move |mut store, (fd, flags, path, accessed, modified): Times| {
            answer(&mut store, view, |base| {
                base.with(&fd, path.as_bytes(), last(flags), |base, target| {
                    let (dir, name) = (target.dir(), target.name.clone());
                    base.files.set_times_at(dir, PathFlags::empty(), name, accessed, modified)
                })
            })
        },
    )?;
    types.func_wrap(
        "[method]descriptor.create-directory-at",
        move |mut store, (fd, path): (Fd, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, entry(path.as_bytes()), LastLink::Keep, |base, target| {
                    base.files.create_directory_at(target.dir(), target.name.clone())
                })
            })
        },
    )?;
    types.func_wrap(
        "[method]descriptor.symlink-at",
        move |mut store, (fd, old, path): (Fd, String, String)| {
            answer(&mut store, view, |base| {
                // Whoever follows it later may not be a component.
                let old = received::text(old);
                if old.split('/').any(|name| name == "..") {
                    return Err(ErrorCode::NotPermitted.into());
                }
                base.with(&fd, entry(path.as_bytes()), LastLink::Keep, |base, target| {
                    base.files.symlink_at(target.dir(), old, target.name.clone())
                })
            })
        },
    )
}

fn add_moving<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    let mut types = linker.instance(TYPES)?;
    for (name, remove) in [
        ("[method]descriptor.unlink-file-at", Removal::File),
        ("[method]descriptor.remove-directory-at", Removal::Directory),
    ] {
        types.func_wrap(name, move |mut store, (fd, path): (Fd, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, entry(path.as_bytes()), LastLink::Keep, |base, target| {
                    base.check_movable(target)?;
                    let (dir, name) = (target.dir(), target.name.clone());
                    match remove {
                        Removal::File => base.files.unlink_file_at(dir, name),
                        Removal::Directory => base.files.remove_directory_at(dir, name),
                    }
                })
            })
        })?;
    }
    types.func_wrap(
        "[method]descriptor.rename-at",
        move |mut store, (fd, path, to, new): (Fd, String, Fd, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, entry(path.as_bytes()), LastLink::Keep, |base, from| {
                    base.check_movable(from)?;
                    base.with(&to, entry(new.as_bytes()), LastLink::Keep, |base, to| {
                        base.check_movable(to)?;
                        let (name, new) = (from.name.clone(), to.name.clone());
                        base.files.rename_at(from.dir(), name, to.dir(), new)
                    })
                })
            })
        },
    )?;
    types.func_wrap(
        "[method]descriptor.link-at",
        move |mut store, (fd, flags, path, to, new): (Fd, PathFlags, String, Fd, String)| {
            answer(&mut store, view, |base| {
                base.with(&fd, entry(path.as_bytes()), LastLink::Keep, |base, from| {
                    base.check_movable(from)?;
                    base.with(&to, entry(new.as_bytes()), LastLink::Keep, |base, to| {
                        let (name, new) = (from.name.clone(), to.name.clone());
                        base.files.link_at(from.dir(), flags, name, to.dir(), new)
                    })
                })
            })
        },
    )
}

#[derive(Clone, Copy)]
enum Removal {
    File,
    Directory,
}
