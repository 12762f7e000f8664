//! `doctor`: what it finds of this machine, of a native `sqlite3` and of databases.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use sqlite_wasm_runtime::artifact::compiler::HELPER;

use crate::support::composed::shipped;
use crate::support::other_user::{Stage, allow};
use crate::support::{self, Directory, Input, Outcome};

/// Runs `doctor` where the only program on the `PATH` is a `sqlite3` of this version.
fn doctor(directory: &Path, version: &str, args: &[&str]) -> Outcome {
    let programs = directory.join("programs");
    fs::create_dir_all(&programs).unwrap();
    let text = format!("#!/bin/sh\necho '{version} 2026-01-01 (64-bit)'\n");
    script(&programs.join("sqlite3"), &text);
    doctor_of(&support::our_binary(), directory, programs.as_os_str(), args)
}

/// Runs `doctor` of a program.
fn doctor_of(program: &Path, directory: &Path, path: &OsStr, args: &[&str]) -> Outcome {
    let args: Vec<&str> = ["doctor"].iter().chain(args).copied().collect();
    let mut command = support::command(program, &args, directory);
    command.env("PATH", path);
    support::finish(command, &Input::Nothing)
}

/// Makes a script that can be started.
fn script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    allow(path, 0o755);
}

/// A database with one table, in this journal mode.
fn database(directory: &Path, mode: &str) {
    let sql = format!("PRAGMA journal_mode={mode}; CREATE TABLE IF NOT EXISTS t(x);");
    support::natively(directory, &["my.db", &sql]).exits_with(0);
    fs::set_permissions(directory.join("my.db"), Permissions::from_mode(0o644)).unwrap();
}

fn states(outcome: &Outcome) -> Vec<(String, String)> {
    let findings: Vec<Value> = serde_json::from_str(&outcome.out()).unwrap();
    let word = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (word(finding, "check"), word(finding, "state"))).collect()
}

#[test]
fn all_is_well_here() {
    let directory = Directory::fresh("doctor");
    database(&directory.path(), "WAL");
    let outcome = doctor(&directory.path(), "3.51.3", &["my.db", "--json"]).exits_with(0);
    let states = states(&outcome);
    let checks: Vec<&str> = states.iter().map(|(check, _)| check.as_str()).collect();
    let expected = [
        "version",
        "shell",
        "compiler",
        "server",
        "server for agents",
        "key",
        "cache",
        "extensions",
        "memory",
        "sqlite3",
        "journal",
        "file system",
        "directory",
        "database",
        "Landlock",
        "seccomp",
    ];
    assert_eq!(checks, expected);
    assert!(states.iter().all(|(_, state)| state == "ok"), "{}", outcome.out());
}

/// As in a wheel of Python, and as `pip` installs it where the group may write.
#[test]
fn an_installation_is_checked_as_a_start_checks_it() {
    let directory = Directory::fresh("doctor");
    let path = |name: &str| directory.path().join(name);
    let program = path("sqlite-wasm-run");
    support::copy_runner(&program);
    fs::copy(support::portable_component(), path("cli.wasm")).unwrap();
    fs::create_dir(path("extensions")).unwrap();
    fs::copy(shipped("uuid"), path("extensions/uuid.wasm")).unwrap();
    let check = |modes: [u32; 3], code: i32, line: &str| {
        for (name, mode) in ["sqlite-wasm-run", HELPER, "extensions"].iter().zip(modes) {
            allow(&path(name), mode);
        }
        let outcome = doctor_of(&program, &directory.path(), OsStr::new(""), &[]).exits_with(code);
        assert!(outcome.out().lines().any(|found| found.starts_with(line)), "{line}\n{outcome}");
    };
    let shell = format!("ok       shell        {}, compiled at", path("cli.wasm").display());
    check([0o755; 3], 0, &shell);
    let compiler = format!("compiler     {}", path(HELPER).display());
    check([0o775; 3], 0, &format!("ok       {compiler}"));
    check([0o755, 0o775, 0o755], 1, &format!("problem  {compiler}: another user owns it or can"));
    let extensions = format!("extensions   {}", path("extensions").display());
    check([0o755, 0o755, 0o757], 0, &format!("note     {extensions}: another user owns it or"));
    fs::remove_file(path(HELPER)).unwrap();
    let outcome = doctor_of(&program, &directory.path(), OsStr::new(""), &[]).exits_with(1);
    assert!(outcome.out().contains(&format!("problem  {compiler}: No such file")), "{outcome}");
}

/// Neither one that runs on, nor one of the working directory.
#[test]
fn not_every_sqlite3_is_asked() {
    let directory = Directory::fresh("doctor");
    script(&directory.path().join("sqlite3"), "#!/bin/sh\nwhile :; do :; done\n");
    for path in [directory.path().as_os_str(), ".".as_ref(), ":".as_ref()] {
        let outcome = doctor_of(&support::our_binary(), &directory.path(), path, &[]).exits_with(0);
        assert!(outcome.out().contains("no native `sqlite3` on the PATH prints"), "{outcome}");
    }
}

#[test]
fn an_old_sqlite3_beside_a_wal_is_a_problem() {
    let directory = Directory::fresh("doctor");
    database(&directory.path(), "WAL");
    let outcome = doctor(&directory.path(), "3.40.1", &["my.db"]).exits_with(1);
    assert!(
        outcome.out().contains("problem  journal      in WAL mode, which native `sqlite3` 3.40.1")
    );
    database(&directory.path(), "DELETE");
    let outcome = doctor(&directory.path(), "3.40.1", &["my.db"]).exits_with(0);
    assert!(outcome.out().contains("note     sqlite3      native `sqlite3` 3.40.1"));
}

#[test]
fn files_that_are_no_database_are_a_problem() {
    let directory = Directory::fresh("doctor");
    fs::write(directory.path().join("a\u{1b}.db"), "something else, and long enough").unwrap();
    let outcome = doctor(&directory.path(), "3.51.3", &["a\u{1b}.db"]).exits_with(1);
    let line = "problem  database     `a\\u{1b}.db` cannot be used: it is not a database\n";
    assert!(outcome.out().contains(line), "{}", outcome.out());
    doctor(&directory.path(), "3.51.3", &["missing.db"]).exits_with(1);
}

#[test]
fn others_that_write_and_odd_journals_are_told() {
    let directory = Directory::fresh("doctor");
    database(&directory.path(), "WAL");
    let file = directory.path().join("my.db");
    fs::set_permissions(file, Permissions::from_mode(0o666)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", directory.path().join("my.db-journal")).unwrap();
    let outcome = doctor(&directory.path(), "3.51.3", &["my.db"]).exits_with(1);
    assert!(outcome.out().contains("note     database     my.db: mode 0666"));
    assert!(outcome.out().contains("problem  beside it    my.db-journal: mode 0777"));
}

/// SQLite creates files next to the database, in WAL mode also to read it.
#[test]
fn a_directory_without_permission_to_write_is_found() {
    let stage = Stage::set();
    let directory = stage.directory("data");
    for (mode, state) in [("DELETE", "note"), ("WAL", "problem")] {
        allow(&directory, 0o777);
        database(&directory, mode);
        allow(&directory, 0o555);
        let outcome = stage.run(&stage.ours(), &["doctor", "my.db"], &directory);
        let expected = format!("{state:8} directory    .: you cannot create files in it\n");
        assert!(outcome.out().contains(&expected), "{mode}: {}", outcome.out());
    }
}

#[test]
fn a_database_in_memory_and_links_are_looked_at() {
    let memory = tempfile::tempdir_in("/dev/shm").expect("Linux has it");
    database(memory.path(), "DELETE");
    fs::write(memory.path().join("my.db-wal"), "").unwrap();
    let directory = Directory::fresh("doctor");
    std::os::unix::fs::symlink(memory.path().join("my.db"), directory.path().join("link.db"))
        .unwrap();
    let outcome = doctor(&directory.path(), "3.51.3", &["link.db"]).exits_with(0);
    assert!(outcome.out().contains("note     file system  in memory"), "{}", outcome.out());
    assert!(outcome.out().contains("my.db-wal: mode"), "{}", outcome.out());
    let outcome = doctor(&directory.path(), "3.51.3", &["/dev/null"]).exits_with(1);
    assert!(outcome.out().contains("`/dev/null` cannot be used: it is not a regular file\n"));
}
