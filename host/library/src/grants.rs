//! The grants of a connection: the directory of its database, and those of `SQLITE_WASM_GRANTS`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use runtime::grants::{Access, Grant, Grants, Mask};
use runtime::own_files;
use runtime::user_directories::Homes;

/// Directories, separated by commas: `DIR[:ro]`. `all` is everything that the process may use. Or a
/// file with one of them in each line.
pub const VARIABLE: &str = "SQLITE_WASM_GRANTS";

/// Longest file of grants, in bytes: thousands of lines.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The grants of a connection to the file at `path`; without a path only those of the environment.
/// `own` are files and directories of this library.
///
/// # Errors
///
/// When a directory is missing, or the variable cannot be read.
pub fn of_database(path: Option<&Path>, own: &[PathBuf]) -> Result<Grants> {
    let mut grants = of_environment()?.clone();
    for home in Homes::of_user().iter() {
        grants.hide_dotfiles(home);
    }
    if let Some(path) = path {
        // A database that cannot be granted cannot be opened either, which SQLite reports.
        let _ = grant(&mut grants, path);
    }
    own_files::mask(&mut grants);
    let file = file_of_grants();
    let own = own.iter().chain(&file);
    grants.mask_all(own.map(|path| (path.as_path(), Mask::ReadOnly)));
    Ok(grants)
}

/// Grant a database, and its directory where that is harmless.
fn grant(grants: &mut Grants, path: &Path) -> Result<()> {
    let real = fs::canonicalize(path).or_else(|_| missing(path))?;
    for path in [&real, &std::path::absolute(path)?] {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { continue };
        let real = fs::canonicalize(directory)?;
        let grant = Grant::open(&real, directory, Access::ReadWrite)?;
        let is_modest = real.parent().is_some() && !Homes::of_user().is_behind_dot(&real);
        match is_modest {
            true => grants.add_database(grant, name),
            false => grants.add_database(grant.only_databases(), name),
        }
    }
    Ok(())
}

/// The real path of a file that does not exist yet.
fn missing(path: &Path) -> std::io::Result<PathBuf> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let real = fs::canonicalize(directory.unwrap_or(Path::new(".")))?;
    Ok(real.join(path.file_name().unwrap_or_default()))
}

fn of_environment() -> Result<&'static Grants> {
    static GRANTS: OnceLock<Grants> = OnceLock::new();
    if let Some(grants) = GRANTS.get() {
        return Ok(grants);
    }
    let mut grants = Grants::default();
    let (text, separator) = text().with_context(|| format!("`{VARIABLE}`"))?;
    let words = text.split(|byte| *byte == separator).map(<[u8]>::trim_ascii);
    for word in words.filter(|word| !word.is_empty() && !word.starts_with(b"#")) {
        add(&mut grants, word).with_context(|| format!("`{VARIABLE}`"))?;
    }
    Ok(GRANTS.get_or_init(|| grants))
}

/// The file that the variable names, if any.
fn file_of_grants() -> Option<PathBuf> {
    env::var_os(VARIABLE).map(PathBuf::from).filter(|path| path.is_file())
}

/// The text of the variable or its file, and the separator of the directories.
fn text() -> Result<(Vec<u8>, u8)> {
    let Some(path) = file_of_grants() else {
        return Ok((env::var_os(VARIABLE).unwrap_or_default().into_vec(), b','));
    };
    let mut text = Vec::new();
    let count = fs::File::open(&path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut text)?;
    ensure!(count as u64 <= MAX_FILE_BYTES, "`{}` is too long", path.display());
    Ok((text, b'\n'))
}

fn add(grants: &mut Grants, word: &[u8]) -> Result<()> {
    let (path, access) = match word.strip_suffix(b":ro") {
        Some(path) => (path, Access::ReadOnly),
        None => (word.strip_suffix(b":rw").unwrap_or(word), Access::ReadWrite),
    };
    let path = match path {
        b"all" => Path::new("/"),
        path => Path::new(OsStr::from_bytes(path)),
    };
    let name = std::path::absolute(path)?;
    let real =
        fs::canonicalize(path).with_context(|| format!("failed to grant `{}`", path.display()))?;
    grants.add(Grant::open(&real, &name, access)?);
    grants.add(Grant::open(&real, &real, access)?);
    Ok(())
}

/// The path of a database in C.
pub fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
