//! The program's own files, when the user works in its directory: SQL must not
//! become the next program.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::PathBuf;

use crate::support::attacker;
use crate::support::composed::shipped;
use crate::support::other_user;
use crate::support::{self, Directory, Input, Outcome};
use crate::{at_line_starts, payload_did_not_run};

/// Where the program's files are, in a directory where a user works.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// All in that directory.
    Flat,
    /// All in its `bin`.
    Bin,
    /// As a wheel of Python installs them: the program in `bin`, the others in `libexec`.
    Wheel,
    /// As `install.sh` does: all in `lib`, and a link in `bin`.
    Prefix,
}

const LAYOUTS: [Layout; 4] = [Layout::Flat, Layout::Bin, Layout::Wheel, Layout::Prefix];

impl Layout {
    /// The directories of the program and of its files.
    fn directories(self) -> [&'static str; 2] {
        match self {
            Self::Flat => ["."; 2],
            Self::Bin => ["bin"; 2],
            Self::Wheel => ["bin", "libexec/sqlite-wasm-run"],
            Self::Prefix => ["lib/sqlite-wasm-run"; 2],
        }
    }

    /// The user's name for the program.
    fn command(self) -> &'static str {
        match self {
            Self::Flat => PROGRAM,
            Self::Bin | Self::Wheel | Self::Prefix => "bin/sqlite-wasm-run",
        }
    }
}

/// An installation.
struct Installed {
    directory: Directory,
    layout: Layout,
}

const PROGRAM: &str = "sqlite-wasm-run";
const HELPER: &str = "sqlite-wasm-compile";
const SERVER: &str = "sqlite-wasm-serve";
const AGENTS: &str = "sqlite-wasm-mcp";
const FETCHER: &str = "sqlite-wasm-fetch";

impl Installed {
    fn fresh(layout: Layout) -> Self {
        let installed = Self { directory: Directory::fresh("installed"), layout };
        let [program, files] = layout.directories();
        for directory in [program, files, "bin"] {
            fs::create_dir_all(installed.path(directory)).expect("the directory is ours");
        }
        for directory in ["extensions", "kits/tooling/build", "lib", "share"] {
            fs::create_dir_all(installed.file(directory)).expect("the directory is ours");
        }
        support::copy_program(&support::our_binary(), &installed.path(program).join(PROGRAM));
        support::copy_program(&support::helper(), &installed.file(HELPER));
        let copy = |from: PathBuf, to: &str| {
            fs::copy(from, installed.file(to)).expect("there is room");
        };
        copy(support::own_component(), "cli.cwasm");
        copy(support::portable_component(), "cli.wasm");
        copy(shipped("uuid"), "extensions/uuid.wasm");
        for name in NOT_STARTED {
            fs::write(installed.file(name), "installed").expect("the directory is ours");
        }
        if matches!(layout, Layout::Prefix) {
            symlink("../lib/sqlite-wasm-run/sqlite-wasm-run", installed.path("bin").join(PROGRAM))
                .expect("the directory is ours");
        }
        let payload = attacker::native_payload(attacker::portable().as_ref());
        fs::write(installed.path("payload"), payload).expect("the directory is ours");
        installed
    }

    /// A path below the directory where the user works.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A path in the directory of the program's files.
    fn file(&self, name: &str) -> PathBuf {
        self.path(self.layout.directories()[1]).join(name)
    }

    fn run(&self, args: &[&str], input: &str) -> Outcome {
        let program = self.path(self.layout.command());
        let command = support::command(&program, args, &self.directory.path());
        support::finish(command, &Input::Bytes(at_line_starts(input).as_bytes()))
    }

    /// The paths that the next start could use, below the directory where the user works.
    fn targets(&self) -> Vec<String> {
        let [program, files] = self.layout.directories();
        let here = |name: &&str| format!("{files}/{name}");
        let mut targets: Vec<_> = OWN.iter().chain(NOT_STARTED).chain(NEW).map(here).collect();
        targets.push(self.layout.command().to_owned());
        targets.push(format!("{program}/{PROGRAM}"));
        // Where the files could be instead.
        for directory in ["bin", "libexec/sqlite-wasm-run"] {
            if matches!(self.layout, Layout::Bin | Layout::Wheel) {
                let names = OWN.iter().chain([&SERVER]);
                targets.extend(names.map(|name| format!("{directory}/{name}")));
            }
        }
        targets
    }

    fn contents(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let read = |name: String| {
            let content = fs::read(self.path(&name)).ok();
            (name, content)
        };
        self.targets().into_iter().map(read).collect()
    }

    /// Fails if something of the installation has changed, or the program has become another one.
    #[track_caller]
    fn is_unchanged(&self, before: &BTreeMap<String, Option<Vec<u8>>>, run: &Outcome) {
        let now = self.contents();
        let changed: Vec<_> = now.keys().filter(|name| now[*name] != before[*name]).collect();
        assert!(changed.is_empty(), "{:?}: changed: {changed:?}\n{run}", self.layout);
    }
}

/// Files that the program uses.
const OWN: &[&str] = &[HELPER, "cli.cwasm", "cli.wasm", "extensions/uuid.wasm"];
/// Files that are installed with it, and run by others.
const NOT_STARTED: &[&str] = &[
    SERVER,
    AGENTS,
    FETCHER,
    "database.wasm",
    "lib/libsqlite3.so.0",
    "install.sh",
    "kits/tooling/build/python-extension",
    "share/completion.bash",
];
/// Files that would be used, too.
const NEW: &[&str] = &[
    "database.cwasm",
    "extensions/new.wasm",
    "extensions/uuid.cwasm",
    "extensions/grants.toml",
    "lib/libc.so.6",
];

#[test]
fn sql_does_not_replace_the_program() {
    for layout in LAYOUTS {
        let installed = Installed::fresh(layout);
        let before = installed.contents();
        let mut sql = String::from(
            "SELECT writefile('libexec', NULL, 16877);
             SELECT writefile('libexec/sqlite-wasm-run', NULL, 16877);
             CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB);\n",
        );
        for name in installed.targets() {
            sql += &format!(
                "SELECT writefile('{name}', readfile('payload'));
                 .output {name}\nSELECT 'written';\n.output
                 ATTACH '{name}' AS a; CREATE TABLE a.t(x); DETACH a;
                 VACUUM INTO '{name}';\n.backup {name}\n.log {name}\n.log off
                 INSERT OR IGNORE INTO sqlar VALUES('{name}', 33279, 0, 9, 'malicious');
                 .archive --extract --file mine.db {name}\n"
            );
        }
        let run = payload_did_not_run(installed.run(&["mine.db"], &sql));
        installed.is_unchanged(&before, &run);
        let run =
            payload_did_not_run(installed.run(&["--no-cache", ":memory:", "SELECT 6 * 7"], ""));
        run.exits_with(0).prints("42\n");
    }
}

#[test]
fn a_component_does_not_replace_the_program() {
    for layout in LAYOUTS {
        let installed = Installed::fresh(layout);
        let before = installed.contents();
        let name = |name: &str| installed.path(name).display().to_string();
        let mut actions = Vec::new();
        for target in installed.targets() {
            for action in [
                "files-write",
                "files-create",
                "files-rewrite",
                "files-delete",
                "files-permissions",
                "wasi-write",
                "wasi-remove",
            ] {
                actions.push(format!("{action}={}", name(&target)));
            }
            actions.push(format!("wasi-move={}::{}", name("payload"), name(&target)));
            actions.push(format!("wasi-move={}::{}", name(&target), name("moved")));
            actions.push(format!("wasi-hard-link={}::{}", name(&target), name("linked")));
            actions.push(format!("files-write={}", name("linked")));
        }
        let [program, files] = layout.directories();
        for directory in [program, files, "bin", "libexec", "libexec/sqlite-wasm-run"] {
            if directory != "." && matches!(layout, Layout::Bin | Layout::Wheel) {
                actions.push(format!("wasi-create-directory={}", name(directory)));
                actions.push(format!("wasi-move={}::{}", name(directory), name("moved")));
                actions.push(format!("wasi-remove-directory={}", name(directory)));
                actions.push(format!("wasi-link={}::payload", name(directory)));
            }
        }
        for directory in ["extensions", "lib", "share"] {
            let directory = format!("{files}/{directory}");
            actions.push(format!("wasi-move={}::{}", name(&directory), name("moved")));
            actions.push(format!("wasi-remove-directory={}", name(&directory)));
        }
        for options in [&[][..], &["--dir", "."], &["--dir", "..", "--dir", files]] {
            let actions = actions.iter().map(String::as_str);
            let args: Vec<&str> =
                options.iter().copied().chain([attacker::component()]).chain(actions).collect();
            // One by one: what fails ends nothing.
            let run = installed.run(&args, "").exits_with(0);
            installed.is_unchanged(&before, &run);
            assert!(!run.out().contains(": done"), "{layout:?}: something was done\n{run}");
        }
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
    let installed = Installed::fresh(Layout::Flat);
    let sql = "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (7);
        SELECT a FROM t; SELECT writefile('mine.txt', 'x');";
    installed.run(&["mine.db", sql], "").keeps_quiet().prints("wal\n7\n1\n");
}

/// A shell that somebody without the key has replaced is not run; the `.wasm` next to it is, or
/// nothing.
#[test]
fn a_shell_that_was_replaced_is_not_run() {
    let installed = Installed::fresh(Layout::Flat);
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

/// Programs that another user could have put next to the program.
#[test]
fn programs_that_others_can_write_are_not_started() {
    let installed = Installed::fresh(Layout::Flat);
    fs::remove_file(installed.file(SERVER)).expect("the directory is ours");
    let server = support::our_binary().with_file_name(SERVER);
    support::copy_program(&server, &installed.file(SERVER));
    let compile = ["--no-cache", "cli.wasm", ":memory:", "SELECT 6 * 7"];
    let check = |program_mode: u32, mode: u32, is_started: bool| {
        other_user::allow(&installed.path(PROGRAM), program_mode);
        for name in [HELPER, SERVER] {
            other_user::allow(&installed.file(name), mode);
        }
        let runs = [installed.run(&compile, ""), installed.run(&["serve", "--version"], "")];
        for (run, refused) in runs.into_iter().zip([121, 120]) {
            if is_started {
                run.exits_with(0).keeps_quiet()
            } else {
                run.exits_with(refused).complains("another user owns it or can write it")
            };
        }
    };
    for (program_mode, mode, is_started) in [
        (0o755, 0o775, false),
        (0o755, 0o757, false),
        (0o755, 0o755, true),
        // The group can replace the program anyway.
        (0o775, 0o775, true),
        (0o777, 0o777, false),
    ] {
        check(program_mode, mode, is_started);
    }
    // Another group; only root can give files to one of which it is not a member.
    let is_given = [HELPER, SERVER].map(|name| chown(installed.file(name), None, Some(4242)));
    if is_given.iter().all(Result::is_ok) {
        check(0o775, 0o775, false);
        check(0o775, 0o755, true);
    }
}

/// Links of the user's on the way: one that leads nowhere yet, and another name of a file.
#[test]
fn sql_does_not_replace_the_program_behind_links() {
    let installed = Installed::fresh(Layout::Bin);
    symlink("later", installed.path("libexec")).expect("the directory is ours");
    fs::hard_link(installed.file(HELPER), installed.path("linked")).expect("the directory is ours");
    let helper = fs::read(installed.file(HELPER)).expect("it is ours");
    let sql = "SELECT writefile('later', NULL, 16877);
        SELECT writefile('later/sqlite-wasm-run', NULL, 16877);
        SELECT writefile('linked', 'malicious');
        SELECT writefile('control', NULL, 16877);";
    installed.run(&[":memory:"], sql);
    assert!(installed.path("control").is_dir(), "nothing was tried");
    let name = |name: &str| installed.path(name).display().to_string();
    let actions = [
        format!("wasi-create-directory={}", name("later")),
        format!("wasi-move={}::{}", name("control"), name("later")),
        format!("wasi-remove={}", name("libexec")),
        format!("files-write={}", name("linked")),
    ];
    attacker::all_refused(
        installed.run(
            &[&["--dir", ".", attacker::component()], &actions.each_ref().map(String::as_str)[..]]
                .concat(),
            "",
        ),
    );
    assert!(!installed.path("later").exists(), "the link leads to a directory");
    assert!(fs::read(installed.file(HELPER)).is_ok_and(|now| now == helper), "it has changed");
}
