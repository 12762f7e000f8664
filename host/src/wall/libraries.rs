//! The dynamic loader and the shared libraries of this process, from the
//! loader's own list.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use nix::libc::{self, c_int, c_void, dl_phdr_info, size_t};

/// The results of the walk over the list.
#[derive(Default)]
struct Found {
    interpreter: Option<PathBuf>,
    libraries: Vec<PathBuf>,
    is_behind_program: bool,
}

/// The dynamic loader of the program; none for a static one.
pub fn interpreter() -> Option<PathBuf> {
    walk().interpreter
}

/// The shared libraries, without the kernel's vDSO.
pub fn libraries() -> Vec<PathBuf> {
    walk().libraries
}

fn walk() -> Found {
    let mut found = Found::default();
    // SAFETY: the loader calls `visit` only during this call, with `found` as
    // its data.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, data: *mut c_void) -> c_int {
    // SAFETY: `walk` passes its own `Found`, and holds no other reference to
    // it.
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
    // The kernel's vDSO has a name without a directory.
    if name.starts_with(b"/") {
        found.libraries.push(PathBuf::from(OsStr::from_bytes(name)));
    }
    0
}

fn interpreter_of(program: &dl_phdr_info) -> Option<PathBuf> {
    // SAFETY: the loader's entry has the address and the number of the program
    // headers, which stay loaded.
    let headers =
        unsafe { std::slice::from_raw_parts(program.dlpi_phdr, program.dlpi_phnum.into()) };
    let header = headers.iter().find(|header| header.p_type == libc::PT_INTERP)?;
    let address = program.dlpi_addr as usize + header.p_vaddr as usize;
    // SAFETY: the segment PT_INTERP is loaded, and is a C string, as the kernel
    // has checked.
    let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(address)) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}
