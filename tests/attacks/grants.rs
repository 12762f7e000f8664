//! What is granted by default and by `--dir`, and no more: for each grant one
//! test of what it allows and one of what stays closed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::place::{Place, SECRET, fail_for};
use crate::support::{self, Input, Outcome, hot_journal};

/// Ways to read the three files of `DIR`.
const READERS: &[&str] = &[
    ".read DIR/secret.sql",
    "SELECT readfile('DIR/secret.sql');",
    "SELECT data FROM fsdir('DIR/secret.sql');",
    "SELECT data FROM fsdir('DIR/');",
    "SELECT data FROM zipfile('DIR/secret.zip');",
    "CREATE TABLE u(a);\n.import DIR/secret.sql u\nSELECT a FROM u;",
    ".cd DIR\n.read secret.sql",
    ".open DIR/secret.db\nSELECT a FROM t;",
    ".restore DIR/secret.db\nSELECT a FROM t;",
    "ATTACH 'DIR/secret.db' AS x;\nSELECT a FROM x.t;",
    "ATTACH 'file:DIR/secret.db?mode=ro' AS x;\nSELECT a FROM x.t;",
];

/// Ways to write in `DIR`.
const WRITERS: &[&str] = &[
    ".output DIR/new-1\nSELECT 1;",
    ".once DIR/new-2\nSELECT 1;",
    "SELECT writefile('DIR/new-3', 'x');",
    "SELECT writefile('DIR/new-4', NULL, 16877);",
    "SELECT writefile('DIR/secret.sql', 'x', 511, 1);",
    "CREATE TABLE u(a);\n.save DIR/new-5",
    "CREATE TABLE u(a);\n.backup DIR/new-11",
    "CREATE TABLE u(a);\nVACUUM INTO 'DIR/new-6';",
    "ATTACH 'DIR/new-7' AS x;\nCREATE TABLE x.u(a);",
    "ATTACH 'DIR/secret.db' AS x;\nDELETE FROM x.t;",
    "ATTACH 'DIR/secret.db' AS x;\nPRAGMA x.journal_mode=truncate;\nDELETE FROM x.t;",
    "ATTACH 'DIR/secret.db' AS x;\nPRAGMA x.journal_mode=off;\nDELETE FROM x.t;",
    "ATTACH 'DIR/secret.db' AS x;\nPRAGMA x.user_version=7;",
    ".open DIR/secret.db\nVACUUM;",
    ".archive --create --file DIR/new-8 inner",
    ".cd DIR\n.once new-9\nSELECT 1;",
    ".log DIR/new-10\nSELECT x;",
];

impl Place {
    /// Runs each script with `DIR` named `directory`, each in a new shell.
    fn scripts(&self, grants: &[&str], scripts: &[&str], directory: &str) -> Vec<Outcome> {
        let mut args = grants.to_vec();
        args.push(":memory:");
        let run = |script: &&str| {
            let script = script.replace("DIR", directory);
            let input = Input::Bytes(script.as_bytes());
            support::run(&support::our_binary(), &args, &self.path("inside"), &input)
        };
        scripts.iter().map(run).collect()
    }

    /// Fails if one of the readers did not see what is in `directory`.
    #[track_caller]
    fn is_readable(&self, grants: &[&str], directory: &str) {
        let runs = self.scripts(grants, READERS, directory);
        let blind = |run: &&Outcome| !run.out().contains(SECRET) || !run.err().is_empty();
        fail_for(runs.iter().filter(blind), &format!("did not read in `{directory}`"));
    }

    /// Fails if one of the writers failed in `directory`.
    #[track_caller]
    fn is_writable(&self, grants: &[&str], directory: &str) {
        let runs = self.scripts(grants, WRITERS, directory);
        // `.log` says nothing of what it logs, and `SELECT x` fails on purpose.
        let failed = |run: &&Outcome| {
            run.err().lines().any(|line| {
                !line.contains("SELECT x")
                    && !line.contains("no such column: x")
                    && !line.contains("error here")
            })
        };
        fail_for(runs.iter().filter(failed), &format!("did not write in `{directory}`"));
    }

    /// Fails if one of the writers wrote in `directory`, or did not notice.
    #[track_caller]
    fn is_only_readable(&self, grants: &[&str], directory: &str) {
        let before = listing(&self.path("outside"));
        let runs = self.scripts(grants, WRITERS, directory);
        assert_eq!(listing(&self.path("outside")), before, "something was written");
        // `writefile` answers NULL.
        let unnoticed = |run: &&Outcome| run.err().is_empty() && !run.out().trim().is_empty();
        fail_for(
            runs.iter().filter(unnoticed),
            &format!("did not notice that `{directory}` is read-only"),
        );
        self.is_readable(grants, directory);
    }
}

/// Names and contents in a directory.
fn listing(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).expect("it is ours");
    let mut listing: Vec<_> = entries
        .map(|entry| entry.expect("it is ours"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).unwrap_or_default())
        })
        .collect();
    listing.sort();
    listing
}

#[test]
fn a_granted_directory_is_read_and_written_by_its_absolute_name() {
    let place = Place::fresh("absolute");
    let outside = place.name("outside");
    place.is_readable(&["--dir", &outside], &outside);
    place.is_writable(&["--dir", &outside], &outside);
}

#[test]
fn a_granted_directory_is_read_and_written_by_a_relative_name() {
    let place = Place::fresh("relative");
    for grant in ["../outside".to_owned(), place.name("outside")] {
        place.is_readable(&["--dir", &grant], "../outside");
        place.is_readable(&["--dir", &grant], "inner/../../outside");
    }
    place.is_writable(&["--dir", "../outside"], "../outside");
}

#[test]
fn a_granted_directory_is_read_through_links_from_another_one() {
    let place = Place::fresh("links");
    let outside = place.path("outside");
    symlink("../outside", place.path("inside/link")).expect("the directory is ours");
    symlink(&outside, place.path("inside/absolute-link")).expect("the directory is ours");
    // With `/.`: of a link by its own name `fsdir` shows the link, as natively.
    place.is_readable(&["--dir", "../outside"], "link/.");
    place.is_readable(&["--dir", "../outside"], "absolute-link/.");
}

#[test]
fn a_directory_granted_by_a_link_has_both_names() {
    let place = Place::fresh("granted-link");
    let link = place.path("link");
    symlink(place.path("outside"), &link).expect("the directory is ours");
    let link = link.display().to_string();
    place.is_readable(&["--dir", &link], &link);
    place.is_readable(&["--dir", &link], &place.name("outside"));
}

#[test]
fn the_other_directories_stay_closed_when_one_is_granted() {
    let place = Place::fresh("others");
    let inner = place.name("inside/inner");
    for directory in ["outside", "inside-not"] {
        let runs = place.scripts(&["--dir", &inner], READERS, &place.name(directory));
        place.is_closed_to(&runs);
        let runs = place.scripts(&["--dir", &inner], WRITERS, &place.name(directory));
        place.is_closed_to(&runs);
    }
}

#[test]
fn a_directory_granted_for_reading_is_read_and_not_written() {
    let place = Place::fresh("read-only");
    let outside = place.name("outside");
    place.is_only_readable(&["--dir", &format!("{outside}:ro")], &outside);
}

#[test]
fn the_working_directory_can_be_granted_for_reading_only() {
    let place = Place::fresh("working");
    let grants = ["--dir", ".:ro"];
    place.fill("inside");
    let before = listing(&place.path("inside"));
    place.scripts(&grants, WRITERS, ".");
    place.scripts(&grants, WRITERS, &place.name("inside"));
    assert_eq!(listing(&place.path("inside")), before, "something was written");
    place.is_readable(&grants, ".");
}

#[test]
fn a_directory_in_a_granted_one_can_be_granted_for_reading_only() {
    let place = Place::fresh("nested");
    place.fill("inside");
    place.fill("inside/inner");
    let before = listing(&place.path("inside/inner"));
    place.scripts(&["--dir", "inner:ro"], WRITERS, "inner");
    assert_eq!(listing(&place.path("inside/inner")), before, "something was written");
    place.is_readable(&["--dir", "inner:ro"], "inner");
    place.is_writable(&["--dir", "inner:ro"], ".");
}

#[test]
fn a_database_granted_for_reading_is_no_place_for_a_journal() {
    let place = Place::fresh("no-journal");
    let database = place.name("outside/secret.db");
    let grant = format!("{}:ro", place.name("outside"));
    let mut session = support::session::Session::start(
        &support::our_binary(),
        &["--dir", &grant, &database],
        &place.path("inside"),
    );
    session.answers("BEGIN;", "");
    session.answers_with("DELETE FROM t;", "attempt to write a readonly database");
    assert_eq!(hot_journal::journal_size(database.as_ref()), 0);
    session.answers("SELECT a FROM t;", &format!("{SECRET}\n"));
    drop(session);
    place.is_closed_to(&[place.run(&["-version"])]);
}

/// What would have to be rolled back cannot be read, and stays for another.
#[test]
fn a_hot_journal_in_a_directory_granted_for_reading_stays() {
    let place = Place::fresh("hot");
    let (outside, database) = (place.path("outside"), place.path("outside/hot.db"));
    hot_journal::leave(&support::native(), &outside, "hot.db", &database);
    let before = listing(&outside);
    let grant = format!("{}:ro", outside.display());
    let run = place.run(&["--dir", &grant, &place.name("outside/hot.db"), hot_journal::QUERY]);
    assert!(run.out().is_empty() && !run.err().is_empty(), "half a transaction was read\n{run}");
    assert_eq!(listing(&outside), before, "something was written");
    support::natively(&outside, &["hot.db", hot_journal::QUERY]).prints(hot_journal::COMMITTED);
}

#[test]
fn a_directory_can_be_granted_under_another_name() {
    let place = Place::fresh("renamed");
    let grant = format!("{}::/data", place.name("outside"));
    place.is_readable(&["--dir", &grant], "/data");
    place.is_writable(&["--dir", &grant], "/data");
}

#[test]
fn a_directory_granted_under_another_name_is_closed_under_its_own() {
    let place = Place::fresh("own-name");
    let outside = place.name("outside");
    let runs = place.scripts(&["--dir", &format!("{outside}::/data")], READERS, &outside);
    place.is_closed_to(&runs);
}

#[test]
fn a_directory_granted_under_another_name_can_be_for_reading_only() {
    let place = Place::fresh("renamed-read-only");
    let grant = format!("{}::/data:ro", place.name("outside"));
    place.is_only_readable(&["--dir", &grant], "/data");
}

#[test]
fn links_do_not_lead_out_of_a_directory_with_another_name() {
    let place = Place::fresh("renamed-links");
    let granted = place.path("granted");
    fs::create_dir(&granted).expect("the directory is ours");
    symlink("../outside", granted.join("link")).expect("the directory is ours");
    let grant = format!("{}::/a/b", granted.display());
    for directory in ["/a/b/link", "/a/b/../outside", "/a/b/../../a/b/link"] {
        place.is_closed_to(&place.scripts(&["--dir", &grant], READERS, directory));
        place.is_closed_to(&place.scripts(&["--dir", &grant], WRITERS, directory));
    }
}

#[test]
fn the_directory_of_the_database_is_granted() {
    let place = Place::fresh("database");
    let by_name = place.name("outside/secret.db");
    let names = [
        by_name.clone(),
        "../outside/secret.db".into(),
        format!("file:{by_name}"),
        format!("file://{by_name}?mode=rw"),
    ];
    for name in names {
        let words = [name.as_str(), "UPDATE t SET a = a", "SELECT a FROM t"];
        place.run(&words).exits_with(0).prints(&format!("{SECRET}\n")).keeps_quiet();
    }
}

#[test]
fn other_files_next_to_the_database_are_granted_by_every_name() {
    let place = Place::fresh("beside");
    for directory in [place.name("outside"), "../outside".into()] {
        let script = format!("{directory}/secret.sql");
        place
            .run(&["../outside/secret.db", &format!(".read {script}")])
            .exits_with(0)
            .prints(&format!("{SECRET}\n"));
    }
}

/// The link may be somebody else's: the database works, and nothing next to it.
#[test]
fn a_linked_database_grants_itself_and_no_directory() {
    let place = Place::fresh("linked");
    symlink("../outside/secret.db", place.path("inside/link.db")).expect("the directory is ours");
    for mode in ["delete", "wal"] {
        let script = format!(
            "PRAGMA journal_mode={mode}; BEGIN; UPDATE t SET a = a; COMMIT; SELECT a FROM t"
        );
        place
            .run(&["link.db", &script])
            .exits_with(0)
            .prints(&format!("{mode}\n{SECRET}\n"))
            .keeps_quiet();
    }
    let outside = place.name("outside");
    let read = format!("SELECT readfile('{outside}/secret.sql') IS NULL");
    place.run(&["link.db", &read]).prints("1\n").complains(&format!("--dir {outside}"));
    place.run(&["--dir", &outside, "link.db", &read]).prints("0\n").keeps_quiet();
}

/// Only the command line is the user's own word: a script is not.
#[test]
fn a_database_named_later_grants_nothing() {
    let place = Place::fresh("later");
    let database = place.name("outside/secret.db");
    let runs = [
        place.run(&[":memory:", &format!(".open {database}"), "SELECT a FROM t"]),
        place.run(&["-cmd", &format!(".open {database}"), ":memory:", "SELECT a FROM t"]),
        place.run(&["own.db", &format!("ATTACH '{database}' AS x"), "SELECT a FROM x.t"]),
        place.run(&["own.db", &database]),
        place.run(&["-init", &database, "own.db", "SELECT 1"]),
    ];
    place.is_closed_to(&runs);
}

#[test]
fn without_default_directories_nothing_is_granted() {
    let place = Place::fresh("no-default");
    place.fill("inside");
    let grants = ["--no-default-dirs"];
    let directory = place.name("inside");
    for directory in [".", &directory] {
        for scripts in [READERS, WRITERS] {
            let before = listing(&place.path("inside"));
            let runs = place.scripts(&grants, scripts, directory);
            place.is_closed_to(&runs);
            assert_eq!(listing(&place.path("inside")), before, "something was written");
        }
    }
    let database = place.name("outside/secret.db");
    let run = place.run(&["--no-default-dirs", &database, "SELECT a FROM t"]);
    place.is_closed_to(&[run.complains(&format!("--dir {}", place.name("outside")))]);
}

#[test]
fn without_default_directories_a_named_one_is_granted() {
    let place = Place::fresh("only-named");
    let grants = ["--no-default-dirs", "--dir", "."];
    let outside = place.name("outside");
    place.is_closed_to(&place.scripts(&grants, READERS, &outside));
    place.fill("inside");
    place.is_readable(&grants, &place.name("inside"));
    place.is_readable(&grants, ".");
}

#[test]
fn several_directories_can_be_granted() {
    let place = Place::fresh("several");
    let (one, two) = (place.name("outside"), place.name("inside-not"));
    let grants = ["--dir", &one, "--dir", &two];
    place.is_readable(&grants, &one);
    place.is_readable(&grants, &two);
}

#[test]
fn a_grant_that_cannot_be_given_is_one_clear_line() {
    let place = Place::fresh("wrong");
    fs::write(place.path("inside/file"), "").expect("the directory is ours");
    for (grant, named) in [("missing", "missing"), ("file", "file"), (".::relative", "relative")] {
        let run = place.run(&["--dir", grant, ":memory:", "SELECT 1"]);
        let err = run.err().into_owned();
        assert!(run.out().is_empty(), "it ran all the same\n{run}");
        assert!(err.starts_with("error: ") && err.contains(named), "no clear line\n{run}");
        assert_eq!(err.lines().count(), 1, "more than one line\n{run}");
    }
}
