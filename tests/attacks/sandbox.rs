//! Nothing outside the granted directories is read or written, by whatever name
//! and through whatever command of the shell.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::place::{Place, SECRET, fail_for};
use crate::support::{self, Outcome};

/// Commands that read the text file `NAME`.
const TEXT_READERS: &[&[&str]] = &[
    &[".read NAME"],
    // The first line names the columns.
    &[".import NAME t", ".schema"],
    &[".import NAME t", "CREATE TABLE u(a)", ".import NAME u", "SELECT a FROM u"],
    &["SELECT readfile('NAME')"],
    &["SELECT data FROM fsdir('NAME')"],
    &[".archive --create NAME", "SELECT data FROM sqlar"],
];

/// Commands that read the database `NAME`.
const DATABASE_READERS: &[&[&str]] = &[
    &[".open NAME", "SELECT a FROM t"],
    &[".open --readonly NAME", "SELECT a FROM t"],
    &[".open --deserialize NAME", "SELECT a FROM t"],
    &[".restore NAME", "SELECT a FROM t"],
    &["ATTACH 'NAME' AS x", "SELECT a FROM x.t"],
    &["ATTACH 'file:NAME' AS x", "SELECT a FROM x.t"],
    &["ATTACH 'file:NAME?mode=ro&immutable=1' AS x", "SELECT a FROM x.t"],
    &["ATTACH 'file:NAME?vfs=unix' AS x", "SELECT a FROM x.t"],
];

/// Commands that read the zip archive `NAME`.
const ZIP_READERS: &[&[&str]] =
    &[&["SELECT data FROM zipfile('NAME')"], &[".open --zip NAME", "SELECT data FROM zip"]];

/// Commands that write the file `NAME`.
const WRITERS: &[&[&str]] = &[
    &[".output NAME", "SELECT 1"],
    &[".once NAME", "SELECT 1"],
    &[".once --bom NAME", "SELECT 1"],
    &["SELECT writefile('NAME', 'x')"],
    &["SELECT writefile('NAME', 'x', 511, 1)"],
    &["SELECT writefile('NAME', NULL, 16877)"],
    &["SELECT writefile('NAME', 'inner', 41471)"],
    &["CREATE TABLE u(a)", ".save NAME"],
    &["CREATE TABLE u(a)", ".backup NAME"],
    &["CREATE TABLE u(a)", ".backup --append main NAME"],
    &["CREATE TABLE u(a)", "VACUUM INTO 'NAME'"],
    &["CREATE TABLE u(a)", ".clone NAME"],
    &[".open NAME", "CREATE TABLE u(a)"],
    &[".open --new NAME", "CREATE TABLE u(a)"],
    &[".open --append NAME", "CREATE TABLE u(a)"],
    &["ATTACH 'NAME' AS x", "CREATE TABLE x.u(a)"],
    &["ATTACH 'file:NAME?mode=rwc' AS x", "CREATE TABLE x.u(a)"],
    &[".log NAME", "SELECT x"],
    &[".trace NAME", "SELECT 1"],
    &[".archive --create --file NAME inner"],
    &[
        "CREATE VIRTUAL TABLE temp.z USING zipfile('NAME')",
        "INSERT INTO z(name, data) VALUES ('a', 'b')",
    ],
];

/// A directory whose `inside` has every kind of link that leads to `outside`.
struct Linked(Place);

impl std::ops::Deref for Linked {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.0
    }
}

impl Linked {
    fn fresh(name: &str) -> Self {
        let place = Place::fresh(name);
        let outside = place.path("outside");
        let link = |target: &Path, name: &str| {
            symlink(target, place.path("inside").join(name)).expect("the directory is ours");
        };
        for file in ["secret.sql", "secret.db", "secret.zip", "new"] {
            link(&Path::new("../outside").join(file), &format!("link-{file}"));
            link(&outside.join(file), &format!("absolute-link-{file}"));
            link(format!("link-{file}").as_ref(), &format!("chain-{file}"));
        }
        link("../outside".as_ref(), "directory-link");
        link(&outside, "absolute-directory-link");
        Self(place)
    }

    /// All names in `inside` that could mean a file outside.
    fn names(&self, file: &str) -> Vec<String> {
        let outside = self.path("outside").display().to_string();
        vec![
            format!("../outside/{file}"),
            format!("inner/../../outside/{file}"),
            format!("../inside-not/{file}"),
            format!("{outside}/{file}"),
            format!("/{outside}/./{file}"),
            format!("{}/../outside/{file}", self.path("inside").display()),
            format!("link-{file}"),
            format!("absolute-link-{file}"),
            format!("chain-{file}"),
            format!("directory-link/{file}"),
            format!("directory-link/../outside/{file}"),
            format!("absolute-directory-link/{file}"),
            format!("/proc/self/root{outside}/{file}"),
            format!("/proc/self/cwd/../outside/{file}"),
            format!("/proc/1/root{outside}/{file}"),
        ]
    }

    /// Runs each of `commands` with each name of `file`, on a database in
    /// memory.
    fn attempts(&self, commands: &[&[&str]], file: &str) -> Vec<Outcome> {
        let names = self.names(file);
        let pairs = names.iter().flat_map(|name| commands.iter().map(move |words| (name, words)));
        pairs.map(|(name, words)| self.attempt(words, name)).collect()
    }

    fn attempt(&self, words: &[&str], name: &str) -> Outcome {
        let words: Vec<String> = words.iter().map(|word| word.replace("NAME", name)).collect();
        let args = std::iter::once(":memory:").chain(words.iter().map(String::as_str));
        self.run(&args.collect::<Vec<_>>())
    }
}

#[test]
fn text_files_outside_are_not_read() {
    let place = Linked::fresh("text");
    place.is_closed_to(&place.attempts(TEXT_READERS, "secret.sql"));
}

#[test]
fn databases_outside_are_not_read() {
    let place = Linked::fresh("database");
    place.is_closed_to(&place.attempts(DATABASE_READERS, "secret.db"));
}

#[test]
fn zip_archives_outside_are_not_read() {
    let place = Linked::fresh("zip");
    place.is_closed_to(&place.attempts(ZIP_READERS, "secret.zip"));
}

#[test]
fn files_outside_are_not_overwritten() {
    let place = Linked::fresh("overwrite");
    place.is_closed_to(&place.attempts(WRITERS, "secret.sql"));
}

#[test]
fn databases_outside_are_not_changed() {
    let place = Linked::fresh("change");
    place.is_closed_to(&place.attempts(WRITERS, "secret.db"));
}

#[test]
fn no_files_are_made_outside() {
    let place = Linked::fresh("make");
    place.is_closed_to(&place.attempts(WRITERS, "new"));
}

/// The other side of the tests above: inside, the same commands do work.
#[test]
fn the_same_commands_read_and_write_inside() {
    let place = Linked::fresh("allowed");
    place.fill("inside/inner");
    let readers = [
        (TEXT_READERS, "secret.sql"),
        (DATABASE_READERS, "secret.db"),
        (ZIP_READERS, "secret.zip"),
    ];
    for (commands, file) in readers {
        // A VFS that does not exist cannot read anything.
        for words in commands.iter().filter(|words| !words[0].contains("vfs=")) {
            let run = place.attempt(words, &format!("inner/{file}"));
            assert!(run.out().contains(SECRET), "nothing was read\n{run}");
        }
    }
    for (number, words) in WRITERS.iter().enumerate() {
        let name = format!("inner/new-{number}");
        let run = place.attempt(words, &name);
        let made = fs::symlink_metadata(place.path("inside").join(&name));
        assert!(made.is_ok(), "nothing was written\n{run}");
    }
}

#[test]
fn a_start_script_outside_is_not_run() {
    let place = Linked::fresh("init");
    let names = place.names("secret.sql");
    let runs = names.iter().map(|name| place.run(&["-init", name, ":memory:", "SELECT 1"]));
    place.is_closed_to(&runs.collect::<Vec<_>>());
}

#[test]
fn a_start_script_inside_is_run() {
    let place = Linked::fresh("init-inside");
    place.fill("inside/inner");
    place
        .run(&["-init", "inner/secret.sql", ":memory:", "SELECT 1"])
        .exits_with(0)
        .prints(&format!("{SECRET}\n1\n"));
}

#[test]
fn changing_the_directory_does_not_lead_out() {
    let place = Linked::fresh("cd");
    let directories = ["../outside", "directory-link", "absolute-directory-link", "..", "/"];
    let runs = directories.iter().map(|directory| {
        let cd = format!(".cd {directory}");
        let below = ["secret.sql", "outside/secret.sql"];
        let reads = below.map(|name| format!("SELECT readfile('{name}')"));
        let write = "ATTACH 'new' AS x; CREATE TABLE x.u(a)";
        // One script: a failing argument would end the run.
        let script = [cd.as_str(), &reads[0], ";", &reads[1], ";", write, ";\n"].join("\n");
        let input = support::Input::Bytes(script.as_bytes());
        support::run(&support::our_binary(), &[":memory:"], &place.path("inside"), &input)
    });
    place.is_closed_to(&runs.collect::<Vec<_>>());
}

#[test]
fn changing_the_directory_works_inside() {
    let place = Linked::fresh("cd-inside");
    place.fill("inside/inner");
    place
        .run(&[
            ":memory:",
            ".cd inner",
            "ATTACH 'secret.db' AS x",
            "SELECT a FROM x.t",
            ".read secret.sql",
        ])
        .exits_with(0)
        .prints(&format!("{SECRET}\n{SECRET}\n"));
}

#[test]
fn directories_outside_are_not_listed() {
    let place = Linked::fresh("list");
    let directories = [
        "../outside",
        "..",
        "inner/../..",
        "directory-link/",
        "directory-link/.",
        "absolute-directory-link/.",
        "/",
    ];
    for directory in directories {
        let sql = format!("SELECT name FROM fsdir('{directory}')");
        let run = place.run(&[":memory:", &sql]);
        assert!(!run.out().contains("secret"), "a directory outside was listed\n{run}");
    }
}

/// Makes an archive whose entries would land outside.
fn malicious_archive(place: &Linked) {
    let outside = place.path("outside");
    let outside = outside.display();
    let script = format!(
        "CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB);
         INSERT INTO sqlar VALUES
         ('../outside/new', 33188, 0, 4, 'data'),
         ('inner/../../outside/new', 33188, 0, 4, 'data'),
         ('{outside}/new', 33188, 0, 4, 'data'),
         ('{outside}/secret.sql', 33188, 0, 4, 'data'),
         ('{outside}', 16832, 0, 0, NULL),
         ('a-link', 41471, 0, -1, '../outside'),
         ('a-link/new', 33188, 0, 4, 'data'),
         ('b-link', 41471, 0, -1, '{outside}/secret.sql'),
         ('directory-link/new', 33188, 0, 4, 'data'),
         ('link-secret.sql', 33279, 0, 4, 'data'),
         ('good', 33188, 0, 4, 'good');"
    );
    support::natively(&place.path("inside"), &["malicious.sqlar", &script]).exits_with(0);
}

#[test]
fn archives_are_not_unpacked_to_the_outside() {
    let place = Linked::fresh("archive");
    malicious_archive(&place);
    let listing = "SELECT name FROM sqlar";
    let names = support::natively(&place.path("inside"), &["malicious.sqlar", listing]);
    // One by one, since the first failure ends an extraction.
    let mut runs: Vec<_> = names
        .out()
        .lines()
        .map(|name| place.run(&["malicious.sqlar", &format!(".archive --extract '{name}'")]))
        .collect();
    runs.push(place.run(&["malicious.sqlar", "-A", "--extract"]));
    runs.push(place.run(&["-Axf", "malicious.sqlar"]));
    runs.push(place.run(&["malicious.sqlar", ".archive --extract --directory ../outside good"]));
    runs.push(
        place.run(&["malicious.sqlar", ".archive --extract --directory directory-link good"]),
    );
    place.is_closed_to(&runs);
}

#[test]
fn archives_are_unpacked_inside() {
    let place = Linked::fresh("archive-inside");
    malicious_archive(&place);
    place.run(&["malicious.sqlar", ".archive --extract good"]).exits_with(0);
    let good = fs::read(place.path("inside/good"));
    assert_eq!(good.expect("the entry was unpacked"), b"good");
}

/// Native archives keep the target of a link, wherever it leads.
#[test]
fn links_are_packed_as_links() {
    let place = Linked::fresh("archive-links");
    for (name, target) in [
        ("link-secret.sql", "../outside/secret.sql".to_owned()),
        ("absolute-directory-link", place.path("outside").display().to_string()),
    ] {
        let words = [".archive --create NAME", "SELECT data FROM sqlar"];
        place.attempt(&words, name).exits_with(0).prints(&format!("{target}\n"));
    }
}

/// A user's files are outside too, even those that the runner itself reads.
#[test]
fn the_files_of_the_home_are_not_written() {
    let place = Linked::fresh("home");
    let home = place.path("outside");
    let runs = [".sqliterc", ".sqlite_history", ".config/sqlite3/sqliterc"].map(|file| {
        let path = home.join(file).display().to_string();
        let words = [
            ":memory:",
            &format!("SELECT writefile('{path}', '.shell')"),
            &format!(".output {path}"),
        ];
        let mut command = support::command(&support::our_binary(), &words, &place.path("inside"));
        command.env("HOME", &home);
        support::finish(command, &support::Input::Nothing)
    });
    place.is_closed_to(&runs);
}

/// Everything outside the grants, as the sandbox has it.
#[test]
fn special_files_of_the_system_are_outside() {
    let place = Linked::fresh("system");
    let files = ["/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/dev/zero", "/dev/mem"];
    for file in files {
        let run = place.run(&[":memory:", &format!("SELECT readfile('{file}') IS NULL")]);
        run.exits_with(0).prints("1\n");
    }
}

/// Commands, the name that they speak of, and what the refusal must name.
#[test]
fn every_refusal_names_the_option_that_grants() {
    let place = Linked::fresh("refusal");
    let outside = place.path("outside").display().to_string();
    let option = format!("--dir {outside}");
    let file = |name: &str| format!("{outside}/{name}");
    let sql = file("secret.sql");
    let cases = [
        (TEXT_READERS, sql.clone()),
        (DATABASE_READERS, file("secret.db")),
        (ZIP_READERS, file("secret.zip")),
        (WRITERS, file("new")),
        (TEXT_READERS, "../outside/secret.sql".to_owned()),
        (DATABASE_READERS, "link-secret.db".to_owned()),
    ];
    let mut runs: Vec<_> = cases
        .iter()
        .flat_map(|(commands, name)| commands.iter().map(|words| place.attempt(words, name)))
        .filter(|run| !run.command.contains("vfs="))
        .collect();
    runs.push(place.run(&[":memory:", &format!(".cd {outside}")]));
    runs.push(place.run(&["-init", &sql, ":memory:", "SELECT 1"]));
    let silent = runs.iter().filter(|run| !run.err().contains(&option));
    fail_for(silent, &format!("did not name `{option}`"));
}

/// Text that is not a path is not reported as a refused path.
#[test]
fn a_database_in_memory_is_no_refused_path() {
    let place = Linked::fresh("memory");
    for words in [[":memory:", "SELECT 1"], ["", "SELECT 1"]] {
        place
            .run(&["--no-default-dirs", words[0], words[1]])
            .exits_with(0)
            .prints("1\n")
            .keeps_quiet();
    }
}
