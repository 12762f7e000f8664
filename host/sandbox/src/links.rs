//! Symbolic links in the path of a database, for [`OpenFlags::SQLITE_OPEN_NOFOLLOW`].

use std::path::{Component, Path, PathBuf};

use crate::connection::OpenFlags;
use crate::error::{Error, Result};

/// `SQLITE_CANTOPEN_SYMLINK`.
const IS_LINK: i32 = 14 | (6 << 8);

/// Refuse a path that contains a symbolic link, also one without a target.
pub fn check(asked: &Path, real: &Path, flags: OpenFlags) -> Result<()> {
    let is_checked = flags.contains(OpenFlags::SQLITE_OPEN_NOFOLLOW) && flags.names_a_file(asked);
    if is_checked && (real.is_symlink() || normalized(asked).as_deref() != Some(real)) {
        Err(Error::sqlite(IS_LINK, "unable to open database file"))
    } else {
        Ok(())
    }
}

/// The absolute path without `.` and `..`.
fn normalized(path: &Path) -> Option<PathBuf> {
    let mut normalized = PathBuf::new();
    for component in std::path::absolute(path).ok()?.components() {
        match component {
            Component::ParentDir => _ = normalized.pop(),
            component => normalized.push(component),
        }
    }
    Some(normalized)
}
