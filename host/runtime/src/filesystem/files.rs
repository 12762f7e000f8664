//! `files` and `shared-memory` of `wit/host`: the database's files, one system call for one
//! operation, inside the granted directories only.
//!
//! ```no_run
//! use sqlite_wasm_runtime::filesystem::files::FilesCtx;
//! use sqlite_wasm_runtime::filesystem::grants::{Access, Grant, Grants};
//! use std::path::Path;
//!
//! # fn main() -> anyhow::Result<()> {
//! let mut grants = Grants::default();
//! grants.add(Grant::open(Path::new("data"), Path::new("/data"), Access::ReadOnly)?);
//! let files = FilesCtx::new(grants);
//! # Ok(())
//! # }
//! ```

mod budget;
mod file;
mod locks;
mod open;
mod pages;
mod shared_memory;
mod shm;

use std::io::{self, Write};
use std::sync::Arc;

use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::contract::bindings::sqlite_wasm::host::files::{
    AccessMode, ErrorCode, File as Handle, FileAttributes, LockLevel, OpenFlags, Opened, Resolved,
};
use crate::filesystem::grants::{Grants, LastLink};
use crate::filesystem::inherited::Named;
use crate::filesystem::mapping;
use crate::filesystem::stdio::Output;
use crate::limits::stop::DeadlineFlag;
use locks::Outcome;

pub use open::can_share_memory;

use budget::Budget;
use file::File;

/// Most files open at once. The component chooses; the process has about a
/// thousand descriptors, and the runner needs some for itself.
const MAX_OPEN_FILES: usize = 512;

/// What a component may do with files.
pub struct FilesCtx {
    grants: Arc<Grants>,
    /// Open files; a file's index is its handle for the component.
    open: Vec<Option<File>>,
    /// Ends a program that begins a transaction when its time is over.
    deadline: DeadlineFlag,
    /// Of its temporary files; `None` for no limit.
    budget: Option<Budget>,
    /// Where the user is notified once why a database in WAL mode cannot be opened.
    hints: Option<Output>,
    descriptors: Vec<Named>,
}

/// The end of the name of a database's log.
const WAL: &[u8] = b"-wal";

/// What helps with a database in WAL mode in a directory that can only be read: SQLite reports that it
/// cannot write.
const WAL_HINT: &str = "sqlite-wasm-run: a database in WAL mode cannot be opened in a directory that can only be read; \
    where nothing else writes it, open it by `file:NAME?immutable=1`\n";

impl FilesCtx {
    /// Files inside `grants`.
    pub fn new(grants: impl Into<Arc<Grants>>) -> Self {
        Self {
            grants: grants.into(),
            open: Vec::new(),
            deadline: DeadlineFlag::default(),
            budget: None,
            hints: None,
            descriptors: Vec::new(),
        }
    }

    /// For a program that is to end when it is `late`.
    pub fn until(mut self, late: DeadlineFlag) -> Self {
        self.deadline = late;
        self
    }

    /// Limit the total size of temporary files to this many bytes; `None` for no limit.
    pub fn temporary_bytes(mut self, limit: Option<u64>) -> Self {
        self.budget = limit.map(Budget::new);
        self
    }

    /// Inherited descriptors that it can open.
    pub fn descriptors(mut self, named: Vec<Named>) -> Self {
        self.descriptors = named;
        self
    }

    /// Tell the user there what helps.
    pub fn hints_on(mut self, output: Output) -> Self {
        self.hints = Some(output);
        self
    }

    fn hint(&mut self) {
        if let Some(output) = self.hints.take() {
            // There is nowhere to report a failure of this.
            let _ = output.lock().write_all(WAL_HINT.as_bytes());
        }
    }

    /// Whether that limit refused a write since the last call.
    pub fn take_temporary_refused(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::take_refused)
    }

    /// The granted directories.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }
}

/// A failed operation, or a broken contract.
#[derive(Debug)]
enum Error {
    /// What the component gets.
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

/// The result as the component gets it; a broken contract traps.
fn reported<T>(result: Result<T, Error>) -> wasmtime::Result<Result<T, ErrorCode>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Error::Code(code)) => Ok(Err(code)),
        Err(Error::Trap(trap)) => Err(trap),
    }
}

/// Link functions to the methods of [`FilesCtx`] that implement them.
macro_rules! link_methods {
    ($instance:ident, $view:ident: $($name:literal = $method:ident(
        $($argument:ident: $type:ty),*
    );)*) => {$(
        $instance.func_wrap(
            $name,
            move |mut store: StoreContextMut<'_, T>, ($($argument,)*): ($($type,)*)| {
                Ok((reported($view(store.data_mut()).$method($($argument),*))?,))
            },
        )?;
    )*};
}
use link_methods;

/// Link `files` and `shared-memory`. The memories of the linker's engine must
/// never move.
///
/// # Errors
///
/// When the linker has them already.
pub(crate) fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut FilesCtx,
    ctx: fn(&T) -> &FilesCtx,
) -> wasmtime::Result<()> {
    let mut files = linker.instance("sqlite-wasm:host/files@0.1.0")?;
    pages::link(&mut files, ctx)?;
    shared_memory::link_close(&mut files, view)?;
    link_methods! { files, view:
        "open" = open(path: Vec<u8>, how: OpenFlags);
        "open-descriptor" = open_descriptor(descriptor: u32);
        "open-temporary" = open_temporary();
        "truncate" = truncate(file: Handle, size: u64);
        "sync" = sync(file: Handle);
        "size" = size(file: Handle);
        "reserve" = reserve(file: Handle, size: u64);
        "lock" = lock(file: Handle, level: LockLevel);
        "unlock" = unlock(file: Handle, level: LockLevel);
        "is-reserved" = is_reserved(file: Handle);
        "delete" = delete(path: Vec<u8>, sync_directory: bool);
        "resolve" = resolve(path: Vec<u8>);
        "link-target" = link_target(path: Vec<u8>);
        "attributes" = attributes(path: Vec<u8>);
        "set-permissions" = set_permissions(path: Vec<u8>, bits: u32);
    }
    files.func_wrap("lock-state", move |mut store: StoreContextMut<'_, T>, (file,)| {
        Ok((view(store.data_mut()).open_file(file)?.lock_level(),))
    })?;
    files.func_wrap("has-moved", move |mut store: StoreContextMut<'_, T>, (file,)| {
        Ok((view(store.data_mut()).open_file(file)?.has_moved(),))
    })?;
    shared_memory::add_to_linker(linker, view)
}

impl FilesCtx {
    fn open_file(&self, handle: Handle) -> wasmtime::Result<&File> {
        mapping::check()?;
        open_file(&self.open, handle)
    }

    fn file(&self, handle: Handle) -> Result<&File, Error> {
        self.open_file(handle).map_err(Error::Trap)
    }

    fn open_file_mut(&mut self, handle: Handle) -> wasmtime::Result<&mut File> {
        mapping::check()?;
        let file = self.open.get_mut(handle as usize).and_then(Option::as_mut);
        file.ok_or_else(|| no_such_file(handle))
    }

    fn file_mut(&mut self, handle: Handle) -> Result<&mut File, Error> {
        self.open_file_mut(handle).map_err(Error::Trap)
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

    /// The working directory, the last one in which SQLite creates temporary files; here only if
    /// the component may write there.
    fn temporary_in_working_directory(&self) -> Option<File> {
        let directory = std::env::current_dir().ok()?;
        let directory = directory.into_os_string().into_encoded_bytes();
        let place = self.grants.place(&directory, LastLink::Follow).ok()?;
        (place.access == crate::filesystem::grants::Access::ReadWrite)
            .then(|| File::temporary_in(place).ok())?
    }

    fn access(&self, path: &[u8], mode: AccessMode) -> bool {
        match mode {
            AccessMode::Exists => open::exists(&self.grants, path),
            AccessMode::ReadWrite => open::is_writable(&self.grants, path),
        }
    }
}

fn open_file(open: &[Option<File>], handle: Handle) -> wasmtime::Result<&File> {
    let file = open.get(handle as usize).and_then(Option::as_ref);
    file.ok_or_else(|| no_such_file(handle))
}

fn no_such_file(handle: Handle) -> wasmtime::Error {
    wasmtime::format_err!("the component used the file number {handle}, which is not open")
}

/// The functions of `files`, apart from those of [`pages`] and `close`.
impl FilesCtx {
    fn open(&mut self, path: Vec<u8>, how: OpenFlags) -> Result<Opened, Error> {
        let opened = open::open(&self.grants, &path, how);
        if matches!(opened, Err(Error::Code(ErrorCode::ReadOnly))) && path.ends_with(WAL) {
            self.hint();
        }
        let opened = opened?;
        let is_journal = how.contains(OpenFlags::JOURNAL);
        let shared_memory = !is_journal && open::can_share_memory(&opened.file);
        let file = File::at(opened.place, opened.file, opened.new_journal);
        Ok(Opened { file: self.keep(file)?, read_only: opened.read_only, shared_memory })
    }

    fn open_descriptor(&mut self, descriptor: u32) -> Result<Handle, Error> {
        let named = self.descriptors.iter().find(|named| named.number == descriptor);
        let named = named.ok_or(ErrorCode::NotGranted)?;
        let file = File::of(named.file.try_clone()?.into());
        self.keep(file)
    }

    fn open_temporary(&mut self) -> Result<Handle, Error> {
        let file = File::temporary()
            .or_else(|error| self.temporary_in_working_directory().ok_or(error))?;
        self.keep(file.within(self.budget.as_ref()))
    }

    fn truncate(&mut self, file: Handle, size: u64) -> Result<(), Error> {
        Ok(self.file(file)?.truncate(size)?)
    }

    fn sync(&mut self, file: Handle) -> Result<(), Error> {
        Ok(self.file_mut(file)?.sync()?)
    }

    fn size(&mut self, file: Handle) -> Result<u64, Error> {
        Ok(self.file(file)?.size()?)
    }

    fn reserve(&mut self, file: Handle, size: u64) -> Result<(), Error> {
        Ok(self.file(file)?.reserve(size)?)
    }

    fn lock(&mut self, file: Handle, level: LockLevel) -> Result<bool, Error> {
        self.deadline.check().map_err(Error::Trap)?;
        Ok(self.file_mut(file)?.lock(level)? == Outcome::Held)
    }

    fn unlock(&mut self, file: Handle, level: LockLevel) -> Result<(), Error> {
        Ok(self.file_mut(file)?.unlock(level)?)
    }

    fn is_reserved(&mut self, file: Handle) -> Result<bool, Error> {
        Ok(self.file(file)?.is_reserved()?)
    }

    fn delete(&mut self, path: Vec<u8>, sync_directory: bool) -> Result<(), Error> {
        let place = self.grants.place(&path, LastLink::Keep)?;
        open::check_writable(&place)?;
        open::remove(&place)?;
        if sync_directory {
            open::sync_directory(&place)?;
        }
        Ok(())
    }

    fn resolve(&mut self, path: Vec<u8>) -> Result<Resolved, Error> {
        let (path, had_link) = self.grants.resolve(&path).map_err(|_| ErrorCode::Invalid)?;
        Ok(Resolved { path, had_link })
    }

    fn link_target(&mut self, path: Vec<u8>) -> Result<Vec<u8>, Error> {
        open::link_target(&self.grants, &path)
    }

    fn attributes(&mut self, path: Vec<u8>) -> Result<FileAttributes, Error> {
        open::attributes(&self.grants, &path)
    }

    fn set_permissions(&mut self, path: Vec<u8>, bits: u32) -> Result<(), Error> {
        open::set_permissions(&self.grants, &path, bits)
    }
}
