//! The Postgres wire.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use super::support::{PATIENCE, Server, directory, run_with_input};
use super::wire::{
    Client, bind, error, execute, message, parse, rows, shown, start, sync, tags, text,
};

fn server(arguments: &[&str]) -> Server {
    Server::start(&[&["--pg", "127.0.0.1:0"], arguments].concat())
}

#[test]
fn simple_queries_have_rows_tags_and_errors() {
    let server = server(&[]);
    let mut client = Client::begin(server.postgres(), "local", "shop");
    let settings = client.greeted();
    for (name, value) in [
        ("client_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
        ("TimeZone", "UTC"),
        ("application_name", "test"),
    ] {
        assert!(settings.contains(&(name.to_owned(), value.to_owned())), "{name} {settings:?}");
    }
    client.rows(
        "CREATE TABLE item(id serial PRIMARY KEY, name text NOT NULL, price numeric(8,2), ok boolean)",
    );
    let inserted = client
        .query("INSERT INTO item(name, price, ok) VALUES ('a', 1.5, true), ('b', NULL, false)");
    assert!(shown(&inserted).contains("INSERT 0 2"), "{}", shown(&inserted));
    assert_eq!(client.rows("SELECT * FROM item ORDER BY id"), "1|a|1.50|t\n2|b|NULL|f");
    assert_eq!(tags(&client.query("SELECT 1; SELECT 2")), "TDCTDCZ");
    assert_eq!(tags(&client.query(" ; ")), "IZ");
    assert_eq!(client.error("SELECT nope FROM item").0, "42703");
    assert_eq!(client.error("SELECT \"nope\" FROM item").0, "42703");
    assert_eq!(client.error("SELECT 1 FROM nope").0, "42P01");
    assert_eq!(client.error("SELEC 1").0, "42601");
    assert_eq!(client.error("INSERT INTO item(id, name) VALUES (1, 'x')").0, "23505");
    assert_eq!(client.error("INSERT INTO item(name) VALUES (NULL)").0, "23502");
    let wrong = client.query("SELECT 'é', nope FROM item");
    assert!(shown(&wrong).contains("P13\0"), "{}", shown(&wrong));
    // Several statements are one transaction.
    assert_eq!(client.error("DELETE FROM item; SELECT nope").0, "42703");
    assert_eq!(client.rows("SELECT count(*) FROM item"), "2");
    assert_eq!(client.rows("SHOW server_version"), "15.0");
    assert_eq!(server.query("SELECT name FROM item WHERE id = 1")[0][0], "a");
}

#[test]
fn violated_keys_have_their_names() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE t(a_b int UNIQUE, a int NOT NULL, b int CONSTRAINT mine UNIQUE, UNIQUE (a, b));
         CREATE UNIQUE INDEX \"i'\" ON t(b, a_b); INSERT INTO t VALUES (1, 2, 3)",
    );
    assert_eq!(
        client.rows("SELECT conname FROM pg_constraint WHERE contype = 'u' ORDER BY 1"),
        "mine\nt_a_b_key\nt_a_b_key1"
    );
    let mut violated = |sql: &str| shown(&client.query(sql));
    for (values, name) in [("1, 9, 9", "t_a_b_key"), ("9, 9, 3", "mine")] {
        let report = violated(&format!("INSERT INTO t VALUES ({values})"));
        let fields = format!("unique constraint \"{name}\"");
        assert!(report.contains(&fields), "{report}");
        assert!(report.contains(&format!("\0spublic\0tt\0n{name}\0")), "{report}");
    }
    violated("DROP TABLE t; CREATE TABLE t(a_b int UNIQUE, a int NOT NULL, b int, UNIQUE (a, b))");
    violated("CREATE UNIQUE INDEX \"i'\" ON t(b, a_b); INSERT INTO t VALUES (NULL, 2, 3)");
    let report = violated("INSERT INTO t VALUES (1, 2, 3)");
    assert!(report.contains("nt_a_b_key1\0"), "{report}");
    let report = violated("INSERT INTO t VALUES (NULL, NULL, 4)");
    assert!(report.contains("\0spublic\0tt\0ca\0"), "{report}");
}

#[test]
fn only_vectors_of_the_catalogue_begin_at_0() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int, b int, indkey int[]); CREATE INDEX i ON t(b, a)");
    client.rows("INSERT INTO t VALUES (0, 1, '{7,8}'), (0, 2, ARRAY[5])");
    assert_eq!(
        client.rows("SELECT indkey[1], indkey[b], indkey[a] FROM t"),
        "7|7|NULL\n5|NULL|NULL"
    );
    let both = "SELECT i.indkey[0], i.indkey[1], t.indkey[0], t.indkey[1] FROM pg_index i, t
                WHERE indexrelid = 'i'::regclass AND t.b = 1";
    assert_eq!(client.rows(both), "2|1|NULL|7");
    let nested =
        "SELECT v.indkey[0] FROM (SELECT indkey FROM pg_index WHERE indexrelid = 'i'::regclass) v";
    assert_eq!(client.rows(nested), "2");
}

#[test]
fn a_failed_transaction_waits_for_its_end() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int)");
    let state = |all: Vec<_>| shown(&all[all.len() - 1..]);
    assert_eq!(state(client.query("BEGIN")), "Z T");
    client.rows("INSERT INTO t VALUES (1)");
    assert_eq!(state(client.query("SELECT nope")), "Z E");
    assert_eq!(client.error("SELECT 1").0, "25P02");
    // Its locks are free already.
    Client::new(&server).rows("INSERT INTO t VALUES (2)");
    let committed = client.query("COMMIT");
    assert!(shown(&committed).contains("ROLLBACK"), "{}", shown(&committed));
    assert_eq!(client.rows("SELECT a FROM t"), "2");
    client.rows("BEGIN; INSERT INTO t VALUES (3); SAVEPOINT s");
    client.error("SELECT nope");
    client.rows("ROLLBACK TO s");
    client.rows("COMMIT");
    assert_eq!(client.rows("SELECT a FROM t ORDER BY a"), "2\n3");
    assert_eq!(client.error("BEGIN READ ONLY; INSERT INTO t VALUES (4)").0, "25006");
    client.rows("ROLLBACK");
    client.rows("BEGIN READ ONLY; SELECT a FROM t; SET default_transaction_read_only = off");
    assert_eq!(client.error("INSERT INTO t VALUES (4)").0, "25006");
    client.rows("ROLLBACK; BEGIN READ ONLY; SELECT a FROM t");
    assert_eq!(client.error("SET transaction_read_only = off").0, "25001");
    client.rows("ROLLBACK");
    // What runs for a statement before it is refused, too, and holds no lock of writers.
    client.rows("CREATE TABLE u(a int)");
    client.rows("BEGIN READ ONLY; SAVEPOINT s");
    assert_eq!(client.error("TRUNCATE t, u").0, "25006");
    let mut other = Client::new(&server);
    other.rows("INSERT INTO u VALUES (1)");
    client.rows("ROLLBACK TO s; ROLLBACK");
    let warned = client.query("COMMIT");
    assert_eq!(tags(&warned), "NCZ");
}

#[test]
fn statements_are_prepared_described_and_fetched() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client
        .rows("CREATE TABLE t(a int, b text); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)");
    let describe = |kind: &str, name: &str| message('D', &text(&format!("{kind}{name}")));
    let prepared = parse("s", "SELECT a, b FROM t WHERE a > $1 ORDER BY a", &[]);
    client.send(&[prepared, describe("S", "s"), sync()].concat());
    let all = client.until_ready();
    assert_eq!(tags(&all), "1tTZ");
    assert_eq!(all[1].1, [0, 1, 0, 0, 0, 23]);
    client.send(&[bind("", "s", &[Some("1")], 1), execute("", 0), sync()].concat());
    let all = client.until_ready();
    assert_eq!(tags(&all), "2DDCZ");
    assert_eq!(all[1].1, b"\0\x02\0\0\0\x04\0\0\0\x02\0\0\0\x01y");
    let fetch = [bind("p", "s", &[Some("0")], 0), execute("p", 2), execute("p", 2), sync()];
    client.send(&fetch.concat());
    let all = client.until_ready();
    assert_eq!((tags(&all).as_str(), rows(&all).as_str()), ("2DDsDCZ", "1|x\n2|y\n3|NULL"));
    let wrong = [bind("", "s", &[Some("x")], 0), execute("", 0), sync()];
    client.send(&wrong.concat());
    let all = client.until_ready();
    assert_eq!((tags(&all).as_str(), error(&all).unwrap().0.as_str()), ("EZ", "22P02"));
    // A pipeline up to Sync is one transaction.
    let insert = parse("", "INSERT INTO t(a) VALUES ($1)", &[]);
    let twice = [insert.clone(), bind("", "", &[Some("8")], 0), execute("", 0)];
    let failing = [parse("", "SELECT 1/0 FROM nope", &[]), sync()];
    client.send(&[twice.concat(), failing.concat()].concat());
    assert_eq!(tags(&client.until_ready()), "12CEZ");
    assert_eq!(client.rows("SELECT count(*) FROM t WHERE a = 8"), "0");
    client.send(&[bind("", "gone", &[], 0), sync()].concat());
    assert_eq!(error(&client.until_ready()).unwrap().0, "26000");
    client.send(&[parse("s", "SELECT 1", &[]), sync()].concat());
    assert_eq!(error(&client.until_ready()).unwrap().0, "42P05");
    client.rows("DEALLOCATE s");
    client.send(&[parse("s", "", &[]), bind("", "s", &[], 0), execute("", 0), sync()].concat());
    assert_eq!(tags(&client.until_ready()), "12IZ");
}

#[test]
fn data_is_copied_in_and_out() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int PRIMARY KEY, b text)");
    client.send(&message('Q', &text("COPY t FROM STDIN (FORMAT csv, HEADER)")));
    assert_eq!(client.receive().0, 'G');
    for data in ["a,b\n1,\"x", "y\"\n2,\n", "3,z"] {
        client.send(&message('d', data.as_bytes()));
    }
    client.send(&message('c', b""));
    let all = client.until_ready();
    assert!(shown(&all).contains("COPY 3"), "{}", shown(&all));
    let all = client.query("COPY t TO STDOUT");
    let data: String = all
        .iter()
        .filter(|(tag, _)| *tag == 'd')
        .map(|(_, body)| String::from_utf8_lossy(body).into_owned())
        .collect();
    assert_eq!((tags(&all).as_str(), data.as_str()), ("HdddcCZ", "1\txy\n2\t\\N\n3\tz\n"));
    // An error ends it; what is still sent is ignored, and nothing was inserted.
    client.send(&message('Q', &text("COPY t FROM STDIN")));
    assert_eq!(client.receive().0, 'G');
    client.send(&message('d', b"4\tx\n3\ty\n"));
    client.send(&message('d', b"5\tx\n"));
    client.send(&message('c', b""));
    assert_eq!(error(&client.until_ready()).unwrap().0, "23505");
    client.send(&message('Q', &text("COPY t FROM STDIN")));
    client.receive();
    client.send(&message('f', &text("enough")));
    assert_eq!(error(&client.until_ready()).unwrap().0, "57014");
    assert_eq!(client.rows("SELECT count(*) FROM t"), "3");
    assert_eq!(client.error("COPY t TO '/tmp/x'").0, "42501");
}

#[test]
fn passwords_and_roles_are_checked() {
    let directory = directory();
    let secret = run_with_input(&["--new-password"], "pencil\n");
    assert!(secret.starts_with("password = \"SCRAM-SHA-256$4096:"), "{secret}");
    let users = directory.path().join("users");
    let text = format!(
        "[alice]\n{secret}databases = {{ shop = \"write\" }}\n[bob]\n{secret}databases = {{ shop = \"read\" }}\n[eve]\ndatabases = {{ shop = \"owner\" }}"
    );
    std::fs::write(&users, text).unwrap();
    let database = directory.path().join("shop.db");
    let arguments = [database.to_str().unwrap().to_owned(), users.to_str().unwrap().to_owned()];
    let arguments = [&arguments[0], "--users", &arguments[1], "--pg", "127.0.0.1:0"];
    let server = Server::start_in(directory, &arguments);
    let address = server.postgres();
    let client = |user: &str, database: &str, password: &str| {
        let mut client = Client::begin(address, user, database);
        client.prove(password);
        client
    };
    let mut alice = client("alice", "shop", "pencil");
    assert_eq!(alice.receive().1[..4], [0, 0, 0, 12]);
    alice.greeted();
    alice.rows("CREATE TABLE t(a int)");
    assert_eq!(alice.error("ATTACH ':memory:' AS x").0, "42501");
    assert_eq!(alice.rows("SELECT current_user, session_user"), "alice|alice");
    let mut bob = client("bob", "shop", "pencil");
    bob.receive();
    bob.greeted();
    assert_eq!(bob.rows("SELECT count(*) FROM t"), "0");
    assert_eq!(bob.error("INSERT INTO t VALUES (1)").0, "25006");
    for (user, database, password, code) in [
        ("alice", "shop", "pencils", "28P01"),
        ("eve", "shop", "pencil", "28P01"),
        ("nobody", "shop", "pencil", "28P01"),
    ] {
        let reply = client(user, database, password).receive();
        assert_eq!(error(&[reply]).unwrap().0, code, "{user}");
    }
    let mut other = client("alice", "other", "pencil");
    other.receive();
    assert_eq!(error(&[other.receive()]).unwrap().0, "3D000");
    let mut early = Client::begin(address, "alice", "shop");
    early.receive();
    early.send(&message('Q', &super::wire::text("SELECT 1")));
    assert_eq!(error(&[early.receive()]).unwrap().0, "08P01");
}

#[test]
fn garbage_ends_only_its_own_connection() {
    let server = server(&[]);
    let address = server.postgres();
    let mut other = Client::of(address);
    for garbage in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\0\0\0\x08\0\x02\0\0",
        b"\xff\xff\xff\xff\0\0\0\0",
        b"\0\0\0\x04",
    ] {
        let mut client = Client::connect(address);
        client.send(garbage);
        let mut rest = Vec::new();
        let _ = client.stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains("SELECT"));
    }
    for garbage in [
        message('?', b""),
        b"Q\xff\xff\xff\xff".to_vec(),
        b"Q\0\0\0\0".to_vec(),
        b"Q\x7f\0\0\0".to_vec(),
    ] {
        let mut client = Client::of(address);
        client.send(&garbage);
        assert_eq!(error(&[client.receive()]).unwrap().0, "08P01");
        assert!(client.try_receive().is_err());
    }
    let mut client = Client::of(address);
    client.send(&[message('B', b"\0\0\0\xff"), message('P', b"x"), sync()].concat());
    assert_eq!(tags(&client.until_ready()), "EZ");
    assert_eq!(client.error("SELECT 1 \0 2").0, "08P01");
    // Half closed: the replies still come.
    client.send(&[message('Q', &text("SELECT 1")), message('Q', &text("SELECT 2"))].concat());
    client.stream.shutdown(Shutdown::Write).unwrap();
    let (one, two) = (client.until_ready(), client.until_ready());
    assert_eq!((rows(&one), rows(&two)), ("1".to_owned(), "2".to_owned()));
    assert!(client.try_receive().is_err());
    assert_eq!(other.rows("SELECT 1"), "1");
}

#[test]
fn floods_wait_for_their_reader() {
    let server = server(&["--max-bytes", "256M", "--statement-timeout", "30s"]);
    let address = server.postgres();
    let mut flood = Client::of(address);
    let before = server.memory();
    flood.stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let large = message('Q', &text("SELECT hex(zeroblob(500000)) FROM generate_series(1, 100)"));
    for _ in 0..200 {
        if flood.stream.write_all(&large).is_err() {
            break;
        }
    }
    let start = Instant::now();
    assert_eq!(Client::of(address).rows("SELECT 1"), "1");
    assert!(start.elapsed() < PATIENCE / 2);
    let more = server.memory().saturating_sub(before);
    assert!(more < 64 << 20, "{more}");
}

#[test]
fn a_signal_lets_statements_end() {
    let mut server = server(&[]);
    let address = server.postgres();
    let mut idle = Client::of(address);
    let mut busy = Client::of(address);
    busy.send(&message('Q', &text(
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000000) SELECT count(*) FROM c",
    )));
    std::thread::sleep(Duration::from_millis(300));
    server.signal("-TERM");
    assert_eq!(error(&[idle.receive()]).unwrap().0, "57P01");
    let all = busy.until_ready();
    assert_eq!(rows(&all), "1000000", "{}", shown(&all));
    assert_eq!(error(&[busy.receive()]).unwrap().0, "57P01");
    assert!(server.wait());
}

#[test]
fn the_unix_socket_is_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    let directory = directory();
    let database = directory.path().join("shop.db").to_str().unwrap().to_owned();
    let unix = directory.path().to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &[&database, "--unix", &unix]);
    let path = server.directory.path().join(".s.PGSQL.5432");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let stream = UnixStream::connect(path).unwrap();
    let mut client = Client { stream, key: Vec::new() };
    client.send(&start("root", "root"));
    client.greeted();
    assert_eq!(client.rows("SELECT current_database()"), "shop");
}
