//! Names that SQLite is given, as absolute paths. Names are bytes.

use std::cell::RefCell;

use crate::ffi::libc::flush_output;
use crate::host::files::{self, Resolved};
use crate::host::process::check_granted;
use crate::result_code::Code;
use libsqlite3_sys::SQLITE_CANTOPEN;

/// The longest path that SQLite may build, in bytes, with its final NUL. The native unix VFS has
/// 512; Linux itself allows this much.
pub const MAX_PATH_BYTES: usize = 4096;

/// `name` made absolute against the working directory, with links followed.
pub fn full_path(name: &[u8]) -> Result<Resolved, Code> {
    let cannot_open = |_| Code(SQLITE_CANTOPEN);
    files::resolve(&absolute(name)).map_err(cannot_open)
}

/// `name` in the working directory, unless it is absolute.
pub fn absolute(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"/") {
        return name.to_vec();
    }
    let mut path = WORKING_DIRECTORY.with_borrow(Clone::clone);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

/// Where `name` leads inside the grants, for the functions of the C library, which know only one
/// granted directory at a time. None outside, after a message to the user.
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

/// What a path that ends with a link means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// The target of the link.
    Follow,
    /// The link itself.
    Keep,
}

thread_local! {
    /// Where relative names begin. The C library's own working directory can only be one that is
    /// granted, and only text.
    static WORKING_DIRECTORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Let relative names begin in `directory`, an absolute path. Messages use names in it even where
/// it is not granted.
pub fn enter(directory: &[u8]) {
    WORKING_DIRECTORY.set(directory.to_vec());
}
