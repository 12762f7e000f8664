//! The runner's own files stay closed whatever is granted, and what nobody has
//! typed is granted less.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{self, Directory, Input, Outcome, hostile, our_binary};

/// Runs `program` in `directory`, which is its home, with all its own directories
/// below it.
fn at_home(program: &Path, directory: &Path, args: &[&str]) -> Outcome {
    let mut command = support::command(program, args, directory);
    for name in ["CACHE", "DATA", "CONFIG", "STATE"] {
        command.env(format!("XDG_{name}_HOME"), directory.join(name.to_lowercase()));
    }
    command.env("SQLITE_HISTORY", directory.join("history"));
    support::finish(command, &Input::Nothing)
}

/// Fails unless SQL can write this file, or cannot, as `may` says.
#[track_caller]
fn writes(run: impl Fn(&[&str]) -> Outcome, name: &str, may: bool) {
    let run = run(&[":memory:", &format!("SELECT writefile('{name}', 'x') IS NOT NULL")]);
    assert_eq!(run.out().trim() == "1", may, "writing `{name}`\n{run}");
}

/// Fails unless each action of the hostile component is done, or refused.
#[track_caller]
fn actions(directory: &Path, actions: &[&str], done: bool) {
    for action in actions {
        let run = at_home(&our_binary(), directory, &["--dir", ".", hostile::component(), action]);
        assert_eq!(run.out().contains("done"), done, "`{action}`\n{run}");
    }
}

/// A home with something in each directory of the runner.
fn home(name: &str) -> Directory {
    let directory = Directory::fresh(name);
    for own in ["cache", "data", "config", "state"] {
        fs::create_dir_all(directory.path().join(own).join("sqlite-wasm-run/inner")).unwrap();
        let file = directory.path().join(own).join("sqlite-wasm-run/inner/file");
        fs::write(file, "own").unwrap();
    }
    support::take_key(&directory.path().join("state"));
    fs::write(directory.path().join("history"), "typed").unwrap();
    fs::write(directory.path().join("free"), "free").unwrap();
    fs::hard_link(directory.path().join("history"), directory.path().join("linked")).unwrap();
    symlink("cache", directory.path().join("link")).unwrap();
    directory
}

#[test]
fn own_directories_and_the_history_are_closed_to_sql() {
    let directory = home("sql");
    let run = |args: &[&str]| {
        let args: Vec<_> = ["--dir", "."].iter().chain(args).copied().collect();
        at_home(&our_binary(), &directory.path(), &args)
    };
    for directory in ["cache", "data", "config", "state"] {
        writes(run, &format!("{directory}/sqlite-wasm-run/inner/file"), false);
        writes(run, &format!("{directory}/sqlite-wasm-run/new"), false);
        writes(run, &format!("{directory}/other"), true);
        let read = format!("SELECT readfile('{directory}/sqlite-wasm-run/inner/file') IS NULL");
        run(&[":memory:", &read]).prints("1\n");
    }
    writes(run, "link/sqlite-wasm-run/new", false);
    writes(run, "history", false);
    writes(run, "linked", false);
    assert_eq!(fs::read(directory.path().join("history")).unwrap(), b"typed");
    writes(run, "free", true);
}

/// What the command line trusts by its name, and what the next start would run.
#[test]
fn trusted_files_are_read_and_not_written() {
    let directory = home("trusted");
    let path = |name: &str| directory.path().join(name);
    fs::write(path("grants.toml"), "[define]\ngrants = [\"sql\"]\n").unwrap();
    fs::create_dir(path("config/sqlite3")).unwrap();
    fs::write(path("config/sqlite3/sqliterc"), "").unwrap();
    fs::write(path("native.cwasm"), "").unwrap();
    let run = |args: &[&str]| {
        let options = ["--dir", ".", "--grants", "grants.toml", "--allow-native", "native.cwasm"];
        let args: Vec<_> = options.iter().chain(args).copied().collect();
        at_home(&our_binary(), &directory.path(), &args)
    };
    for name in ["grants.toml", "native.cwasm", "config/sqlite3/sqliterc"] {
        writes(run, name, false);
        run(&[":memory:", &format!("SELECT readfile('{name}') IS NULL")]).prints("0\n");
    }
    writes(run, "free", true);
}

#[test]
fn own_directories_are_closed_to_any_component() {
    let directory = home("component");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (cache, own) = (path("cache"), path("cache/sqlite-wasm-run"));
    let refused = [
        format!("read={own}/inner/file"),
        format!("write={own}/inner/file"),
        format!("files-read={own}/inner/file"),
        format!("files-write={own}/inner/file"),
        format!("write={own}/new"),
        format!("files-write={own}/new"),
        format!("list={own}"),
        format!("move={cache}::{cache}-moved"),
        format!("move={own}::{own}-moved"),
        format!("move={}::{own}", path("free")),
        format!("remove-directory={own}"),
        format!("make-directory={own}/new"),
        format!("hard-link={own}/inner/file::{}", path("got")),
        format!("hard-link={}::{own}/got", path("free")),
        format!("read={}", path("history")),
        format!("write={}", path("linked")),
        format!("files-write={}", path("linked")),
        format!("remove={}", path("history")),
        format!("move={}::{}", path("free"), path("history")),
    ];
    actions(&directory.path(), &refused.each_ref().map(String::as_str), false);
    let done = [
        format!("read={}", path("free")),
        format!("files-write={}", path("free")),
        format!("hard-link={}::{}", path("free"), path("got")),
        format!("make-directory={}", path("cache/new")),
        format!("move={}::{}", path("cache/new"), path("cache/newer")),
        format!("remove-directory={}", path("cache/newer")),
        format!("remove={}", path("got")),
    ];
    actions(&directory.path(), &done.each_ref().map(String::as_str), true);
    assert_eq!(fs::read(directory.path().join("history")).unwrap(), b"typed");
}

/// The program with its component, and a database next to them.
#[test]
fn the_programs_own_files_are_only_read() {
    let directory = Directory::fresh("program");
    let program = directory.path().join("sqlite-wasm-run");
    support::copy_runner(&program);
    support::copy_program(&support::own_component(), &directory.path().join("cli.cwasm"));
    let home = Directory::fresh("home");
    let run = |args: &[&str]| {
        let mut command = support::command(&program, args, &directory.path());
        command.env("HOME", home.path());
        support::finish(command, &Input::Nothing)
    };
    let compiled = fs::read(directory.path().join("cli.cwasm")).unwrap();
    for name in [
        "cli.cwasm",
        "cli.wasm",
        "sqlite-wasm-run",
        "sqlite-wasm-compile",
        "extensions",
        "extensions/x.wasm",
    ] {
        writes(run, name, false);
    }
    fs::create_dir(directory.path().join("extensions")).unwrap();
    writes(run, "extensions/x.wasm", false);
    writes(run, "beside", true);
    run(&["my.db", "PRAGMA journal_mode=wal; CREATE TABLE t(a); SELECT 1"])
        .exits_with(0)
        .prints("wal\n1\n");
    assert_eq!(fs::read(directory.path().join("cli.cwasm")).unwrap(), compiled);
}

#[test]
fn a_component_does_not_write_its_own_file_or_its_extensions() {
    let directory = Directory::fresh("named");
    let path = directory.path();
    let component = path.join("hostile.cwasm");
    fs::copy(hostile::component(), &component).unwrap();
    fs::create_dir(path.join("ext")).unwrap();
    let names = ["hostile.cwasm", "ext/x.wasm", "free"].map(|name| path.join(name));
    for (name, may) in names.iter().zip([false, false, true]) {
        let action = format!("write={}", name.display());
        let args = ["--extension-dir", "ext", "hostile.cwasm", &action];
        let run = support::ours(&path, &args);
        assert_eq!(run.out().contains("done"), may, "{run}");
    }
}

#[test]
fn dotfiles_of_the_home_are_closed_unless_they_are_named() {
    let directory = Directory::fresh("dots");
    let home = directory.path();
    fs::create_dir_all(home.join(".config/app")).unwrap();
    fs::create_dir(home.join("work")).unwrap();
    symlink("../.config", home.join("work/link")).unwrap();
    let in_home = |args: &[&str]| support::ours(&home, args);
    for name in [".bashrc", ".config/new", ".config/app/new", "work/../.profile"] {
        writes(in_home, name, false);
    }
    writes(in_home, "work/link/new", false);
    writes(in_home, "plain", true);
    writes(in_home, "work/.plain", true);
    let named = |args: &[&str]| {
        let args: Vec<_> = ["--dir", "."].iter().chain(args).copied().collect();
        support::ours(&home, &args)
    };
    writes(named, ".bashrc", true);
    writes(named, "work/link/new", true);
    let run = in_home(&[":memory:", "SELECT writefile('.profile', 'x')"]);
    run.complains(&format!("--dir {}", home.display()));
}

#[test]
fn a_database_among_dotfiles_grants_itself() {
    let directory = Directory::fresh("dot-database");
    let home = directory.path();
    fs::create_dir_all(home.join(".config/app")).unwrap();
    fs::write(home.join(".config/app/secret"), "secret").unwrap();
    let script = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);
                  SELECT a FROM t; SELECT readfile('.config/app/secret') IS NULL";
    let outside = Directory::fresh("elsewhere");
    for (name, from) in [(".config/app/x.db", home.clone()), (".y.db", home.clone())] {
        let run = support::ours(&from, &[name, script]).exits_with(0);
        assert_eq!(run.out(), "wal\n1\n1\n", "{run}");
    }
    let name = home.join(".config/app/z.db").display().to_string();
    let mut command = support::command(&our_binary(), &[&name, script], &outside.path());
    command.env("HOME", &home);
    support::finish(command, &Input::Nothing).exits_with(0).prints("wal\n1\n1\n");
}

/// Runs our program in `/`.
fn at_root(directory: &Path, args: &[&str]) -> Outcome {
    let mut command: Command = support::command(&our_binary(), args, directory);
    command.current_dir("/");
    support::finish(command, &Input::Nothing)
}

#[test]
fn the_root_is_granted_only_by_name() {
    let directory = Directory::fresh("root");
    let path = directory.path();
    let file = path.join("file").display().to_string();
    fs::write(&file, "content").unwrap();
    let read = format!("SELECT readfile('{}') IS NULL", &file[1..]);
    at_root(&path, &[":memory:", &read]).prints("1\n").complains("--dir /");
    at_root(&path, &["--dir", "/", ":memory:", &read]).prints("0\n").keeps_quiet();
    // The database's own directory is another matter.
    let database = path.join("x.db").display().to_string();
    at_root(&path, &[&database[1..], "CREATE TABLE t(a)", &read]).exits_with(0).prints("0\n");
}

/// Only where this user may write there.
#[test]
fn a_database_in_the_root_grants_itself() {
    let directory = Directory::fresh("root-database");
    let name = format!("/sqlite-wasm-run-test-{}.db", std::process::id());
    if fs::write(&name, "").is_err() {
        return;
    }
    let script = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);
                  SELECT a FROM t; SELECT readfile('/etc/passwd') IS NULL";
    let run = at_root(&directory.path(), &[&name, script]);
    let paths = ["", "-wal", "-shm", "-journal"].map(|end| PathBuf::from(format!("{name}{end}")));
    paths.iter().for_each(|path| drop(fs::remove_file(path)));
    run.exits_with(0).prints("wal\n1\n1\n");
}

#[test]
fn what_was_typed_decides_inside_it() {
    let directory = Directory::fresh("typed");
    let path = directory.path();
    fs::create_dir(path.join("sub")).unwrap();
    support::natively(&path, &["sub/x.db", "CREATE TABLE t(a)"]).exits_with(0);
    let read_only = ["--dir", ".:ro", "sub/x.db", "INSERT INTO t VALUES (1)"];
    support::ours(&path, &read_only).complains("readonly");
    support::ours(&path, &["sub/x.db", "INSERT INTO t VALUES (1)"]).exits_with(0);
}

#[test]
fn a_read_only_directory_stays_so_by_every_way() {
    let directory = Directory::fresh("inner");
    let path = directory.path();
    fs::create_dir_all(path.join("inner/deep")).unwrap();
    fs::write(path.join("inner/file"), "file").unwrap();
    symlink("inner", path.join("link")).unwrap();
    symlink("inner/deep", path.join("deep")).unwrap();
    let name = |name: &str| path.join(name).display().to_string();
    let attempt = |action: String, may: bool| {
        let args = ["--dir", "inner:ro", hostile::component(), action.as_str()];
        let run = support::ours(&path, &args);
        assert_eq!(run.out().contains("done"), may, "`{action}`\n{run}");
    };
    for way in ["write", "files-write", "make-directory"] {
        for place in ["inner/new", "link/new", "deep/new", "link/../inner/new"] {
            attempt(format!("{way}={}", name(place)), false);
        }
        attempt(format!("{way}={}", name(way)), true);
    }
    attempt(format!("move={}::{}", name("inner"), name("moved")), false);
    attempt(format!("remove={}", name("link/file")), false);
    attempt(format!("hard-link={}::{}", name("link/file"), name("got")), false);
    attempt(format!("files-read={}", name("link/file")), true);
    attempt(format!("read={}", name("link/file")), true);
    assert_eq!(fs::read(path.join("inner/file")).unwrap(), b"file");
}

#[test]
fn a_component_has_a_bounded_number_of_open_files() {
    let directory = Directory::fresh("many");
    fs::write(directory.path().join("file"), "file").unwrap();
    let action = format!("open-all={}", directory.path().join("file").display());
    support::ours(&directory.path(), &[hostile::component(), &action])
        .exits_with(0)
        .prints("opened: few\nread: done \"file\"\n");
}
