//! A directory granted for reading only, inside one that may be written: no name
//! and no link makes it writable.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use crate::support::Outcome;
use crate::support::attacker::{all_done, all_refused, attack};
use crate::support::place::Place;

/// `inside` may be written, `inside/kept` may only be read; links lead there.
struct Nested {
    place: Place,
}

/// Names of `inside/kept`.
const NAMES: &[&str] = &[
    "inside/kept",
    "inside/link",
    "inside/absolute",
    "inside/chain",
    "inside/inner/up",
    "inside/inner/../kept",
    "inside/link/../kept",
    "inside/./kept/.",
];

impl Nested {
    fn fresh() -> Self {
        let nested = Self { place: Place::fresh("nested") };
        let inside = nested.place.path("inside");
        for directory in ["kept", "free"] {
            fs::create_dir(inside.join(directory)).expect("the directory is ours");
            fs::write(inside.join(directory).join("file"), "kept").expect("the directory is ours");
        }
        let link = |target: &str, name: &str| {
            symlink(target, inside.join(name)).expect("the directory is ours");
        };
        link("kept", "link");
        link(&inside.join("kept").display().to_string(), "absolute");
        link("link", "chain");
        link("../kept", "inner/up");
        link("kept/file", "to-file");
        link("kept/new", "to-new");
        nested
    }

    fn attack(&self, actions: &[String]) -> Outcome {
        let kept = format!("{}:ro", self.place.name("inside/kept"));
        attack(&self.place.path("inside"), &["--dir", &kept], actions)
    }

    #[track_caller]
    fn is_kept(&self, run: &Outcome) {
        let kept = self.place.path("inside/kept");
        let content = fs::read(kept.join("file"));
        assert!(content.is_ok_and(|content| content == b"kept"), "the file has changed\n{run}");
        let mode = fs::metadata(kept.join("file")).expect("it is there").mode();
        assert_eq!(mode & 0o111, 0, "its permissions have changed\n{run}");
        let count = fs::read_dir(&kept).expect("it is there").count();
        assert_eq!(count, 1, "something was made there\n{run}");
    }
}

const WRITES: &[&str] = &[
    "files-write",
    "files-create",
    "files-rewrite",
    "files-delete",
    "files-permissions",
    "wasi-write",
    "wasi-remove",
    "wasi-create-directory",
];

#[test]
fn a_read_only_directory_is_not_written_through_any_name() {
    let nested = Nested::fresh();
    for name in NAMES {
        for file in ["file", "new"] {
            let path = format!("{}/{file}", nested.place.name(name));
            let actions: Vec<_> = WRITES.iter().map(|action| format!("{action}={path}")).collect();
            let run = all_refused(nested.attack(&actions));
            nested.is_kept(&run);
        }
    }
}

#[test]
fn a_file_in_it_is_not_written_through_a_link() {
    let nested = Nested::fresh();
    for name in ["inside/to-file", "inside/to-new"] {
        let path = nested.place.name(name);
        let actions = ["files-write", "files-create", "files-rewrite", "wasi-write"];
        let run = all_refused(nested.attack(&actions.map(|action| format!("{action}={path}"))));
        nested.is_kept(&run);
    }
}

/// Opened without following a link, a directory is the same directory.
#[test]
fn it_is_not_written_below_its_handle() {
    let nested = Nested::fresh();
    let inside =
        |name: &str, file: &str| format!("wasi-inside={}::{file}", nested.place.name(name));
    for name in NAMES {
        let run = nested.attack(&[inside(name, "file"), inside(name, "new")]);
        nested.is_kept(&all_refused(run));
    }
    let run = nested.attack(&[inside("inside", "kept/new"), inside("inside/free", "../kept/new")]);
    nested.is_kept(&all_refused(run));
    all_done(nested.attack(&[inside("inside/free", "new")]));
}

/// Another program, or a run with other grants, may follow it later.
#[test]
fn no_link_is_made_that_leads_up() {
    let nested = Nested::fresh();
    let link = |target: &str| format!("wasi-link={}::{target}", nested.place.name("inside/made"));
    let targets = ["..", "../outside", "free/../../outside", "./..", "free/.."].map(link);
    all_refused(nested.attack(&targets));
    all_done(nested.attack(&[link("free/..x")]));
}

/// Under another name, or replaced by another directory.
#[test]
fn it_is_neither_moved_nor_linked() {
    let nested = Nested::fresh();
    let name = |name: &str| nested.place.name(name);
    for kept in NAMES {
        let actions = [
            format!("wasi-hard-link={}/file::{}", name(kept), name("inside/taken")),
            format!("wasi-move={}/file::{}", name(kept), name("inside/taken")),
            format!("wasi-move={}::{}/new", name("inside/free/file"), name(kept)),
            format!("wasi-move={}::{}/file", name("inside/free/file"), name(kept)),
            format!("wasi-hard-link={}::{}/new", name("inside/free/file"), name(kept)),
            format!("wasi-link={}/new::../free/file", name(kept)),
        ];
        let run = all_refused(nested.attack(&actions));
        nested.is_kept(&run);
    }
    let actions = [format!("wasi-move={}::{}", name("inside/kept"), name("inside/moved"))];
    let run = all_refused(nested.attack(&actions));
    nested.is_kept(&run);
}

/// By way of a database: its journal, and what `ATTACH` makes.
#[test]
fn sql_does_not_write_it_through_a_link() {
    let nested = Nested::fresh();
    let kept = format!("{}:ro", nested.place.name("inside/kept"));
    for name in ["kept", "link", "chain", "inner/up", "absolute"] {
        let sql = format!(
            "ATTACH '{name}/new.db' AS a; CREATE TABLE a.t(x);
             SELECT writefile('{name}/new', 'x'), writefile('{name}/file', 'x');
             VACUUM INTO '{name}/copy.db';\n.output {name}/out\nSELECT 1;\n.output\n.save {name}/s\n"
        );
        let run = crate::script(&nested.place.path("inside"), &["--dir", &kept], &[], &sql);
        nested.is_kept(&run);
    }
}

#[test]
fn what_is_next_to_it_is_written_and_it_is_read() {
    let nested = Nested::fresh();
    let path = |name: &str| nested.place.name(name);
    let mut actions = vec![];
    for name in ["inside/kept", "inside/link", "inside/chain", "inside/inner/up"] {
        actions.push(format!("files-read={}/file", path(name)));
        actions.push(format!("wasi-read={}/file", path(name)));
    }
    for action in ["files-create", "files-write", "files-rewrite", "wasi-write", "wasi-remove"] {
        actions.push(format!("{action}={}", path("inside/free/new")));
    }
    all_done(nested.attack(&actions));
    symlink("free", nested.place.path("inside/free-link")).expect("the directory is ours");
    let actions = WRITES.iter().filter(|action| !action.contains("directory"));
    let actions = actions.flat_map(|action| {
        // Made again where it was removed.
        let path = path("inside/free-link/other");
        [format!("files-create={path}"), format!("{action}={path}")]
    });
    all_done(nested.attack(&actions.collect::<Vec<_>>()));
    // The other way round: what may be written inside what may only be read.
    let outer = Place::fresh("outer");
    let (reads, writes) = (format!("{}:ro", outer.name("outside")), outer.name("outside/inner"));
    fs::create_dir(outer.path("outside/inner")).expect("the directory is ours");
    let options = ["--no-default-dirs", "--dir", &reads, "--dir", &writes];
    let args = [format!("files-create={writes}/new"), format!("wasi-write={writes}/new")];
    all_done(attack(&outer.path("inside"), &options, &args));
    let refused = format!("files-create={}", outer.name("outside/new"));
    all_refused(attack(&outer.path("inside"), &options, &[refused]));
}
