//! From a name to the file of an extension.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Serialize;

use crate::grants::Grants;

/// Endings that a name may leave out, in the order they are tried.
const ENDINGS: &[&str] = &["wasm", "cwasm"];

/// The file of the extension `name`: a path inside of `grants`, or a name to be
/// found in `folders`.
pub fn find(name: &str, folders: &[PathBuf], grants: &Grants) -> Result<PathBuf> {
    if name.contains('/') {
        let Some(path) = grants.host_path(Path::new(name)) else {
            bail!("`{name}` lies outside of the granted folders");
        };
        return match candidates(&path).find(|path| path.is_file()) {
            Some(path) => Ok(path),
            None => bail!("there is no extension at `{name}`"),
        };
    }
    by_name(name, folders)
}

/// The file of the extension `name` in `folders`.
///
/// # Errors
///
/// When there is none; it says where was looked.
pub fn by_name(name: &str, folders: &[PathBuf]) -> Result<PathBuf> {
    let found = folders
        .iter()
        .flat_map(|folder| candidates(&folder.join(name)).collect::<Vec<_>>())
        .find(|path| path.is_file());
    match found {
        Some(path) => Ok(path),
        None => {
            let looked: Vec<_> =
                folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
            bail!(
                "there is no extension `{name}` in {}; `--extension-dir` adds a folder",
                looked.join(", ")
            )
        }
    }
}

/// An extension in one of the folders.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// By which it is loaded.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Another one of this name is found first.
    pub hidden: bool,
}

/// All extensions in `folders`, in the order in which they are looked for.
pub fn all(folders: &[PathBuf]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for folder in folders {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        files.sort_by_key(|path| (path.file_stem().map(OsString::from), place(path)));
        for path in files.into_iter().filter(|path| place(path).is_some() && path.is_file()) {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            let hidden = all.iter().any(|other| other.name == name);
            all.push(Found { name: name.to_owned(), path, hidden });
        }
    }
    all
}

/// The place of a file's ending among those of extensions.
fn place(path: &Path) -> Option<usize> {
    let ending = path.extension()?;
    ENDINGS.iter().position(|known| ending == *known)
}

fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let has_ending = path.extension().is_some_and(|ending| ENDINGS.iter().any(|e| ending == *e));
    let plain = has_ending.then(|| path.to_owned());
    let path = path.to_owned();
    plain.into_iter().chain((if has_ending { &[] } else { ENDINGS }).iter().map(move |ending| {
        let mut name = path.clone().into_os_string();
        name.push(".");
        name.push(ending);
        name.into()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::grants::{Access, Grant};

    #[test]
    fn names_are_looked_up_in_folders() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.wasm"), "").unwrap();
        let folders = [folder.path().to_owned()];
        let grants = Grants::default();
        assert_eq!(find("a", &folders, &grants).unwrap(), folder.path().join("a.wasm"));
        let unknown = find("b", &folders, &grants).unwrap_err();
        assert!(unknown.to_string().contains("--extension-dir"));
    }

    #[test]
    fn all_are_listed_in_the_order_in_which_they_are_found() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, file) in
            [(&first, "b.cwasm"), (&first, "b.wasm"), (&first, "no.txt"), (&second, "a.wasm")]
        {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        std::fs::write(second.path().join("b.wasm"), "").unwrap();
        let nowhere = first.path().join("nowhere");
        let found = all(&[first.path().to_owned(), nowhere, second.path().to_owned()]);
        let listed: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.hidden)).collect();
        assert_eq!(listed, [("b", false), ("b", true), ("a", false), ("b", true)]);
        assert!(found[0].path.ends_with("b.wasm"));
    }

    #[test]
    fn paths_must_be_granted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.wasm"), "").unwrap();
        let name = folder.path().join("a").to_str().unwrap().to_owned();
        assert!(find(&name, &[], &Grants::default()).is_err());
        let mut grants = Grants::default();
        grants.add(Grant::open(folder.path(), folder.path(), Access::ReadOnly).unwrap());
        assert!(find(&name, &[], &grants).is_ok());
    }
}
