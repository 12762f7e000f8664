//! The Postgres wire: statements of one message, or up to a Sync, are one transaction; waits for locks have limits;
//! and types whose values have several spellings.

use std::time::{Duration, Instant};

use super::support::Server;
use super::wire::{Client, bind, execute, parse, sync};

fn server() -> Server {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--statement-timeout", "4s"]);
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE t(id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
    );
    server
}

#[test]
fn a_rollback_undoes_what_was_sent_with_it() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("UPDATE t SET a = 555 WHERE id = 1; ROLLBACK");
    client.rows("INSERT INTO t VALUES (87, 1); ABORT; INSERT INTO t VALUES (88, 1)");
    client.rows("DELETE FROM t WHERE id = 2; COMMIT; DELETE FROM t WHERE id = 3; ROLLBACK");
    assert_eq!(client.rows("SELECT id, a FROM t ORDER BY id"), "1|1\n3|3\n88|1");
    assert_eq!(client.error("CREATE TABLE gone(a int); ROLLBACK; SELECT * FROM gone").0, "42P01");

    for sql in ["INSERT INTO t VALUES (89, 1)", "ROLLBACK"] {
        client.send(&[parse("", sql, &[]), bind("", "", &[], 0), execute("", 0)].concat());
    }
    client.send(&sync());
    client.until_ready();
    assert_eq!(client.rows("SELECT count(*) FROM t WHERE id = 89"), "0");
}

#[test]
fn settings_are_of_the_transaction_of_a_message() {
    let server = server();
    let mut client = Client::new(&server);
    assert_eq!(client.error("SET statement_timeout = 777; SELECT 1/0").0, "22012");
    assert_eq!(client.rows("SHOW statement_timeout"), "4s");
    assert_eq!(client.error("SET default_transaction_read_only = on; SELECT nosuch").0, "42703");
    client.rows("INSERT INTO t VALUES (4, 4)");
    client.rows("SET statement_timeout = 777; ROLLBACK");
    assert_eq!(client.rows("SHOW statement_timeout"), "4s");
    let within = "SET LOCAL statement_timeout = 888; SHOW statement_timeout";
    assert_eq!(client.rows(within), "888ms");
    assert_eq!(client.rows("SHOW statement_timeout"), "4s");
    client.rows("SET statement_timeout = 999; SELECT 1");
    assert_eq!(client.rows("SHOW statement_timeout"), "999ms");
}

/// How much later than its limit a wait ends at most. Another process may delay one try, but not all.
const EXACT: Duration = Duration::from_millis(50);
const TRIES: u32 = 8;

/// Check that a wait never ends before its limit, and right after it.
fn ends_after(limit: Duration, mut wait: impl FnMut()) {
    let is_exact = (0..TRIES).any(|_| {
        let start = Instant::now();
        wait();
        let took = start.elapsed();
        assert!(took >= limit, "{took:?} of {limit:?}");
        took < limit + EXACT
    });
    assert!(is_exact, "{limit:?}: no wait of {TRIES} ended within {EXACT:?}");
}

#[test]
fn waits_for_a_lock_end_with_its_limit() {
    let server = server();
    let (mut writer, mut client) = (Client::new(&server), Client::new(&server));
    writer.rows("BEGIN");
    writer.rows("UPDATE t SET a = 2 WHERE id = 1");
    for (setting, limit, code) in [
        ("SET lock_timeout = 200", 200, "55P03"),
        ("SET lock_timeout = '370ms'", 370, "55P03"),
        ("SET lock_timeout = 0", 4000, "57014"),
    ] {
        client.rows(setting);
        ends_after(Duration::from_millis(limit), || {
            assert_eq!(client.error("UPDATE t SET a = 3 WHERE id = 1").0, code, "{setting}");
        });
    }
    writer.rows("COMMIT");
    assert_eq!(client.rows("UPDATE t SET a = 4 WHERE id = 1 RETURNING a"), "4");
}

#[test]
fn a_long_limit_of_locks_is_no_longer() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--statement-timeout", "30s"]);
    let (mut writer, mut client) = (Client::new(&server), Client::new(&server));
    writer.rows("CREATE TABLE t(a int)");
    writer.rows("BEGIN; INSERT INTO t VALUES (1)");
    client.rows("SET lock_timeout = '5300ms'");
    ends_after(Duration::from_millis(5300), || {
        assert_eq!(client.error("INSERT INTO t VALUES (2)").0, "55P03");
    });
}

#[test]
fn a_table_can_be_made_without_rows() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE made AS SELECT id, a + 1 AS b FROM t WITH NO DATA");
    assert_eq!(client.rows("SELECT count(*) FROM made"), "0");
    client.rows("INSERT INTO made SELECT id, a FROM t");
    assert_eq!(client.rows("SELECT count(*), pg_typeof(max(b)) FROM made"), "3|integer");
}

#[test]
fn spaces_at_the_end_of_characters_do_not_count() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE c(c char(4) UNIQUE); INSERT INTO c VALUES ('ab  ')");
    for condition in
        ["c = 'ab'", "c = 'ab   '", "c IN ('ab ')", "c = 'ab'::text", "c = 'ab '::char(9)"]
    {
        assert_eq!(
            client.rows(&format!("SELECT count(*) FROM c WHERE {condition}")),
            "1",
            "{condition}"
        );
    }
    assert_eq!(client.error("INSERT INTO c VALUES ('ab')").0, "23505");
    assert_eq!(client.error("INSERT INTO c SELECT 'ab' || ' '").0, "23505");
    assert_eq!(client.rows("SELECT c, length(c) FROM c"), "ab  |2");
}

#[test]
fn integers_have_the_types_of_their_operands() {
    let server = server();
    let mut client = Client::new(&server);
    for (sql, found) in [
        (
            "SELECT pg_typeof(-2147483648), pg_typeof(-(2147483648)), pg_typeof(-2147483649)",
            "integer|integer|bigint",
        ),
        ("SELECT pg_typeof(-9223372036854775808)", "bigint"),
        ("SELECT 1 | 5000000000, pg_typeof(1 # 2::int8), 3::int2 & 1", "5000000001|bigint|1"),
        ("SELECT id | 5000000000 FROM t WHERE id = 1", "5000000001"),
    ] {
        assert_eq!(client.rows(sql), found, "{sql}");
    }
    for sql in
        ["SELECT -2147483648 - 1", "SELECT abs(-2147483648)", "SELECT a * -2147483648 FROM t"]
    {
        assert_eq!(client.error(sql).0, "22003", "{sql}");
    }
}
