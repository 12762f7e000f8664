//! Deserializing native code: the only functions that turn bytes of a file into
//! running code.

use std::os::fd::RawFd;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Map the precompiled component that is open as `descriptor`.
///
/// The caller has checked the file's seal, and no component of this user can
/// write the file: it is in the cache, which no grant reaches, or is root's.
pub(crate) fn map(engine: &Engine, descriptor: RawFd) -> wasmtime::Result<Component> {
    // By its descriptor, so that it is the checked file.
    let path = format!("/proc/self/fd/{descriptor}");
    // SAFETY: the caller has checked by its seal that `precompile` made the
    // file, and nothing changes the file while it is mapped.
    unsafe { Component::deserialize_file(engine, path) }
}

/// Load a precompiled component from a file or a part of it.
///
/// The caller has checked the seal of these very bytes.
pub(crate) fn load(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the caller has checked by the seal that `precompile` made these
    // bytes.
    unsafe { Component::deserialize(engine, code) }
}
