//! What an extension may open in a folder that is granted to it: files and
//! folders. Opening or reading a pipe or a device may wait for as long as its
//! other side likes, and no limit of time ends a call that waits in the host.
//!
//! What stands under a name is asked before it is opened. An extension cannot
//! make anything but files, folders and links, so nothing of its own takes the
//! name's place in between.

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::filesystem::{WasiFilesystemCtxView, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, Host, HostDescriptor, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};

/// The interface, in the version that `wasmtime-wasi` has.
const TYPES: &str = "wasi:filesystem/types@0.2.12";

type Opening = (Resource<Descriptor>, PathFlags, String, OpenFlags, DescriptorFlags);

/// Offer that way of opening files, in place of the one that is there already.
///
/// # Errors
///
/// When it cannot be put in its place.
pub fn add_to_linker<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    linker.instance(TYPES)?.func_wrap(
        "[method]descriptor.open-at",
        |mut store, opening: Opening| {
            let mut files = store.data_mut().filesystem();
            Ok((match open(&mut files, opening) {
                Ok(opened) => Ok(opened),
                Err(error) => Err(files.convert_error_code(error)?),
            },))
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

fn open(
    files: &mut WasiFilesystemCtxView<'_>,
    (folder, path_flags, path, how, flags): Opening,
) -> FsResult<Resource<Descriptor>> {
    let same_folder = Resource::new_borrow(folder.rep());
    // What is not there may be made; other failures are those of opening.
    if let Ok(found) = files.stat_at(same_folder, path_flags, path.clone()) {
        use DescriptorType::{Directory, RegularFile, SymbolicLink};
        if !matches!(found.type_, RegularFile | Directory | SymbolicLink) {
            return Err(FsError::from(ErrorCode::NotPermitted));
        }
    }
    files.open_at(folder, path_flags, path, how, flags)
}
