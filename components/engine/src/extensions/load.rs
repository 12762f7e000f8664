//! Loading: SQLite's `load_extension` opens a library by the VFS and calls its entry point. Here
//! the library is an extension, which the host loads.

use super::embedded;
use super::sql::depth;
use crate::host::dispatch::{self, Loaded};
use crate::paths::{LastLink, granted};

pub use super::register::connect;

/// Load an extension by its name or path.
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

/// The name for the host: a name unchanged, a path as the file to which it leads.
fn host_name(name: &str) -> Result<String, String> {
    if !name.contains('/') {
        return Ok(name.to_owned());
    }
    // `dispatch` only takes text.
    granted(name.as_bytes(), LastLink::Follow)
        .and_then(|path| String::from_utf8(path).ok())
        .ok_or_else(|| format!("`{}` is outside the granted directories", name.escape_debug()))
}
