//! The program's own files, when the user works in its directory: SQL must not
//! become the next program.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::support::attacker;
use crate::support::composed::shipped;
use crate::support::other_user;
use crate::support::{self, Directory, Input, Outcome};
use crate::{at_line_starts, payload_did_not_run};

/// The program with its files, in a directory where a user works.
struct Installed {
    directory: Directory,
}

const PROGRAM: &str = "sqlite-wasm-run";

impl Installed {
    fn fresh() -> Self {
        let installed = Self { directory: Directory::fresh("installed") };
        support::copy_runner(&installed.path(PROGRAM));
        let copy = |from: PathBuf, to: &str| {
            fs::copy(from, installed.path(to)).expect("there is room");
        };
        copy(support::own_component(), "cli.cwasm");
        copy(support::portable_component(), "cli.wasm");
        fs::create_dir(installed.path("extensions")).expect("the directory is ours");
        copy(shipped("uuid"), "extensions/uuid.wasm");
        let payload = attacker::native_payload(attacker::portable().as_ref());
        fs::write(installed.path("payload"), payload).expect("the directory is ours");
        installed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, args: &[&str], input: &str) -> Outcome {
        let command = support::command(&self.path(PROGRAM), args, &self.directory.path());
        support::finish(command, &Input::Bytes(at_line_starts(input).as_bytes()))
    }

    fn own_files(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let names = OWN.iter().chain(NEW);
        names.map(|&name| (name.to_owned(), fs::read(self.path(name)).ok())).collect()
    }
}

const OWN: &[&str] =
    &[PROGRAM, "sqlite-wasm-compile", "cli.cwasm", "cli.wasm", "extensions/uuid.wasm"];
const NEW: &[&str] = &["extensions/new.wasm", "extensions/uuid.cwasm", "extensions/grants.toml"];

#[test]
fn sql_does_not_replace_the_program() {
    let installed = Installed::fresh();
    let before = installed.own_files();
    let mut sql = String::new();
    for name in OWN.iter().chain(NEW) {
        sql += &format!(
            "SELECT writefile('{name}', readfile('payload'));
             .output {name}\nSELECT 'written';\n.output
             ATTACH '{name}' AS a; CREATE TABLE a.t(x); DETACH a;
             VACUUM INTO '{name}';\n.backup {name}\n.log {name}\n.log off\n"
        );
    }
    sql += "CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB);\n";
    for name in OWN.iter().chain(NEW) {
        sql += &format!("INSERT INTO sqlar VALUES('{name}', 33279, 0, 4, 'malicious');\n");
        sql += &format!(".archive --extract --file mine.db {name}\n");
    }
    let run = payload_did_not_run(installed.run(&["mine.db"], &sql));
    assert!(installed.own_files() == before, "the program's files have changed\n{run}");
    installed.run(&[":memory:", "SELECT 6 * 7"], "").exits_with(0).prints("42\n");
}

#[test]
fn a_component_does_not_replace_the_program() {
    let installed = Installed::fresh();
    let before = installed.own_files();
    let name = |name: &str| installed.path(name).display().to_string();
    let mut actions = Vec::new();
    for target in OWN.iter().chain(NEW) {
        for action in [
            "files-write",
            "files-create",
            "files-rewrite",
            "files-delete",
            "files-permissions",
            "wasi-write",
            "wasi-remove",
        ] {
            actions.push(format!("{action}={}", name(target)));
        }
        actions.push(format!("wasi-move={}::{}", name("payload"), name(target)));
        actions.push(format!("wasi-move={}::{}", name(target), name("moved")));
        actions.push(format!("wasi-hard-link={}::{}", name(target), name("linked")));
        actions.push(format!("files-write={}", name("linked")));
    }
    actions.push(format!("wasi-move={}::{}", name("extensions"), name("moved")));
    actions.push(format!("wasi-remove-directory={}", name("extensions")));
    for options in [&[][..], &["--dir", "."]] {
        let actions = actions.iter().map(String::as_str);
        let args: Vec<&str> =
            options.iter().copied().chain([attacker::component()]).chain(actions).collect();
        // One by one: what fails ends nothing.
        let run = installed.run(&args, "").exits_with(0);
        assert!(installed.own_files() == before, "the program's files have changed\n{run}");
        assert!(!run.out().contains(": done"), "something was done\n{run}");
    }
}

/// A component named on the command line is a file of the user's as well.
#[test]
fn a_component_does_not_replace_itself() {
    let directory = Directory::fresh("itself");
    let path = directory.path().join("named.cwasm");
    fs::copy(attacker::component(), &path).expect("there is room");
    let before = fs::read(&path).expect("it is ours");
    let name = path.display();
    let actions = ["files-write", "files-rewrite", "files-delete", "wasi-write", "wasi-remove"];
    let actions = actions.map(|action| format!("{action}={name}"));
    let actions = actions.iter().map(String::as_str);
    let args: Vec<&str> = ["--dir", ".", "named.cwasm"].into_iter().chain(actions).collect();
    let run = attacker::all_refused(support::ours(&directory.path(), &args));
    assert!(fs::read(&path).is_ok_and(|now| now == before), "it has changed\n{run}");
}

#[test]
fn databases_next_to_the_program_are_written() {
    let installed = Installed::fresh();
    let sql = "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (7);
        SELECT a FROM t; SELECT writefile('mine.txt', 'x');";
    installed.run(&["mine.db", sql], "").keeps_quiet().prints("wal\n7\n1\n");
}

/// What somebody without the key has put in the shell's place is not run; the
/// `.wasm` next to it is, or nothing.
#[test]
fn a_shell_that_was_replaced_is_not_run() {
    let installed = Installed::fresh();
    let payload = fs::read(installed.path("payload")).expect("it is ours");
    for planted in [&payload[..], attacker::parts(&payload).0] {
        fs::write(installed.path("cli.cwasm"), planted).expect("the directory is ours");
        let run = payload_did_not_run(installed.run(&[":memory:", "SELECT 6 * 7"], ""));
        run.exits_with(0).prints("42\n");
    }
    fs::remove_file(installed.path("cli.wasm")).expect("the directory is ours");
    let run = payload_did_not_run(installed.run(&[":memory:", "SELECT 6 * 7"], ""));
    run.exits_with(121).prints("");
}

/// A compiler that another user could have put next to the program.
#[test]
fn a_compiler_that_others_can_write_is_not_started() {
    let installed = Installed::fresh();
    let args = ["--no-cache", "cli.wasm", ":memory:", "SELECT 6 * 7"];
    for mode in [0o775, 0o757] {
        other_user::allow(&installed.path("sqlite-wasm-compile"), mode);
        let run = installed.run(&args, "").exits_with(121).prints("");
        run.complains("another user owns it or can write it");
    }
    other_user::allow(&installed.path("sqlite-wasm-compile"), 0o755);
    installed.run(&args, "").exits_with(0).prints("42\n");
}
