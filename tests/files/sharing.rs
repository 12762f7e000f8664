//! A native sqlite3 in another process and we use one database with a rollback
//! journal: no change is lost, and each waits for the other's locks.

use std::path::Path;

use crate::support::session::Session;
use crate::support::who::Who::{Native, Ours};
use crate::support::who::{PAIRS, Who};
use crate::support::{self, Directory, End};

/// Changes that each of several writers makes.
const CHANGES: usize = 200;

/// A directory with a database in it.
fn shared(name: &str) -> Directory {
    let directory = Directory::fresh(name);
    let table = "CREATE TABLE t(n); INSERT INTO t VALUES (0);";
    support::natively(&directory.path(), &["test.db", table]).exits_with(0);
    directory
}

/// Fails unless the counter is `expected` and the database is whole.
#[track_caller]
fn counts(directory: &Path, expected: usize) {
    let query = "SELECT n FROM t; PRAGMA integrity_check;";
    support::natively(directory, &["test.db", query]).prints(&format!("{expected}\nok\n"));
}

/// Lets all writers make their changes at once: a lock holds them back until
/// each has tried.
fn write_at_once(directory: &Path, writers: &[Who], mode: &str, change: &str) {
    let mut gate = Native.open(directory);
    gate.answers("BEGIN EXCLUSIVE;", "");
    let mut sessions: Vec<_> = writers.iter().map(|who| who.open(directory)).collect();
    for session in &mut sessions {
        session.send(&format!(".timeout 30000\nPRAGMA journal_mode={mode};\n"));
        session.send(&format!("{change}\n").repeat(CHANGES));
    }
    gate.answers("COMMIT;", "");
    for session in sessions {
        assert_eq!(session.finish(), (End::Exited(0), format!("{mode}\n")));
    }
}

#[test]
fn no_change_of_concurrent_writers_is_lost() {
    for mode in ["delete", "truncate", "persist"] {
        let directory = shared(mode);
        write_at_once(&directory.path(), &[Ours, Native], mode, "UPDATE t SET n = n + 1;");
        counts(&directory.path(), 2 * CHANGES);
    }
}

#[test]
fn what_a_writer_has_read_stays_true_until_it_commits() {
    let directory = shared("read-then-write");
    let change = "BEGIN IMMEDIATE; CREATE TEMP TABLE seen AS SELECT n FROM t;
        UPDATE t SET n = (SELECT n FROM seen) + 1; COMMIT; DROP TABLE temp.seen;";
    write_at_once(&directory.path(), &[Native, Ours, Ours], "delete", change);
    counts(&directory.path(), 3 * CHANGES);
}

/// What somebody holds on the database, and what others may then do.
struct Hold {
    name: &'static str,
    take: &'static str,
    others_read: bool,
    others_begin: bool,
    others_commit: bool,
}

const HOLDS: &[Hold] = &[
    Hold {
        name: "nothing",
        take: "SELECT n FROM t WHERE n < 0;",
        others_read: true,
        others_begin: true,
        others_commit: true,
    },
    Hold {
        name: "shared",
        take: "BEGIN; SELECT n FROM t WHERE n < 0;",
        others_read: true,
        others_begin: true,
        others_commit: false,
    },
    Hold {
        name: "reserved",
        take: "BEGIN IMMEDIATE;",
        others_read: true,
        others_begin: false,
        others_commit: false,
    },
    Hold {
        name: "reserved with a journal",
        take: "BEGIN; UPDATE t SET n = n;",
        others_read: true,
        others_begin: false,
        others_commit: false,
    },
    Hold {
        name: "exclusive",
        take: "BEGIN EXCLUSIVE;",
        others_read: false,
        others_begin: false,
        others_commit: false,
    },
    Hold {
        name: "exclusive for ever",
        take: "PRAGMA locking_mode=exclusive; BEGIN; UPDATE t SET n = n; COMMIT;",
        others_read: false,
        others_begin: false,
        others_commit: false,
    },
];

/// Fails unless `sql` works or finds the database locked, as `allowed` says,
/// with the message and code of the native shell.
#[track_caller]
fn may(who: Who, directory: &Path, sql: &str, allowed: bool, held: &str) {
    let run = who.run(directory, sql);
    let locked = run.err().ends_with("database is locked (5)\n") && run.end == End::Exited(5);
    let worked = run.stderr.is_empty() && run.end == End::Exited(0);
    let right = if allowed { worked } else { locked };
    assert!(right, "somebody holds {held}; allowed: {allowed}\n{run}");
}

#[test]
fn each_lock_keeps_out_whom_it_must_and_nobody_else() {
    for (holder, other) in PAIRS {
        for hold in HOLDS {
            let directory = shared("locks");
            let directory = directory.path();
            let mut session = holder.open(&directory);
            session.ask(hold.take);
            let held = format!("{} ({holder:?})", hold.name);
            may(other, &directory, "SELECT n FROM t", hold.others_read, &held);
            may(other, &directory, "BEGIN IMMEDIATE; ROLLBACK", hold.others_begin, &held);
            may(other, &directory, "UPDATE t SET n = 7", hold.others_commit, &held);
            assert_eq!(session.finish().0, End::Exited(0));
            may(other, &directory, "UPDATE t SET n = 8", true, "nothing any more");
            counts(&directory, 8);
        }
    }
}

/// A writer that waits for readers to finish lets no new ones in, so that it
/// cannot wait for ever.
#[test]
fn a_waiting_writer_keeps_new_readers_out() {
    for (writer, other) in PAIRS {
        let directory = shared("pending");
        let directory = directory.path();
        let mut reading = other.open(&directory);
        reading.answers("BEGIN; SELECT n FROM t;", "0\n");
        let mut writing = writer.open(&directory);
        writing.answers("BEGIN; UPDATE t SET n = 5;", "");
        may(other, &directory, "SELECT n FROM t", true, "RESERVED");
        writing.answers_with("COMMIT;", "database is locked (5)");
        may(other, &directory, "SELECT n FROM t", false, "PENDING");
        reading.answers("SELECT n FROM t; COMMIT;", "0\n");
        writing.answers("COMMIT;", "");
        may(other, &directory, "SELECT n FROM t", true, "nothing any more");
        counts(&directory, 5);
    }
}

#[test]
fn a_reader_sees_one_state_while_another_writes() {
    for (writer, reader) in PAIRS {
        let directory = shared("state");
        let directory = directory.path();
        let mut reading = reader.open(&directory);
        let mut writing = writer.open(&directory);
        reading.answers("SELECT n FROM t;", "0\n");
        writing.answers("BEGIN; UPDATE t SET n = 1;", "");
        reading.answers("SELECT n FROM t;", "0\n");
        writing.answers("COMMIT;", "");
        reading.answers("SELECT n FROM t;", "1\n");
        writing.answers("BEGIN; UPDATE t SET n = 2; ROLLBACK;", "");
        reading.answers("SELECT n FROM t;", "1\n");
        reading.answers("UPDATE t SET n = 3;", "");
        writing.answers("SELECT n FROM t;", "3\n");
    }
}

/// The schema is read again when another process has changed it.
#[test]
fn a_changed_schema_is_noticed() {
    for (one, other) in PAIRS {
        let directory = shared("schema");
        let mut session = one.open(&directory.path());
        session.answers("SELECT n FROM t;", "0\n");
        other.run(&directory.path(), "CREATE TABLE u(a); INSERT INTO u VALUES (4)").exits_with(0);
        session.answers("SELECT a FROM u;", "4\n");
        other.run(&directory.path(), "VACUUM").exits_with(0);
        session.answers("SELECT a FROM u; PRAGMA integrity_check;", "4\nok\n");
    }
}

/// A lock that is waited for is got when it becomes free.
#[test]
fn a_timeout_waits_for_the_lock() {
    for (holder, other) in PAIRS {
        let directory = shared("timeout");
        let mut holding = holder.open(&directory.path());
        holding.answers("BEGIN EXCLUSIVE; UPDATE t SET n = 3;", "");
        let mut waiting = other.open(&directory.path());
        waiting.answers(".timeout 30000", "");
        waiting.send("UPDATE t SET n = n + 1;\n");
        holding.answers("COMMIT;", "");
        assert_eq!(waiting.finish(), (End::Exited(0), String::new()));
        counts(&directory.path(), 4);
    }
}

/// Closing one of two connections of a process drops the process's locks where
/// they are not of the open file (POSIX's old rule).
#[test]
fn a_second_connection_does_not_drop_the_locks_of_the_first() {
    let directory = shared("second");
    let directory = directory.path();
    let mut session = Ours.open(&directory);
    session.answers("BEGIN IMMEDIATE; UPDATE t SET n = 1;", "");
    // `.connection` opens another one; so does ATTACH.
    session.answers(".connection 1\n.open test.db\nSELECT n FROM t;", "0\n");
    session.answers(".connection 0\n.connection close 1", "");
    may(Native, &directory, "BEGIN IMMEDIATE", false, "RESERVED");
    session.answers("ATTACH 'other.db' AS o; SELECT n FROM t; COMMIT; DETACH o;", "1\n");
    counts(&directory, 1);
}

/// Attached databases change together, or not at all.
#[test]
fn a_commit_in_two_files_waits_for_both() {
    let directory = shared("two");
    let directory = directory.path();
    let other = "CREATE TABLE o(n); INSERT INTO o VALUES (0);";
    support::natively(&directory, &["other.db", other]).exits_with(0);
    let mut reading = Session::start(&support::native(), &["other.db"], &directory);
    reading.answers("BEGIN; SELECT n FROM o;", "0\n");
    let mut writing = Ours.open(&directory);
    let change = "ATTACH 'other.db' AS x; BEGIN; UPDATE t SET n = 1; UPDATE x.o SET n = 1;";
    writing.answers(change, "");
    writing.answers_with("COMMIT;", "database is locked (5)");
    reading.answers("COMMIT;", "");
    writing.answers("COMMIT;", "");
    counts(&directory, 1);
    support::natively(&directory, &["other.db", "SELECT n FROM o"]).prints("1\n");
}
