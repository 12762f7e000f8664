//! `wasi:filesystem` under the rules of the grants: WASI refuses what `files`
//! refuses.
//!
//! Each function that takes a path replaces the generated one. The host
//! resolves the path to the handle of a directory and one name, as for `files`.
//! It then calls the generated function with this directory, its access and the
//! name, which is not followed if it is a link. An open file keeps the access
//! that it was opened with. Paths are handled as bytes: see `received`.

mod functions;
mod resolve;

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Weak};

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::filesystem::{Descriptor, Dir, FsPerms, OpenMode, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::filesystem::grants::{Access, Grants};

/// The interfaces, in the version that `wasmtime-wasi` has.
const TYPES: &str = "wasi:filesystem/types@0.2.12";
const PREOPENS: &str = "wasi:filesystem/preopens@0.2.12";

/// Limit on files and directories that a component has open with WASI, including streams on
/// them. The component chooses how many it opens; the process has about a thousand descriptors, and
/// databases may use half of them.
const MAX_DESCRIPTORS: usize = 256;

/// The types of files that may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// All types.
    All,
    /// Regular files and directories. A pipe or device can block for as long as
    /// its other side likes, and no time limit ends a call that blocks in the
    /// host.
    Regular,
}

/// The files that a component can reach with WASI.
pub struct WasiFiles {
    grants: Arc<Grants>,
    /// Its preopened directories, by guest name.
    directories: Vec<(String, Arc<OwnedFd>, Access)>,
    kinds: Kinds,
    /// Files opened by this component or by its streams.
    open: Vec<Weak<File>>,
}

impl WasiFiles {
    /// All granted directories, by guest name. Those whose names are not UTF-8
    /// are accessible only with `files`, since WASI has no such names.
    pub fn new(grants: Arc<Grants>, kinds: Kinds) -> Self {
        let directories = grants.iter().filter_map(|grant| {
            let name = grant.guest.to_str()?.to_owned();
            Some((name, grant.dir().clone(), grant.as_directory()?))
        });
        Self { directories: directories.collect(), grants, kinds, open: Vec::new() }
    }

    /// Preopen the granted directory `guest` by another name too.
    #[must_use]
    pub fn with_name(mut self, guest: &str, name: &str) -> Self {
        let known = self.directories.iter().find(|directory| directory.0 == guest);
        if let Some((_, dir, access)) = known.filter(|_| guest != name).cloned() {
            self.directories.push((name.to_owned(), dir, access));
        }
        self
    }

    /// Fail if no more files may be opened.
    fn check_room(&mut self) -> Result<(), ErrorCode> {
        if self.open.len() >= MAX_DESCRIPTORS {
            self.open.retain(|file| file.strong_count() > 0);
        }
        if self.open.len() >= MAX_DESCRIPTORS {
            // WASI has no error code for too many files.
            return Err(ErrorCode::InsufficientMemory);
        }
        Ok(())
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

/// Add the interface to the linker, replacing the one of `wasmtime-wasi`.
///
/// # Errors
///
/// When the linker refuses it.
pub fn add_to_linker<T: WasiView + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut WasiFiles,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker
        .instance(PREOPENS)?
        .func_wrap("get-directories", move |mut store, ()| Ok((directories(&mut store, view)?,)))?;
    functions::add_opening(linker, view)?;
    functions::add_looking(linker, view)?;
    functions::add_changing(linker, view)?;
    functions::add_moving(linker, view)?;
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
            wasmtime::bail!("the component requested its directories too often");
        }
        files.count(&descriptor);
        given.push((store.data_mut().filesystem().table.push(descriptor)?, name));
    }
    Ok(given)
}
