//! The text of paths.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Limit on symbolic links followed in one path; Linux has the same.
pub const MAX_LINKS: usize = 40;

/// Whether a path is absolute, without `.`, `..` and empty names.
pub fn is_clean(path: &[u8]) -> bool {
    match path {
        b"/" => true,
        [b'/', rest @ ..] => {
            rest.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
        }
        _ => false,
    }
}

/// The part of a clean `path` below `directory`; empty for the directory
/// itself.
pub fn below<'a>(path: &'a [u8], directory: &Path) -> Option<&'a [u8]> {
    let directory = directory.as_os_str().as_bytes();
    let directory = directory.strip_suffix(b"/").unwrap_or(directory);
    match path.strip_prefix(directory)? {
        [] => Some(b""),
        [b'/', below @ ..] => Some(below),
        _ => None,
    }
}

/// The absolute path without `.` and `..`, without looking at the file system.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::from("/");
    for name in path.components() {
        match name {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            _ => {}
        }
    }
    normal
}
