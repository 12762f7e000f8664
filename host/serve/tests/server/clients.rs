//! What drivers send when they connect, give a connection back to a pool, and recover.

use std::time::{Duration, Instant};

use super::support::{PATIENCE, Server};
use super::wire::{Client, bind, error, execute, packet, parse, rows, shown, sync, tags, text};

fn server(arguments: &[&str]) -> Server {
    Server::start(&[&["--pg", "127.0.0.1:0"], arguments].concat())
}

#[test]
fn what_drivers_say_when_they_connect_and_reset_is_taken() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    for sql in [
        "SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE",
        "SET SESSION TIME ZONE 'UTC'",
        "SET client_min_messages TO warning; SET standard_conforming_strings = on",
        "SET intervalstyle = iso_8601",
        "SET SESSION lock_timeout = '5s'; SET extra_float_digits = 3",
        "SET application_name = 'PostgreSQL JDBC Driver'",
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY DEFERRABLE; COMMIT AND CHAIN; ROLLBACK",
        "SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new",
        "SELECT set_config('bytea_output', 'hex', false) FROM pg_settings WHERE name = 'bytea_output'",
        "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL",
        "DISCARD ALL",
    ] {
        client.rows(sql);
    }
    assert_eq!(client.rows("SHOW intervalstyle"), "postgres");
    let missing = "SELECT coalesce(current_setting(lower('NO.SUCH'), true), '-')";
    assert_eq!(client.rows(missing), "-");
    assert_eq!(client.error("SELECT current_setting(lower('NO.SUCH'))").0, "42704");
    let all = client.query("SHOW ALL");
    assert!(rows(&all).lines().count() > 300 && tags(&all).starts_with("TDD"));
    let changed = "SET work_mem = '64MB'; \
                   SELECT setting, unit, source FROM pg_settings WHERE name = 'work_mem'";
    assert_eq!(client.rows(changed), "65536|kB|session");
    for (sql, code) in [
        ("SET TIME ZONE 'Europe/Berlin'", "0A000"),
        ("SELECT set_config('bytea_output', 'escape', false)", "0A000"),
        ("SELECT set_config(NULL, 'x', false)", "22004"),
        ("SET nope = 1", "42704"),
        ("SET ROLE other", "22023"),
        ("BEGIN; DISCARD ALL", "25001"),
        ("ROLLBACK; COMMIT AND CHAIN", "25P01"),
    ] {
        assert_eq!(client.error(sql).0, code, "{sql}");
    }
}

#[test]
fn reported_settings_follow_each_change() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    let reported = |client: &mut Client, sql: &str| {
        let all = client.query(sql);
        let settings = all.iter().filter(|(tag, _)| *tag == 'S');
        let settings = settings.map(|(_, body)| String::from_utf8_lossy(body).replace('\0', "="));
        settings.collect::<Vec<_>>().join(" ")
    };
    let name = "application_name";
    assert_eq!(reported(&mut client, "SET application_name = 'a'"), format!("{name}=a="));
    assert_eq!(reported(&mut client, "SET application_name = 'a'"), "");
    let computed = "BEGIN; SELECT set_config('application_name', 'b', true)";
    assert_eq!(reported(&mut client, computed), format!("{name}=b="));
    assert_eq!(reported(&mut client, "ROLLBACK"), format!("{name}=a="));
    assert_eq!(reported(&mut client, "RESET ALL"), format!("{name}=test="));
}

/// The first message with these settings.
fn greeting(settings: &[(&str, &str)]) -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    for (name, value) in [&[("user", "test"), ("database", "shop")], settings].concat() {
        body.extend([text(name), text(value)].concat());
    }
    body.push(0);
    packet(&body)
}

#[test]
fn the_first_message_has_settings() {
    let server = server(&[]);
    let mut client = Client::connect(server.postgres());
    client.send(&greeting(&[
        ("options", r"-c search_path=a\ b --work-mem=1MB"),
        ("TimeZone", "CET"),
    ]));
    let told = client.greeted();
    assert!(told.contains(&("TimeZone".into(), "UTC".into())), "{told:?}");
    let shown = "SHOW search_path; SHOW work_mem; SET work_mem = '2MB'; RESET ALL; SHOW work_mem";
    assert_eq!(client.rows(shown), "a b\n1MB\n1MB");
    for (setting, code) in [(("nope", "1"), "42704"), (("jit", "maybe"), "22023")] {
        let mut client = Client::connect(server.postgres());
        client.send(&greeting(&[setting]));
        assert_eq!(error(&[client.receive()]).unwrap().0, code);
    }
}

#[test]
fn advisory_locks_exclude_other_sessions() {
    let server = server(&[]);
    let (mut one, mut two) = (Client::new(&server), Client::new(&server));
    assert_eq!(one.rows("SELECT pg_try_advisory_lock(7), pg_try_advisory_lock(7)"), "t|t");
    assert_eq!(two.rows("SELECT pg_try_advisory_lock(7), pg_try_advisory_lock(0, 7)"), "f|t");
    two.rows("SET lock_timeout = 100");
    assert_eq!(two.error("SELECT pg_advisory_lock(7)").0, "55P03");
    two.rows("RESET lock_timeout; SET statement_timeout = 100");
    assert_eq!(two.error("SELECT pg_advisory_lock_shared(7)").0, "57014");
    two.rows("RESET statement_timeout");
    // It waits until the other session has released both.
    two.send(&super::wire::message('Q', &text("SELECT pg_advisory_xact_lock(7), 'locked'")));
    one.rows("SELECT pg_advisory_unlock(7)");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(one.rows("SELECT pg_advisory_unlock(7)"), "t");
    assert_eq!(rows(&two.until_ready()), "|locked");
    // A statement by itself is a transaction.
    assert_eq!(one.rows("SELECT pg_try_advisory_lock(7)"), "t");
    let unheld = one.query("SELECT pg_advisory_unlock(8)");
    assert_eq!((rows(&unheld).as_str(), tags(&unheld).contains('N')), ("f", true));
    let of_another_kind = "SELECT pg_advisory_lock(x) FROM (SELECT 'text' AS x)";
    assert_eq!(one.error(of_another_kind).0, "42883");
}

#[test]
fn a_sleep_ends_with_its_statement() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("SET statement_timeout = 100");
    for forever in ["60", "1e300", "'Infinity'"] {
        assert_eq!(client.error(&format!("SELECT pg_sleep({forever})")).0, "57014", "{forever}");
    }
    client.rows("SET statement_timeout = 20000");
    client.send(&super::wire::message('Q', &text("SELECT pg_sleep(60)")));
    std::thread::sleep(Duration::from_millis(200));
    let mut canceller = Client::connect(server.postgres());
    canceller.send(&packet(&[&80_877_102_u32.to_be_bytes()[..], &client.key].concat()));
    let (code, message) = error(&client.until_ready()).unwrap();
    assert_eq!((code.as_str(), message.contains("user request")), ("57014", true), "{message}");
    assert_eq!(client.rows("SELECT 1"), "1");
}

#[test]
fn a_wait_for_a_lock_ends() {
    let server = server(&[]);
    let (mut one, mut two) = (Client::new(&server), Client::new(&server));
    one.rows("SELECT pg_advisory_lock(1)");
    two.rows("SELECT pg_advisory_lock(2)");
    two.send(&super::wire::message('Q', &text("SELECT pg_advisory_lock(1)")));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(one.error("SELECT pg_advisory_lock(2)").0, "40P01");
    let mut canceller = Client::connect(server.postgres());
    canceller.send(&packet(&[&80_877_102_u32.to_be_bytes()[..], &two.key].concat()));
    assert_eq!(error(&two.until_ready()).unwrap().0, "57014");
    // A session that ends releases its locks.
    drop(two);
    let start = Instant::now();
    while one.rows("SELECT pg_try_advisory_lock(2)") == "f" {
        assert!(start.elapsed() < PATIENCE, "the lock of a session that is gone");
    }
    let many = "SELECT count(pg_advisory_lock(value)) FROM generate_series(1, 2000)";
    assert_eq!(one.error(many).0, "53200");
    assert_eq!(one.rows("SELECT pg_advisory_unlock_all(); SELECT pg_try_advisory_lock(1)"), "\nt");
}

#[test]
fn pools_recognize_a_stale_plan() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int); INSERT INTO t VALUES (1)");
    client.send(&[parse("s", "SELECT * FROM t", &[]), sync()].concat());
    client.until_ready();
    client.rows("ALTER TABLE t ADD COLUMN b int");
    client.send(&[bind("", "s", &[], 0), execute("", 0), sync()].concat());
    let all = client.until_ready();
    assert_eq!(error(&all).unwrap().0, "0A000");
    assert!(shown(&all).contains("RRevalidateCachedQuery"), "{}", shown(&all));
}

#[test]
fn the_numbers_of_rows_are_those_of_sequences() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(id serial PRIMARY KEY, a text); CREATE TABLE \"U\"(\"Id\" serial PRIMARY KEY)");
    assert_eq!(client.error("SELECT lastval()").0, "55000");
    client.rows("INSERT INTO t(a) VALUES ('x'), ('y')");
    assert_eq!(client.rows("SELECT lastval(), currval('t_id_seq')"), "2|2");
    client.rows("INSERT INTO \"U\" DEFAULT VALUES; INSERT INTO t VALUES (9, 'z')");
    assert_eq!(
        client.rows("SELECT lastval(), currval('public.\"U_Id_seq\"'), currval('t_id_seq')"),
        "1|1|2"
    );
    client.rows("DISCARD SEQUENCES");
    assert_eq!(client.error("SELECT currval('t_id_seq')").0, "55000");
    let mut other = Client::new(&server);
    assert_eq!(other.error("SELECT lastval()").0, "55000");
}

#[test]
fn functions_of_one_value_are_tables() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    for (sql, expected) in [
        ("SELECT * FROM current_schema()", "public"),
        ("SELECT * FROM pg_try_advisory_lock(1) AS is_mine", "t"),
        ("SELECT s.value || '!' FROM current_setting('work_mem') AS s(value)", "4MB!"),
        ("SELECT t > '2020-01-01' FROM now() t", "t"),
        ("SELECT a, b FROM upper('x') a, generate_series(1, 2) b ORDER BY b", "X|1\nX|2"),
    ] {
        assert_eq!(client.rows(sql), expected, "{sql}");
    }
}

#[test]
fn columns_of_tables_have_their_numbers() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int, b text); CREATE TABLE u(c int, a int)");
    let mut described = |sql: &str| {
        let all = client.query(sql);
        let (_, body) =
            all.iter().find(|(tag, _)| *tag == 'T').unwrap_or_else(|| panic!("{}", shown(&all)));
        let (mut found, mut rest) = (Vec::new(), &body[2..]);
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let column = &rest[end + 1..];
            let oid = u32::from_be_bytes(column[..4].try_into().unwrap());
            found.push((oid, i16::from_be_bytes([column[4], column[5]])));
            rest = &column[18..];
        }
        found
    };
    let (t, u) = (described("SELECT a FROM t")[0].0, described("SELECT c FROM u")[0].0);
    assert!(t > 0 && u > 0 && t != u);
    for (sql, expected) in [
        ("SELECT b AS x, a + 1, t.a FROM public.t", vec![(t, 2), (0, 0), (t, 1)]),
        ("SELECT * FROM t AS one JOIN u ON one.a = u.a", vec![(t, 1), (t, 2), (u, 1), (u, 2)]),
        ("SELECT u.*, 1 FROM t, u", vec![(u, 1), (u, 2), (0, 0)]),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM t", vec![(0, 0)]),
        ("INSERT INTO u VALUES (1, 2) RETURNING a", vec![(u, 2)]),
    ] {
        assert_eq!(described(sql), expected, "{sql}");
    }
    let oid =
        format!("SELECT 't'::regclass::oid = {t}, 't'::regclass::text, 'int4'::regtype::text");
    assert_eq!(client.rows(&oid), "t|t|integer");
}

/// The next user of a pool's connection meets nothing of the one before.
#[test]
fn a_session_is_reset_as_a_whole() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE parent(id int PRIMARY KEY); CREATE TABLE t(x int REFERENCES parent(id)); \
         CREATE TABLE log(x int); INSERT INTO parent VALUES (1)",
    );
    client.rows(
        "CREATE TEMP TRIGGER spy AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.x); END",
    );
    client.rows("PRAGMA foreign_keys = OFF");
    client.rows("INSERT INTO t VALUES (2)");
    assert_eq!(client.rows("SELECT count(*) FROM log"), "1");
    client.rows("DELETE FROM t");
    client.rows("DISCARD ALL");
    assert_eq!(client.error("INSERT INTO t VALUES (2)").0, "23503");
    client.rows("INSERT INTO t VALUES (1)");
    assert_eq!(client.rows("SELECT count(*) FROM log"), "1");
}

/// A short text can need much work before SQLite sees it: here 1600 columns for each of its parts.
#[test]
fn work_before_sqlite_has_the_bounds_of_a_statement() {
    let server = server(&["--statement-timeout", "1s"]);
    let mut client = Client::new(&server);
    let columns: Vec<_> = (0..1600).map(|at| format!("c{at} numeric(10,2)")).collect();
    client.rows(&format!("CREATE TABLE wide({})", columns.join(", ")));
    let parts = vec!["exists(SELECT * FROM wide)"; 16_000].join(", ");
    let (code, _) = client.error(&format!("SELECT coalesce({parts})"));
    assert!(["54000", "54001", "57014"].contains(&code.as_str()), "{code}");
    let many = "SELECT 1;".repeat(50_000);
    assert_eq!(client.error(&many).0, "54000");
    assert_eq!(client.rows("SELECT 1"), "1");
}

/// What a function would need too much memory for.
#[test]
fn sizes_of_arguments_are_errors() {
    let server = server(&[]);
    let mut client = Client::new(&server);
    for (sql, code) in [
        ("SELECT 'a' ~ repeat('(a?)', 100000)", "54000"),
        ("SELECT 'a' SIMILAR TO repeat('(a|b)*', 100000)", "54000"),
        ("SELECT regexp_split_to_array(repeat('a,', 2000000), ',')", "54000"),
        ("SELECT string_to_array(repeat('a', 3000000), NULL)", "54000"),
        ("SELECT array_fill(repeat('a', 1000000), ARRAY[1000])", "54000"),
        ("SELECT overlay(repeat('a', 16000000) placing repeat('b', 16000000) from 2)", "54000"),
        ("SELECT 'a' ~ '('", "2201B"),
        ("SELECT (SELECT x FROM (VALUES (1), (2)) v(x))", "21000"),
    ] {
        assert_eq!(client.error(sql).0, code, "{sql}");
    }
    assert_eq!(client.rows("SELECT 1"), "1");
}
