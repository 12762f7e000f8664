//! WAL: a native sqlite3 in other processes and we use one database at once, by
//! one wal-index. No change is lost, snapshots stand still, and what one leaves
//! behind the other recovers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::who::PAIRS;
use crate::support::who::Who::{Native, Ours};
use crate::support::{self, Directory, End, Input};

/// A directory with a database in WAL mode, with one row.
fn in_wal_mode(name: &str) -> (Directory, PathBuf) {
    let directory = Directory::fresh(name);
    let path = directory.path();
    let table = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);";
    support::natively(&path, &["test.db", table]).exits_with(0).prints("wal\n");
    (directory, path)
}

/// The names in the directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the directory is ours");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("the directory is ours").file_name())
        .map(|name| name.into_string().expect("names are UTF-8"))
        .collect();
    names.sort();
    names
}

/// Fails unless the rows are these and the database is whole.
#[track_caller]
fn holds(directory: &Path, rows: &str) {
    let query = "SELECT group_concat(a) FROM t; PRAGMA integrity_check;";
    support::natively(directory, &["test.db", query]).prints(&format!("{rows}\nok\n"));
}

#[test]
fn wal_mode_is_entered_and_left() {
    let directory = Directory::fresh("enter");
    let path = directory.path();
    let sql = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);";
    support::ours(&path, &["test.db", sql]).exits_with(0).prints("wal\n").keeps_quiet();
    support::natively(&path, &["test.db", "PRAGMA journal_mode"]).prints("wal\n");
    assert_eq!(names(&path), ["test.db"], "the last one takes the WAL away");
    support::ours(&path, &["test.db", "PRAGMA journal_mode=delete"]).prints("delete\n");
    support::natively(&path, &["test.db", "PRAGMA journal_mode"]).prints("delete\n");
    holds(&path, "1");
}

#[test]
fn each_sees_what_the_other_commits() {
    for (one, other) in PAIRS {
        let (_directory, path) = in_wal_mode("each-sees");
        let (mut first, mut second) = (one.open(&path), other.open(&path));
        for number in 2..50 {
            let writer = if number % 2 == 0 { &mut first } else { &mut second };
            writer.answers(&format!("INSERT INTO t VALUES ({number});"), "");
            let reader = if number % 2 == 0 { &mut second } else { &mut first };
            reader.answers("SELECT max(a), count(*) FROM t;", &format!("{number}|{number}\n"));
        }
        assert_eq!(first.finish().0, End::Exited(0));
        assert_eq!(second.finish().0, End::Exited(0));
        assert_eq!(names(&path), ["test.db"], "{one:?}, {other:?}");
    }
}

#[test]
fn a_snapshot_stands_still_while_others_write_and_checkpoint() {
    for (reader, writer) in PAIRS {
        let (_directory, path) = in_wal_mode("snapshot");
        let (mut reading, mut writing) = (reader.open(&path), writer.open(&path));
        reading.answers("BEGIN; SELECT count(*) FROM t;", "1\n");
        writing.answers("INSERT INTO t VALUES (2); SELECT count(*) FROM t;", "2\n");
        writing.answers("PRAGMA wal_checkpoint(PASSIVE);", "0|1|0\n");
        reading.answers("SELECT count(*) FROM t; COMMIT; SELECT count(*) FROM t;", "1\n2\n");
        writing.answers("PRAGMA wal_checkpoint(TRUNCATE);", "0|0|0\n");
        reading.answers("SELECT count(*) FROM t;", "2\n");
    }
}

/// A transaction that has read cannot write when others have written since.
#[test]
fn a_stale_snapshot_cannot_be_written() {
    for (one, other) in PAIRS {
        let (_directory, path) = in_wal_mode("stale");
        let (mut first, mut second) = (one.open(&path), other.open(&path));
        first.answers("BEGIN; SELECT count(*) FROM t;", "1\n");
        second.answers("INSERT INTO t VALUES (2);", "");
        first.answers_with("INSERT INTO t VALUES (3);", "database is locked (5)");
        first.answers("ROLLBACK; INSERT INTO t VALUES (4);", "");
        holds(&path, "1,2,4");
    }
}

#[test]
fn one_writes_at_a_time_and_readers_go_on() {
    for (one, other) in PAIRS {
        let (_directory, path) = in_wal_mode("one-writer");
        let mut writing = one.open(&path);
        writing.answers("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);", "");
        other.run(&path, "SELECT count(*) FROM t").exits_with(0).prints("1\n");
        other.run(&path, "INSERT INTO t VALUES (3)").exits_with(5).complains("locked (5)");
        let mut waiting = other.open(&path);
        waiting.answers(".timeout 30000", "");
        waiting.send("INSERT INTO t VALUES (3);\n");
        writing.answers("COMMIT;", "");
        assert_eq!(waiting.finish(), (End::Exited(0), String::new()));
        holds(&path, "1,2,3");
    }
}

/// Each kind of checkpoint, with nobody else, with a reader of the last state,
/// one of an older state, and a writer: the same answers as natively.
#[test]
fn checkpoints_answer_as_natively() {
    let others = ["", "BEGIN; SELECT count(*) FROM t;", "BEGIN IMMEDIATE;"];
    for kind in ["PASSIVE", "FULL", "RESTART", "TRUNCATE", "NOOP"] {
        for (number, other) in others.into_iter().enumerate() {
            let answers = [Ours, Native].map(|who| {
                let (_directory, path) = in_wal_mode("checkpoint");
                let (mut first, mut second) = (who.open(&path), Native.open(&path));
                first.answers("INSERT INTO t VALUES (2);", "");
                second.ask(other);
                if number == 1 {
                    first.answers("INSERT INTO t VALUES (3);", "");
                }
                first.ask(&format!("PRAGMA wal_checkpoint({kind}); SELECT count(*) FROM t;"))
            });
            assert_eq!(answers[0], answers[1], "{kind} {other}");
        }
    }
}

/// What is only in the WAL is committed all the same, and what is not
/// committed is gone.
#[test]
fn what_one_leaves_behind_the_other_recovers() {
    for (dying, recovering) in PAIRS {
        let (_directory, path) = in_wal_mode("died");
        let mut session = dying.open(&path);
        session.answers("PRAGMA cache_size=5; INSERT INTO t VALUES (2);", "");
        let change = "BEGIN; INSERT INTO t VALUES (3); CREATE TABLE u AS WITH RECURSIVE c(i) AS
            (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000) SELECT hex(i) FROM c;";
        session.answers(change, "");
        session.crash();
        assert_eq!(names(&path), ["test.db", "test.db-shm", "test.db-wal"]);
        let query = "SELECT group_concat(a) FROM t; INSERT INTO t VALUES (4);";
        recovering.run(&path, query).exits_with(0).prints("1,2\n").keeps_quiet();
        holds(&path, "1,2,4");
    }
}

/// A wal-index from before a crash of the machine says nothing.
#[test]
fn a_wal_index_that_nobody_has_open_is_not_believed() {
    for (dying, recovering) in PAIRS {
        let (_directory, path) = in_wal_mode("stale-index");
        let mut session = dying.open(&path);
        session.answers("INSERT INTO t VALUES (2);", "");
        session.crash();
        fs::write(path.join("test.db-shm"), vec![0xa5; 65536]).expect("the directory is ours");
        recovering.run(&path, "SELECT group_concat(a) FROM t").prints("1,2\n");
        holds(&path, "1,2");
    }
}

/// More than one region of the wal-index: 4,062 pages are in the first.
#[test]
fn a_long_wal_needs_many_regions() {
    for (writer, reader) in PAIRS {
        let (_directory, path) = in_wal_mode("long");
        let (mut reading, mut writing) = (reader.open(&path), writer.open(&path));
        reading.answers("SELECT count(*) FROM t;", "1\n");
        writing.answers("PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=50;", "0\n");
        let rows = "INSERT INTO t SELECT zeroblob(3500) FROM generate_series(1, 13000);";
        writing.answers(rows, "");
        let size = fs::metadata(path.join("test.db-shm")).expect("it is in use").len();
        assert_eq!(size, 4 * 32768);
        reading.answers("SELECT count(*), sum(length(a)) FROM t;", "13001|45500001\n");
        reading.answers("DELETE FROM t WHERE a <> 1;", "");
        writing.answers("SELECT count(*) FROM t;", "1\n");
        reading.answers("PRAGMA wal_checkpoint(RESTART);", &reading_back(&path));
        writing.answers("INSERT INTO t VALUES (2); PRAGMA integrity_check;", "ok\n");
        holds(&path, "1,2");
    }
}

/// What a checkpoint of all of the WAL answers: its pages, twice.
fn reading_back(directory: &Path) -> String {
    let size = fs::metadata(directory.join("test.db-wal")).expect("it is in use").len();
    let pages = (size - 32) / (4096 + 24);
    format!("0|{pages}|{pages}\n")
}

#[test]
fn connections_of_one_process_exclude_each_other() {
    let (_directory, path) = in_wal_mode("one-process");
    let mut session = Ours.open(&path);
    session.answers("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);", "");
    session.answers(".connection 1\n.open test.db\nSELECT count(*) FROM t;", "1\n");
    session.answers_with("INSERT INTO t VALUES (3);", "database is locked (5)");
    session.answers(".connection 0\nCOMMIT;\n.connection 1\nSELECT count(*) FROM t;", "2\n");
    session.answers("INSERT INTO t VALUES (3);\n.connection 0\n.connection close 1", "");
    // The first one still has the wal-index open.
    Native.run(&path, "INSERT INTO t VALUES (4)").exits_with(0);
    session.answers("SELECT group_concat(a) FROM t;", "1,2,3,4\n");
    // For the statement that found the database locked.
    assert_eq!(session.finish().0, End::Exited(1));
    assert_eq!(names(&path), ["test.db"]);
    holds(&path, "1,2,3,4");
}

#[test]
fn attached_databases_have_a_wal_each() {
    let (_directory, path) = in_wal_mode("attached");
    let sql = "PRAGMA journal_mode=wal; CREATE TABLE o(a); INSERT INTO o VALUES (10)";
    support::natively(&path, &["other.db", sql]).prints("wal\n");
    let mut session = Ours.open(&path);
    session.answers("ATTACH 'other.db' AS other; PRAGMA other.journal_mode;", "wal\n");
    session.answers("BEGIN; INSERT INTO t VALUES (2); INSERT INTO o VALUES (20); COMMIT;", "");
    let query = "SELECT (SELECT sum(a) FROM t), (SELECT sum(a) FROM x.o)";
    let natively = format!("ATTACH 'other.db' AS x; {query}");
    Native.run(&path, &natively).prints("3|30\n");
    session.answers("DETACH other; SELECT sum(a) FROM t;", "3\n");
    // The same file twice in one connection is refused or works, as natively.
    for who in [Ours, Native] {
        who.run(&path, "ATTACH 'test.db' AS again; SELECT count(*) FROM again.t").prints("2\n");
    }
    assert_eq!(session.finish().0, End::Exited(0));
    assert_eq!(names(&path), ["other.db", "test.db"]);
}

#[test]
fn the_wal_stays_when_that_is_wanted() {
    for who in [Ours, Native] {
        let (_directory, path) = in_wal_mode("persist");
        let script = ".filectrl persist_wal 1\nINSERT INTO t VALUES (2);\n";
        let input = Input::Bytes(script.as_bytes());
        let run = support::run(&who.program(), &["test.db"], &path, &input);
        run.exits_with(0);
        assert_eq!(names(&path), ["test.db", "test.db-shm", "test.db-wal"], "{who:?}");
        holds(&path, "1,2");
    }
}

/// What can only be read: a database opened so, and a wal-index that must not
/// be written, with and without somebody who keeps it.
#[test]
fn reading_only_is_as_natively() {
    for uri in ["test.db?mode=ro", "test.db?mode=ro&readonly_shm=1", "test.db?readonly_shm=1"] {
        for writer in [Some(Ours), Some(Native), None] {
            let answers = [Ours, Native].map(|who| {
                let (_directory, path) = in_wal_mode("read-only");
                let _session = writer.map(|writer| {
                    let mut session = writer.open(&path);
                    session.answers("INSERT INTO t VALUES (2);", "");
                    session
                });
                let uri = format!("file:{}/{uri}", path.display());
                let sql = "SELECT count(*) FROM t; PRAGMA journal_mode; INSERT INTO t VALUES (9);";
                let run = support::run(&who.program(), &[&uri, sql], &path, &Input::Nothing);
                (run.end, run.out().into_owned(), run.err().into_owned())
            });
            assert_eq!(answers[0], answers[1], "{uri} beside {writer:?}");
        }
    }
}

/// What a dead writer has left cannot be recovered by who can only read.
#[test]
fn a_wal_that_was_left_is_read_by_who_cannot_write() {
    let answers = [Ours, Native].map(|who| {
        let (_directory, path) = in_wal_mode("left");
        let mut session = Native.open(&path);
        session.answers("INSERT INTO t VALUES (2);", "");
        session.crash();
        let uri = format!("file:{}/test.db?mode=ro&readonly_shm=1", path.display());
        let sql = "SELECT group_concat(a) FROM t;";
        let run = support::run(&who.program(), &[&uri, sql], &path, &Input::Nothing);
        (run.end, run.out().into_owned(), run.err().into_owned())
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].1, "1,2\n");
}

/// A directory granted for reading: the writer's wal-index is used and not
/// written.
#[test]
fn a_directory_granted_for_reading_follows_its_writer() {
    let (_directory, path) = in_wal_mode("granted");
    let mut session = Native.open(&path);
    session.answers("INSERT INTO t VALUES (2);", "");
    let grant = format!("{}:ro", path.display());
    let database = format!("{}/test.db", path.display());
    let words = ["--no-default-dirs", "--dir", &grant, &database, "SELECT group_concat(a) FROM t;"];
    support::ours(&path, &words).exits_with(0).prints("1,2\n");
    let words = ["--no-default-dirs", "--dir", &grant, &database, "INSERT INTO t VALUES (3);"];
    support::ours(&path, &words).exits_with(8).complains("readonly database (8)");
    assert_eq!(session.finish().0, End::Exited(0));
    holds(&path, "1,2");
}

/// A stranger's database in WAL mode, without a writer: the message says what opens it.
#[test]
fn a_strangers_database_in_wal_mode_is_opened_as_immutable() {
    let (_directory, path) = in_wal_mode("strangers");
    let grant = format!("{}:ro", path.display());
    let database = format!("{}/test.db", path.display());
    let read = |database: &str, options: &[&str]| {
        let words = [&["--no-default-dirs", "--dir", &grant], options].concat();
        let sql = "SELECT group_concat(a) FROM t;";
        support::ours(&path, &[&words[..], &[database, sql]].concat())
    };
    assert_eq!(names(&path), ["test.db"]);
    for options in [&[][..], &["-readonly"]] {
        let run = read(&database, options);
        assert!(run.err().contains("immutable=1") && run.out() == "", "{run}");
    }
    read(&format!("file:{database}?immutable=1"), &[]).exits_with(0).prints("1\n");
}

#[test]
fn wal_mode_on_a_database_that_can_only_be_read_is_answered_as_natively() {
    let answers = [Ours, Native].map(|who| {
        let directory = Directory::fresh("ask-read-only");
        let path = directory.path();
        support::natively(&path, &["test.db", "CREATE TABLE t(a)"]).exits_with(0);
        let uri = format!("file:{}/test.db?mode=ro", path.display());
        let sql = "PRAGMA journal_mode=wal; SELECT count(*) FROM t; PRAGMA journal_mode;";
        let run = support::run(&who.program(), &[&uri, sql], &path, &Input::Nothing);
        (run.end, run.out().into_owned(), run.err().into_owned())
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn exclusive_locking_keeps_the_native_shell_out() {
    let (_directory, path) = in_wal_mode("keeps-out");
    let mut session = Ours.open(&path);
    session.answers("PRAGMA locking_mode=exclusive; INSERT INTO t VALUES (2);", "exclusive\n");
    assert_eq!(names(&path), ["test.db", "test.db-wal"], "no memory is shared");
    for sql in ["SELECT a FROM t", "INSERT INTO t VALUES (3)"] {
        let run = Native.run(&path, sql);
        run.exits_with(5).prints("").complains("database is locked (5)");
    }
    session.answers("SELECT count(*) FROM t;", "2\n");
    assert_eq!(session.finish().0, End::Exited(0));
    holds(&path, "1,2");
}

#[test]
fn a_connection_keeps_exclusive_locking_out() {
    for (one, other) in PAIRS {
        let (_directory, path) = in_wal_mode("kept-out");
        let mut session = one.open(&path);
        session.answers("INSERT INTO t VALUES (2);", "");
        for sql in ["SELECT a FROM t;", "INSERT INTO t VALUES (3);"] {
            let run = other.run(&path, &format!("PRAGMA locking_mode=exclusive; {sql}"));
            run.exits_with(5).prints("exclusive\n").complains("database is locked (5)");
        }
        let run = other.run(&path, "PRAGMA journal_mode=delete");
        run.exits_with(5).complains("database is locked (5)");
        session.answers("INSERT INTO t VALUES (4); SELECT group_concat(a) FROM t;", "1,2,4\n");
        assert_eq!(session.finish().0, End::Exited(0));
        holds(&path, "1,2,4");
    }
}

/// Somebody cuts the wal-index, which nobody may: no wrong answer, no private
/// copy and no signal, but an end.
#[test]
fn a_wal_index_that_is_cut_in_use_ends_the_program() {
    let (_directory, path) = in_wal_mode("cut");
    let mut session = Ours.open(&path);
    session.answers("INSERT INTO t VALUES (2);", "");
    fs::File::options()
        .write(true)
        .open(path.join("test.db-shm"))
        .and_then(|file| file.set_len(0))
        .expect("the directory is ours");
    session.try_send("SELECT count(*) FROM t; INSERT INTO t VALUES (3);\n");
    let (end, printed) = session.wait();
    assert_eq!(end, End::Exited(122), "{printed}");
    assert!(printed.contains("another program truncated a mapped file"), "{printed}");
    holds(&path, "1,2");
}
