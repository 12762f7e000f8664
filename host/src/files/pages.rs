//! Reading and writing pages: the two calls that nearly all time goes to, so
//! they are linked by hand, without an allocation or a copy that can be spared.
//!
//! A read fills a buffer that is used again and again, from which the engine
//! copies into the component; a write goes from the component's memory to the
//! system call.

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList};

use super::{Error, FilesCtx, FilesView, Handle};
use crate::bindings::sqlite_wasm::host::files::{ErrorCode, Host};

/// The interface's name in a component.
const INTERFACE: &str = "sqlite-wasm:host/files@0.1.0";

type Read = (Handle, u64, u32);
type Write = (Handle, u64, WasmList<u8>);

/// Put the two functions in front of the generated ones.
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
            let mut view = view(store.data_mut());
            let read = view.ctx.read(file, offset, length);
            Ok((told(&mut view, read)?,))
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
    linker.allow_shadowing(false);
    Ok(())
}

/// A failure as the component is told it; a broken contract traps.
fn told<T>(
    view: &mut FilesView<'_>,
    result: Result<T, Error>,
) -> wasmtime::Result<Result<T, ErrorCode>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => Ok(Err(view.convert_error_code(error)?)),
    }
}
