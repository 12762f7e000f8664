//! The Postgres wire: strings and parameters have the types of their columns, and COPY those of a
//! SELECT. No table hides the catalogue.

use std::fs::File;
use std::time::Duration;

use super::support::{Server, directory};
use super::wire::{Client, bind, error, execute, message, parse, rows, shown, sync, tags, text};

fn server() -> Server {
    Server::start(&["--pg", "127.0.0.1:0"])
}

#[test]
fn strings_are_stored_and_compared_as_their_types() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE t(d date, ts timestamp, ok boolean DEFAULT 'f', u uuid, v varchar(3), i int[]);
         INSERT INTO t(d, ts, u) VALUES ('2024-3-1', '2024-03-01T10:00', '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'),
         ('Dec 31, 2023', '20231231', NULL); UPDATE t SET ok = 't', i = '{1, 2}' WHERE ts > '2024-1-1'",
    );
    assert_eq!(
        client.rows("SELECT d, ts, ok, i FROM t ORDER BY d"),
        "2023-12-31|2023-12-31 00:00:00|f|NULL\n2024-03-01|2024-03-01 10:00:00|t|{1,2}"
    );
    assert_eq!(
        client.rows("SELECT u FROM t WHERE u = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"),
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    );
    assert_eq!(client.rows("SELECT count(*) FROM t WHERE d >= '2024-2-15' AND ok"), "1");
    assert_eq!(client.rows("SELECT count(*) FROM t WHERE d = timestamp '2024-03-01'"), "1");
    assert_eq!(client.rows("SELECT count(*) FROM t WHERE i = ARRAY[1, 2] AND ok = 'yes'"), "1");
    assert_eq!(client.rows("SELECT ok::text || '!' FROM t ORDER BY d"), "false!\ntrue!");
    for (sql, code) in [
        ("INSERT INTO t(d) VALUES ('garbage')", "22007"),
        ("INSERT INTO t(d) VALUES ('2024-02-30')", "22008"),
        ("SELECT 1 FROM t WHERE ok = 'maybe'", "22P02"),
        ("UPDATE t SET v = 'long'", "22001"),
        ("INSERT INTO t(ts) VALUES ('infinity')", "0A000"),
    ] {
        assert_eq!(client.error(sql).0, code, "{sql}");
    }
    let mut bound = |value: &str| {
        let sent = [parse("", "UPDATE t SET v = $1", &[]), bind("", "", &[Some(value)], 0)];
        client.send(&[sent.concat(), execute("", 0), sync()].concat());
        error(&client.until_ready()).map(|(code, _)| code)
    };
    assert_eq!((bound("abc"), bound("abcd").as_deref()), (None, Some("22001")));
}

#[test]
fn copies_have_the_types_of_a_select() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(d date, v varchar(3)); INSERT INTO t VALUES ('2024-03-01', 'a')");
    let sql = "COPY (SELECT d < '2024-3-2' AS earlier, now() > d, 1.5::float8, count(*) OVER () \
               FROM t) TO STDOUT (FORMAT csv, HEADER)";
    let all = client.query(sql);
    let data = all.iter().filter(|(tag, _)| *tag == 'd').map(|(_, body)| &body[..]);
    let data = String::from_utf8(data.collect::<Vec<_>>().concat()).unwrap();
    assert_eq!(data, "earlier,?column?,float8,count\nt,t,1.5,1\n");
    for (row, code) in [("x\ty\n", "22007"), ("2024-03-01\tlong\n", "22001")] {
        client.send(&message('Q', &text("COPY t FROM STDIN")));
        client.receive();
        client.send(&[message('d', row.as_bytes()), message('c', b"")].concat());
        assert_eq!(error(&client.until_ready()).unwrap().0, code, "{row}");
    }
}

/// Each file has one writer at a time, so each client has its own.
#[test]
fn unfinished_rows_of_copies_take_room() {
    let directory = directory();
    (0..9).for_each(|one| drop(File::create(directory.path().join(format!("d{one}.db"))).unwrap()));
    let root = directory.path().to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &["--root", &root, "--pg", "127.0.0.1:0"]);
    let begun = |database: usize| {
        let mut client = Client::begin(server.postgres(), "local", &format!("d{database}"));
        client.greeted();
        client.rows("CREATE TABLE t(a text)");
        client.send(&message('Q', &text("COPY t FROM STDIN")));
        assert_eq!(client.receive().0, 'G');
        client.send(&message('d', &[b'x'; 16 << 10]).repeat(20));
        client
    };
    let mut held: Vec<_> = (0..8).map(begun).collect();
    std::thread::sleep(Duration::from_secs(1));
    let mut other = begun(8);
    assert_eq!(error(&other.until_ready()).unwrap().0, "53200");
    // Who has room goes on, and gives it back.
    let mut client = held.remove(0);
    let rest = [b"\n".to_vec(), vec![b'y'; 100_000]].concat();
    client.send(&[message('d', &rest), message('c', b"")].concat());
    let all = client.until_ready();
    assert!(shown(&all).contains("COPY 2"), "{}", shown(&all));
    other.send(&message('Q', &text(&format!("SELECT length('{}')", "x".repeat(200_000)))));
    let all = other.until_ready();
    assert_eq!(rows(&all), "200000", "{}", shown(&all));
}

#[test]
fn no_table_hides_the_catalogue() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int)");
    for sql in [
        "CREATE TABLE pg_class(oid int)",
        "CREATE VIEW public.json_each AS SELECT 1",
        "CREATE TEMP TABLE generate_series(value int)",
        "ALTER TABLE t RENAME TO pg_type",
    ] {
        assert_eq!(client.error(sql).0, "42939", "{sql}");
        let (_, said) = server.error(&sql.replace("public.", ""));
        assert!(said.contains("is reserved"), "{sql}: {said}");
    }
    assert_eq!(client.rows("SELECT relname FROM pg_class WHERE relkind = 'r'"), "t");
}

#[test]
fn set_config_does_what_set_does() {
    let server = server();
    let mut client = Client::new(&server);
    let set = client.query("SELECT set_config('statement_timeout', '77', false)");
    assert_eq!((rows(&set).as_str(), tags(&set).as_str()), ("77ms", "TDCZ"));
    assert!(shown(&set).contains("set_config\0") && shown(&set).contains("SELECT 1\0"));
    assert_eq!(client.rows("SHOW statement_timeout"), "77ms");
    client.rows("BEGIN; SELECT set_config('my.own', 'x', true)");
    assert_eq!(client.rows("SELECT current_setting('my.own')"), "x");
    client.rows("COMMIT");
    assert_eq!(client.rows("SELECT current_setting('my.own')"), "");
    assert_eq!(client.error("SELECT set_config('nope', 'x', false)").0, "42704");
    assert_eq!(client.rows("SELECT set_config(n, 'x', false) FROM (SELECT 'a.b' AS n)"), "x");
}
