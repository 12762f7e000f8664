//! The one place where native code from a file is taken as it is.

use std::os::fd::RawFd;

use wasmtime::Engine;
use wasmtime::component::Component;

/// Load the precompiled component that is open as `descriptor`.
///
/// The caller has checked its owner, its permissions and its content.
pub(crate) fn load(engine: &Engine, descriptor: RawFd) -> wasmtime::Result<Component> {
    // By its descriptor, so that it is the file that was checked.
    let path = format!("/proc/self/fd/{descriptor}");
    // SAFETY: the file is what `precompile` made (its seal was checked), and
    // only this user or root, who could replace this program as well, may
    // change it while it is mapped.
    unsafe { Component::deserialize_file(engine, path) }
}

/// Load a precompiled component that is a part of a file.
///
/// The caller has checked that file as for [`load`].
pub(crate) fn load_part(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the same as for a whole file.
    unsafe { Component::deserialize(engine, code) }
}
