//! Temporary files: where SQLite would put them, private, and also without a
//! usable `$TMPDIR`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::support::other_user::{Stage, allow};
use crate::support::{self, Directory, Input, Outcome};

/// A sort and a temporary table that do not fit into memory, and an index.
const SCRIPT: &str = "PRAGMA temp_store = FILE; PRAGMA cache_size = 5; PRAGMA cache_spill = 5;
    CREATE TEMP TABLE t(a); CREATE TABLE u(a);
    WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 20000)
        INSERT INTO t SELECT (i * 7919) % 20011 || '-' || hex(zeroblob(50)) FROM c;
    INSERT INTO u SELECT a FROM t ORDER BY a; CREATE INDEX v ON u(a); VACUUM;
    SELECT count(*) FROM t;";

fn with(directory: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = support::command(&support::our_binary(), &["test.db", SCRIPT], directory);
    command.envs(variables.iter().copied());
    support::finish(command, &Input::Nothing)
}

#[test]
fn an_unusable_tmpdir_is_passed_over() {
    for place in ["/nonexistent", "", "/dev/null", "/proc"] {
        let directory = Directory::fresh("unusable");
        let run = with(&directory.path(), &[("TMPDIR", place), ("SQLITE_TMPDIR", place)]);
        run.exits_with(0).prints("20000\n").keeps_quiet();
    }
}

/// The name of this user's own directory in a directory for temporary files.
fn own_directory(place: &Path) -> std::path::PathBuf {
    place.join(format!("sqlite-wasm-run-{}", nix::unistd::geteuid()))
}

#[test]
fn the_first_place_that_is_named_is_used() {
    let directory = Directory::fresh("first");
    let places = ["one", "two"].map(|name| directory.path().join(name));
    for place in &places {
        fs::create_dir(place).expect("the directory is ours");
    }
    let [one, two] = places.each_ref().map(|place| place.to_str().expect("UTF-8"));
    with(&directory.path(), &[("TMPDIR", one)]).exits_with(0).prints("20000\n");
    assert!(own_directory(&places[0]).is_dir());
    let work = Directory::fresh("second");
    with(&work.path(), &[("TMPDIR", one), ("SQLITE_TMPDIR", two)]).exits_with(0);
    let metadata = fs::metadata(own_directory(&places[1])).expect("it was made");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    let left = fs::read_dir(own_directory(&places[1])).expect("it is ours").count();
    assert_eq!(left, 0, "temporary files have no names");
}

/// What stands there already is used only if it is this user's own directory.
#[test]
fn a_link_in_its_place_is_not_followed() {
    let directory = Directory::fresh("link");
    let target = directory.path().join("target");
    fs::create_dir(&target).expect("the directory is ours");
    std::os::unix::fs::symlink(&target, own_directory(&directory.path())).expect("as above");
    let before = fs::metadata(&target).expect("it is there").mtime_nsec();
    let place = directory.path();
    let run = with(&place, &[("SQLITE_TMPDIR", place.to_str().expect("UTF-8"))]);
    run.exits_with(0).prints("20000\n").keeps_quiet();
    assert_eq!(fs::metadata(&target).expect("it is there").mtime_nsec(), before);
}

/// A directory that another user made under our name is not used either.
#[test]
fn another_users_directory_is_not_used() {
    let stage = Stage::set();
    let place = stage.directory("tmp");
    let theirs = place.join("sqlite-wasm-run-65534");
    fs::create_dir(&theirs).expect("the directory is ours");
    allow(&theirs, 0o777);
    let work = stage.directory("work");
    let mut command = stage.command(&stage.ours(), &["test.db", SCRIPT], &work);
    command.env("SQLITE_TMPDIR", &place);
    support::finish(command, &Input::Nothing).exits_with(0).prints("20000\n");
    if nix::unistd::geteuid().is_root() {
        let others: Vec<_> = fs::read_dir(&place)
            .expect("it is ours")
            .map(|entry| entry.expect("as above").file_name())
            .collect();
        assert!(others.contains(&"sqlite-wasm-run-65534-0".into()), "{others:?}");
    }
}

/// The control: this user cannot write anywhere but in the working directory,
/// which is granted.
#[test]
fn what_fits_into_memory_needs_no_directory() {
    let directory = Directory::fresh("memory");
    let run = support::ours(&directory.path(), &[":memory:", "SELECT 1 ORDER BY 1"]);
    run.exits_with(0).prints("1\n").keeps_quiet();
}
