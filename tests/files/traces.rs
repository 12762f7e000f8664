//! The system calls on a database, compared with the native shell's: locks,
//! writes, syncs, cuts and removals must be the same, and in the same order.
//! So what holds for SQLite when power fails or programs meet holds for us.

use std::fs;
use std::path::Path;

use crate::support::strace::{self, Traced};
use crate::support::{self, Directory, Input};

/// The calls that matter to who shares the database or finds it after a crash.
const CALLS: &str = "trace=write,pwrite64,fdatasync,fsync,ftruncate,unlink,unlinkat,fcntl";

/// What both programs do to the files of `test.db`, one event for each call.
#[track_caller]
fn same(name: &str, prepare: &str, script: &str) -> Vec<String> {
    // One after the other in one directory: a super-journal holds its path.
    let directory = Directory::fresh(name);
    let path = directory.path();
    let [ours, native] = [support::our_binary(), support::native()].map(|program| {
        for name in ["test.db", "other.db"] {
            // The first of them finds none.
            let _ = fs::remove_file(path.join(name));
        }
        support::natively(&path, &["test.db", prepare]).exits_with(0);
        let options = ["-y", "-s0", "-e", CALLS].map(str::to_owned);
        let input = Input::Bytes(script.as_bytes());
        let Traced { run, calls } = strace::run(&options, &program, &["test.db"], &path, &input);
        let events: Vec<_> = calls.iter().filter_map(|call| event(call, &path)).collect();
        (run.out().into_owned(), run.err().into_owned(), events)
    });
    assert_eq!((&ours.0, &ours.1), (&native.0, &native.1), "{name}: the answers differ");
    let first = (0..).find(|&at| ours.2.get(at) != native.2.get(at) || at >= ours.2.len());
    let at = first.unwrap_or_default();
    assert!(
        ours.2 == native.2,
        "{name}: they differ from number {at} on\nours:   {:?}\nnative: {:?}",
        &ours.2[at.saturating_sub(3)..ours.2.len().min(at + 8)],
        &native.2[at.saturating_sub(3)..native.2.len().min(at + 8)],
    );
    ours.2
}

/// A traced call as both programs have it; none if it is not about the directory.
fn event(call: &str, directory: &Path) -> Option<String> {
    let (_, call) = call.split_once(char::is_whitespace)?;
    let (name, rest) = call.trim_start().split_once('(')?;
    let directory = directory.to_str().expect("the path is UTF-8");
    if name.starts_with("unlink") {
        let path = rest.split('"').nth(1)?;
        let path = path.strip_prefix(directory).map_or(path, |path| &path[1..]);
        return Some(format!("remove {}", known(path)));
    }
    let (_, rest) = rest.split_once('<')?;
    let (path, rest) = rest.split_once('>')?;
    let file = known(path.strip_prefix(directory)?.trim_start_matches('/'));
    match name {
        "write" | "pwrite64" => Some(format!("write {file} {}", rest.rsplit("= ").next()?)),
        "fdatasync" | "fsync" => Some(format!("sync {file}")),
        "ftruncate" => Some(format!("cut {file} {}", rest.trim_start_matches(", "))),
        "fcntl" if rest.contains("SETLK") => {
            let field = |name| Some(rest.split_once(name)?.1.split([',', '}']).next()?.to_owned());
            let (kind, start, length) = (field("l_type=")?, field("l_start=")?, field("l_len=")?);
            let result = if rest.ends_with("= 0") { "held" } else { "busy" };
            Some(format!("lock {file} {kind} {start} {length} {result}"))
        }
        _ => None,
    }
}

/// The random end of a super-journal's name is left out.
fn known(file: &str) -> &str {
    file.split_once("-mj").map_or(file, |_| "super-journal")
}

/// Transactions small and large, committed and not, and what else writes.
const CHANGES: &str = "
    CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
    INSERT INTO t(b) VALUES ('one'), ('two');
    BEGIN; INSERT INTO t(b) VALUES ('three'); UPDATE t SET b = b || '!'; COMMIT;
    BEGIN; DELETE FROM t; ROLLBACK;
    PRAGMA cache_size=5;
    BEGIN; INSERT INTO t(b) SELECT hex(zeroblob(500)) FROM generate_series(1, 200); COMMIT;
    BEGIN; UPDATE t SET b = b || b; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT;
    INSERT INTO t VALUES (1, 'there already');
    PRAGMA user_version=7;
    CREATE INDEX i ON t(b);
    DELETE FROM t WHERE a > 100;
    VACUUM;
    ATTACH 'other.db' AS other;
    CREATE TABLE other.o(a);
    BEGIN; INSERT INTO t(b) VALUES ('both'); INSERT INTO o VALUES (1); COMMIT;
    DETACH other;
    PRAGMA wal_checkpoint;
    PRAGMA integrity_check;
    SELECT count(*), sum(length(b)) FROM t;
";

#[test]
fn every_journal_mode_and_level_of_safety_writes_and_syncs_as_natively() {
    for mode in ["delete", "truncate", "persist", "memory", "off", "wal"] {
        for level in ["off", "normal", "full", "extra"] {
            let settings = format!("PRAGMA synchronous={level}; PRAGMA journal_mode={mode};");
            let attached = format!("AS other; PRAGMA other.synchronous={level};");
            let script = settings + &CHANGES.replace("AS other;", &attached);
            let events = same(&format!("{mode}-{level}"), "PRAGMA user_version=1", &script);
            let syncs = events.iter().filter(|event| event.starts_with("sync")).count();
            assert_eq!(syncs == 0, level == "off", "{mode} {level}: {syncs} syncs");
        }
    }
}

#[test]
fn other_settings_write_and_sync_as_natively() {
    for setting in [
        "page_size=512",
        "page_size=65536",
        "auto_vacuum=full",
        "auto_vacuum=incremental",
        "locking_mode=exclusive",
        "checkpoint_fullfsync=1",
        "fullfsync=1",
        "journal_size_limit=1000",
        "secure_delete=1",
        "mmap_size=1000000",
    ] {
        for mode in ["delete", "wal"] {
            let script = format!("PRAGMA {setting}; PRAGMA journal_mode={mode};{CHANGES}");
            same(&setting.replace('=', "-"), "", &script);
        }
    }
}

/// The transitions of the locks, without and with a journal in the way.
#[test]
fn locks_are_taken_and_given_back_as_natively() {
    let prepare = "CREATE TABLE t(a); INSERT INTO t VALUES (1)";
    for mode in ["delete", "persist", "wal"] {
        for script in [
            "SELECT * FROM t;",
            "BEGIN; SELECT * FROM t; INSERT INTO t VALUES (2); COMMIT;",
            "BEGIN; SELECT * FROM t; INSERT INTO t VALUES (2); ROLLBACK;",
            "BEGIN IMMEDIATE; ROLLBACK;",
            "BEGIN IMMEDIATE; SELECT * FROM t; COMMIT;",
            "BEGIN EXCLUSIVE; ROLLBACK;",
            "BEGIN EXCLUSIVE; INSERT INTO t VALUES (2); COMMIT;",
            "PRAGMA locking_mode=exclusive; INSERT INTO t VALUES (2); PRAGMA locking_mode=normal;
             SELECT * FROM t;",
            "PRAGMA cache_size=2; BEGIN; CREATE TABLE u AS SELECT hex(zeroblob(999)) FROM
             generate_series(1, 50); SELECT count(*) FROM u; COMMIT;",
            "PRAGMA wal_checkpoint(PASSIVE); PRAGMA wal_checkpoint(FULL);
             INSERT INTO t VALUES (2); PRAGMA wal_checkpoint(RESTART);
             INSERT INTO t VALUES (2); PRAGMA wal_checkpoint(TRUNCATE);",
            "PRAGMA journal_mode=wal; INSERT INTO t VALUES (2); PRAGMA journal_mode=delete;",
        ] {
            let prepare = format!("PRAGMA journal_mode={mode}; {prepare}");
            let events = same(mode, &prepare, script);
            assert!(events.iter().any(|event| event.starts_with("lock")), "{mode}: {script}");
        }
    }
}
