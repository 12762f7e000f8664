//! A database in WAL mode needs shared memory that we do not have yet. So it
//! opens only in exclusive locking mode, under a lock that others respect, and
//! never with a pretended one.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::session::Session;
use support::{End, Folder};

/// What is asked for first.
const EXCLUSIVE: &str = "PRAGMA locking_mode=exclusive;";

/// A folder with a database in WAL mode, made natively.
fn in_wal_mode(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::fresh(name);
    let path = folder.path();
    let table = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);";
    support::natively(&path, &["test.db", table]).exits_with(0).prints("wal\n");
    (folder, path)
}

fn natively_open(folder: &Path) -> Session {
    Session::start(&support::native(), &["test.db"], folder)
}

fn open(folder: &Path) -> Session {
    Session::start(&support::our_binary(), &["test.db"], folder)
}

/// Fails unless the rows are these and the database is whole.
#[track_caller]
fn holds(folder: &Path, rows: &str) {
    let question = "SELECT group_concat(a) FROM t; PRAGMA integrity_check;";
    support::natively(folder, &["test.db", question]).prints(&format!("{rows}\nok\n"));
}

#[test]
fn a_wal_database_is_refused_under_normal_locking() {
    let (_folder, path) = in_wal_mode("normal");
    for sql in ["SELECT a FROM t", "INSERT INTO t VALUES (2)", "PRAGMA integrity_check"] {
        let run = support::ours(&path, &["test.db", sql]);
        run.exits_with(14).prints("").complains("unable to open database file (14)");
    }
    holds(&path, "1");
}

#[test]
fn a_wal_database_opens_under_exclusive_locking() {
    let (_folder, path) = in_wal_mode("exclusive");
    let sql = format!(
        "{EXCLUSIVE} INSERT INTO t VALUES (2); SELECT count(*) FROM t; PRAGMA journal_mode;"
    );
    support::ours(&path, &["test.db", &sql]).exits_with(0).prints("exclusive\n2\nwal\n");
    holds(&path, "1,2");
}

#[test]
fn wal_mode_is_not_entered_under_normal_locking() {
    let folder = Folder::fresh("enter");
    let path = folder.path();
    let sql = "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);";
    support::ours(&path, &["test.db", sql]).exits_with(0).prints("delete\n");
    support::natively(&path, &["test.db", "PRAGMA journal_mode"]).prints("delete\n");
    holds(&path, "1");
}

#[test]
fn wal_mode_is_entered_and_left_under_exclusive_locking() {
    let folder = Folder::fresh("leave");
    let path = folder.path();
    let sql = format!(
        "{EXCLUSIVE} PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES (1);"
    );
    support::ours(&path, &["test.db", &sql]).exits_with(0).prints("exclusive\nwal\n");
    support::natively(&path, &["test.db", "PRAGMA journal_mode"]).prints("wal\n");
    holds(&path, "1");
    let sql = format!("{EXCLUSIVE} PRAGMA journal_mode=delete;");
    support::ours(&path, &["test.db", &sql]).exits_with(0).prints("exclusive\ndelete\n");
    support::natively(&path, &["test.db", "PRAGMA journal_mode"]).prints("delete\n");
    holds(&path, "1");
}

#[test]
fn an_exclusive_lock_keeps_the_native_shell_out() {
    let (_folder, path) = in_wal_mode("keeps-out");
    let mut session = open(&path);
    session.answers(&format!("{EXCLUSIVE} INSERT INTO t VALUES (2);"), "exclusive\n");
    for sql in ["SELECT a FROM t", "INSERT INTO t VALUES (3)"] {
        let run = support::natively(&path, &["test.db", sql]);
        run.exits_with(5).prints("").complains("database is locked (5)");
    }
    session.answers("SELECT count(*) FROM t;", "2\n");
    assert_eq!(session.finish().0, End::Exited(0));
    holds(&path, "1,2");
}

#[test]
fn a_native_connection_keeps_us_out() {
    let (_folder, path) = in_wal_mode("kept-out");
    let mut session = natively_open(&path);
    session.answers("INSERT INTO t VALUES (2);", "");
    for sql in ["SELECT a FROM t;", "INSERT INTO t VALUES (3);", "PRAGMA journal_mode=delete;"] {
        let run = support::ours(&path, &["test.db", &format!("{EXCLUSIVE} {sql}")]);
        run.exits_with(5).prints("exclusive\n").complains("database is locked (5)");
        let run = support::ours(&path, &["test.db", sql]);
        run.exits_with(14).complains("unable to open database file (14)");
    }
    session.answers("INSERT INTO t VALUES (4); SELECT group_concat(a) FROM t;", "1,2,4\n");
    assert_eq!(session.finish().0, End::Exited(0));
    holds(&path, "1,2,4");
}

/// What is only in the WAL is committed all the same.
#[test]
fn we_recover_a_wal_that_the_native_shell_left() {
    let (_folder, path) = in_wal_mode("native-died");
    let mut session = natively_open(&path);
    session.answers("INSERT INTO t VALUES (2); BEGIN; INSERT INTO t VALUES (3);", "");
    session.crash();
    assert!(fs::metadata(path.join("test.db-wal")).is_ok_and(|file| file.len() > 0));
    let sql = format!("{EXCLUSIVE} SELECT group_concat(a) FROM t; INSERT INTO t VALUES (4);");
    support::ours(&path, &["test.db", &sql]).exits_with(0).prints("exclusive\n1,2\n");
    holds(&path, "1,2,4");
}

#[test]
fn the_native_shell_recovers_a_wal_that_we_left() {
    let (_folder, path) = in_wal_mode("we-died");
    let mut session = open(&path);
    session.answers(&format!("{EXCLUSIVE} INSERT INTO t VALUES (2);"), "exclusive\n");
    session.answers("BEGIN; INSERT INTO t VALUES (3);", "");
    session.crash();
    assert!(fs::metadata(path.join("test.db-wal")).is_ok_and(|file| file.len() > 0));
    holds(&path, "1,2");
}
