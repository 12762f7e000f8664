//! From a name to the file of an extension.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

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
