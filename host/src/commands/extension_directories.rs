//! Where extensions are looked for.

use std::env;
use std::path::PathBuf;

use sqlite_wasm_run::places;

/// Where extensions are looked for: the command line's directories, those of
/// `$SQLITE_WASM_EXTENSIONS`, the data directory by the XDG rules, and the one
/// beside this program. An entry of the variable that is not an absolute path
/// counts as none: what the working directory holds may come from SQL.
pub fn extension_directories(first: &[PathBuf]) -> Vec<PathBuf> {
    let named = env::var_os("SQLITE_WASM_EXTENSIONS");
    let data = places::data();
    let beside = env::current_exe().ok();
    let named = named.iter().flat_map(env::split_paths).filter(|path| path.is_absolute());
    first
        .iter()
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        .chain(named)
        .chain(data.map(|data| data.join("extensions")))
        .chain(beside.map(|program| program.with_file_name("extensions")))
        .collect()
}
