//! What the user did not type is granted less: `/`, dotfiles of the home, and
//! what is next to the target of a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::attacker::{self, all_done, all_refused, attack};
use crate::support::place::{Place, SECRET};
use crate::support::{self, Directory, Input, Outcome};

#[test]
fn the_root_as_working_directory_grants_nothing() {
    let place = Place::fresh("root");
    let file = place.name("outside/secret.sql");
    let new = place.name("outside/new");
    let args = [
        ":memory:",
        &format!("SELECT readfile('{file}') IS NULL, readfile('{}') IS NULL;", &file[1..]),
        &format!("SELECT count(*) FROM fsdir('{}')", place.name("outside")),
        &format!("SELECT writefile('{new}', 'x')"),
    ];
    for args in [&args[..2], &[args[0], args[2]], &[args[0], args[3]]] {
        let run = support::ours(Path::new("/"), args);
        assert!(!run.out().contains('0') && !run.out().contains(SECRET), "it was read\n{run}");
    }
    let actions = [
        format!("wasi-read={file}"),
        format!("files-read={file}"),
        format!("wasi-write={new}"),
        format!("files-create={new}"),
        "wasi-read=/etc/hostname".into(),
    ];
    all_refused(attack(Path::new("/"), &[], &actions));
    assert!(!place.path("outside/new").exists(), "it was written");
}

#[test]
fn a_database_elsewhere_works_from_the_root() {
    let place = Place::fresh("elsewhere");
    let database = place.name("inside/test.db");
    let sql =
        "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (7); SELECT a FROM t;";
    let run = support::ours(Path::new("/"), &[&database, sql]);
    run.keeps_quiet().exits_with(0).prints("wal\n7\n");
    // A relative name, and what was typed.
    let run = support::ours(Path::new("/"), &[&database[1..], "SELECT a FROM t;"]);
    run.keeps_quiet().prints("7\n");
    let read = format!("SELECT readfile('{}') IS NULL;", place.name("outside/secret.sql"));
    let granted = ["--dir", "/", ":memory:", &read];
    support::ours(Path::new("/"), &granted).prints("0\n");
}

/// `/proc/self` is the runner: its memory, its key, its environment.
#[test]
fn the_kernels_directories_are_never_granted() {
    let reads =
        ["/proc/self/environ", "/proc/self/status", "/proc/thread-self/comm", "/sys/kernel/ostype"];
    let both = reads.map(|path| [format!("wasi-read={path}"), format!("files-read={path}")]);
    let inside =
        ["/proc", "/proc/self", "/sys"].map(|path| format!("wasi-inside={path}::self/status"));
    let actions = [both.concat(), inside.to_vec()].concat();
    for directory in ["/", "/proc", "/proc/self", "/sys"] {
        all_refused(attack(Path::new(directory), &[], &actions));
    }
    all_refused(attack(Path::new("/"), &["--dir", "/"], &actions));
    for path in ["/proc", "/proc/self", "/proc:ro", "/sys", "/proc/self/fd::/x"] {
        let run = support::ours(Path::new("/"), &["--dir", path, ":memory:", "SELECT 1;"]);
        assert!(
            run.err().contains("belongs to the kernel") && run.out().is_empty(),
            "`{path}`\n{run}"
        );
    }
    // A working directory there does not make the run fail.
    support::ours(Path::new("/proc"), &[":memory:", "SELECT 1;"]).prints("1\n");
}

/// A database in `/`, as containers have them. It is removed whatever happens.
#[test]
fn a_database_in_the_root_grants_itself() {
    let name = format!("/sqlite-wasm-run-attack-{}.db", std::process::id());
    if fs::write(&name, "").is_err() {
        // Another user cannot make one, so nobody has one.
        return;
    }
    let _removed = Removed(&name);
    let place = Place::fresh("in-root");
    let secret = place.name("outside/secret.sql");
    for mode in ["delete", "wal"] {
        let sql = format!(
            "PRAGMA journal_mode = {mode}; CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (7);
             SELECT max(a), readfile('{secret}') IS NULL, readfile('/etc/passwd') IS NULL FROM t;"
        );
        for directory in [Path::new("/"), &place.path("inside")] {
            let run = support::ours(directory, &[&name, &sql]);
            run.prints(&format!("{mode}\n7|1|1\n"));
        }
    }
    let beside = format!("{name}.other");
    let sql = format!("SELECT writefile('{beside}', 'x');");
    support::ours(Path::new("/"), &[&name, &sql]);
    let made = fs::remove_file(&beside).is_ok();
    assert!(!made, "a file beside the database was made");
}

struct Removed<'a>(&'a str);

impl Drop for Removed<'_> {
    fn drop(&mut self) {
        for end in ["", "-journal", "-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{end}", self.0));
        }
    }
}

/// A home where the user works.
fn home() -> Directory {
    let home = Directory::fresh("home");
    for directory in [".ssh", ".config", "project/.hidden"] {
        fs::create_dir_all(home.path().join(directory)).expect("the directory is ours");
    }
    for file in [".bashrc", ".ssh/key", ".config/file", "project/.hidden/file"] {
        fs::write(home.path().join(file), SECRET).expect("the directory is ours");
    }
    symlink(".ssh", home.path().join("visible")).expect("the directory is ours");
    symlink(".bashrc", home.path().join("script")).expect("the directory is ours");
    home
}

/// Names of files that begin with a dot, somewhere.
const HIDDEN: &[&str] = &[
    ".bashrc",
    ".ssh/key",
    ".config/file",
    "visible/key",
    "script",
    "project/../.bashrc",
    "./././.ssh/key",
    ".new",
    ".ssh/new",
    "visible/new",
    ".profile",
];

#[test]
fn dotfiles_of_the_home_are_neither_read_nor_written() {
    let home = home();
    for name in HIDDEN {
        let sql = format!(
            "SELECT readfile('{name}') IS NOT NULL;\nSELECT writefile('{name}', 'malicious');
             ATTACH '{name}' AS a; CREATE TABLE a.t(x);\nVACUUM INTO '{name}';
             .output {name}\nSELECT 'malicious';\n.output\n.save {name}\n"
        );
        let run = crate::script(&home.path(), &[], &[], &sql);
        assert!(!run.out().contains('1'), "`{name}` was read\n{run}");
        untouched(&home, &run);
        let path = home.path().join(name).display().to_string();
        let mut actions = vec![
            "files-read",
            "files-write",
            "files-create",
            "files-rewrite",
            "files-permissions",
            "wasi-read",
            "wasi-write",
        ];
        // A link to a dotfile is a file of the home like others, and may go.
        if name != &"script" {
            actions.extend(["files-delete", "wasi-remove"]);
        }
        let actions: Vec<_> = actions.iter().map(|action| format!("{action}={path}")).collect();
        let run = all_refused(attack(&home.path(), &[], &actions));
        untouched(&home, &run);
    }
    let move_ = |from: &str, to: &str| {
        format!(
            "wasi-move={}::{}",
            home.path().join(from).display(),
            home.path().join(to).display()
        )
    };
    let actions = [move_(".ssh", "taken"), move_(".bashrc", "taken"), move_("project", ".profile")];
    untouched(&home, &all_refused(attack(&home.path(), &[], &actions)));
}

/// Also when the home is reached by the database's directory, from elsewhere.
#[test]
fn dotfiles_next_to_a_database_in_the_home_are_not_written() {
    let home = home();
    let place = Place::fresh("work");
    let database = home.path().join("test.db").display().to_string();
    let sql = format!(
        "CREATE TABLE t(a); SELECT writefile('{0}/.bashrc', 'malicious'), writefile('{0}/.new', 'malicious');",
        home.path().display()
    );
    let mut command =
        support::command(&support::our_binary(), &[&database, &sql], &place.path("inside"));
    command.env("HOME", home.path());
    let run = support::finish(command, &Input::Nothing);
    untouched(&home, &run);
    assert!(home.path().join("test.db").exists(), "the database was not made\n{run}");
}

#[track_caller]
fn untouched(home: &Directory, run: &Outcome) {
    for file in [".bashrc", ".ssh/key", ".config/file"] {
        let content = fs::read_to_string(home.path().join(file));
        assert!(content.is_ok_and(|text| text == SECRET), "`{file}` has changed\n{run}");
    }
    for file in [".new", ".ssh/new", ".profile", "taken"] {
        assert!(fs::symlink_metadata(home.path().join(file)).is_err(), "`{file}` is new\n{run}");
    }
}

#[test]
fn dotfiles_are_reached_where_they_are_granted_or_elsewhere() {
    let home = home();
    let path = |name: &str| home.path().join(name).display().to_string();
    let actions = |name: &str| {
        ["files-read", "files-write", "wasi-read", "wasi-write"]
            .map(|action| format!("{action}={}", path(name)))
    };
    all_done(attack(&home.path(), &["--dir", "."], &actions(".bashrc")));
    all_done(attack(&home.path(), &["--dir", "."], &actions("visible/key")));
    all_done(attack(&home.path(), &[], &actions("project/.hidden/file")));
    // The working directory below the home is granted with its dotfiles.
    let mut command = support::command(
        &support::our_binary(),
        &[&[attacker::component().to_owned()][..], &actions("project/.hidden/file")].concat(),
        &home.path().join("project"),
    );
    command.env("HOME", home.path());
    all_done(support::finish(command, &Input::Nothing));
}

/// A link to a database grants that database, and not its directory.
#[test]
fn a_linked_database_grants_itself_alone() {
    let place = Place::fresh("linked");
    fs::create_dir(place.path("elsewhere")).expect("the directory is ours");
    fs::write(place.path("elsewhere/file"), SECRET).expect("the directory is ours");
    symlink("../elsewhere/real.db", place.path("inside/link.db")).expect("the directory is ours");
    for mode in ["delete", "wal", "persist"] {
        let sql = format!(
            "PRAGMA journal_mode = {mode}; CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (7);
             SELECT max(a) FROM t;"
        );
        let run = place.run(&["link.db", &sql]);
        run.keeps_quiet().prints(&format!("{mode}\n7\n"));
    }
    let [file, new] = ["elsewhere/file", "elsewhere/new"].map(|name| place.name(name));
    let sql = format!("SELECT readfile('{file}') IS NULL;\nSELECT writefile('{new}', 'x');");
    let run = place.run(&["link.db", &sql]);
    assert!(run.out().starts_with("1\n"), "a file beside the target was read\n{run}");
    assert!(!place.path("elsewhere/new").exists(), "a file beside the target was made\n{run}");
    // The target by its own name grants its directory.
    let target = place.name("elsewhere/real.db");
    let sql = format!("SELECT readfile('{file}') IS NULL;");
    place.run(&[&target, &sql]).keeps_quiet().prints("0\n");
}
