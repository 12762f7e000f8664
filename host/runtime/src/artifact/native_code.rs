//! Deserializing native code: the only functions that turn bytes of a file into
//! running code.

use std::fs::File;
use std::ops::Range;
use std::os::fd::RawFd;
use std::{ptr, slice};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::filesystem::page::page_size;

/// Map the precompiled component that is open as `descriptor`.
///
/// The caller has checked the file's seal, and no component of this user can
/// write the file: it is in the cache, which no grant reaches, or is root's.
pub(crate) fn map(engine: &Engine, descriptor: RawFd) -> wasmtime::Result<Component> {
    // By its descriptor, so that it is the checked file.
    let path = format!("/proc/self/fd/{descriptor}");
    if cfg!(feature = "profiling") {
        // `perf` takes the symbols of a mapped file, where all of LLVM's code is one, and its map for memory.
        return load(engine, &std::fs::read(&path)?);
    }
    // SAFETY: the caller has checked by its seal that `precompile` made the
    // file, and nothing changes the file while it is mapped.
    unsafe { Component::deserialize_file(engine, &path) }
}

/// Load the precompiled component at `range` of a file.
///
/// The caller promises the same as for [`map`]. The pages are those of the system's cache: to read
/// a megabyte into memory would take two hundred page faults more.
pub(crate) fn load_part(
    engine: &Engine,
    file: &File,
    range: Range<usize>,
) -> wasmtime::Result<Component> {
    let before = range.start % page_size();
    let (offset, length) = ((range.start - before) as u64, before + range.len());
    let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
    // SAFETY: a new mapping, which is read until it is unmapped here. Nothing changes the file.
    unsafe {
        let start = mmap(ptr::null_mut(), length, ProtFlags::READ, flags, file, offset)?;
        let code = slice::from_raw_parts(start.cast::<u8>().add(before), range.len());
        let loaded = load(engine, code);
        munmap(start, length)?;
        loaded
    }
}

/// Load a precompiled component from memory.
///
/// The caller has checked the seal of these very bytes.
pub(crate) fn load(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the caller has checked by the seal that `precompile` made these
    // bytes.
    let loaded = unsafe { Component::deserialize(engine, code)? };
    #[cfg(feature = "profiling")]
    super::perf::write(&loaded, code)?;
    Ok(loaded)
}
