//! The search for the file of an extension by its name, for loading, composing, listing and
//! inspecting. It also determines whose grants apply.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use serde::Serialize;

use crate::artifact::Unusable;
use crate::extensions::grants::Identity;
use crate::filesystem::grants::Grants;
use crate::words::escape::escaped;

/// Least similarity, from 0 to 1, of a name that is suggested for an unknown one: one wrong letter
/// in three.
const LIKENESS: f64 = 0.6;

/// Extensions of file names that a name may leave out, in the order they are tried.
const ENDINGS: &[&str] = &["wasm", "cwasm"];

/// The file of an extension that SQL or a component names.
pub enum Source {
    /// In an extension directory, or named on the command line: the user has put it there, and no
    /// component can write it.
    Named(PathBuf),
    /// Chosen by SQL: a `.wasm`, opened through the grants.
    Chosen(PathBuf, File),
}

impl Source {
    /// Its path, to check whether it is loaded already.
    pub fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Chosen(path, _) => path,
        }
    }

    /// The identity whose grants apply.
    pub fn identity(&self) -> Identity<'_> {
        match self {
            Self::Named(path) => Identity::Named {
                name: path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default(),
                path: Some(path),
            },
            Self::Chosen(path, _) => Identity::Chosen(path),
        }
    }
}

/// The extension `name`, which SQL or a component has chosen: a path inside `grants`, or a name to
/// be found among the files `named` on the command line and in `directories`.
pub fn find<'a>(
    name: &str,
    mut named: impl Iterator<Item = &'a Path>,
    directories: &[PathBuf],
    grants: &Grants,
) -> Result<Source> {
    if name.contains('/') {
        return chosen(Path::new(name), grants);
    }
    match named.find(|path| path.file_stem().is_some_and(|stem| stem == name)) {
        Some(path) => Ok(Source::Named(path.to_owned())),
        None => by_name(name, directories).map(Source::Named),
    }
}

/// The `.wasm` at a path, whose ending may be omitted. Outside the grants existing and missing
/// files give the same result.
fn chosen(path: &Path, grants: &Grants) -> Result<Source> {
    let path = match path.extension() {
        Some(ending) if ending == "wasm" => path.to_owned(),
        Some(ending) if ending == "cwasm" => bail!(Unusable::ChosenBySql),
        _ => {
            let mut path = path.as_os_str().to_owned();
            path.push(".wasm");
            path.into()
        }
    };
    match grants.open_read(path.as_os_str().as_bytes()) {
        Ok(file) => Ok(Source::Chosen(path, file)),
        Err(error) => Err(anyhow!("cannot open the extension `{}`: {error}", escaped(&path))),
    }
}

/// The file of the extension that the user has typed: at a path, which has a `/` or the
/// ending of a component, or by its name in `directories`. A bare name is never a file of
/// the working directory, where SQL may have written it.
///
/// # Errors
///
/// When no directory has an extension of this name.
pub fn by_name_or_path(typed: &str, directories: &[PathBuf]) -> Result<PathBuf> {
    let is_path = typed.contains('/') || typed.ends_with(".wasm") || typed.ends_with(".cwasm");
    if is_path { Ok(typed.into()) } else { by_name(typed, directories) }
}

/// The file of the extension `name` in `directories`.
///
/// # Errors
///
/// When no directory has it; the error names the directories.
pub fn by_name(name: &str, directories: &[PathBuf]) -> Result<PathBuf> {
    let found = directories
        .iter()
        .flat_map(|directory| candidates(&directory.join(name)).collect::<Vec<_>>())
        .find(|path| path.is_file());
    found.ok_or_else(|| missing(name, directories))
}

fn missing(name: &str, directories: &[PathBuf]) -> anyhow::Error {
    let directory = |directory: &PathBuf| escaped(directory).to_string();
    let searched: Vec<_> = directories.iter().map(directory).collect();
    let hint = nearest(name, directories)
        .map_or(String::new(), |nearest| format!("; did you mean \"{}\"?", escaped(&nearest)));
    anyhow!(
        "no extension named \"{}\" in {}{hint}; add a directory with --extension-dir",
        escaped(name),
        searched.join(" or ")
    )
}

/// The name in `directories` that is most similar to `name`, if one is similar enough.
fn nearest(name: &str, directories: &[PathBuf]) -> Option<String> {
    let likeness = |found: Found| (strsim::jaro_winkler(name, &found.name), found.name);
    let alike = all(directories).into_iter().map(likeness).filter(|(one, _)| *one >= LIKENESS);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// An extension in one of the directories.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// Its name for loading.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Whether another one of this name is found first.
    pub hidden: bool,
}

/// All extensions in `directories`, in the order in which they are looked for.
pub fn all(directories: &[PathBuf]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for directory in directories {
        let mut files: Vec<PathBuf> =
            fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path()).collect();
        files.sort_by_key(|path| (path.file_stem().map(OsString::from), place(path)));
        for path in files.into_iter().filter(|path| place(path).is_some() && path.is_file()) {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            let hidden = all.iter().any(|other| other.name == name);
            all.push(Found { name: name.to_owned(), path, hidden });
        }
    }
    all
}

/// The index of a file's ending among those of extensions.
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

    use crate::filesystem::grants::{Access, Grant};

    #[test]
    fn names_are_looked_up_in_directories() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.wasm"), "").unwrap();
        let directories = [directory.path().to_owned()];
        let grants = Grants::default();
        let found = find("a", [].into_iter(), &directories, &grants).unwrap();
        assert!(matches!(found.identity(), Identity::Named { name: "a", .. }));
        assert_eq!(found.path(), directory.path().join("a.wasm"));
        let unknown = find("b", [].into_iter(), &directories, &grants).err().unwrap();
        assert!(unknown.to_string().contains("--extension-dir"));
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("series.wasm"), "").unwrap();
        let directories = [directory.path().to_owned()];
        assert!(by_name_or_path("series", &directories).is_ok());
        let error = by_name_or_path("serie", &directories).unwrap_err().to_string();
        assert!(error.contains("did you mean \"series\"?"), "{error}");
        assert!(!by_name("xyz", &directories).unwrap_err().to_string().contains("series"));
    }

    #[test]
    fn what_the_command_line_names_is_found_first() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.wasm"), "").unwrap();
        let named = [Path::new("/typed/a.wasm")];
        let directories = [directory.path().to_owned()];
        let found = find("a", named.into_iter(), &directories, &Grants::default()).unwrap();
        assert_eq!(found.path(), Path::new("/typed/a.wasm"));
    }

    #[test]
    fn all_are_listed_in_the_order_in_which_they_are_found() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (directory, file) in
            [(&first, "b.cwasm"), (&first, "b.wasm"), (&first, "no.txt"), (&second, "a.wasm")]
        {
            std::fs::write(directory.path().join(file), "").unwrap();
        }
        std::fs::write(second.path().join("b.wasm"), "").unwrap();
        let nowhere = first.path().join("nowhere");
        let found = all(&[first.path().to_owned(), nowhere, second.path().to_owned()]);
        let listed: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.hidden)).collect();
        assert_eq!(listed, [("b", false), ("b", true), ("a", false), ("b", true)]);
        assert!(found[0].path.ends_with("b.wasm"));
    }

    #[test]
    fn paths_must_be_granted_and_are_never_native_code() {
        let directory = tempfile::tempdir().unwrap();
        for file in ["a.wasm", "b.cwasm", "c"] {
            std::fs::write(directory.path().join(file), "").unwrap();
        }
        let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
        let look = |name: &str, grants: &Grants| find(&path(name), [].into_iter(), &[], grants);
        let error = |name: &str| look(name, &Grants::default()).err().unwrap().to_string();
        // Existing and missing files are not distinguished.
        assert_eq!(error("a").replace("/a.", "/x."), error("x"));
        let mut grants = Grants::default();
        grants.add(Grant::open(directory.path(), directory.path(), Access::ReadOnly).unwrap());
        let found = look("a", &grants).unwrap();
        assert!(matches!(found.identity(), Identity::Chosen(_)));
        for native in ["b", "b.cwasm", "c"] {
            assert!(look(native, &grants).is_err(), "{native}");
        }
    }
}
