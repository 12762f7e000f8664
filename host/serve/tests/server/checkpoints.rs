//! The write-ahead log: who may shorten it, and how large it may be.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::support::{Server, directory, execute, run_runner};

/// More than any log may have here.
const TOO_LARGE: u64 = 2 << 30;

/// A session for each statement, so that each one may be the last that closes the database.
fn insert_apart(server: &Server) {
    for row in 0..4 {
        assert!(server.try_insert(row), "{row}");
    }
}

/// End a server as its user does. Returns its directory.
fn end(mut server: Server) -> TempDir {
    server.signal("-TERM");
    assert!(server.wait());
    std::mem::replace(&mut server.directory, directory())
}

fn is_kept(before: &[u8], wal: &Path) -> bool {
    fs::read(wal).is_ok_and(|now| now.starts_with(before))
}

#[test]
fn another_program_makes_all_checkpoints() {
    let server = Server::start(&["--no-checkpoints"]);
    let wal = server.database().with_extension("db-wal");
    server.query("CREATE TABLE t(x)");
    let first = fs::read(&wal).unwrap();
    insert_apart(&server);
    let (code, message) = server.error("PRAGMA wal_checkpoint(TRUNCATE)");
    assert_eq!(code, "SQLITE_AUTH");
    assert!(message.contains("--no-checkpoints"), "{message}");
    let all = fs::read(&wal).unwrap();
    assert!(first.len() > 4096 && all.len() > first.len() + 4 * 4096 && all.starts_with(&first));
    let directory = end(server);
    let wal = directory.path().join("shop.db-wal");
    assert!(is_kept(&all, &wal));
    // A start opens and closes the file, too.
    let database = directory.path().join("shop.db").to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &[&database, "--no-checkpoints"]);
    assert_eq!(server.query("SELECT count(*) FROM t"), [["4"]]);
    assert!(is_kept(&all, &wal));
    let _directory = end(server);
    assert!(is_kept(&all, &wal));
}

/// As `docs/replication.md` has it.
#[test]
fn the_shell_can_leave_them_to_another_program() {
    let directory = directory();
    let database = directory.path().join("app.db");
    let wal = directory.path().join("app.db-wal");
    let shell = |options: &[&str], sql: &str| {
        let arguments = [options, &[database.to_str().unwrap(), sql]].concat();
        assert!(run_runner(&arguments).1, "{sql}");
    };
    let text = include_str!("../../../../docs/replication.md");
    let line = text.lines().find(|line| line.starts_with("sqlite-wasm-run -cmd ")).unwrap();
    let options: Vec<_> =
        line.split('\'').skip(1).step_by(2).flat_map(|cmd| ["-cmd", cmd]).collect();
    shell(&[], "PRAGMA journal_mode=WAL");
    shell(&options, "CREATE TABLE t(x)");
    let first = fs::read(&wal).unwrap();
    shell(&options, "INSERT INTO t VALUES(1)");
    assert!(first.len() > 4096 && is_kept(&first, &wal));
}

/// As large as one that a client has filled; only its size is changed, which SQLite allows.
fn grow_log(server: &Server) -> fs::File {
    let wal = server.database().with_extension("db-wal");
    let log = fs::File::options().write(true).open(wal).unwrap();
    log.set_len(TOO_LARGE).unwrap();
    log
}

#[test]
fn a_full_log_has_no_writers() {
    let server = Server::start(&["--no-checkpoints", "--max-db-size", "1M"]);
    server.query("CREATE TABLE t(x)");
    let size = server.database().with_extension("db-wal").metadata().unwrap().len();
    let log = grow_log(&server);
    for sql in ["INSERT INTO t VALUES(1)", "BEGIN IMMEDIATE"] {
        let (code, message) = server.error(sql);
        assert_eq!(code, "SQLITE_FULL", "{sql}");
        assert!(message.contains("write-ahead log exceeds"), "{message}");
    }
    assert_eq!(server.query("SELECT count(*) FROM t"), [["0"]]);
    log.set_len(size).unwrap();
    server.query("INSERT INTO t VALUES(1)");
    assert_eq!(server.query("SELECT count(*) FROM t"), [["1"]]);
}

#[test]
fn a_full_log_is_shortened() {
    let server = Server::start(&["--max-db-size", "1M"]);
    let mut reader = server.stream();
    reader.run(&[execute("CREATE TABLE t(x)")]);
    grow_log(&server);
    server.query("INSERT INTO t VALUES(1)");
    let wal = server.database().with_extension("db-wal").metadata().unwrap().len();
    assert!(wal < TOO_LARGE / 2, "{wal}");
}
