//! The grants of a connection: the directory of its database, those of `SQLITE_WASM_GRANTS`, and those
//! that the program gives it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::str;

use anyhow::{Context, Result, ensure};
use runtime::extensions::ExtensionGrants;
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

/// Add what the program grants one connection: directories as in the variable, whose own take
/// precedence, and `NAME=WORDS` for an extension, as in the runner's `--grant`.
///
/// # Errors
///
/// When a directory is missing, or a word is invalid.
pub fn of_program(
    recipe: &mut Recipe,
    extensions: &mut ExtensionGrants,
    words: &[&[u8]],
) -> Result<()> {
    for word in words {
        match extension_grant(word) {
            Some(grant) => extensions.add(grant)?,
            None => add(recipe, word)?,
        }
    }
    Ok(())
}

/// A word that begins with the name of an extension and `=`. A directory of this name is `./NAME=…`.
fn extension_grant(word: &[u8]) -> Option<&str> {
    let text = str::from_utf8(word).ok()?;
    let (name, _) = text.split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (!name.is_empty() && name.bytes().all(is_name)).then_some(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_not_taken_for_the_grant_of_an_extension() {
        for grant in ["csv=dir:/srv", "ann_read=dir:/srv:ro,sql", "x-1="] {
            assert_eq!(extension_grant(grant.as_bytes()), Some(grant));
        }
        for path in ["/srv/a=b", "./csv=dir:/srv", "a b=c", "=", "=sql", "data", "", "\u{e4}=sql"] {
            assert_eq!(extension_grant(path.as_bytes()), None, "{path}");
        }
        assert_eq!(extension_grant(b"csv=\xff"), None);
    }

    #[test]
    fn what_cannot_be_granted_is_an_error() {
        let (mut recipe, mut extensions) = (Recipe::of_user(), ExtensionGrants::default());
        for word in ["/nothing/here", "/proc", "csv=dir:/nothing/here", "csv=everything"] {
            let granted = of_program(&mut recipe, &mut extensions, &[word.as_bytes()]);
            assert!(granted.is_err(), "{word}");
        }
    }
}
