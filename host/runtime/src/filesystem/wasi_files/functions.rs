//! The functions that take a path.

use rustix::fs::{AtFlags, FileType, statat};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemView};
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorFlags, ErrorCode as Reported, Host, HostDescriptor, NewTimestamp, OpenFlags,
    PathFlags,
};

use super::resolve::{Base, entry, last};
use super::{Kinds, TYPES, WasiFiles};
use crate::filesystem::grants::{LastLink, Place};
use crate::words::received;

type Fd = Resource<Descriptor>;

/// Run `call`, and return its result or its WASI error code to the component.
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

pub fn add_opening<T: WasiView + 'static>(
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

/// Check the type of an existing file. A missing one may be created; the
/// component cannot replace it by a pipe or device, since it cannot create
/// these.
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

pub fn add_looking<T: WasiView + 'static>(
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

pub fn add_changing<T: WasiView + 'static>(
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
                // A later user of the link may not be a component.
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

pub fn add_moving<T: WasiView + 'static>(
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
