//! `sqlite-wasm:host/files`: the database's files, one system call for one
//! operation, inside the granted directories only.
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
mod pages;
mod sharing;
mod shm;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use wasmtime::component::{HasData, Linker};

use crate::bindings::sqlite_wasm::host::files::{
    self, AccessMode, ErrorCode, File as Handle, FileAttributes, Host, LockLevel, OpenFlags,
    Opened, Resolved, ShmLockKind, ShmState,
};
use crate::grants::{Grants, LastLink};
use crate::mapping;
use crate::stop::DeadlineFlag;
use locks::Outcome;

use file::File;
use pages::Buffers;
pub(crate) use sharing::add_to_linker as add_sharing_to_linker;
use shm::Shm;

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
    grants: Arc<Grants>,
    /// Open files, each at the place that is its number for the component.
    open: Vec<Option<File>>,
    /// Room for what is read.
    buffers: Buffers,
    /// Ends a program that begins a transaction when its time is over.
    late: DeadlineFlag,
    /// Files may be mapped: [`sharing`] is linked.
    maps_files: bool,
}

impl FilesCtx {
    /// Files inside `grants`.
    pub fn new(grants: impl Into<Arc<Grants>>) -> Self {
        Self {
            grants: grants.into(),
            open: Vec::new(),
            buffers: Buffers::default(),
            late: DeadlineFlag::default(),
            maps_files: false,
        }
    }

    /// With files in the component's memory, where the functions for it are
    /// linked.
    pub(crate) fn mapping_files(mut self) -> Self {
        self.maps_files = true;
        self
    }

    /// For a program that is to end when it is `late`.
    pub fn until(mut self, late: DeadlineFlag) -> Self {
        self.late = late;
        self
    }

    /// The granted directories.
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

impl Error {
    /// For functions that cannot fail but by a broken contract.
    fn into_trap(self) -> wasmtime::Error {
        match self {
            Self::Trap(trap) => trap,
            Self::Code(code) => wasmtime::format_err!("{code:?}"),
        }
    }
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
        Some(libc::EOPNOTSUPP | libc::ESPIPE) => ErrorCode::Unsupported,
        _ => ErrorCode::Io,
    }
}

/// [`FilesCtx`] on its way into a call.
pub struct FilesView<'a> {
    /// What the component may do.
    pub ctx: &'a mut FilesCtx,
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
    ctx: fn(&T) -> &FilesCtx,
) -> wasmtime::Result<()> {
    files::add_to_linker::<T, HasFiles>(linker, view)?;
    pages::add_to_linker(linker, view, ctx)
}

impl FilesCtx {
    fn file(&self, handle: Handle) -> Result<&File, Error> {
        mapping::check().map_err(Error::Trap)?;
        open_file(&self.open, handle)
    }

    fn file_mut(&mut self, handle: Handle) -> Result<&mut File, Error> {
        mapping::check().map_err(Error::Trap)?;
        let file = self.open.get_mut(handle as usize).and_then(Option::as_mut);
        file.ok_or_else(|| Error::Trap(no_such_file(handle)))
    }

    fn take(&mut self, handle: Handle) -> wasmtime::Result<File> {
        let open = self.open.get_mut(handle as usize).and_then(Option::take);
        open.ok_or_else(|| no_such_file(handle))
    }

    fn keep(&mut self, file: File) -> Result<Handle, Error> {
        let free = self.open.iter().position(Option::is_none).unwrap_or(self.open.len());
        if free >= MAX_OPEN_FILES {
            return Err(ErrorCode::TooManyFiles.into());
        }
        if free == self.open.len() {
            self.open.push(None);
        }
        self.open[free] = Some(file);
        Ok(free as Handle)
    }

    fn read(&mut self, handle: Handle, offset: u64, length: u32) -> Result<Arc<Vec<u8>>, Error> {
        if length > MAX_READ_BYTES {
            return Err(ErrorCode::Invalid.into());
        }
        let length = length as usize;
        let buffer = self.buffers.of(length);
        let room = buffer.room(length);
        open_file(&self.open, handle)?.read(offset, room)?;
        // A vector may have more room than it was asked for.
        room.truncate(length);
        Ok(buffer.0.clone())
    }

    /// The last place where SQLite makes temporary files; ours only where the
    /// component may write there.
    fn temporary_in_working_directory(&self) -> Option<File> {
        let directory = std::env::current_dir().ok()?;
        let directory = directory.into_os_string().into_encoded_bytes();
        let place = self.grants.place(&directory, LastLink::Follow).ok()?;
        (place.access == crate::grants::Access::ReadWrite)
            .then(|| File::temporary_in(place).ok())?
    }

    fn access(&self, path: &[u8], mode: AccessMode) -> bool {
        match mode {
            AccessMode::Exists => open::exists(&self.grants, path),
            AccessMode::ReadWrite => open::is_writable(&self.grants, path),
        }
    }
}

impl FilesCtx {
    fn shm(&self, handle: Handle) -> Result<&Shm, Error> {
        self.file(handle)?.shm.as_ref().ok_or_else(|| ErrorCode::Invalid.into())
    }
}

fn open_file(open: &[Option<File>], handle: Handle) -> Result<&File, Error> {
    let file = open.get(handle as usize).and_then(Option::as_ref);
    file.ok_or_else(|| Error::Trap(no_such_file(handle)))
}

fn no_such_file(handle: Handle) -> wasmtime::Error {
    wasmtime::format_err!("the component used the file number {handle}, which is not open")
}

impl Host for FilesView<'_> {
    fn convert_error_code(&mut self, error: Error) -> wasmtime::Result<ErrorCode> {
        match error {
            Error::Code(code) => Ok(code),
            Error::Trap(trap) => Err(trap),
        }
    }

    fn open(&mut self, path: Vec<u8>, how: OpenFlags) -> Result<Opened, Error> {
        let (file, read_only) = open::open(&self.ctx.grants, &path, how)?;
        let shared_memory = self.ctx.maps_files
            && !how.contains(OpenFlags::JOURNAL)
            && open::can_share_memory(file.as_file());
        Ok(Opened { file: self.ctx.keep(file)?, read_only, shared_memory })
    }

    fn open_temporary(&mut self) -> Result<Handle, Error> {
        let file = File::temporary()
            .or_else(|error| self.ctx.temporary_in_working_directory().ok_or(error))?;
        self.ctx.keep(file)
    }

    fn delete(&mut self, path: Vec<u8>, sync_directory: bool) -> Result<(), Error> {
        let place = self.ctx.grants.place(&path, LastLink::Keep)?;
        open::check_writable(&place)?;
        open::remove(&place)?;
        if sync_directory {
            open::sync_directory(&place)?;
        }
        Ok(())
    }

    fn access(&mut self, path: Vec<u8>, mode: AccessMode) -> wasmtime::Result<bool> {
        Ok(self.ctx.access(&path, mode))
    }

    fn resolve(&mut self, path: Vec<u8>) -> Result<Resolved, Error> {
        let resolved = self.ctx.grants.resolve(&path).map_err(|_| ErrorCode::Invalid)?;
        Ok(Resolved { path: resolved.0, had_link: resolved.1 })
    }

    fn link_target(&mut self, path: Vec<u8>) -> Result<Vec<u8>, Error> {
        open::link_target(&self.ctx.grants, &path)
    }

    fn attributes(&mut self, path: Vec<u8>) -> Result<FileAttributes, Error> {
        open::attributes(&self.ctx.grants, &path)
    }

    fn set_permissions(&mut self, path: Vec<u8>, bits: u32) -> Result<(), Error> {
        open::set_permissions(&self.ctx.grants, &path, bits)
    }

    fn close(&mut self, file: Handle) -> wasmtime::Result<()> {
        self.ctx.take(file).map(drop)
    }

    fn read(&mut self, file: Handle, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        Ok(self.ctx.read(file, offset, length)?.to_vec())
    }

    fn write(&mut self, file: Handle, offset: u64, data: Vec<u8>) -> Result<(), Error> {
        Ok(self.ctx.file(file)?.write(offset, &data)?)
    }

    fn truncate(&mut self, file: Handle, size: u64) -> Result<(), Error> {
        Ok(self.ctx.file(file)?.truncate(size)?)
    }

    fn sync(&mut self, file: Handle) -> Result<(), Error> {
        Ok(self.ctx.file_mut(file)?.sync()?)
    }

    fn size(&mut self, file: Handle) -> Result<u64, Error> {
        Ok(self.ctx.file(file)?.size()?)
    }

    fn reserve(&mut self, file: Handle, size: u64) -> Result<(), Error> {
        Ok(self.ctx.file(file)?.reserve(size)?)
    }

    fn lock(&mut self, file: Handle, level: LockLevel) -> Result<bool, Error> {
        self.ctx.late.check().map_err(Error::Trap)?;
        Ok(self.ctx.file_mut(file)?.lock(level)? == Outcome::Held)
    }

    fn unlock(&mut self, file: Handle, level: LockLevel) -> Result<(), Error> {
        Ok(self.ctx.file_mut(file)?.unlock(level)?)
    }

    fn lock_state(&mut self, file: Handle) -> wasmtime::Result<LockLevel> {
        Ok(self.ctx.file(file).map_err(Error::into_trap)?.lock_level())
    }

    fn is_reserved(&mut self, file: Handle) -> Result<bool, Error> {
        Ok(self.ctx.file(file)?.is_reserved()?)
    }

    fn has_moved(&mut self, file: Handle) -> wasmtime::Result<bool> {
        Ok(self.ctx.file(file).map_err(Error::into_trap)?.has_moved())
    }

    fn shm_open(&mut self, file: Handle, read_only: bool) -> Result<ShmState, Error> {
        if !self.ctx.maps_files {
            return Err(ErrorCode::Unsupported.into());
        }
        mapping::check().map_err(Error::Trap)?;
        let FilesCtx { grants, open, .. } = &mut *self.ctx;
        let opened = open.get_mut(file as usize).and_then(Option::as_mut);
        let file = opened.ok_or_else(|| Error::Trap(no_such_file(file)))?;
        if let Some(shm) = &mut file.shm {
            let outcome = shm.attend()?;
            return Ok(if outcome == Outcome::Held { shm.state() } else { ShmState::Busy });
        }
        let place = file.place().ok_or(ErrorCode::Unsupported)?;
        let shm = Shm::open(grants, place, read_only)?;
        let state = shm.as_ref().map_or(ShmState::Busy, Shm::state);
        file.shm = shm;
        Ok(state)
    }

    fn shm_reach(&mut self, file: Handle, bytes: u64, extend: bool) -> Result<bool, Error> {
        Ok(self.ctx.shm(file)?.reach(bytes, extend)?)
    }

    fn shm_lock(
        &mut self,
        file: Handle,
        first: u32,
        count: u32,
        how: ShmLockKind,
    ) -> Result<bool, Error> {
        if how != ShmLockKind::None {
            self.ctx.late.check().map_err(Error::Trap)?;
        }
        Ok(self.ctx.shm(file)?.lock(first, count, how)? == Outcome::Held)
    }

    fn shm_barrier(&mut self) -> wasmtime::Result<()> {
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn shm_has_reader(&mut self, file: Handle) -> Result<bool, Error> {
        Ok(self.ctx.shm(file)?.has_reader()?)
    }

    // What follows needs the component's memory; see `sharing`.

    fn shm_map(&mut self, _: Handle, _: u64, _: Vec<u8>) -> Result<(), Error> {
        Err(ErrorCode::Unsupported.into())
    }

    fn shm_close(&mut self, _: Handle, _: bool) -> wasmtime::Result<()> {
        Ok(())
    }

    fn map_file(&mut self, _: Handle, _: u64, _: Vec<u8>) -> Result<(), Error> {
        Err(ErrorCode::Unsupported.into())
    }

    fn unmap_file(&mut self, _: Handle) -> wasmtime::Result<()> {
        Ok(())
    }
}
