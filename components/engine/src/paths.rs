//! Names that SQLite passes, as absolute paths. Names are bytes.

use std::cell::RefCell;

use crate::ffi::libc::flush_output;
use crate::host::files::{self, Resolved};
use crate::host::process::check_granted;
use crate::result_code::Code;
use libsqlite3_sys::SQLITE_CANTOPEN;

/// The longest path that SQLite may build, in bytes, with its final NUL. The native unix VFS allows
/// 512, Linux this many.
pub const MAX_PATH_BYTES: usize = 4096;

/// The absolute path of `name`, from the working directory and with links resolved.
pub fn full_path(name: &[u8]) -> Result<Resolved, Code> {
    let cannot_open = |_| Code(SQLITE_CANTOPEN);
    files::resolve(&absolute(name)).map_err(cannot_open)
}

/// The absolute path of `name`, without resolving links.
pub fn absolute(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    let mut path = WORKING_DIRECTORY.with_borrow(Clone::clone);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

/// The path to which `name` leads inside the grants, for functions of the C library, which search
/// only one granted directory at a time. None outside the grants, after a message to the user.
pub fn granted(name: &[u8], last_link: LastLink) -> Option<Vec<u8>> {
    let name = absolute(name);
    let slash = name.iter().rposition(|byte| *byte == b'/')?;
    let (directory, last) = (&name[..slash], &name[slash + 1..]);
    let path = if last_link == LastLink::Keep && !matches!(last, b"" | b"." | b"..") {
        let mut path =
            files::resolve(if directory.is_empty() { b"/" } else { directory }).ok()?.path;
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(last);
        path
    } else {
        files::resolve(&name).ok()?.path
    };
    flush_output();
    check_granted(&path).then_some(path)
}

/// The treatment of a last link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// The target of the link.
    Follow,
    /// The link itself.
    Keep,
}

thread_local! {
    /// The directory of relative names. The C library's working directory can only be a granted one
    /// whose path is UTF-8.
    static WORKING_DIRECTORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Set the directory of relative names, an absolute path. It need not be granted; messages use
/// names in it, too.
pub fn enter(directory: &[u8]) {
    WORKING_DIRECTORY.set(directory.to_vec());
}
