//! Limits of the feed of changes: clients that do not read, that are many, and that go away.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::feed::{Events, notified};
use crate::feed_socket::Socket;
use crate::feed_writers::sort;
use crate::support::{PATIENCE, Server, execute};
use crate::wire::Client;

/// As in `src/feed/subscriptions.rs`.
const MAX_STREAMS: usize = 256;

/// A commit of this has a message of 20 KB.
const ROWS: usize = 1000;

#[test]
fn who_does_not_read_is_told_from_where_to_read_again() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(id INTEGER PRIMARY KEY)");
    let mut slow = Events::open(&server);
    let mut fast = Events::open(&server);
    let before = server.memory();
    // More than the buffers of the sockets hold.
    let mut stream = server.stream();
    for commit in 0..900_i64 {
        let first = i64::MAX / 2 + commit * ROWS as i64;
        let sql = format!(
            "WITH RECURSIVE c(i) AS (VALUES({first}) UNION ALL SELECT i + 1 FROM c LIMIT {ROWS})
             INSERT INTO t SELECT i FROM c"
        );
        assert_eq!(stream.run(&[execute(&sql)])[0]["type"], "ok");
        assert_eq!(fast.commit()["tables"]["t"].as_array().unwrap().len(), ROWS);
    }
    assert!(server.memory() < before + (64 << 20), "{before} {}", server.memory());
    let mut number = 0;
    let mut resets = 0;
    loop {
        let (kind, _, data) = slow.next();
        let this = data["commit"].as_u64().unwrap();
        if kind == "reset" {
            assert_eq!(data["since"], json!(number + 1));
            resets += 1;
        } else {
            assert!(number == 0 || this == number + 1, "{number} {this}");
        }
        number = this;
        if resets > 0 {
            break;
        }
    }
    // It goes on behind that.
    server.query("DELETE FROM t WHERE id = 1; ");
    server.query("INSERT INTO t VALUES (1)");
    loop {
        let (kind, _, data) = slow.next();
        if kind == "commit" && data["tables"] == json!({"t": [1]}) {
            break;
        }
    }
}

#[test]
fn a_commit_of_more_rows_tells_its_table_only() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    let insert = |count: usize| {
        server.query(&format!(
            "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c LIMIT {count})
             INSERT INTO t SELECT i FROM c"
        ));
    };
    insert(ROWS);
    assert_eq!(events.commit()["tables"]["t"].as_array().unwrap().len(), ROWS);
    insert(ROWS + 1);
    assert_eq!(events.commit()["tables"], json!({"t": null}));
}

#[test]
fn streams_are_limited_and_free_again() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let open = || Events::try_open(&server, "/v1/changes", &server.token, None);
    let all: Vec<_> = (0..MAX_STREAMS).map(|_| open().unwrap()).collect();
    assert!(open().err().unwrap().contains("503"));
    server.query("INSERT INTO t VALUES (1)");
    for mut events in all {
        assert_eq!(events.next().0, "ready");
        assert_eq!(events.commit()["tables"], json!({"t": [1]}));
    }
    let start = Instant::now();
    while open().is_err() {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn hostile_names_of_tables_stay_in_their_line() {
    let server = Server::start(&[]);
    let name = "a\nevent: reset\ndata: {}\n\n\u{2028}\u{1}\"";
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    server.pipeline(vec![execute(&format!("CREATE TABLE {quoted}(a)"))]);
    let mut events = Events::open(&server);
    server.pipeline(vec![execute(&format!("INSERT INTO {quoted} VALUES (1)"))]);
    assert_eq!(events.commit()["tables"], json!({name: [1]}));
    // A commit of many tables is reported as unknown.
    let tables: String = (0..300).map(|table| format!("CREATE TABLE t{table}(a);")).collect();
    let inserts: String =
        (0..300).map(|table| format!("INSERT INTO t{table} VALUES (1);")).collect();
    let all = format!("BEGIN; {tables} {inserts} COMMIT");
    server.pipeline(vec![json!({"type": "sequence", "sql": all})]);
    assert_eq!(events.commit()["tables"], json!(null));
}

#[test]
fn keys_have_bounds_and_stay_in_their_line() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    server.query("CREATE TABLE t(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID");
    let mut events = Events::open(&server);
    let mut socket = Socket::open(&server);
    let mut listener = Client::new(&server);
    listener.rows("LISTEN sqlite_changes");
    let mut is = |sql: &str, expected: Value, is_cut: bool| {
        server.pipeline(vec![execute(sql)]);
        let commit = events.commit();
        assert_eq!(socket.commit(), commit);
        let mut keys = commit["tables"]["t"].clone();
        if let Some(keys) = keys.as_array_mut() {
            sort(keys);
        }
        assert_eq!(keys, expected, "{sql}");
        let notified = notified(&mut listener);
        if is_cut {
            let number = &commit["commit"];
            assert_eq!(notified, json!({"commit": number, "tables": {"t": null}, "cut": true}));
        } else {
            assert_eq!(notified, commit);
        }
    };
    let hostile = "a\nevent: reset\ndata: {}\n\n\u{2028}\u{1}\"";
    let sql = format!("INSERT INTO t VALUES (x'00ff', '{hostile}')");
    is(&sql, json!([[hostile, {"type": "blob", "base64": "AP8"}]]), false);
    is("UPDATE t SET b = b", json!([[hostile, {"type": "blob", "base64": "AP8"}]]), false);
    let undecodable = "UPDATE t SET a = CAST(x'ff0a' AS TEXT), b = 9223372036854775807";
    let first = json!([hostile, {"type": "blob", "base64": "AP8"}]);
    let second = json!([{"type": "integer", "value": i64::MAX.to_string()}, {"type": "text", "base64": "/wo"}]);
    is(undecodable, json!([first, second]), false);
    is("DELETE FROM t", json!([second]), false);
    // More than a notification has.
    let long = "x".repeat(9000);
    is(&format!("INSERT INTO t VALUES (1.5, '{long}')"), json!([[long, 1.5]]), true);
    is("INSERT INTO t VALUES (zeroblob(70000), 1)", json!(null), false);
}
