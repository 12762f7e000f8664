//! What was committed survives; an ordinary end is clean.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::{Server, execute};

fn checked(server: &Server) -> String {
    let sql = "PRAGMA integrity_check; SELECT count(*) FROM t;";
    let shell = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/sqlite-wasm-run");
    let output = Command::new(shell).arg(server.database()).arg(sql).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn kill_keeps_what_was_committed() {
    for _ in 0..5 {
        let mut server = Server::start(&[]);
        server.query("CREATE TABLE t(x)");
        let committed = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    // The request that the server's end breaks off ends this.
                    while server.try_insert() {
                        committed.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            server.signal("-KILL");
        });
        assert!(!server.wait());
        let out = checked(&server);
        let (check, count) = out.trim().split_once('\n').unwrap();
        assert_eq!(check, "ok");
        let (count, committed) =
            (count.parse::<usize>().unwrap(), committed.load(Ordering::SeqCst));
        assert!(
            count >= committed && count <= committed + 2 && committed > 0,
            "{count} {committed}"
        );
    }
}

#[test]
fn an_ordinary_end_waits_for_requests() {
    let mut server = Server::start(&["--statement-timeout", "20s"]);
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
