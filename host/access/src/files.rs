//! Where the databases are, by name.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use sqlite_wasm_runtime::words::escape::escaped;

/// Longest name of a database in `--root`, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The ending of the files in `--root`.
const ENDING: &str = ".db";

/// Where the files are.
#[derive(Debug)]
pub enum Files {
    /// These, by name.
    Named(HashMap<String, PathBuf>),
    /// `NAME.db` in this directory.
    Root(PathBuf),
}

/// A database by its name, which exists or may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The path of its file.
    pub path: PathBuf,
}

/// The file that a path leads to, by device and inode; `None` if it leads to no file.
pub type Identity = Option<(u64, u64)>;

impl Named {
    /// The file that has the path now.
    pub fn identity(&self) -> Identity {
        self.path.metadata().ok().map(|data| (data.dev(), data.ino()))
    }
}

impl Files {
    /// Each by the name of its file without the ending.
    ///
    /// # Errors
    ///
    /// Where two have one name, or the directory of one is missing.
    pub fn named(paths: &[PathBuf]) -> Result<Self> {
        let mut files = HashMap::new();
        for path in paths {
            let name = path.file_stem().and_then(|name| name.to_str());
            let name = name.with_context(|| format!("`{}` is not a file", escaped(path)))?;
            let previous = files.insert(name.to_owned(), absolute(path)?);
            ensure!(previous.is_none(), "two databases have the name `{}`", escaped(name));
        }
        Ok(Self::Named(files))
    }

    /// Those of a directory.
    ///
    /// # Errors
    ///
    /// Where it is missing.
    pub fn root(root: &Path) -> Result<Self> {
        let root = std::fs::canonicalize(root)
            .with_context(|| format!("failed to open the directory `{}`", escaped(root)))?;
        ensure!(root.is_dir(), "`{}` is not a directory", escaped(&root));
        Ok(Self::Root(root))
    }

    /// Whether there can be several databases.
    pub fn has_many(&self) -> bool {
        match self {
            Self::Named(files) => files.len() > 1,
            Self::Root(_) => true,
        }
    }

    /// The directories in which they are.
    pub fn directories(&self) -> Vec<&Path> {
        match self {
            Self::Named(files) => files.values().filter_map(|path| path.parent()).collect(),
            Self::Root(root) => vec![root],
        }
    }

    /// The database with this name; without one the only one.
    pub fn find(&self, name: Option<&str>) -> Option<Named> {
        match self {
            Self::Named(files) => {
                let (name, path) = match name {
                    Some(name) => files.get_key_value(name)?,
                    None => only(files.iter())?,
                };
                Some(Named { name: name.clone(), path: path.clone() })
            }
            Self::Root(root) => {
                let name = name.filter(|name| is_name(name))?;
                let path = root.join(format!("{name}{ENDING}"));
                // A link is refused again where it is opened.
                let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
                is_file.then(|| Named { name: name.to_owned(), path })
            }
        }
    }

    /// The names of all that there are now, in order.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::Named(files) => files.keys().cloned().collect(),
            Self::Root(root) => {
                // A directory that cannot be listed still serves those that clients name.
                let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
                let name = |entry: std::fs::DirEntry| {
                    let file = entry.file_name().into_string().ok()?;
                    Some(self.find(file.strip_suffix(ENDING))?.name)
                };
                entries.filter_map(name).collect()
            }
        };
        names.sort_unstable();
        names
    }
}

fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next();
    all.next().is_none().then_some(first).flatten()
}

fn absolute(path: &Path) -> Result<PathBuf> {
    let Some(name) = path.file_name() else { bail!("`{}` is not a file", escaped(path)) };
    ensure!(name != ":memory:", "a server serves files: `:memory:` is none");
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = std::fs::canonicalize(directory.unwrap_or(Path::new(".")))
        .with_context(|| format!("failed to open the directory of `{}`", escaped(path)))?;
    Ok(directory.join(name))
}

/// Whether a text may name a database in `--root`: no path, no dotfile, no journal.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    starts && name.len() <= MAX_NAME_BYTES && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_paths() {
        for name in ["shop", "Tenant-7_b", "0"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", "../x", "a/b", ".x", "a.db", "a\0", "é", "-a", "a b", "a%2f"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_name(&"x".repeat(65)));
    }

    #[test]
    fn the_only_one_is_the_default() {
        assert_eq!(only([1].iter()), Some(&1));
        assert_eq!(only([1, 2].iter()), None);
        assert_eq!(only([0; 0].iter()), None);
    }
}
