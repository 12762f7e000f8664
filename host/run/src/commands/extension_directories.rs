//! The search path for extensions.

use std::env;
use std::path::PathBuf;

use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::installation::user_directories;

/// The directories that are searched for extensions: those of the command line,
/// those of `$SQLITE_WASM_EXTENSIONS`, the XDG data directory, and `extensions`
/// of this installation. Relative paths in the variable are ignored,
/// since SQL may have written to the working directory.
pub fn extension_directories(first: &[PathBuf]) -> Vec<PathBuf> {
    let named = env::var_os("SQLITE_WASM_EXTENSIONS");
    let data = user_directories::data();
    let named = named.iter().flat_map(env::split_paths).filter(|path| path.is_absolute());
    first
        .iter()
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        .chain(named)
        .chain(data.map(|data| data.join("extensions")))
        .chain(program_files::path("extensions").ok())
        .collect()
}
