//! Resolving the paths of WASI functions.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, FsPerms, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::PathFlags;
use wasmtime_wasi::p2::{FsError, FsResult};

use super::descriptor;
use crate::filesystem::grants::{Access, Grants, LastLink, Place, Refused};

/// The open files of a component, and its grants.
pub struct Base<'a> {
    pub files: WasiFilesystemCtxView<'a>,
    pub grants: Arc<Grants>,
}

/// A resolved path: a new descriptor for the directory, and the name in it.
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
        // The target of a link may not be UTF-8.
        let name = String::from_utf8(place.name.to_vec());
        let name = name.map_err(|_| ErrorCode::IllegalByteSequence)?;
        let dir = descriptor(&place.dir, place.access).map_err(failed)?;
        Ok(Target { dir: self.files.table.push(dir)?, place, name })
    }

    /// Resolve `path` and call `body` with the result.
    pub fn with<R>(
        &mut self,
        base: &Resource<Descriptor>,
        path: &[u8],
        last: LastLink,
        body: impl FnOnce(&mut Self, &Target) -> FsResult<R>,
    ) -> FsResult<R> {
        let target = self.resolve(base, path, last)?;
        let result = body(self, &target);
        self.files.table.delete(target.dir)?;
        result
    }

    /// Fail for an entry that may not be moved, removed or replaced.
    pub fn check_movable(&self, target: &Target) -> FsResult<()> {
        if self.grants.may_move(&target.place) {
            Ok(())
        } else {
            Err(ErrorCode::NotPermitted.into())
        }
    }
}

/// The path without trailing slashes.
pub fn entry(path: &[u8]) -> &[u8] {
    let slashes = path.iter().rev().take_while(|&&byte| byte == b'/').count();
    &path[..path.len() - slashes]
}

fn failed(error: std::io::Error) -> FsError {
    FsError::from(error)
}

/// All paths outside the grants get the same error.
fn refused(refused: Refused) -> FsError {
    match refused {
        Refused::NotGranted | Refused::NotRegular => ErrorCode::NotPermitted.into(),
        Refused::Links => ErrorCode::Loop.into(),
        Refused::System(error) => failed(error.into()),
    }
}

pub fn last(flags: PathFlags) -> LastLink {
    if flags.contains(PathFlags::SYMLINK_FOLLOW) { LastLink::Follow } else { LastLink::Keep }
}
