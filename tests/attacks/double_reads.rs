//! A path in memory that another process changes while the host looks at it: a
//! component maps a wal-index that others may write. What the host checks must
//! be what it uses.

use std::fs;
use std::os::unix::fs::FileExt;

use crate::support::attacker::{all_done, attack, while_changing};
use crate::support::place::Place;

/// Where the component looks for the path, in the wal-index.
const OFFSET: u64 = 32 << 10;

/// Calls in all; 22 of 3,000,000 once revealed a file outside.
const ROUNDS: u32 = 1_000_000;

/// Runs the race with two paths that differ in one byte, so that each is whole at
/// any time.
fn race(place: &Place, paths: [&[u8]; 2], rounds: u32) -> String {
    let database = place.path("inside/race.db");
    fs::write(&database, "").expect("the directory is ours");
    // The component opens the same file, and empties it.
    let index = fs::File::create(place.path("inside/race.db-shm")).expect("the directory is ours");
    let [first, second] = paths;
    assert_eq!(first.len(), second.len(), "the paths have one length");
    let flips: Vec<usize> = (0..first.len()).filter(|&at| first[at] != second[at]).collect();
    assert!(flips.len() <= 1, "the paths differ in one byte");
    let action = format!("race={}::{}::{rounds}", database.display(), first.len());
    let change = || {
        let _ = index.write_all_at(first, OFFSET);
        for flip in &flips {
            for _ in 0..1000 {
                for path in paths {
                    let _ = index.write_all_at(&path[*flip..=*flip], OFFSET + *flip as u64);
                }
            }
        }
    };
    let run = while_changing(change, || attack(&place.path("inside"), &[], &[&action]));
    let run = run.exits_with(0);
    let out = run.out().into_owned();
    let last = out.lines().last().unwrap_or_default();
    last.strip_prefix("race: done ").unwrap_or_else(|| panic!("it did not end\n{run}")).to_owned()
}

/// Each path has the form of one inside for as long as it is checked.
#[test]
fn a_path_that_changes_reveals_no_file_outside() {
    let place = Place::fresh("race");
    fs::write(place.path("secret"), "x").expect("the directory is ours");
    for (inside, outside) in [
        // A name directly in the granted directory takes the shortest way.
        ("inside/..-secret", "inside/../secret"),
        ("inside/.x/outside/secret.sql", "inside/../outside/secret.sql"),
        ("inside/not/secret.sql", "inside-not/secret.sql"),
    ] {
        let (inside, outside) = (place.name(inside), place.name(outside));
        let found = race(&place, [inside.as_bytes(), outside.as_bytes()], ROUNDS);
        assert_eq!(found, "0 0", "files outside were found, or texts were unsound");
    }
}

/// Text that is not UTF-8 for a moment.
#[test]
fn a_path_that_is_no_text_for_a_moment_ends_nothing() {
    let place = Place::fresh("text");
    let absent = place.name("inside/absent").into_bytes();
    let mut broken = absent.clone();
    *broken.last_mut().expect("it is long") = 0xff;
    // As text it may be refused by a trap; as bytes it is a name like others.
    let found = std::panic::catch_unwind(|| race(&place, [&absent, &broken], ROUNDS / 10));
    assert!(found.is_err() || found.is_ok_and(|found| found == "0 0"));
}

#[test]
fn a_path_that_stays_is_found() {
    let place = Place::fresh("stays");
    fs::write(place.path("inside/there"), "x").expect("the directory is ours");
    let path = place.name("inside/there");
    let found = race(&place, [path.as_bytes(); 2], 200_000);
    let count: u32 = found.split(' ').next().and_then(|text| text.parse().ok()).expect("a number");
    assert!(count > 1000, "the granted file was found {count} times");
    all_done(attack(&place.path("inside"), &[], &[format!("files-exists={path}")]));
}
