//! A database: its file, its journals, and their location.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustix::fs::{Access, access, fstatfs};
use sqlite_wasm_runtime::filesystem::files::can_share_memory;
use sqlite_wasm_runtime::installation::owner::OTHERS_WRITE;

use super::Finding;
use super::native;
use super::version::Version;
use crate::commands::directory_of;

/// The start of every database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The part of the header that names the journal mode: the versions that a program needs to
/// write and to read the file. See SQLite's "Database File Format", section 1.3.
const VERSIONS: std::ops::Range<usize> = 18..20;

/// Both versions of a database in WAL mode.
const WAL: [u8; 2] = [2, 2];

/// The suffixes of a database's other files.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The file systems in memory, `tmpfs` and `ramfs`. See `statfs(2)`.
const IN_MEMORY: [u32; 2] = [0x0102_1994, 0x8584_58f6];

/// Check the database at `path`.
pub fn check(path: &Path, native: Option<Version>) -> Vec<Finding> {
    // SQLite's other files are in the directory of the database itself, not of a link to it.
    let target = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
    let path = target.as_deref().unwrap_or(path);
    let (file, is_wal) = match header(path) {
        Ok(header) => header,
        Err(error) => {
            let remedy = "name a database that exists and that you may read";
            return vec![Finding::problem("database", format!("{error:#}"), remedy)];
        }
    };
    let mut findings =
        vec![journal(is_wal), file_system(is_in_memory(&file), can_share_memory(&file), is_wal)];
    findings.extend(native::check_shared(native).filter(|_| is_wal));
    findings.push(directory(directory_of(path), is_wal));
    findings.push(mode("database", path, file.metadata().ok()));
    let beside = BESIDE.iter().map(|ending| with_ending(path, ending));
    let existing = beside.filter_map(|path| path.symlink_metadata().ok().map(|data| (path, data)));
    findings.extend(existing.map(|(path, data)| mode("beside it", &path, Some(data))));
    findings
}

/// The open file, and whether it is in WAL mode.
fn header(path: &Path) -> Result<(File, bool)> {
    let read = || -> Result<(File, bool)> {
        // Opening a pipe would wait for a writer.
        ensure!(fs::metadata(path)?.is_file(), "it is not a regular file");
        let mut file = File::open(path)?;
        let mut header = Vec::new();
        file.by_ref().take(100).read_to_end(&mut header)?;
        ensure!(header.is_empty() || header.starts_with(MAGIC), "it is not a database");
        let is_wal = header.get(VERSIONS).is_some_and(|versions| versions == WAL);
        Ok((file, is_wal))
    };
    read().with_context(|| format!("`{}` cannot be used", path.display()))
}

fn journal(is_wal: bool) -> Finding {
    if is_wal {
        Finding::ok("journal", "WAL mode: readers and a writer do not wait for each other")
    } else {
        Finding::note(
            "journal",
            "a rollback journal: readers wait for a writer",
            "`PRAGMA journal_mode=WAL` changes that, and Litestream needs it",
        )
    }
}

fn is_in_memory(file: &File) -> bool {
    // The type of the field differs between machines, its 32 bits do not.
    fstatfs(file).is_ok_and(|status| IN_MEMORY.contains(&(status.f_type as u32)))
}

fn file_system(is_in_memory: bool, can_share_memory: bool, is_wal: bool) -> Finding {
    let remedy = "programs share a WAL only on a local file system; move the database, or leave \
                  WAL mode";
    if is_in_memory {
        return Finding::note(
            "file system",
            "in memory: programs may share a WAL",
            "the database is lost when the machine stops; move it if it must last",
        );
    }
    match (can_share_memory, is_wal) {
        (true, _) => Finding::ok("file system", "local: programs may share a WAL"),
        (false, true) => Finding::problem("file system", "on another machine", remedy),
        (false, false) => Finding::note("file system", "on another machine", remedy),
    }
}

/// Whether SQLite can create the journals, which it does for each change, and in WAL mode to read.
fn directory(path: &Path, is_wal: bool) -> Finding {
    if access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok() {
        return Finding::ok("directory", format!("{}: journals can be made", path.display()));
    }
    let found = format!("{}: you cannot create files in it", path.display());
    if is_wal {
        Finding::problem(
            "directory",
            found,
            "in WAL mode the database cannot be read either, unless a program that can has it open",
        )
    } else {
        Finding::note("directory", found, "the database can be read, but not written")
    }
}

/// Whether this user can write the file, and whether others can.
fn mode(check: &'static str, path: &Path, data: Option<Metadata>) -> Finding {
    let Some(data) = data else {
        return Finding::problem(check, path.display().to_string(), "it cannot be looked at");
    };
    let bits = data.mode() & 0o7777;
    let found = format!("{}: mode {bits:04o}, {} bytes", path.display(), data.len());
    if !data.is_file() {
        return Finding::problem(check, found, "it is not a regular file: SQLite refuses it");
    }
    match bits & OTHERS_WRITE {
        0 if access(path, Access::WRITE_OK).is_err() => {
            Finding::note(check, found, "you cannot write it")
        }
        0 => Finding::ok(check, found),
        _ => Finding::note(
            check,
            found,
            "others can write it: `chmod go-w`, unless you share it with a group",
        ),
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn a_wal_on_another_machine_is_a_problem() {
        let found = |is_wal| file_system(false, false, is_wal);
        assert_eq!(
            (found(true).state, found(true).found.as_str()),
            (State::Problem, "on another machine")
        );
        assert_eq!(
            (found(false).state, found(false).found.as_str()),
            (State::Note, "on another machine")
        );
        assert_eq!(file_system(false, true, true).state, State::Ok);
        assert_eq!(file_system(true, true, true).state, State::Note);
    }
}
