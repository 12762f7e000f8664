//! `shared-memory` of `wit/host`: files in the component's memory, so functions
//! that must know the address of that memory.

use std::sync::atomic::{Ordering, fence};

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, LinkerInstance, WasmList};

use super::locks::Outcome;
use super::shm::Shm;
use super::{Error, FilesCtx, Handle, link_methods, no_such_file, reported};
use crate::contract::bindings::sqlite_wasm::host::files::ErrorCode;
use crate::contract::bindings::sqlite_wasm::host::shared_memory::{ShmLockKind, ShmState};
use crate::filesystem::mapping::{self, BehindEnd, Mapping, Pages, Sharing};

/// What addresses, lengths and offsets are multiples of, in bytes: a page of
/// WebAssembly, which is one or more of every machine.
const UNIT_BYTES: u64 = 64 << 10;

type Map = (Handle, u64, WasmList<u8>);

/// Link the interface.
pub fn add_to_linker<T: 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> &mut FilesCtx,
) -> wasmtime::Result<()> {
    let mut memory = linker.instance("sqlite-wasm:host/shared-memory@0.1.0")?;
    link_methods! { memory, view:
        "shm-open" = shm_open(file: Handle, read_only: bool);
        "shm-reach" = shm_reach(file: Handle, bytes: u64, extend: bool);
        "shm-lock" = shm_lock(file: Handle, first: u32, count: u32, how: ShmLockKind);
        "shm-has-reader" = shm_has_reader(file: Handle);
    }
    memory.func_wrap("shm-barrier", |_: StoreContextMut<'_, T>, (): ()| {
        fence(Ordering::SeqCst);
        Ok(())
    })?;
    memory.func_wrap(
        "shm-map",
        move |mut store: StoreContextMut<'_, T>, (file, offset, memory): Map| {
            let pages = Pages::of(&store, &memory);
            Ok((reported(view(store.data_mut()).shm_map(file, offset, pages))?,))
        },
    )?;
    memory.func_wrap(
        "shm-close",
        move |mut store: StoreContextMut<'_, T>, (file, delete): (Handle, bool)| {
            let maps = view(store.data_mut()).shm_close(file, delete)?;
            release(&store, maps)
        },
    )?;
    memory.func_wrap(
        "map-file",
        move |mut store: StoreContextMut<'_, T>, (file, offset, memory): Map| {
            let pages = Pages::of(&store, &memory);
            let damaged = view(store.data_mut()).take_damaged(file)?;
            release(&store, damaged)?;
            Ok((reported(view(store.data_mut()).map_file(file, offset, pages))?,))
        },
    )?;
    memory.func_wrap("unmap-file", move |mut store: StoreContextMut<'_, T>, (file,): (Handle,)| {
        let maps = view(store.data_mut()).unmap_file(file)?;
        release(&store, maps)
    })
}

/// Link `files.close`, which ends the mappings of the file.
pub fn link_close<T: 'static>(
    files: &mut LinkerInstance<'_, T>,
    view: fn(&mut T) -> &mut FilesCtx,
) -> wasmtime::Result<()> {
    files.func_wrap("close", move |mut store: StoreContextMut<'_, T>, (file,): (Handle,)| {
        let ctx = view(store.data_mut());
        let mut maps = ctx.shm_close(file, false)?;
        maps.extend(ctx.unmap_file(file)?);
        // The file is open until nothing of it is mapped.
        let closed = ctx.take(file)?;
        release(&store, maps)?;
        drop(closed);
        Ok(())
    })
}

/// A failure ends the component, which would otherwise use a file as its memory.
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
    fn shm(&self, handle: Handle) -> Result<&Shm, Error> {
        self.file(handle)?.shm.as_ref().ok_or_else(|| ErrorCode::Invalid.into())
    }

    fn shm_open(&mut self, file: Handle, read_only: bool) -> Result<ShmState, Error> {
        mapping::check().map_err(Error::Trap)?;
        let opened = self.open.get_mut(file as usize).and_then(Option::as_mut);
        let file = opened.ok_or_else(|| Error::Trap(no_such_file(file)))?;
        if let Some(shm) = &mut file.shm {
            let outcome = shm.attend()?;
            return Ok(if outcome == Outcome::Held { shm.state() } else { ShmState::Busy });
        }
        let place = file.place().ok_or(ErrorCode::Unsupported)?;
        file.shm = Shm::open(&self.grants, place, read_only)?;
        Ok(file.shm.as_ref().map_or(ShmState::Busy, Shm::state))
    }

    fn shm_reach(&mut self, file: Handle, bytes: u64, extend: bool) -> Result<bool, Error> {
        Ok(self.shm(file)?.reach(bytes, extend)?)
    }

    fn shm_lock(
        &mut self,
        file: Handle,
        first: u32,
        count: u32,
        how: ShmLockKind,
    ) -> Result<bool, Error> {
        if how != ShmLockKind::None {
            self.deadline.check().map_err(Error::Trap)?;
        }
        Ok(self.shm(file)?.lock(first, count, how)? == Outcome::Held)
    }

    fn shm_has_reader(&mut self, file: Handle) -> Result<bool, Error> {
        Ok(self.shm(file)?.has_reader()?)
    }

    fn shm_map(&mut self, file: Handle, offset: u64, pages: Option<Pages>) -> Result<(), Error> {
        let pages = self.free(offset, pages)?;
        let shm = self.file_mut(file)?.shm.as_mut().ok_or(ErrorCode::Invalid)?;
        let sharing = if shm.is_writable() { Sharing::Writing } else { Sharing::Reading };
        let mapping = Mapping::new(pages, shm.file(), offset, sharing, BehindEnd::Lost)?;
        shm.keep(mapping);
        Ok(())
    }

    fn shm_close(&mut self, file: Handle, delete: bool) -> wasmtime::Result<Vec<Mapping>> {
        let file = self.open_file_mut(file)?;
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
        let maps = &mut self.open_file_mut(file)?.maps;
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
        Ok(std::mem::take(&mut self.open_file_mut(file)?.maps))
    }

    /// The pages, if they and the offset are whole units and nothing is mapped
    /// there.
    fn free(&self, offset: u64, pages: Option<Pages>) -> Result<Pages, Error> {
        let pages =
            pages.filter(|&pages| offset.is_multiple_of(UNIT_BYTES) && !self.is_mapped(pages));
        pages.ok_or_else(|| ErrorCode::Invalid.into())
    }

    fn is_mapped(&self, pages: Pages) -> bool {
        let files = self.open.iter().flatten();
        let mut maps =
            files.flat_map(|file| file.maps.iter().chain(file.shm.iter().flat_map(Shm::maps)));
        maps.any(|mapping| mapping.pages().overlap(pages))
    }
}
