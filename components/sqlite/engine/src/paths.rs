//! Names that SQLite passes, as absolute paths. Names are bytes.

use std::cell::RefCell;

use crate::ffi::libc::flush_output;
use crate::host::files::{self, Resolved};
use crate::host::process::{check_granted, working_directory};
use crate::result_code::Code;
use libsqlite3_sys::SQLITE_CANTOPEN;

/// The longest path that SQLite may build, in bytes, with its final NUL. The native unix VFS allows
/// 512, Linux this many.
pub const MAX_PATH_BYTES: usize = 4096;

/// The absolute path of `name`, from the working directory and with links resolved.
pub fn full_path(name: &[u8]) -> Result<Resolved, Code> {
    let cannot_open = || Code(SQLITE_CANTOPEN);
    files::resolve(&absolute(name).ok_or_else(cannot_open)?).map_err(|_| cannot_open())
}

/// The absolute path of `name`, without resolving links. `None` for a relative name without a
/// working directory.
fn absolute(name: &[u8]) -> Option<Vec<u8>> {
    if name.starts_with(b"/") {
        return Some(name.to_vec());
    }
    let mut path = WORKING_DIRECTORY.with_borrow(Clone::clone).or_else(working_directory)?;
    path.push(b'/');
    path.extend_from_slice(name);
    Some(path)
}

/// The path to which `name` leads inside the grants, for functions of the C library, which search
/// only one granted directory at a time. None outside the grants, after a message to the user.
pub fn granted(name: &[u8], last_link: LastLink) -> Option<Vec<u8>> {
    let name = absolute(name)?;
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
    /// The directory of relative names, if it is not the host's at the time. The C library's can only
    /// be a granted one whose path is UTF-8.
    static WORKING_DIRECTORY: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Set the directory of relative names, an absolute path. It need not be granted; messages use
/// names in it, too.
pub fn enter(directory: &[u8]) {
    WORKING_DIRECTORY.set(Some(directory.to_vec()));
}
