//! Reading and writing pages, and looking for journals: nearly all time goes to
//! these calls, so the system calls read from and write to the component's memory.
//!
//! Where a component has let a file be mapped to that memory, and another program
//! has shortened the file, the system call fails. Names are copied before anything
//! looks at them: another program can change such a memory.

use std::fs;
use std::sync::Arc;

use wasmtime::StoreContextMut;
use wasmtime::component::{LinkerInstance, WasmList};

use super::{FilesCtx, Handle, file, reported};
use crate::contract::bindings::sqlite_wasm::host::files::{AccessMode, ErrorCode};
use crate::contract::{Filled, Source};

/// Longest piece that is read at once. SQLite reads a page (at most 64 KiB), or the
/// buffer of an external sort (at most 1 MiB); a longer call would not notice Ctrl-C.
const MAX_READ_BYTES: u32 = 16 << 20;

type ReadRequest = (Handle, u64, u32);
type Write = (Handle, u64, WasmList<u8>);
type Access = (WasmList<u8>, AccessMode);

/// Names of at most this many bytes are copied to the stack.
const SHORT_NAME_BYTES: usize = 512;

/// Link `read`, `write` and `access`.
pub fn link<T: 'static>(
    files: &mut LinkerInstance<'_, T>,
    ctx: fn(&T) -> &FilesCtx,
) -> wasmtime::Result<()> {
    files.func_wrap("read", move |store: StoreContextMut<'_, T>, request: ReadRequest| {
        Ok((reported(ctx(store.data()).read(request))?.unwrap_or_else(Filled::Failed),))
    })?;
    files.func_wrap(
        "write",
        move |store: StoreContextMut<'_, T>, (file, offset, data): Write| {
            let file = ctx(store.data()).file(file);
            let written = file.and_then(|file| Ok(file.write(offset, data.as_le_slice(&store))?));
            Ok((reported(written)?,))
        },
    )?;
    files.func_wrap("access", move |store: StoreContextMut<'_, T>, (path, mode): Access| {
        let path = path.as_le_slice(&store);
        let mut short = [0; SHORT_NAME_BYTES];
        let Some(copy) = short.get_mut(..path.len()) else {
            let long = path.to_vec();
            return Ok((ctx(store.data()).access(&long, mode),));
        };
        copy.copy_from_slice(path);
        Ok((ctx(store.data()).access(copy, mode),))
    })
}

/// A read, done when its result is stored: the system call writes into the component's memory.
struct Read {
    file: Arc<fs::File>,
    offset: u64,
    length: u32,
}

impl Source for Read {
    type Error = ErrorCode;

    fn length(&self) -> usize {
        self.length as usize
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<usize, ErrorCode> {
        file::read(&self.file, self.offset, bytes).map_err(|error| super::code(&error))
    }
}

impl FilesCtx {
    fn read(&self, (handle, offset, length): ReadRequest) -> Result<Filled<Read>, super::Error> {
        if length > MAX_READ_BYTES {
            return Err(ErrorCode::Invalid.into());
        }
        let file = super::open_file(&self.open, handle).map_err(super::Error::Trap)?;
        Ok(Filled::Source(Read { file: file.shared(), offset, length }))
    }
}
