//! Reading and writing pages, and looking for journals: nearly all time goes to
//! these calls, so they take lists from the component's memory, without an
//! allocation or a copy that can be spared.
//!
//! The engine copies what is read into the component; what is written goes from
//! the component's memory to the system call. Names are copied before anything
//! looks at them: another program can change a memory that files are mapped to.

use std::sync::Arc;

use wasmtime::StoreContextMut;
use wasmtime::component::{LinkerInstance, WasmList};

use super::{FilesCtx, Handle, reported};
use crate::bindings::sqlite_wasm::host::files::AccessMode;

type Read = (Handle, u64, u32);
type Write = (Handle, u64, WasmList<u8>);
type Access = (WasmList<u8>, AccessMode);

/// Names of at most this many bytes are copied to the stack.
const SHORT_NAME_BYTES: usize = 512;

/// Link `read`, `write` and `access`.
pub fn link<T: 'static>(
    files: &mut LinkerInstance<'_, T>,
    view: fn(&mut T) -> &mut FilesCtx,
    ctx: fn(&T) -> &FilesCtx,
) -> wasmtime::Result<()> {
    files.func_wrap(
        "read",
        move |mut store: StoreContextMut<'_, T>, (file, offset, length): Read| {
            Ok((reported(view(store.data_mut()).read(file, offset, length))?,))
        },
    )?;
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

/// SQLite's smallest page.
const MIN_PAGE_BYTES: usize = 512;

/// Room for what is read: for pages, and for the few bytes of the first page
/// that SQLite looks at before each statement.
#[derive(Default)]
pub struct Buffers {
    page: Buffer,
    head: Buffer,
}

impl Buffers {
    /// That for reads of `length` bytes.
    pub fn of(&mut self, length: usize) -> &mut Buffer {
        if length < MIN_PAGE_BYTES { &mut self.head } else { &mut self.page }
    }
}

/// Room for one read, used again when the engine has copied what was read into
/// the component: to give memory back and take it anew costs as much as a read.
#[derive(Default)]
pub struct Buffer(pub Arc<Vec<u8>>);

impl Buffer {
    /// An empty vector with room for `length` bytes, and no more.
    pub fn room(&mut self, length: usize) -> &mut Vec<u8> {
        if self.0.capacity() != length || Arc::get_mut(&mut self.0).is_none() {
            self.0 = Arc::new(Vec::with_capacity(length));
        }
        let vector = Arc::make_mut(&mut self.0);
        vector.clear();
        vector
    }
}
