//! The one place where native code from a file is taken as it is.

use std::os::fd::RawFd;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Map the precompiled component that is open as `descriptor`.
///
/// The caller has checked its seal, and nothing that this user's components can
/// write reaches the file: it lies in the cache, which no grant reaches, or is
/// root's.
pub(crate) fn map(engine: &Engine, descriptor: RawFd) -> wasmtime::Result<Component> {
    // By its descriptor, so that it is the file that was checked.
    let path = format!("/proc/self/fd/{descriptor}");
    // SAFETY: the file is what `precompile` made (its seal was checked), and
    // stays so while it is mapped, by the caller's promise.
    unsafe { Component::deserialize_file(engine, path) }
}

/// Load a precompiled component, or one that is a part of a file.
///
/// The caller has checked the seal over these very bytes.
pub(crate) fn load(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are what `precompile` made (their seal was checked).
    unsafe { Component::deserialize(engine, code) }
}
