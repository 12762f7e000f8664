//! Many processes on one database, half of them native and half of them ours:
//! counts are exact, snapshots stand still, checkpoints go on meanwhile, and
//! when some are killed the others recover what was committed.
//!
//! The stress by 64 workers is run only with `--ignored`.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::session::Session;
use crate::support::{self, Directory, End, Input};

/// The programs, in turn.
fn program(number: usize) -> PathBuf {
    if number.is_multiple_of(2) { support::our_binary() } else { support::native() }
}

/// A shell that waits for its turn, and ends when that does not come: the rest
/// of a transaction that could not begin must not run without it.
fn open(number: usize, directory: &Path) -> Session {
    let mut session = Session::start(&program(number), &["-bail", "test.db"], directory);
    session.answers(".timeout 50000", "");
    session
}

/// How long a reader waits before it looks again.
const READER_PAUSE: Duration = Duration::from_millis(20);

/// A database with two tables whose sums are to stay equal, and a counter.
fn shared(name: &str, mode: &str) -> Directory {
    let directory = Directory::fresh(name);
    let sql = format!(
        "PRAGMA journal_mode={mode};
         CREATE TABLE a(n); CREATE TABLE b(n); CREATE TABLE log(worker, step, text);
         INSERT INTO a VALUES (0); INSERT INTO b VALUES (0);"
    );
    support::natively(&directory.path(), &["test.db", &sql]).exits_with(0);
    directory
}

/// A transaction that no other may come between.
fn change(worker: usize, step: usize) -> String {
    format!(
        "BEGIN IMMEDIATE; UPDATE a SET n = n + 1;
         INSERT INTO log VALUES ({worker}, {step}, hex(zeroblob({})));
         UPDATE b SET n = n + 1; COMMIT;",
        step * 37 % 3000
    )
}

/// The two sums and the log, which are equal in each state.
const NUMBERS: &str = "SELECT (SELECT n FROM a), (SELECT n FROM b), (SELECT count(*) FROM log)";

/// Fails unless the three values are equal; returns the value.
#[track_caller]
fn equal(numbers: &str) -> usize {
    let numbers: Vec<_> = numbers.trim().split('|').collect();
    assert!(numbers[0] == numbers[1] && numbers[1] == numbers[2], "{numbers:?} differ");
    numbers[0].parse().expect("it is a number")
}

/// Fails unless this many changes are there, and the database is whole.
#[track_caller]
fn holds(directory: &Path, changes: usize) {
    for number in 0..2 {
        let words = ["test.db", NUMBERS, "PRAGMA integrity_check"];
        support::run(&program(number), &words, directory, &Input::Nothing)
            .exits_with(0)
            .prints(&format!("{changes}|{changes}|{changes}\nok\n"));
    }
}

/// Writers at once, readers and who makes checkpoints, until the writers have
/// made all their changes.
fn crowd(directory: &Path, writers: usize, readers: usize, changes: usize) {
    thread::scope(|scope| {
        let writing: Vec<_> = (0..writers)
            .map(|worker| scope.spawn(move || write(directory, worker, changes)))
            .collect();
        let reading: Vec<_> = (0..readers)
            .map(|number| scope.spawn(move || read(directory, number, writers * changes)))
            .collect();
        for thread in writing.into_iter().chain(reading) {
            thread.join().expect("all went well");
        }
    });
    holds(directory, writers * changes);
}

fn write(directory: &Path, worker: usize, changes: usize) {
    let mut session = open(worker, directory);
    for step in 0..changes {
        session.send(&change(worker, step));
        session.send("\n");
        if step.is_multiple_of(16) {
            session.answers_with("PRAGMA wal_checkpoint(PASSIVE);", "|");
        }
    }
    assert_eq!(session.finish(), (End::Exited(0), String::new()));
}

/// Looks twice in one transaction, again and again until all is written.
fn read(directory: &Path, number: usize, changes: usize) {
    let mut session = open(number, directory);
    let mut before = 0;
    while before < changes {
        let first = session.ask(&format!("BEGIN; {NUMBERS};"));
        let count = equal(&first);
        assert!(count >= before, "{count} after {before}: what was there is gone");
        session.answers(&format!("{NUMBERS}; COMMIT;"), &first);
        before = count;
        // Where readers are many, writers need the processors too.
        thread::sleep(READER_PAUSE);
    }
    assert_eq!(session.finish().0, End::Exited(0));
}

#[test]
fn a_crowd_loses_nothing_in_wal_mode() {
    let directory = shared("wal", "wal");
    crowd(&directory.path(), 4, 4, 150);
}

#[test]
fn a_crowd_loses_nothing_with_rollback_journals() {
    for mode in ["delete", "truncate", "persist"] {
        let directory = shared(mode, mode);
        crowd(&directory.path(), 2, 2, 40);
    }
}

#[test]
#[ignore = "half a minute; `tooling/host test files --ignored` runs it"]
fn a_crowd_of_64_loses_nothing() {
    let directory = shared("sixty-four", "wal");
    crowd(&directory.path(), 32, 32, 100);
}

/// Kills a writer in the middle of its work, again and again; the next one, of
/// the other kind, finds what was reported as committed and not much more.
fn kill_and_recover(mode: &str, rounds: usize) {
    let directory = shared(&format!("killed-{mode}"), mode);
    let path = directory.path();
    let mut known = 0;
    for round in 0..rounds {
        let mut session = open(round, &path);
        session.answers("PRAGMA cache_size=5; PRAGMA wal_autocheckpoint=3;", "3\n");
        let committed = 1 + round % 4;
        for step in 0..committed {
            session.answers(&change(round, step), "");
        }
        // It is killed somewhere in these.
        for step in 0..50 {
            session.send(&change(round, step));
            session.send("\n");
        }
        thread::sleep(Duration::from_micros(((round * 7919) % 9000) as u64));
        session.crash();
        let words = ["test.db", NUMBERS, "PRAGMA integrity_check"];
        let run = support::run(&program(round + 1), &words, &path, &Input::Nothing).exits_with(0);
        let (numbers, check) = run.out().split_once('\n').map_or_else(
            || panic!("it answers nothing\n{run}"),
            |(numbers, check)| (numbers.to_owned(), check.to_owned()),
        );
        assert_eq!(check, "ok\n", "{run}");
        let found = equal(&numbers);
        assert!(
            found >= known + committed && found <= known + committed + 50,
            "{known} + {committed}: {run}"
        );
        known = found;
    }
    holds(&path, known);
}

#[test]
fn who_comes_after_a_killed_writer_recovers() {
    thread::scope(|scope| {
        for mode in ["wal", "delete", "persist"] {
            scope.spawn(move || kill_and_recover(mode, 40));
        }
    });
}

/// Members of a crowd are killed while the others go on.
#[test]
fn a_crowd_goes_on_when_members_are_killed() {
    for mode in ["wal", "delete"] {
        let directory = shared(&format!("killed-in-crowd-{mode}"), mode);
        let path = directory.path();
        let end = Instant::now() + Duration::from_secs(3);
        let committed: usize = thread::scope(|scope| {
            let (path, readers) = (&path, 2);
            let workers: Vec<_> = (0..2)
                .map(|worker| scope.spawn(move || write_until(path, worker, end)))
                .chain((0..2).map(|worker| scope.spawn(move || die_until(path, worker, end))))
                .chain(
                    (0..readers).map(|number| scope.spawn(move || read_until(path, number, end))),
                )
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("all went well")).sum()
        });
        let run = support::natively(&path, &["test.db", NUMBERS]);
        let found = equal(&run.out());
        assert!(found >= committed, "{committed} were told to be committed\n{run}");
        holds(&path, found);
    }
}

/// Changes the database until it is time; how often.
fn write_until(directory: &Path, worker: usize, end: Instant) -> usize {
    let mut session = open(worker, directory);
    let mut count = 0;
    while Instant::now() < end {
        session.answers(&change(worker, count), "");
        count += 1;
    }
    assert_eq!(session.finish().0, End::Exited(0));
    count
}

/// Begins many changes and is killed, again and again.
fn die_until(directory: &Path, worker: usize, end: Instant) -> usize {
    let mut round = 0;
    while Instant::now() < end {
        let mut session = open(worker + round, directory);
        for step in 0..200 {
            session.send(&change(worker, step));
            session.send("\n");
        }
        thread::sleep(Duration::from_millis(5 + (round as u64 * 7) % 40));
        session.crash();
        round += 1;
    }
    0
}

fn read_until(directory: &Path, number: usize, end: Instant) -> usize {
    let mut session = open(number, directory);
    while Instant::now() < end {
        let first = session.ask(&format!("BEGIN; {NUMBERS};"));
        equal(&first);
        session.answers(&format!("{NUMBERS}; COMMIT;"), &first);
    }
    0
}
