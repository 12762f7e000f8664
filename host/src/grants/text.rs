//! Paths as they are written.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Whether a path is absolute, and each of its names stands for itself.
pub fn is_clean(path: &[u8]) -> bool {
    match path {
        b"/" => true,
        [b'/', rest @ ..] => {
            rest.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
        }
        _ => false,
    }
}

/// What of a clean `path` lies below `folder`; empty for the folder itself.
pub fn below<'a>(path: &'a [u8], folder: &Path) -> Option<&'a [u8]> {
    let folder = folder.as_os_str().as_bytes();
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    match path.strip_prefix(folder)? {
        [] => Some(b""),
        [b'/', below @ ..] => Some(below),
        _ => None,
    }
}

/// An absolute path without `.` and `..`, by its names alone.
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
