//! Loading: SQLite's `load_extension` opens a library by the VFS, and calls its entry point. Here
//! the library is an extension that the host loads.

use super::embedded;
use super::sql::depth;
use crate::host::dispatch::{self, Loaded};
use crate::paths::{LastLink, granted};

pub use super::register::connect;

/// Load the extension `name`, a name or a path.
pub fn load(name: &str) -> Result<Loaded, String> {
    if depth::is_running() {
        return Err("SQL of an extension cannot load extensions".to_owned());
    }
    let name = host_name(name)?;
    embedded::refuse(&name)?;
    let loaded = dispatch::load(&name)?;
    embedded::refuse(&loaded.manifest.name)?;
    Ok(loaded)
}

/// What the host is given: a name as it is, and the file that a path leads to.
fn host_name(name: &str) -> Result<String, String> {
    if !name.contains('/') {
        return Ok(name.to_owned());
    }
    // `dispatch` takes text only.
    granted(name.as_bytes(), LastLink::Follow)
        .and_then(|path| String::from_utf8(path).ok())
        .ok_or_else(|| format!("`{}` is outside the granted directories", name.escape_debug()))
}
