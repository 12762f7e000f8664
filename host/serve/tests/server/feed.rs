//! The feed of changes: what subscribers read about commits, compared with a table in which each transaction writes
//! what it changes. `SERVE_FEED_TRANSACTIONS=2000` takes longer.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::feed_socket::Socket;
use crate::feed_writers::{SCHEMA, Writer, sort};
use crate::roles::tenants_with;
use crate::support::{Server, execute, setting};
use crate::wire::Client;

/// A stream of server-sent events.
pub struct Events {
    reader: BufReader<TcpStream>,
}

/// An event: its kind, its id and its data.
pub type Event = (String, String, Value);

impl Events {
    /// Listen to a path with a token, from a position on.
    pub fn try_open(
        server: &Server,
        path: &str,
        token: &str,
        last: Option<&str>,
    ) -> Result<Self, String> {
        let mut stream = server.connect();
        let last = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n{last}\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).unwrap();
        if status.contains(" 200 ") { Ok(Self { reader }) } else { Err(status) }
    }

    pub fn open(server: &Server) -> Self {
        let mut events = Self::try_open(server, "/v1/changes", &server.token, None).unwrap();
        assert_eq!(events.next().0, "ready");
        events
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).unwrap_or(0);
        (count > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; none at the end.
    pub fn try_next(&mut self) -> Option<Event> {
        let (mut kind, mut id) = (String::new(), String::new());
        loop {
            let line = self.line()?;
            // Others are headers, and the lengths of chunks.
            if let Some(found) = line.strip_prefix("event: ") {
                kind = found.to_owned();
            } else if let Some(found) = line.strip_prefix("id: ") {
                id = found.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((kind, id, serde_json::from_str(data).unwrap()));
            }
        }
    }

    pub fn next(&mut self) -> Event {
        self.try_next().unwrap()
    }

    /// The data of the next event, which is a commit.
    pub fn commit(&mut self) -> Value {
        let (kind, _, data) = self.next();
        assert_eq!(kind, "commit", "{data}");
        data
    }
}

/// What native SQLite does to the file.
fn native(server: &Server, sql: &str) {
    let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/native-reference/sqlite3");
    let mut command = Command::new(shell);
    assert!(command.arg(server.database()).arg(sql).status().unwrap().success());
}

/// Follow commits by a function until this one is among them: the row of `log` of each, and its tables.
fn follow(mut next: impl FnMut() -> Value, last: i64) -> Vec<(i64, Value)> {
    let mut all = Vec::new();
    let mut number = None;
    loop {
        let mut commit = next();
        let this = commit["commit"].as_u64().unwrap();
        assert!(number.is_none_or(|number| this == number + 1), "{commit} behind {number:?}");
        number = Some(this);
        let tables = commit["tables"].as_object_mut().unwrap();
        let log = tables.remove("log").unwrap()[0].as_i64().unwrap();
        if let Some(keys) = tables.get_mut("pairs") {
            sort(keys.as_array_mut().unwrap());
        }
        all.push((log, commit["tables"].take()));
        if log == last {
            return all;
        }
    }
}

/// The next commit that a client of the Postgres wire receives.
pub fn notified(client: &mut Client) -> Value {
    let (tag, body) = client.receive();
    assert_eq!((tag, &body[..4]), ('A', &[0; 4][..]));
    let text = String::from_utf8_lossy(&body[4..]).into_owned();
    let (channel, payload) = text.trim_end_matches('\0').split_once('\0').unwrap();
    assert_eq!(channel, "sqlite_changes");
    serde_json::from_str(payload).unwrap()
}

#[test]
fn generated_transactions_are_told_in_the_order_of_their_commits() {
    const WRITERS: i64 = 4;
    let server = Server::start(&["--pg", "127.0.0.1:0", "--transaction-timeout", "2m"]);
    let scratch =
        |number| execute(&format!("CREATE TABLE scratch{number}(id INTEGER PRIMARY KEY)"));
    let mut schema = vec![json!({"type": "sequence", "sql": SCHEMA})];
    schema.extend((0..WRITERS).map(scratch));
    server.pipeline(schema);
    let (mut one, mut two, mut three) =
        (Events::open(&server), Events::open(&server), Events::open(&server));
    let mut socket = Socket::open(&server);
    let mut listener = Client::new(&server);
    listener.rows("LISTEN sqlite_changes");
    let count = setting("SERVE_FEED_TRANSACTIONS", 40);
    let found = thread::scope(|scope| {
        // One that breaks its connection in between, and goes on where it was.
        let resumed = scope.spawn(|| {
            let (_, place, first) = three.next();
            drop(three);
            let token = &server.token;
            let mut events = Events::try_open(&server, "/v1/changes", token, Some(&place)).unwrap();
            assert_eq!(events.next(), ("ready".into(), place, json!({"commit": first["commit"]})));
            (first, events)
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let server = &server;
                scope.spawn(move || {
                    let mut writer = Writer::new(server, number);
                    (0..count).for_each(|_| writer.transaction());
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        let last: i64 =
            server.query("SELECT max(id) FROM log")[0][0].as_str().unwrap().parse().unwrap();
        let (first, mut events) = resumed.join().unwrap();
        let mut first = Some(first);
        let resumed = follow(|| first.take().unwrap_or_else(|| events.commit()), last);
        assert_eq!(follow(|| one.commit(), last), resumed);
        assert_eq!(follow(|| two.commit(), last), resumed);
        assert_eq!(follow(|| socket.commit(), last), resumed);
        assert_eq!(follow(|| notified(&mut listener), last), resumed);
        resumed
    });
    let log = server.query("SELECT id, expected FROM log ORDER BY id");
    assert_eq!(found.len(), log.len());
    for ((id, tables), row) in found.iter().zip(log) {
        assert_eq!(Value::from(id.to_string()), row[0]);
        let expected: Value = serde_json::from_str(row[1].as_str().unwrap()).unwrap();
        assert_eq!(*tables, expected, "row {id} of log");
    }
}

#[test]
fn what_is_told_is_visible() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut stream = server.stream();
            (0..200).for_each(|row| {
                stream.run(&[execute(&format!("INSERT INTO t VALUES ({row})"))]);
            });
        });
        let mut reader = server.stream();
        for _ in 0..200 {
            let row = events.commit()["tables"]["t"][0].as_i64().unwrap();
            let found = reader.run(&[execute("SELECT max(rowid) FROM t")]);
            let most = found[0]["response"]["result"]["rows"][0][0]["value"].as_str().unwrap();
            assert!(most.parse::<i64>().unwrap() >= row, "{row} {most}");
        }
        writer.join().unwrap();
    });
}

#[test]
fn other_programs_and_schemas_are_told_of() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    let mut listener = Client::new(&server);
    listener.rows("LISTEN sqlite_changes");
    let mut next = || {
        let commit = events.commit();
        assert_eq!(notified(&mut listener), commit);
        (commit["tables"].clone(), commit["schema"].clone())
    };
    native(&server, "INSERT INTO t VALUES (1)");
    assert_eq!(next(), (Value::Null, Value::Null));
    server.query("INSERT INTO t VALUES (2)");
    assert_eq!(next(), (json!({"t": [2]}), Value::Null));
    server.query("ALTER TABLE t ADD COLUMN b");
    assert_eq!(next(), (json!({}), json!(true)));
    // Between two commits, before the file was looked at.
    native(&server, "BEGIN; DELETE FROM t; INSERT INTO t VALUES (7, 7); COMMIT");
    server.query("INSERT INTO t VALUES (8, 8)");
    assert_eq!(next(), (Value::Null, Value::Null));
    assert_eq!(next(), (json!({"t": [2]}), Value::Null));
    // A commit that changes no row is reported as unknown.
    server.query("PRAGMA user_version = 5");
    assert_eq!(next(), (Value::Null, Value::Null));
    server.query("DROP TABLE t");
    assert_eq!(next().1, json!(true));
}

#[test]
fn each_database_has_its_own_feed_and_readers() {
    let tenants = tenants_with(&[]);
    let server = &tenants.server;
    let open = |name: &str, token: &str| {
        Events::try_open(server, &format!("/{name}/v1/changes"), token, None)
    };
    let refused = |name: &str, token: &str| open(name, token).err().unwrap();
    // Nobody learns which databases there are.
    assert!(refused("b", &tenants.reader).contains("404"));
    assert!(refused("nope", &tenants.reader).contains("404"));
    assert!(
        refused("a", "wrong").contains("401") && refused("..%2fa", &tenants.owner).contains("404")
    );
    let [mut reader, mut writer, mut owner] = [
        open("a", &tenants.reader).unwrap(),
        open("b", &tenants.writer).unwrap(),
        open("b", &tenants.owner).unwrap(),
    ];
    for one in [&mut reader, &mut writer, &mut owner] {
        assert_eq!(one.next().0, "ready");
    }
    let run = |name: &str, sql: &str| {
        let requests = json!({"requests": [execute(sql), {"type": "close"}]});
        let (status, reply) =
            server.post_as(&tenants.owner, &format!("/{name}/v3/pipeline"), &requests);
        assert_eq!((status, &reply["results"][0]["type"]), (200, &json!("ok")), "{reply}");
    };
    run("a", "CREATE TABLE secret(a)");
    run("b", "CREATE TABLE other(a)");
    run("a", "INSERT INTO secret VALUES (1)");
    run("b", "INSERT INTO other VALUES (1)");
    assert_eq!(reader.commit()["schema"], true);
    assert_eq!(reader.commit()["tables"], json!({"secret": [1]}));
    for one in [&mut writer, &mut owner] {
        assert_eq!(one.commit()["schema"], true);
        assert_eq!(one.commit()["tables"], json!({"other": [1]}));
    }
}

#[test]
fn a_place_of_another_run_begins_anew() {
    let mut server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    server.query("INSERT INTO t VALUES (1)");
    let (_, place, _) = events.next();
    // The end of the server ends the stream, and soon.
    let start = Instant::now();
    server.signal("-TERM");
    assert!(server.wait() && events.try_next().is_none());
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let run = place.split_once('-').unwrap().0;
    let long = "9".repeat(5000);
    for place in [&place, "", "-", "x-1", &format!("{run}-"), &format!("{run}--1"), &long] {
        let token = &server.token;
        let mut events = Events::try_open(&server, "/v1/changes", token, Some(place)).unwrap();
        assert_eq!(events.next().0, "reset", "{place}");
        server.query("INSERT INTO t VALUES (1)");
        assert!(events.commit()["tables"]["t"].is_array());
    }
    let mut events = Events::open(&server);
    server.query("INSERT INTO t VALUES (1)");
    let (_, place, _) = events.next();
    let run = place.split_once('-').unwrap().0;
    // Nobody has been there yet.
    let future = format!("{run}-{}", u64::MAX);
    let mut events =
        Events::try_open(&server, "/v1/changes", &server.token, Some(&future)).unwrap();
    assert_eq!(events.next().0, "reset");
}

#[test]
fn a_killed_server_ends_streams() {
    let mut server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    server.signal("-KILL");
    assert!(!server.wait() && events.try_next().is_none());
}
