//! Reading and writing pages, and looking for journals: the calls that nearly
//! all time goes to, so they are linked by hand, without an allocation or a
//! copy that can be spared.
//!
//! The engine copies what is read into the component; what is written, and the
//! names of journals, go from the component's memory to the system call.

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList, WasmStr};

use super::{Error, FilesCtx, FilesView, Handle};
use crate::bindings::sqlite_wasm::host::files::{AccessMode, ErrorCode, Host};

/// The interface's name in a component.
pub(super) const INTERFACE: &str = "sqlite-wasm:host/files@0.1.0";

type Read = (Handle, u64, u32);
type Write = (Handle, u64, WasmList<u8>);
type Access = (WasmStr, AccessMode);

/// Put the three functions in front of the generated ones.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> FilesView<'_>,
    ctx: fn(&T) -> &FilesCtx,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut files = linker.instance(INTERFACE)?;
    files.func_wrap(
        "read",
        move |mut store: StoreContextMut<'_, T>, (file, offset, length): Read| {
            let read = ctx(store.data()).read(file, offset, length);
            Ok((told(&mut view(store.data_mut()), read)?,))
        },
    )?;
    files.func_wrap(
        "write",
        move |mut store: StoreContextMut<'_, T>, (file, offset, data): Write| {
            let file = ctx(store.data()).file(file);
            let written = file.and_then(|file| Ok(file.write(offset, data.as_le_slice(&store))?));
            Ok((told(&mut view(store.data_mut()), written)?,))
        },
    )?;
    files.func_wrap("access", move |store: StoreContextMut<'_, T>, (path, mode): Access| {
        Ok((ctx(store.data()).access(&path.to_str(&store)?, mode),))
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// A failure as the component is told it; a broken contract traps.
pub(super) fn told<T>(
    view: &mut FilesView<'_>,
    result: Result<T, Error>,
) -> wasmtime::Result<Result<T, ErrorCode>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => Ok(Err(view.convert_error_code(error)?)),
    }
}
