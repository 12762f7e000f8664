//! From a descriptor and a path to a directory of our own and one name.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, FsPerms, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::PathFlags;
use wasmtime_wasi::p2::{FsError, FsResult};

use super::descriptor;
use crate::grants::{Access, Grants, LastLink, Place, Refused};

/// A directory, and the rules of its component.
pub struct Base<'a> {
    pub files: WasiFilesystemCtxView<'a>,
    pub grants: Arc<Grants>,
}

/// A path that was resolved: a descriptor of our own for the directory, and the
/// name in it.
pub struct Target {
    dir: Resource<Descriptor>,
    pub place: Place<'static>,
    pub name: String,
}

impl Target {
    pub fn dir(&self) -> Resource<Descriptor> {
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
    pub fn with<R>(
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
    pub fn check_movable(&self, target: &Target) -> FsResult<()> {
        match self.grants.may_move(&target.place) {
            true => Ok(()),
            false => Err(ErrorCode::NotPermitted.into()),
        }
    }
}

/// The entry that a path names, whether or not it says that this is a directory.
pub fn entry(path: &[u8]) -> &[u8] {
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

pub fn last(flags: PathFlags) -> LastLink {
    match flags.contains(PathFlags::SYMLINK_FOLLOW) {
        true => LastLink::Follow,
        false => LastLink::Keep,
    }
}
