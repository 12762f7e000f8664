//! The files that are installed with this process's program: other programs,
//! components, extensions, the C library.
//!
//! They are in the directory of the program, or [`elsewhere`] if that directory has
//! none of them. A later start looks again, so [`all`] names each path where it could
//! find one, for the masks that keep SQL from writing there.

use std::env;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use rustix::fs::{Mode, OFlags};

use crate::installation::owner::{EVERYBODY_WRITES, THIS_PROGRAM, is_trusted};

/// The program that compiles, inspects and composes.
pub const HELPER: &str = "sqlite-wasm-compile";

/// The program that serves.
pub const SERVER: &str = "sqlite-wasm-serve";

/// The program that serves agents.
pub const AGENTS: &str = "sqlite-wasm-mcp";

/// The program that fetches extensions.
pub const FETCHER: &str = "sqlite-wasm-fetch";

/// A directory with one of these has the files of the program.
const PARTS: [&str; 6] =
    [HELPER, "cli.cwasm", "cli.wasm", "database.cwasm", "database.wasm", "database-checked.cwasm"];

/// The other files of packages that somebody could run or load later.
const OTHERS: [&str; 11] = [
    "sqlite-wasm-run",
    SERVER,
    AGENTS,
    FETCHER,
    "extensions",
    "kits",
    LIBRARY,
    "install.sh",
    "share/completion.bash",
    "share/completion.zsh",
    "share/completion.fish",
];

const LIBRARY: &str = "lib/libsqlite3.so.0";

/// The directory of a program in `bin`, where a Python wheel has to put a
/// command: a wheel has no symbolic links, and a script costs a millisecond.
const BESIDE_BIN: &str = "libexec/sqlite-wasm-run";

/// Directories that hold nothing else, by the ends of their paths.
const UNSHARED: [&str; 2] = [BESIDE_BIN, "lib/sqlite-wasm-run"];

/// The path of `name` in the directory of the program's files.
///
/// # Errors
///
/// When the system does not say where the program is.
pub fn path(name: &str) -> Result<PathBuf> {
    // A start requests a dozen paths.
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(directory) = DIRECTORY.get() {
        return Ok(directory.join(name));
    }
    let program = env::current_exe().context("failed to find this program's own path")?;
    let owner = fs::metadata(THIS_PROGRAM).map(|found| found.uid()).unwrap_or_default();
    let directory = directory(program.parent().unwrap_or(&program), owner);
    Ok(DIRECTORY.get_or_init(|| directory).join(name))
}

/// The path of each file that this program or a later start of it could use,
/// whether the file exists or not.
pub fn all() -> Vec<PathBuf> {
    let Ok(program) = env::current_exe() else { return Vec::new() };
    let beside = program.parent().unwrap_or(&program);
    let directories = [Some(beside.to_owned()), elsewhere(beside)].into_iter().flatten();
    let mut files: Vec<_> = directories.flat_map(|directory| installed_in(&directory)).collect();
    files.extend(link(&program));
    files.push(program);
    files
}

/// The same for a `directory` of an installation.
pub fn installed_in(directory: &Path) -> Vec<PathBuf> {
    if !directory.is_dir() {
        return vec![directory.to_owned()];
    }
    let mut files: Vec<_> = PARTS.iter().chain(&OTHERS).map(|name| directory.join(name)).collect();
    if UNSHARED.iter().any(|end| directory.ends_with(end)) {
        files.push(directory.to_owned());
    }
    let library = directory.join(LIBRARY);
    // The loader looks for other libraries in its directory.
    files.extend(library.parent().filter(|_| library.exists()).map(Path::to_owned));
    files
}

/// A program of the installation, opened: exactly this file is checked, and started by its handle.
///
/// # Errors
///
/// When it is missing, or somebody can have put it there who could not replace this program.
pub fn opened(program: &Path) -> Result<File> {
    let file =
        File::from(rustix::fs::open(program, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?);
    let is_trusted = is_trusted(&file.metadata()?)?;
    ensure!(is_trusted, "another user owns it or can write it; install it again");
    Ok(file)
}

/// The link through which the user started `program`, if any: another file with this name would
/// be started instead. (The kernel has the name too, in the auxiliary vector, but who reads that
/// without the C library crashes under valgrind.)
fn link(program: &Path) -> Option<PathBuf> {
    let typed = PathBuf::from(env::args_os().next()?);
    let names = match typed.components().count() {
        1 => env::split_paths(&env::var_os("PATH")?).map(|found| found.join(&typed)).collect(),
        _ => vec![typed],
    };
    let of = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    // A descriptor in /proc, or a relative name, may mean something else by now.
    let this = of(Path::new(THIS_PROGRAM))?;
    let mut names = names.into_iter().filter_map(|name| std::path::absolute(name).ok());
    names.find(|name| of(name) == Some(this)).filter(|name| name != program)
}

/// The directory of the files of a program of `owner`: `beside` it, or elsewhere if nothing is
/// there. Files that somebody puts next to the program are no worse than a replaced program.
fn directory(beside: &Path, owner: u32) -> PathBuf {
    let has_parts = |directory: &Path| PARTS.iter().any(|name| directory.join(name).exists());
    let is_better =
        |other: &PathBuf| !has_parts(beside) && has_parts(other) && is_owners(other, owner);
    elsewhere(beside).filter(is_better).unwrap_or_else(|| beside.to_owned())
}

/// The other directory that can have the files of a program in the directory `beside`.
fn elsewhere(beside: &Path) -> Option<PathBuf> {
    let above = beside.parent()?;
    match beside.file_name()?.as_bytes() {
        b"bin" => Some(above.join(BESIDE_BIN)),
        // Cargo's, of tests and examples.
        b"deps" | b"examples" => Some(above.to_owned()),
        _ => None,
    }
}

/// Whether nobody but root and the `owner` can have put the directory there. Anybody may create
/// files in `/tmp/bin/..`.
fn is_owners(directory: &Path, owner: u32) -> bool {
    let is_owners = |path: &Path| {
        // Who made a link chose where it leads.
        fs::symlink_metadata(path).is_ok_and(|found| {
            [0, owner].contains(&found.uid())
                && (found.is_symlink() || found.mode() & EVERYBODY_WRITES == 0)
        })
    };
    directory.ancestors().take(2).all(is_owners)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, lchown};

    use super::*;

    /// A prefix with a file of the program in each of `directories`.
    fn installed(directories: &[&str]) -> tempfile::TempDir {
        let prefix = tempfile::tempdir().unwrap();
        for directory in directories {
            let directory = prefix.path().join(directory);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(HELPER), "").unwrap();
        }
        prefix
    }

    /// Fails unless the files of a program in `beside` are in `expected`.
    #[track_caller]
    fn check(prefix: &tempfile::TempDir, beside: &str, expected: &str) {
        let owner = fs::metadata(prefix.path()).unwrap().uid();
        let found = directory(&prefix.path().join(beside), owner);
        assert_eq!(found, prefix.path().join(expected));
    }

    #[test]
    fn a_program_in_bin_has_a_directory_of_its_own() {
        let prefix = installed(&[BESIDE_BIN]);
        check(&prefix, "bin", BESIDE_BIN);
        check(&prefix, "sbin", "sbin");
        check(&installed(&[]), "bin", "bin");
    }

    #[test]
    fn files_beside_the_program_win() {
        check(&installed(&["bin", BESIDE_BIN]), "bin", "bin");
    }

    #[test]
    fn tests_and_examples_of_cargo_have_the_files_of_the_programs() {
        let prefix = installed(&["target/release"]);
        check(&prefix, "target/release/deps", "target/release");
        check(&prefix, "target/release/examples", "target/release");
        check(&prefix, "target/release/other", "target/release/other");
    }

    #[test]
    fn a_directory_that_somebody_else_can_have_made_is_not_the_programs() {
        let prefix = installed(&[BESIDE_BIN]);
        let files = prefix.path().join(BESIDE_BIN);
        let owner = fs::metadata(&files).unwrap().uid();
        assert!(is_owners(&files, owner));
        // Root's would do for any program; only root can give it away.
        if lchown(&files, Some(4242), None).is_ok() {
            assert!(!is_owners(&files, owner));
            assert!(is_owners(&files, 4242));
        }
        fs::set_permissions(&files, fs::Permissions::from_mode(0o757)).unwrap();
        assert!(!is_owners(&files, 4242));
    }

    #[test]
    fn what_a_later_start_could_find_is_named() {
        let prefix = installed(&["lib/sqlite-wasm-run"]);
        let files = prefix.path().join("lib/sqlite-wasm-run");
        assert!(installed_in(&files).contains(&files));
        let bin = prefix.path().join("bin");
        assert_eq!(installed_in(&bin), std::slice::from_ref(&bin));
        fs::create_dir_all(bin.join("lib")).unwrap();
        assert!(!installed_in(&bin).contains(&bin.join("lib")));
        fs::write(bin.join(LIBRARY), "").unwrap();
        assert!(installed_in(&bin).contains(&bin.join("lib")));
        assert!(!installed_in(&bin).contains(&bin));
    }
}
