//! Names that SQLite is given, as absolute paths.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::host::files::{self, Resolved};
use crate::result_code::Code;
use libsqlite3_sys::SQLITE_CANTOPEN;

/// The longest path that SQLite may build, in bytes, with its final NUL. The
/// native unix VFS has 512; Linux itself allows this much.
pub const MAX_PATH_BYTES: usize = 4096;

/// `name` made absolute against the working folder, with links followed.
pub fn full_path(name: &str) -> Result<Resolved, Code> {
    let cannot_open = |_| Code(SQLITE_CANTOPEN);
    files::resolve(&absolute(name)).map_err(cannot_open)
}

/// `name` behind the working folder, unless it is absolute.
pub fn absolute(name: &str) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let folder = match REFUSED_FOLDER.get() {
        Some(folder) => folder.clone(),
        None => std::env::current_dir().unwrap_or_else(|_| "/".into()),
    };
    format!("{}/{name}", folder.display())
}

/// The working folder that the host named and did not grant.
static REFUSED_FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Start in `folder`, as the host says (`wasi:cli/environment.initial-cwd`).
/// Where it is not granted, names in it are still what they are called in
/// messages.
pub fn enter(folder: &str) {
    if std::env::set_current_dir(folder).is_err() {
        // It is called once.
        let _ = REFUSED_FOLDER.set(folder.into());
    }
}
