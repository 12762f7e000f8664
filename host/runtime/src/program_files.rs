//! The files that are installed with this process's program: components, the
//! compile helper, the server, extensions.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context, Result};

/// What holds them for a program in `bin`, where a Python wheel has to put a
/// command: a wheel has no symbolic links, and a script costs a millisecond.
const BESIDE_BIN: [&str; 2] = ["libexec", "sqlite-wasm-run"];

/// The path of `name`, beside the program or, where the program is in a
/// directory `bin`, in `../libexec/sqlite-wasm-run`, if that exists.
///
/// # Errors
///
/// When the system does not say where the program is.
pub fn path(name: &str) -> Result<PathBuf> {
    // A start asks for a dozen.
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(directory) = DIRECTORY.get() {
        return Ok(directory.join(name));
    }
    let program = env::current_exe().context("failed to find this program's own path")?;
    let owner = fs::metadata(&program).map(|found| found.uid()).unwrap_or_default();
    let directory = beside_bin(&program, owner);
    let directory = directory.or_else(|| program.parent().map(Path::to_owned)).unwrap_or_default();
    Ok(DIRECTORY.get_or_init(|| directory).join(name))
}

/// Such a directory of this `program`. Where anybody may create files, as in
/// `/tmp/bin/..`, it could be somebody else's than the program's `owner`.
fn beside_bin(program: &Path, owner: u32) -> Option<PathBuf> {
    let bin = program.parent().filter(|directory| directory.ends_with("bin"))?;
    let mut directory = bin.parent()?.to_owned();
    for name in BESIDE_BIN {
        directory.push(name);
        // Who made a link chose where it leads.
        let found = fs::symlink_metadata(&directory).ok()?;
        if ![0, owner].contains(&found.uid()) {
            return None;
        }
    }
    Some(directory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::lchown;

    use super::*;

    /// A program in `bin` and one in `sbin`, without a directory for their files.
    fn installed() -> tempfile::TempDir {
        let prefix = tempfile::tempdir().unwrap();
        for directory in ["bin", "sbin", "libexec"] {
            fs::create_dir(prefix.path().join(directory)).unwrap();
        }
        prefix
    }

    #[test]
    fn a_program_in_bin_has_a_directory_of_its_own() {
        let prefix = installed();
        let owner = prefix.path().metadata().unwrap().uid();
        let [in_bin, in_sbin] =
            ["bin", "sbin"].map(|name| prefix.path().join(name).join("program"));
        assert_eq!(beside_bin(&in_bin, owner), None);
        let files = prefix.path().join("libexec/sqlite-wasm-run");
        fs::create_dir(&files).unwrap();
        assert_eq!(beside_bin(&in_bin, owner), Some(files));
        assert_eq!(beside_bin(&in_sbin, owner), None);
    }

    #[test]
    fn another_users_directory_is_not_the_programs() {
        let prefix = installed();
        let files = prefix.path().join("libexec/sqlite-wasm-run");
        fs::create_dir(&files).unwrap();
        // Root's would do for any program; only root can give it away.
        let _ = lchown(&files, Some(4242), None);
        assert_eq!(beside_bin(&prefix.path().join("bin/program"), 4243), None);
    }
}
