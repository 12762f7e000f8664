//! What this process was started with: the loader and the shared libraries, by
//! the loader's own list.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use nix::libc::{self, c_int, c_void, dl_phdr_info, size_t};

/// What the walk over the list has found.
#[derive(Default)]
struct Found {
    interpreter: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    is_behind_program: bool,
}

/// The loader that the program names; none for a static one.
pub fn interpreter() -> Option<PathBuf> {
    walk().interpreter
}

/// The shared libraries, without those of the kernel.
pub fn libraries() -> Vec<PathBuf> {
    walk().libraries
}

fn walk() -> Found {
    let mut found = Found::default();
    // SAFETY: `visit` is called during this call only, with `found` as its
    // data.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, data: *mut c_void) -> c_int {
    // SAFETY: `walk` passes its own `Found`, which nobody else has now.
    let found = unsafe { &mut *data.cast::<Found>() };
    // SAFETY: the loader passes an entry of its list, which stays as it is
    // during the call.
    let info = unsafe { &*info };
    // The program comes first.
    if !std::mem::replace(&mut found.is_behind_program, true) {
        found.interpreter = interpreter_of(info);
        return 0;
    }
    // SAFETY: names in the list are C strings.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    // The kernel's own has a name without a directory.
    if name.starts_with(b"/") {
        found.libraries.push(PathBuf::from(OsStr::from_bytes(name)));
    }
    0
}

fn interpreter_of(program: &dl_phdr_info) -> Option<PathBuf> {
    // SAFETY: the headers of a loaded program lie there, this many.
    let headers =
        unsafe { std::slice::from_raw_parts(program.dlpi_phdr, program.dlpi_phnum.into()) };
    let header = headers.iter().find(|header| header.p_type == libc::PT_INTERP)?;
    let address = program.dlpi_addr as usize + header.p_vaddr as usize;
    // SAFETY: this part of the program is loaded (the kernel has read it), and
    // is a C string.
    let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(address)) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}
