//! `sqlite-wasm:host/files`: the database's files, one system call for one
//! operation, inside of the granted folders only.
//!
//! ```no_run
//! use sqlite_wasm_run::files::FilesCtx;
//! use sqlite_wasm_run::grants::{Access, Grant, Grants};
//! use std::path::Path;
//!
//! # fn main() -> anyhow::Result<()> {
//! let mut grants = Grants::default();
//! grants.add(Grant::open(Path::new("data"), Path::new("/data"), Access::ReadOnly)?);
//! let files = FilesCtx::new(grants);
//! # Ok(())
//! # }
//! ```

mod file;
mod locks;
mod open;

use std::io;
use std::path::Path;

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};

use crate::bindings::sqlite_wasm::host::files::{
    self, AccessMode, ErrorCode, Host, HostFile, LockLevel, OpenFlags, Opened, Resolved,
};
use crate::grants::{Access, Grants, Place};
use locks::Outcome;

pub use file::File;

/// Longest piece that is read at once.
///
/// The component chooses the length; without a bound it could make the host
/// allocate all its memory. SQLite reads a page (at most 64 KiB), or the
/// buffer of an external sort (at most 1 MiB).
const MAX_READ_BYTES: u32 = 16 << 20;

/// Most files open at once. The component chooses; the process has about a
/// thousand descriptors, and the runner needs some for itself.
const MAX_OPEN_FILES: usize = 512;

/// What a component may do with files.
pub struct FilesCtx {
    grants: Grants,
    open: usize,
}

impl FilesCtx {
    /// Files inside of `grants`.
    pub fn new(grants: Grants) -> Self {
        Self { grants, open: 0 }
    }

    /// The granted folders.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }
}

/// A failed operation, or a broken contract.
#[derive(Debug)]
pub enum Error {
    /// The component is told.
    Code(ErrorCode),
    /// The component used a handle that it does not have.
    Trap(wasmtime::Error),
}

impl From<ErrorCode> for Error {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Code(code(&error))
    }
}

impl From<wasmtime::component::ResourceTableError> for Error {
    fn from(error: wasmtime::component::ResourceTableError) -> Self {
        Self::Trap(error.into())
    }
}

fn code(error: &io::Error) -> ErrorCode {
    use nix::libc;
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => ErrorCode::Access,
        Some(libc::ENOENT | libc::ENOTDIR) => ErrorCode::NotFound,
        Some(libc::EEXIST) => ErrorCode::Exists,
        Some(libc::EISDIR) => ErrorCode::IsDirectory,
        Some(libc::ELOOP) => ErrorCode::IsLink,
        Some(libc::EROFS) => ErrorCode::ReadOnly,
        Some(libc::ENOSPC | libc::EDQUOT) => ErrorCode::Full,
        Some(libc::EFBIG) => ErrorCode::TooLarge,
        Some(libc::EMFILE | libc::ENFILE) => ErrorCode::TooManyFiles,
        Some(libc::EINVAL) => ErrorCode::Invalid,
        Some(libc::EOPNOTSUPP) => ErrorCode::Unsupported,
        // The capability library's word for a path that leads out.
        None if error.kind() == io::ErrorKind::PermissionDenied => ErrorCode::NotGranted,
        _ => ErrorCode::Io,
    }
}

/// [`FilesCtx`] on its way into a call.
pub struct FilesView<'a> {
    /// What the component may do.
    pub ctx: &'a mut FilesCtx,
    /// Its handles.
    pub table: &'a mut ResourceTable,
}

struct HasFiles;

impl HasData for HasFiles {
    type Data<'a> = FilesView<'a>;
}

/// Offer the interface to components.
///
/// # Errors
///
/// When the linker has it already.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> FilesView<'_>,
) -> wasmtime::Result<()> {
    files::add_to_linker::<T, HasFiles>(linker, view)
}

impl FilesView<'_> {
    fn place(&self, path: &str) -> Result<Place, ErrorCode> {
        self.ctx.grants.place(Path::new(path)).ok_or(ErrorCode::NotGranted)
    }

    fn writable_place(&self, path: &str) -> Result<Place, ErrorCode> {
        let place = self.place(path)?;
        match place.access {
            Access::ReadWrite => Ok(place),
            Access::ReadOnly => Err(ErrorCode::ReadOnly),
        }
    }

    fn file(&self, handle: &Resource<File>) -> Result<&File, Error> {
        Ok(self.table.get(handle)?)
    }

    fn keep(&mut self, file: File) -> Result<Resource<File>, Error> {
        if self.ctx.open >= MAX_OPEN_FILES {
            return Err(ErrorCode::TooManyFiles.into());
        }
        self.ctx.open += 1;
        Ok(self.table.push(file)?)
    }
}

impl Host for FilesView<'_> {
    fn convert_error_code(&mut self, error: Error) -> wasmtime::Result<ErrorCode> {
        match error {
            Error::Code(code) => Ok(code),
            Error::Trap(trap) => Err(trap),
        }
    }

    fn open(&mut self, path: String, how: OpenFlags) -> Result<Opened, Error> {
        let place = self.place(&path)?;
        let (file, read_only) = open::open(&place, how)?;
        Ok(Opened { file: self.keep(file)?, read_only })
    }

    fn open_temporary(&mut self) -> Result<Resource<File>, Error> {
        self.keep(File::temporary()?)
    }

    fn delete(&mut self, path: String, sync_folder: bool) -> Result<(), Error> {
        let place = self.writable_place(&path)?;
        place.dir.remove_file(&place.path)?;
        if sync_folder {
            open::sync_folder(&place)?;
        }
        Ok(())
    }

    fn access(&mut self, path: String, mode: AccessMode) -> wasmtime::Result<bool> {
        let Ok(place) = self.place(&path) else {
            return Ok(false);
        };
        Ok(match mode {
            AccessMode::Exists => open::exists(&place),
            AccessMode::ReadWrite => open::is_writable(&place),
        })
    }

    fn resolve(&mut self, path: String) -> Result<Resolved, Error> {
        let resolved =
            self.ctx.grants.resolve(Path::new(&path)).map_err(|_| ErrorCode::Invalid)?;
        let path = resolved.path.into_os_string().into_string();
        Ok(Resolved { path: path.map_err(|_| ErrorCode::Invalid)?, had_link: resolved.had_link })
    }

    fn permissions(&mut self, path: String) -> Result<u32, Error> {
        Ok(open::permissions(&self.place(&path)?)?)
    }

    fn set_permissions(&mut self, path: String, bits: u32) -> Result<(), Error> {
        Ok(open::set_permissions(&self.writable_place(&path)?, bits)?)
    }
}

impl HostFile for FilesView<'_> {
    fn read(&mut self, handle: Resource<File>, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        if length > MAX_READ_BYTES {
            return Err(ErrorCode::Invalid.into());
        }
        Ok(self.file(&handle)?.read(offset, length as usize)?)
    }

    fn write(&mut self, handle: Resource<File>, offset: u64, data: Vec<u8>) -> Result<(), Error> {
        Ok(self.file(&handle)?.write(offset, &data)?)
    }

    fn truncate(&mut self, handle: Resource<File>, size: u64) -> Result<(), Error> {
        Ok(self.file(&handle)?.truncate(size)?)
    }

    fn sync(&mut self, handle: Resource<File>) -> Result<(), Error> {
        Ok(self.table.get_mut(&handle)?.sync()?)
    }

    fn size(&mut self, handle: Resource<File>) -> Result<u64, Error> {
        Ok(self.file(&handle)?.size()?)
    }

    fn reserve(&mut self, handle: Resource<File>, size: u64) -> Result<(), Error> {
        Ok(self.file(&handle)?.reserve(size)?)
    }

    fn lock(&mut self, handle: Resource<File>, level: LockLevel) -> Result<bool, Error> {
        Ok(self.table.get_mut(&handle)?.lock(level)? == Outcome::Held)
    }

    fn unlock(&mut self, handle: Resource<File>, level: LockLevel) -> Result<(), Error> {
        Ok(self.table.get_mut(&handle)?.unlock(level)?)
    }

    fn lock_state(&mut self, handle: Resource<File>) -> wasmtime::Result<LockLevel> {
        Ok(self.table.get(&handle)?.lock_level())
    }

    fn is_reserved(&mut self, handle: Resource<File>) -> Result<bool, Error> {
        Ok(self.file(&handle)?.is_reserved()?)
    }

    fn has_moved(&mut self, handle: Resource<File>) -> wasmtime::Result<bool> {
        Ok(self.table.get(&handle)?.has_moved())
    }

    fn drop(&mut self, handle: Resource<File>) -> wasmtime::Result<()> {
        self.table.delete(handle)?;
        self.ctx.open -= 1;
        Ok(())
    }
}
