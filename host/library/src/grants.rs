//! The grants of a connection: the directory of its database, and those of `SQLITE_WASM_GRANTS`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use runtime::filesystem::grants::{Access, Grants, Mask};
use runtime::sandbox::{DatabaseGrant, Dotfiles, Links, Neighbours, Recipe};

/// Directories, separated by commas: `DIR[:ro]`. `all` is everything that the process may use. Or a
/// file with one of them in each line.
pub const VARIABLE: &str = "SQLITE_WASM_GRANTS";

/// Longest file of grants, in bytes: thousands of lines.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The grants of a connection to the file at `path`; without a path only those of the environment.
pub fn of_database(recipe: &Recipe, path: Option<&Path>) -> Grants {
    let mut grants = recipe.default_grants();
    if let Some(path) = path {
        let how = DatabaseGrant {
            access: Access::ReadWrite,
            links: Links::Named,
            neighbours: Neighbours::Granted,
        };
        // A database that cannot be granted cannot be opened either, which SQLite reports.
        let _ = grants.database(path, how);
    }
    grants.finish(Dotfiles::Closed)
}

/// Add the grants of the environment.
///
/// # Errors
///
/// When a directory is missing, or the variable cannot be read.
pub fn of_environment(recipe: &mut Recipe) -> Result<()> {
    let file = file_of_grants();
    let (text, separator) = text(file.as_deref()).with_context(|| format!("`{VARIABLE}`"))?;
    recipe.masks.add(Mask::ReadOnly, file);
    let words = text.split(|byte| *byte == separator).map(<[u8]>::trim_ascii);
    for word in words.filter(|word| !word.is_empty() && !word.starts_with(b"#")) {
        add(recipe, word).with_context(|| format!("`{VARIABLE}`"))?;
    }
    Ok(())
}

/// The file that the variable names, if any.
fn file_of_grants() -> Option<PathBuf> {
    env::var_os(VARIABLE).map(PathBuf::from).filter(|path| path.is_file())
}

/// The text of the variable or its file, and the separator of the directories.
fn text(file: Option<&Path>) -> Result<(Vec<u8>, u8)> {
    let Some(path) = file else {
        return Ok((env::var_os(VARIABLE).unwrap_or_default().into_vec(), b','));
    };
    let mut text = Vec::new();
    let count = fs::File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut text)?;
    ensure!(count as u64 <= MAX_FILE_BYTES, "`{}` is too long", path.display());
    Ok((text, b'\n'))
}

fn add(recipe: &mut Recipe, word: &[u8]) -> Result<()> {
    let (path, access) = match word.strip_suffix(b":ro") {
        Some(path) => (path, Access::ReadOnly),
        None => (word.strip_suffix(b":rw").unwrap_or(word), Access::ReadWrite),
    };
    let path = match path {
        b"all" => Path::new("/"),
        path => Path::new(OsStr::from_bytes(path)),
    };
    recipe.grant(path, access)
}

/// The path of a database in C.
pub fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
