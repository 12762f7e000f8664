//! The directories that a run is granted: those of `--dir`, and by default the
//! working directory, the database and the database's directory, as far as
//! granting them is harmless.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sqlite_wasm_runtime::filesystem::grants::{Access, Grant, Grants};
use sqlite_wasm_runtime::runner::shell_arguments::database;
use sqlite_wasm_runtime::sandbox::{DatabaseGrant, Dotfiles, Links, Neighbours, Recipe};
use sqlite_wasm_runtime::words::escape::escaped;

/// A directory as the command line grants it.
#[derive(Debug, Clone)]
pub struct DirectoryOption {
    pub host: PathBuf,
    pub guest: Option<PathBuf>,
    pub access: Access,
}

/// Read `HOST[::GUEST][:ro|:rw]`.
pub fn parse_directory(text: OsString) -> Result<DirectoryOption> {
    let whole = text.as_bytes();
    let (path, access) = match (whole.strip_suffix(b":ro"), whole.strip_suffix(b":rw")) {
        (Some(path), _) => (path, Access::ReadOnly),
        (_, Some(path)) => (path, Access::ReadWrite),
        _ => (whole, Access::ReadWrite),
    };
    if path.len() < whole.len() && Path::new(&text).is_dir() {
        let name = escaped(&text);
        bail!("a directory `{name}` exists: write `{name}:rw` or `{name}:ro` to grant it");
    }
    let separator = path.windows(2).position(|pair| pair == b"::");
    let (host, guest) = match separator {
        Some(at) => (&path[..at], Some(path_of(&path[at + 2..]))),
        None => (path, None),
    };
    if host.is_empty() {
        bail!("the directory is missing");
    }
    Ok(DirectoryOption { host: path_of(host), guest, access })
}

fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

/// Grant the directories `named` on the command line.
///
/// # Errors
///
/// When one does not exist or belongs to the kernel.
pub fn grant_named(recipe: &mut Recipe, named: &[DirectoryOption]) -> Result<()> {
    for directory in named {
        let Some(guest) = &directory.guest else {
            recipe.grant(&directory.host, directory.access)?;
            continue;
        };
        let host = fs::canonicalize(&directory.host)
            .with_context(|| format!("failed to grant `{}`", escaped(&directory.host)))?;
        recipe.grants.add(Grant::open(&host, guest, directory.access)?);
    }
    Ok(())
}

/// All that a run with the shell's arguments `shell` can reach by default.
///
/// # Errors
///
/// When the working directory cannot be opened.
pub fn default_grants(recipe: &Recipe, shell: &[OsString]) -> Result<Grants> {
    let mut grants = recipe.default_grants();
    if let Ok(directory) = env::current_dir() {
        grants.directory(&directory)?;
    }
    if let Some(path) = database(shell) {
        let how = DatabaseGrant {
            access: Access::ReadWrite,
            links: Links::Named,
            neighbours: Neighbours::Granted,
        };
        // A database that cannot be granted cannot be opened either, which SQLite reports.
        let _ = grants.database(&path, how);
    }
    Ok(grants.finish(Dotfiles::OpenIfNamed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<DirectoryOption> {
        parse_directory(text.into())
    }

    #[test]
    fn directories_have_names_and_access() {
        let directory = parsed("/a::/b:ro").unwrap();
        assert_eq!(directory.host, Path::new("/a"));
        assert_eq!(directory.guest.as_deref(), Some(Path::new("/b")));
        assert_eq!(directory.access, Access::ReadOnly);
        assert_eq!(parsed("/a:rw").unwrap().access, Access::ReadWrite);
        assert_eq!(parsed("/a:ro:rw").unwrap().host, Path::new("/a:ro"));
        assert!(parsed("").is_err() && parsed(":ro").is_err());
    }

    #[test]
    fn a_directory_whose_name_ends_like_an_option_is_not_guessed() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().join("x:ro");
        fs::create_dir(&name).unwrap();
        let text = name.to_str().unwrap();
        assert!(parsed(text).unwrap_err().to_string().contains(":rw"));
        assert_eq!(parsed(&format!("{text}:ro")).unwrap().access, Access::ReadOnly);
        assert_eq!(parsed(&format!("{text}:rw")).unwrap().host, name);
    }
}
