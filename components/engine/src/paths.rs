//! Names that SQLite is given, as absolute paths.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::ffi::output::flush_output;
use crate::host::files::{self, Resolved};
use crate::host::process::check_granted;
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

/// Where `name` leads inside of the grants, for the functions of the C library,
/// which know only one granted folder at a time. None outside, after the person
/// was told.
pub fn granted(name: &str, last_link: LastLink) -> Option<String> {
    let name = absolute(name);
    let path = match (last_link, name.rsplit_once('/')) {
        (LastLink::Keep, Some((folder, last))) if !matches!(last, "" | "." | "..") => {
            let folder = files::resolve(if folder.is_empty() { "/" } else { folder }).ok()?.path;
            format!("{}/{last}", folder.trim_end_matches('/'))
        }
        _ => files::resolve(&name).ok()?.path,
    };
    flush_output();
    check_granted(&path).then_some(path)
}

/// What is meant where a path ends with a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// What it leads to.
    Follow,
    /// The link itself.
    Keep,
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
