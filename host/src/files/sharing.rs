//! Files in the component's memory: the functions that have to know where that
//! memory lies, so they are linked by hand.

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList};

use super::pages::{INTERFACE, told};
use super::shm::Shm;
use super::{Error, FilesCtx, FilesView, Handle};
use crate::bindings::sqlite_wasm::host::files::ErrorCode;
use crate::mapping::{BehindEnd, Mapping, Pages, Sharing};

/// What places, lengths and offsets are multiples of, in bytes: a page of
/// WebAssembly, which is one or more of every machine.
const UNIT_BYTES: u64 = 64 << 10;

/// Put these functions in front of the generated ones. The engine is one whose
/// memories never move.
pub(crate) fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> FilesView<'_>,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut files = linker.instance(INTERFACE)?;
    files.func_wrap(
        "shm-map",
        move |mut store: StoreContextMut<'_, T>,
              (file, offset, memory): (Handle, u64, WasmList<u8>)| {
            let pages = Pages::of(&store, &memory);
            let mut view = view(store.data_mut());
            let mapped = view.ctx.shm_map(file, offset, pages);
            Ok((told(&mut view, mapped)?,))
        },
    )?;
    files.func_wrap(
        "shm-close",
        move |mut store: StoreContextMut<'_, T>, (file, delete): (Handle, bool)| {
            let maps = view(store.data_mut()).ctx.shm_close(file, delete)?;
            release(&store, maps)
        },
    )?;
    files.func_wrap(
        "map-file",
        move |mut store: StoreContextMut<'_, T>,
              (file, offset, memory): (Handle, u64, WasmList<u8>)| {
            let pages = Pages::of(&store, &memory);
            let damaged = view(store.data_mut()).ctx.take_damaged(file)?;
            release(&store, damaged)?;
            let mut view = view(store.data_mut());
            let mapped = view.ctx.map_file(file, offset, pages);
            Ok((told(&mut view, mapped)?,))
        },
    )?;
    files.func_wrap(
        "unmap-file",
        move |mut store: StoreContextMut<'_, T>, (file,): (Handle,)| {
            let maps = view(store.data_mut()).ctx.unmap_file(file)?;
            release(&store, maps)
        },
    )?;
    files.func_wrap("close", move |mut store: StoreContextMut<'_, T>, (file,): (Handle,)| {
        let ctx = view(store.data_mut()).ctx;
        let mut maps = ctx.shm_close(file, false)?;
        maps.extend(ctx.unmap_file(file)?);
        // The file is open until nothing of it is mapped.
        let closed = ctx.take(file)?;
        release(&store, maps)?;
        drop(closed);
        Ok(())
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// A component that goes on with a file in the place of its memory could take
/// it for memory, so a failure ends it.
fn release<T: 'static>(
    store: &StoreContextMut<'_, T>,
    maps: impl IntoIterator<Item = Mapping>,
) -> wasmtime::Result<()> {
    for mapping in maps {
        mapping.release(store)?;
    }
    Ok(())
}

impl FilesCtx {
    fn shm_map(&mut self, file: Handle, offset: u64, pages: Option<Pages>) -> Result<(), Error> {
        let pages = self.free(offset, pages)?;
        let shm = self.file_mut(file)?.shm.as_mut().ok_or(ErrorCode::Invalid)?;
        let sharing = if shm.is_writable() { Sharing::Writing } else { Sharing::Reading };
        let mapping = Mapping::new(pages, shm.file(), offset, sharing, BehindEnd::Lost)?;
        shm.keep(mapping);
        Ok(())
    }

    fn shm_close(&mut self, file: Handle, delete: bool) -> wasmtime::Result<Vec<Mapping>> {
        let file = self.file_mut(file).map_err(Error::into_trap)?;
        let Some(shm) = file.shm.take() else {
            return Ok(Vec::new());
        };
        if delete {
            shm.remove();
        }
        Ok(shm.into_maps())
    }

    /// The mappings of `file` in which pages were replaced by zeros.
    fn take_damaged(&mut self, file: Handle) -> wasmtime::Result<Vec<Mapping>> {
        let maps = &mut self.file_mut(file).map_err(Error::into_trap)?.maps;
        Ok(maps.extract_if(.., |mapping| !mapping.is_whole()).collect())
    }

    fn map_file(&mut self, file: Handle, offset: u64, pages: Option<Pages>) -> Result<(), Error> {
        let is_this =
            |mapping: &Mapping| Some(mapping.pages()) == pages && mapping.offset() == offset;
        if self.file(file)?.maps.iter().any(is_this) {
            return Ok(());
        }
        let pages = self.free(offset, pages)?;
        let file = self.file_mut(file)?;
        let (sharing, behind_end) = (Sharing::Reading, BehindEnd::Zeros);
        file.maps.push(Mapping::new(pages, file.as_file(), offset, sharing, behind_end)?);
        Ok(())
    }

    fn unmap_file(&mut self, file: Handle) -> wasmtime::Result<Vec<Mapping>> {
        Ok(std::mem::take(&mut self.file_mut(file).map_err(Error::into_trap)?.maps))
    }

    /// The pages, if they and the offset are whole units and nothing is mapped
    /// there.
    fn free(&self, offset: u64, pages: Option<Pages>) -> Result<Pages, Error> {
        let pages = pages.filter(|&pages| {
            self.maps_files && offset.is_multiple_of(UNIT_BYTES) && !self.is_mapped(pages)
        });
        pages.ok_or_else(|| ErrorCode::Invalid.into())
    }

    fn is_mapped(&self, pages: Pages) -> bool {
        let files = self.open.iter().flatten();
        let mut maps =
            files.flat_map(|file| file.maps.iter().chain(file.shm.iter().flat_map(Shm::maps)));
        maps.any(|mapping| mapping.pages().overlap(pages))
    }
}
