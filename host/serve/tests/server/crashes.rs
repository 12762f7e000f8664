//! What was committed survives; an ordinary end is clean.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::{Server, execute, setting};
use crate::wire::Client;

const OURS: &str = "release/sqlite-wasm-run";
const NATIVE: &str = "native-reference/sqlite3";

const WRITERS: usize = 4;

/// What a shell of `target` says of a database.
fn said(shell: &str, database: &Path, sql: &str) -> String {
    let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target").join(shell);
    let output = Command::new(&shell).arg(database).arg(sql).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", shell.display()));
    String::from_utf8(output.stdout).unwrap()
}

fn checked(server: &Server) -> String {
    said(OURS, &server.database(), "PRAGMA integrity_check; SELECT count(*) FROM t;")
}

/// A copy of the database and its log, as the crash left them.
fn copied(server: &Server, name: &str) -> std::path::PathBuf {
    let copy = server.directory.path().join(name);
    std::fs::copy(server.database(), &copy).unwrap();
    let log = server.database().with_extension("db-wal");
    // Each shell recovers from the log alone.
    std::fs::copy(log, copy.with_extension("db-wal")).unwrap();
    copy
}

/// Write until the server is killed: the rows that it said are committed.
fn killed_under_writes(milliseconds: u64) -> (Server, Vec<usize>) {
    let mut server = Server::start(&[]);
    server.query("CREATE TABLE t(x INTEGER PRIMARY KEY)");
    let (next, committed) = (AtomicUsize::new(1), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        let write = || {
            // The request that the server's end breaks off ends this.
            loop {
                let row = next.fetch_add(1, Ordering::SeqCst);
                if !server.try_insert(row) {
                    return;
                }
                committed.lock().unwrap().push(row);
            }
        };
        (0..WRITERS).for_each(|_| _ = scope.spawn(write));
        std::thread::sleep(Duration::from_millis(milliseconds));
        server.signal("-KILL");
    });
    assert!(!server.wait());
    (server, committed.into_inner().unwrap())
}

/// `SERVE_KILLS=50` does it more often.
#[test]
fn kill_keeps_what_was_committed() {
    for round in 0..setting("SERVE_KILLS", 3) {
        let (server, mut committed) = killed_under_writes(200 + round * 37 % 200);
        let sql = "PRAGMA integrity_check; SELECT x FROM t ORDER BY x;";
        let ours = said(OURS, &copied(&server, "ours.db"), sql);
        assert_eq!(said(NATIVE, &copied(&server, "native.db"), sql), ours);
        let rows = ours.strip_prefix("ok\n").unwrap_or_else(|| panic!("{ours}"));
        let rows: Vec<usize> = rows.lines().map(|row| row.parse().unwrap()).collect();
        let lost: Vec<_> =
            committed.iter().filter(|row| rows.binary_search(row).is_err()).collect();
        assert!(lost.is_empty() && !committed.is_empty(), "{lost:?}");
        // The last commit of each client was not reported to it.
        committed.sort_unstable();
        let unknown = rows.iter().filter(|row| committed.binary_search(row).is_err());
        assert!(unknown.count() <= WRITERS);
    }
}

#[test]
fn an_ordinary_end_waits_for_requests() {
    let mut server = Server::start(&["--statement-timeout", "300s"]);
    server.query("CREATE TABLE t(x)");
    let slow = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c LIMIT 3000000)
                INSERT INTO t SELECT max(i) FROM c";
    std::thread::scope(|scope| {
        let request = scope.spawn(|| server.query(slow));
        std::thread::sleep(Duration::from_millis(150));
        server.signal("-TERM");
        request.join().unwrap();
    });
    assert!(server.wait());
    assert_eq!(checked(&server), "ok\n1\n");
    // The log was copied into the database.
    assert!(!server.database().with_extension("db-wal").exists());
}

/// Sessions of both protocols, some in transactions, and one whose connection is just being opened.
#[test]
fn an_ordinary_end_leaves_nothing() {
    for _ in 0..5 {
        let mut server = Server::start(&["--pg", "127.0.0.1:0"]);
        server.query("CREATE TABLE t(x)");
        let mut streams: Vec<_> = (0..8).map(|_| server.stream()).collect();
        for stream in &mut streams {
            stream.run(&[execute("BEGIN"), execute("SELECT * FROM t")]);
        }
        let fill = "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c LIMIT 50000)
                    INSERT INTO t SELECT i FROM c";
        streams[0].run(&[execute(fill)]);
        let mut client = Client::new(&server);
        client.rows("BEGIN; SELECT * FROM t");
        let _last = Client::new(&server);
        server.signal("-TERM");
        assert!(server.wait());
        for ending in ["db-wal", "db-shm"] {
            assert!(!server.database().with_extension(ending).exists(), "{ending}");
        }
        assert_eq!(checked(&server), "ok\n0\n");
    }
}

#[test]
fn a_unix_socket_is_the_owners() {
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;

    let directory = crate::support::directory();
    let database = directory.path().join("shop.db");
    let unix = directory.path().to_str().unwrap().to_owned();
    let database = database.to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &[&database, "--unix", &unix]);
    let path = server.directory.path().join("http.sock");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let mut stream = UnixStream::connect(&path).unwrap();
    let body = json!({"requests": [execute("SELECT 41 + 1"), {"type": "close"}]}).to_string();
    let length = body.len();
    write!(stream, "POST /v2/pipeline HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.contains(r#""value":"42""#), "{reply}");
}
