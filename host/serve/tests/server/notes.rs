//! LISTEN and NOTIFY on the Postgres wire.

use std::io::Write;
use std::time::Duration;

use crate::support::{PATIENCE, Server, execute as hrana};
use crate::wire::{Client, Message, bind, execute, parse, shown, sync, tags};

fn server() -> Server {
    Server::start(&["--pg", "127.0.0.1:0", "--idle-timeout", "1s"])
}

/// What was said, as `channel:payload`.
fn note((tag, body): &Message) -> Option<String> {
    if *tag != 'A' {
        return None;
    }
    let text = String::from_utf8_lossy(&body[4..]);
    Some(text.strip_suffix('\0').unwrap().replacen('\0', ":", 1))
}

fn notes(all: &[Message]) -> Vec<String> {
    all.iter().filter_map(note).collect()
}

/// Check that nothing was said, by something that is said now.
fn hears_next(client: &mut Client, by: &mut Client, expected: &[&str]) {
    by.rows("NOTIFY fence");
    for one in expected.iter().chain(&["fence:"]) {
        assert_eq!(note(&client.receive()).as_deref(), Some(*one));
    }
}

#[test]
fn what_is_said_is_heard_after_the_commit() {
    let server = server();
    let (mut one, mut two) = (Client::new(&server), Client::new(&server));
    two.rows("CREATE TABLE t(a int)");
    one.rows("LISTEN a; LISTEN \"B c\"; LISTEN fence");
    // Of others, while the client sends nothing, and also where that takes longer than it may be idle.
    std::thread::sleep(Duration::from_millis(1500));
    let mut two = Client::new(&server);
    two.rows("NOTIFY a");
    assert_eq!(note(&one.receive()).unwrap(), "a:");
    two.rows("NOTIFY \"B c\", 'x''y'; NOTIFY other, 'z'; NOTIFY A, '1'");
    hears_next(&mut one, &mut two, &["B c:x'y", "a:1"]);
    // Its own, before it may go on, with its own process.
    let own = one.query("NOTIFY a, 'own'");
    assert_eq!(tags(&own), "CAZ");
    assert_eq!(own[1].1[..4], one.key[..4]);
    // Not before the commit, and once only.
    two.rows("BEGIN; NOTIFY a, 'in'; INSERT INTO t VALUES (1)");
    two.rows("NOTIFY a, 'in'; SELECT pg_notify('a', 'in'); NOTIFY a, 'other'");
    assert_eq!(tags(&one.query("SELECT 1")), "TDCZ");
    two.rows("COMMIT");
    hears_next(&mut one, &mut two, &["a:in", "a:other"]);
    // Only between transactions.
    one.rows("BEGIN");
    two.rows("NOTIFY a, 'while'");
    assert_eq!(tags(&one.query("SELECT 1")), "TDCZ");
    assert_eq!(notes(&one.query("COMMIT")), ["a:while"]);
    one.rows("UNLISTEN a");
    two.rows("NOTIFY a");
    hears_next(&mut one, &mut two, &[]);
    one.rows("UNLISTEN *");
    two.rows("NOTIFY fence");
    assert_eq!(tags(&one.query("SELECT 1")), "TDCZ");
}

#[test]
fn what_is_undone_is_not_heard() {
    let server = server();
    let (mut one, mut two) = (Client::new(&server), Client::new(&server));
    one.rows("CREATE TABLE t(a int PRIMARY KEY); LISTEN a; LISTEN fence");
    let mut hears = |sql: &[&str], expected: &[&str]| {
        for sql in sql {
            two.query(sql);
        }
        hears_next(&mut one, &mut two, expected);
    };
    hears(&["BEGIN", "NOTIFY a", "INSERT INTO t VALUES (1)", "ROLLBACK"], &[]);
    hears(&["BEGIN", "NOTIFY a", "SELECT nope", "COMMIT"], &[]);
    hears(&["NOTIFY a; SELECT nope"], &[]);
    hears(
        &[
            "BEGIN",
            "NOTIFY a, '1'",
            "SAVEPOINT s",
            "NOTIFY a, '2'",
            "NOTIFY a, '1'",
            "ROLLBACK TO s",
            "NOTIFY a, '3'",
            "RELEASE s",
            "SAVEPOINT t",
            "NOTIFY a, '4'",
            "RELEASE t",
            "COMMIT",
        ],
        &["a:1", "a:3", "a:4"],
    );
    hears(
        &[
            "BEGIN",
            "NOTIFY a, '5'",
            "SAVEPOINT s",
            "NOTIFY a, '6'",
            "SELECT nope",
            "ROLLBACK TO s",
            "COMMIT",
        ],
        &["a:5"],
    );
    // A commit that fails.
    two.rows("CREATE TABLE c(p int REFERENCES t DEFERRABLE INITIALLY DEFERRED)");
    assert_eq!(two.error("BEGIN; INSERT INTO c VALUES (77); NOTIFY a; COMMIT").0, "23503");
    two.query("ROLLBACK");
    hears_next(&mut one, &mut two, &[]);
    // Listening, too, begins at the commit.
    two.rows("BEGIN; LISTEN a");
    two.rows("ROLLBACK");
    one.rows("UNLISTEN fence; NOTIFY a");
    assert_eq!(tags(&two.query("SELECT 1")), "TDCZ");
    let own = two.query("BEGIN; LISTEN a; NOTIFY a, 'self'; COMMIT");
    assert_eq!(notes(&own), ["a:self"]);
}

#[test]
fn the_function_says_it_for_each_row() {
    let server = server();
    let mut one = Client::new(&server);
    one.rows("CREATE TABLE t(a int); INSERT INTO t VALUES (1), (2), (2); LISTEN n");
    let all = one.query("SELECT pg_notify('n', 'row ' || a) FROM t");
    assert_eq!(notes(&all), ["n:row 1", "n:row 2"]);
    assert_eq!(notes(&one.query("SELECT pg_notify('n', NULL)")), ["n:"]);
    // By the extended protocol, with parameters.
    one.send(&parse("", "SELECT pg_notify($1, $2)", &[]));
    one.send(&bind("", "", &[Some("n"), Some("bound")], 0));
    one.send(&[execute("", 0), sync()].concat());
    let all = one.until_ready();
    assert_eq!(notes(&all), ["n:bound"], "{}", shown(&all));
}

#[test]
fn names_and_texts_have_their_lengths() {
    let server = server();
    let mut one = Client::new(&server);
    let (long, fits) = ("c".repeat(64), "c".repeat(63));
    for sql in [
        format!("LISTEN {long}"),
        format!("NOTIFY {long}"),
        format!("SELECT pg_notify('{long}', '')"),
        "SELECT pg_notify('', '')".to_owned(),
        "SELECT pg_notify(NULL, '')".to_owned(),
        format!("NOTIFY c, '{}'", "p".repeat(8000)),
    ] {
        assert_eq!(one.error(&sql).0, "22023", "{sql}");
    }
    assert_eq!(one.error("NOTIFY sqlite_changes").0, "42939");
    assert_eq!(one.error("SELECT pg_notify('sqlite_changes', '')").0, "42939");
    let payload = "é".repeat(3999);
    let all = one.query(&format!("LISTEN {fits}; NOTIFY {fits}, '{payload}'"));
    assert_eq!(notes(&all), [format!("{fits}:{payload}")]);
    let quoted = "\"a''\\ b\"\"c\"";
    let all = one.query(&format!("LISTEN {quoted}; NOTIFY {quoted}, 'x'"));
    assert_eq!(notes(&all), ["a''\\ b\"c:x"]);
    // The limits on messages in a transaction, and on channels of a session.
    one.rows("UNLISTEN *; CREATE TABLE t(a int)");
    let many = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10001)
                SELECT count(pg_notify('m', i::text)) FROM c";
    assert_eq!(one.error(many).0, "54000");
    let channels: String = (0..1000).map(|channel| format!("LISTEN l{channel};")).collect();
    one.rows(&channels);
    assert_eq!(one.error("LISTEN more").0, "54000");
}

#[test]
fn the_channel_of_commits_is_short_enough() {
    let server = server();
    let mut one = Client::new(&server);
    one.rows("CREATE TABLE t(id INTEGER PRIMARY KEY); LISTEN sqlite_changes");
    let insert =
        "WITH RECURSIVE c(i) AS (VALUES(1000000000000) UNION ALL SELECT i + 1 FROM c LIMIT 1000)
                  INSERT INTO t SELECT i FROM c";
    server.pipeline(vec![hrana(insert)]);
    let told = note(&one.receive()).unwrap();
    let (_, payload) = told.split_once(':').unwrap();
    let data: serde_json::Value = serde_json::from_str(payload).unwrap();
    assert_eq!((&data["tables"]["t"], &data["cut"]), (&serde_json::Value::Null, &true.into()));
    // Its own commits, too, and none within a transaction.
    let own = one.query("INSERT INTO t VALUES (1)");
    let told =
        if notes(&own).is_empty() { note(&one.receive()).unwrap() } else { notes(&own)[0].clone() };
    assert!(told.contains(r#""tables":{"t":[1]}"#), "{told}");
    one.rows("UNLISTEN sqlite_changes");
    server.pipeline(vec![hrana("INSERT INTO t VALUES (2)")]);
    assert_eq!(tags(&one.query("SELECT 1")), "TDCZ");
}

#[test]
fn who_does_not_read_is_ended() {
    let server = server();
    let (mut slow, mut two) = (Client::new(&server), Client::new(&server));
    slow.rows("LISTEN a");
    for round in 0..20 {
        // As much as a transaction may say.
        two.rows(&format!(
            "SELECT count(pg_notify('a', '{round}-' || i || repeat('p', 7000))) FROM generate_series(1, 500) AS s(i)"
        ));
    }
    slow.stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut last = None;
    while let Ok(message) = slow.try_receive() {
        last = Some(message);
    }
    let (tag, body) = last.unwrap();
    assert!(tag == 'E' && shown(&[(tag, body)]).contains("53200"));
    // A client that goes away leaves nothing.
    two.stream.write_all(b"X").unwrap();
    drop(two);
    Client::new(&server).rows("NOTIFY a");
}
