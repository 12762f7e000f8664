//! Names that are not text: whatever the native shell does with them, ours does.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::support::{self, Directory, Input, Outcome, native, our_binary};

/// Runs `program` in the directory `name` below `directory`.
fn run(program: &Path, directory: &Path, name: &[u8], args: &[&[u8]], script: &[u8]) -> Outcome {
    let mut command = support::command(program, &[] as &[&str], directory);
    command.current_dir(directory.join(OsStr::from_bytes(name)));
    command.args(args.iter().map(|arg| OsStr::from_bytes(arg)));
    support::finish(command, &Input::Bytes(script))
}

/// All files below a directory, with the content of those that are no databases.
fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("it is ours") {
        let path = entry.expect("it is ours").path();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(name, content)| {
                (PathBuf::from(path.file_name().expect("it has one")).join(name), content)
            }));
            continue;
        }
        let content = fs::read(&path).expect("it is ours");
        let content = if content.starts_with(b"SQLite format 3") { Vec::new() } else { content };
        found.push((path.file_name().expect("it has one").into(), content));
    }
    found.sort();
    found
}

/// Fails unless ours answers as the native shell does, and leaves the same files.
#[track_caller]
fn same(directory: &[u8], args: &[&[u8]], script: &[u8]) {
    let results = [our_binary(), native()].map(|program| {
        let fresh = Directory::fresh("names");
        let inner = fresh.path().join(OsStr::from_bytes(directory));
        fs::create_dir_all(&inner).expect("the directory is ours");
        fs::write(inner.join(OsStr::from_bytes(b"\xfd.csv")), b"a\n\xff\n").expect("ours");
        fs::write(inner.join(OsStr::from_bytes(b"\xfd.sql")), b"SELECT hex('\xff');\n")
            .expect("the directory is ours");
        fs::create_dir_all(inner.join(OsStr::from_bytes(b"sub\xfc"))).expect("ours");
        let outcome = run(&program, &fresh.path(), directory, args, script);
        let left = files(&fresh.path());
        (outcome, left)
    });
    let [(ours, left), (native, native_left)] = results;
    assert_eq!(ours.end, native.end, "{ours}\nnatively\n{native}");
    assert_eq!(ours.stdout, native.stdout, "{ours}\nnatively\n{native}");
    assert_eq!(ours.stderr, native.stderr, "{ours}\nnatively\n{native}");
    assert_eq!(left, native_left, "{ours}\nnatively\n{native}");
}

const SCRIPT: &[u8] = b"CREATE TABLE t(a); INSERT INTO t VALUES (x'ff'); SELECT hex(a) FROM t;\n";

#[test]
fn a_database_may_have_any_name() {
    same(b".", &[b"\xff.db"], SCRIPT);
    same(b".", &[b"sub\xfc/\xff\xfe.db"], SCRIPT);
    same(b".", &[b"file:%ff.db"], SCRIPT);
    let wal = [b"PRAGMA journal_mode=wal;", SCRIPT].concat();
    same(b".", &[b"\xff.db"], &wal);
}

#[test]
fn sql_on_the_command_line_may_have_any_bytes() {
    same(b".", &[b":memory:", b"SELECT hex('\xff\xc3')"], b"");
    same(b".", &[b"-cmd", b"SELECT hex('\xff')", b":memory:", b"SELECT 1"], b"");
}

#[test]
fn the_working_directory_may_have_any_name() {
    same(b"work\xfb", &[b"my.db"], SCRIPT);
    same(b"work\xfb", &[b"\xff.db", b"ATTACH '\xfe.db' AS x; CREATE TABLE x.t(a)"], b"");
}

#[test]
fn files_that_sql_and_the_shell_name_may_have_any_name() {
    for script in [
        &b"ATTACH '\xfe.db' AS x; CREATE TABLE x.t(a);\n"[..],
        b".import \xfd.csv t\nSELECT hex(a) FROM t;\n",
        b".read \xfd.sql\n",
        b".open sub\xfc/\xfe.db\nCREATE TABLE t(a);\n",
        b".output \xfe.txt\nSELECT 1;\n",
        b".once sub\xfc/\xfe.txt\nSELECT 1;\n",
        b"CREATE TABLE t(a);\n.save \xfe.db\n",
        b"CREATE TABLE t(a);\n.backup \xfe.db\n",
        b"CREATE TABLE t(a); VACUUM INTO '\xfe.db';\n",
        b".cd sub\xfc\n.output x\nSELECT 1;\n",
        b"SELECT hex(readfile('\xfd.sql')), writefile('\xfe', 'x');\n",
        b"ATTACH 'none\xfe/x.db' AS x;\n",
    ] {
        same(b".", &[b":memory:"], script);
    }
}

/// By every name that a user may type.
#[test]
fn a_directory_of_any_name_can_be_granted() {
    let directory = Directory::fresh("granted");
    let path = directory.path();
    let odd = path.join(OsStr::from_bytes(b"\xf9"));
    fs::create_dir(&odd).expect("the directory is ours");
    let script = b"ATTACH '../\xf9/x.db' AS x; CREATE TABLE x.t(a);\n";
    fs::create_dir(path.join("work")).expect("the directory is ours");
    let refused = run(&our_binary(), &path, b"work", &[b":memory:"], script);
    assert!(!refused.stderr.is_empty() && !odd.join("x.db").exists(), "{refused}");
    run(&our_binary(), &path, b"work", &[b"--dir", b"../\xf9", b":memory:"], script)
        .exits_with(0)
        .keeps_quiet();
    assert!(odd.join("x.db").exists());
}
