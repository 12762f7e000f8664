//! The Postgres wire: portals, savepoints and cursors, and what definitions say of the objects that they name. Longer
//! transcripts are compared with PostgreSQL in `tests/clients/transcripts`.

use super::support::Server;
use super::wire::{Client, Message, bind, error, execute, message, parse, shown, sync, tags};

fn server() -> Server {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 2)");
    client.rows("CREATE VIEW v AS SELECT id FROM t; CREATE INDEX i ON t(a)");
    server
}

fn code(all: &[Message]) -> String {
    error(all).map(|found| found.0).unwrap_or_default()
}

#[test]
fn a_portal_without_rows_runs_once() {
    let server = server();
    let mut client = Client::new(&server);
    let insert = [parse("", "INSERT INTO t VALUES (9, 9)", &[]), bind("p", "", &[], 0)].concat();
    client.send(&[insert, execute("p", 0), execute("p", 0), sync()].concat());
    let all = client.until_ready();
    assert_eq!((tags(&all).as_str(), code(&all).as_str()), ("12CEZ", "55000"));
    assert_eq!(client.rows("SELECT count(*) FROM t"), "2");
    let query = [parse("", "SELECT id FROM t ORDER BY id", &[]), bind("p", "", &[], 0)].concat();
    client.send(&[query, execute("p", 0), execute("p", 0), sync()].concat());
    let all = client.until_ready();
    assert!(tags(&all) == "12DDCCZ" && shown(&all).contains("SELECT 0"), "{}", shown(&all));
}

#[test]
fn a_cursor_of_sql_is_a_portal() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("BEGIN; DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id");
    client.send(&[execute("c", 1), execute("c", 0), execute("c", 0), sync()].concat());
    assert_eq!(tags(&client.until_ready()), "DsDCCZ");
    assert_eq!(client.rows("FETCH BACKWARD ALL FROM c"), "2\n1");
    client.send(&[parse("", "SELECT 1", &[]), bind("c", "", &[], 0), sync()].concat());
    assert_eq!(code(&client.until_ready()), "42P03");
}

#[test]
fn formats_and_lengths_are_checked() {
    let server = server();
    let mut client = Client::new(&server);
    let mut bound = |formats: &[u8], value: &[u8], results: &[u8]| {
        let count = |bytes: &[u8]| (bytes.len() as u16 / 2).to_be_bytes();
        let length = (value.len() as u32).to_be_bytes();
        let body = [
            b"\0\0",
            &count(formats)[..],
            formats,
            b"\0\x01",
            &length,
            value,
            &count(results),
            results,
        ];
        client.send(
            &[parse("", "SELECT $1::int", &[23]), message('B', &body.concat()), sync()].concat(),
        );
        code(&client.until_ready())
    };
    assert_eq!(bound(b"\0\x01", b"\0\0\0\x07", b""), "");
    assert_eq!(bound(b"\0\x01", b"\0\0\x07", b""), "08P01");
    assert_eq!(bound(b"\0\x01", b"\0\0\0\0\x07", b""), "22P03");
    assert_eq!(bound(b"\0\x02", b"7", b""), "22023");
    assert_eq!(bound(b"\0\0\0\0", b"7", b""), "08P01");
    assert_eq!(bound(b"", b"7", b"\0\0\0\0"), "08P01");
}

#[test]
fn savepoints_tell_cases_apart_and_end_cursors() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("BEGIN; SAVEPOINT a; SAVEPOINT \"A\"; DELETE FROM t; ROLLBACK TO a");
    assert_eq!(client.error("RELEASE \"A\"").0, "3B001");
    client.rows("ROLLBACK; BEGIN; DECLARE c CURSOR FOR SELECT id FROM t ORDER BY id; SAVEPOINT s");
    client.rows("DECLARE d CURSOR WITH HOLD FOR SELECT 1; FETCH c; ROLLBACK TO s");
    assert_eq!(client.rows("FETCH c"), "2");
    assert_eq!(client.error("FETCH d").0, "34000");
    client.rows("ROLLBACK; BEGIN; DECLARE d CURSOR WITH HOLD FOR SELECT 1; ROLLBACK");
    assert_eq!(client.error("FETCH d").0, "34000");
    client.rows("BEGIN; DECLARE d CURSOR WITH HOLD FOR SELECT 1; COMMIT; BEGIN; ROLLBACK");
    assert_eq!(client.rows("FETCH d"), "1");
}

#[test]
fn what_is_a_transaction_of_its_own_is_in_no_other() {
    let server = server();
    let mut client = Client::new(&server);
    for sql in ["DELETE FROM t; VACUUM", "VACUUM; DELETE FROM t", "BEGIN; VACUUM"] {
        assert_eq!(client.error(sql).0, "25001", "{sql}");
    }
    client.rows("ROLLBACK");
    assert_eq!(client.error("BEGIN; CREATE INDEX CONCURRENTLY n ON t(a)").0, "25001");
    client.rows("ROLLBACK");
    client.rows("VACUUM");
    assert_eq!(client.rows("SELECT count(*) FROM t"), "2");
    for sql in
        ["SELECT $1", "DECLARE c CURSOR WITH HOLD FOR SELECT $1", "CREATE VIEW w AS SELECT $1"]
    {
        assert_eq!(client.error(sql).0, "42P02", "{sql}");
    }
}

#[test]
fn definitions_know_the_kinds_of_objects() {
    let server = server();
    let mut client = Client::new(&server);
    for (sql, wanted) in [
        ("DROP TABLE i", "42809"),
        ("DROP TABLE IF EXISTS v", "42809"),
        ("DROP VIEW t", "42809"),
        ("DROP INDEX IF EXISTS v", "42809"),
        ("DROP INDEX nosuch", "42704"),
        ("DROP VIEW nosuch", "42P01"),
        ("TRUNCATE v", "42809"),
        ("ALTER TABLE v ADD COLUMN b int", "42809"),
        ("ALTER TABLE v RENAME TO w", "0A000"),
        ("CREATE INDEX n ON v(id)", "42809"),
        ("CREATE TABLE i(a int)", "42P07"),
        ("CREATE OR REPLACE VIEW t AS SELECT 1", "42809"),
        ("CREATE OR REPLACE VIEW v AS SELECT a AS b FROM t", "42P16"),
        ("CREATE OR REPLACE VIEW v AS SELECT id::text FROM t", "42P16"),
        ("CREATE TABLE n()", "0A000"),
        ("INSERT INTO v VALUES (1)", "0A000"),
    ] {
        assert_eq!(client.error(sql).0, wanted, "{sql}");
    }
    for (sql, notice) in [
        (
            "DROP TABLE IF EXISTS n",
            "SNOTICE\0VNOTICE\0C00000\0Mtable \"n\" does not exist, skipping",
        ),
        ("CREATE TABLE IF NOT EXISTS v(a int)", "C42P07\0Mrelation \"v\" already exists, skipping"),
        ("ALTER TABLE IF EXISTS n ADD COLUMN b int", "C00000\0Mrelation \"n\" does not exist"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a int", "C42701\0Mcolumn \"a\" of relation \"t\""),
        ("ALTER TABLE t DROP COLUMN IF EXISTS n", "C00000\0Mcolumn \"n\" of relation \"t\""),
    ] {
        let all = client.query(sql);
        assert!(tags(&all) == "NCZ" && shown(&all).contains(notice), "{sql}: {}", shown(&all));
        let quiet = client.query(&format!("SET client_min_messages = warning; {sql}; RESET ALL"));
        assert_eq!(tags(&quiet), "CCCZ");
    }
    client.rows("CREATE OR REPLACE VIEW v AS SELECT id, a FROM t");
    for sql in
        ["DROP TABLE t", "TRUNCATE t", "ALTER TABLE t ADD COLUMN b int", "CREATE INDEX n ON t(a)"]
    {
        for query in ["t", "v"] {
            client.rows(&format!("BEGIN; DECLARE c CURSOR FOR SELECT * FROM {query}"));
            assert_eq!(client.error(sql).0, "55006", "{sql}, {query}");
            client.rows("ROLLBACK");
        }
    }
    client.rows("DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t");
    client.rows("TRUNCATE t");
}

#[test]
fn queries_make_tables_with_names() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE made(\"A b\", c) AS SELECT 1, 'x'::text, 2 AS d");
    assert_eq!(client.rows("SELECT \"A b\" + 1, c, d FROM made"), "2|x|2");
    assert_eq!(client.error("CREATE TABLE n(a, b) AS SELECT 1").0, "42601");
    client.rows("SELECT id, a + 1 AS b INTO TEMP into_t FROM t WHERE id > 1");
    assert_eq!(client.rows("SELECT id, b, pg_typeof(b) FROM into_t"), "2|3|integer");
    assert_eq!(client.error("SELECT 1 INTO t").0, "42P07");
    assert_eq!(client.error("SELECT (SELECT 1 INTO n)").0, "42601");
}

#[test]
fn row_locks_need_rows() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("SELECT * FROM t AS x LEFT JOIN t AS y ON x.id = y.id FOR UPDATE OF x");
    for (sql, wanted) in [
        ("SELECT * FROM t FOR UPDATE OF nosuch", "42P01"),
        ("SELECT * FROM t AS x FOR SHARE OF t", "42P01"),
        ("SELECT * FROM t FOR UPDATE OF public.t", "42601"),
        ("SELECT count(*) FROM t FOR UPDATE", "0A000"),
        ("SELECT DISTINCT a FROM t FOR UPDATE", "0A000"),
        ("SELECT * FROM t AS x LEFT JOIN t AS y ON x.id = y.id FOR UPDATE", "0A000"),
        ("SELECT 1 UNION SELECT 2 FOR UPDATE", "0A000"),
        ("WITH w AS (SELECT 1) SELECT * FROM w FOR UPDATE OF w", "0A000"),
    ] {
        assert_eq!(client.error(sql).0, wanted, "{sql}");
    }
}

#[test]
fn the_failing_row_is_shown() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE r(id int PRIMARY KEY, a int, b text NOT NULL DEFAULT 'x', j jsonb,
         g int GENERATED ALWAYS AS (a * 2) STORED, CHECK (a < 100)); INSERT INTO r VALUES (1, 1, 'y')",
    );
    for (sql, row) in [
        ("INSERT INTO r VALUES (7, 100)", "7, 100, x, null, 200"),
        ("INSERT INTO r VALUES (7, 1, 'z', '{}'), (8, 300, DEFAULT, '[1]')", "8, 300, x, [1], 600"),
        ("INSERT INTO r(b, id) VALUES (NULL, 9)", "9, null, null, null, null"),
        ("INSERT INTO r SELECT id + 1, a + 99 FROM r", "2, 100, x, null, 200"),
        ("UPDATE r SET b = NULL WHERE id = 1", "1, 1, null, null, 2"),
        ("UPDATE r SET a = a + 99", "1, 100, y, null, 200"),
    ] {
        let all = shown(&client.query(sql));
        assert!(all.contains(&format!("DFailing row contains ({row}).")), "{sql}: {all}");
    }
    let insert = parse("", "INSERT INTO r VALUES ($1, $2, $3)", &[]);
    let values = bind("", "", &[Some("7"), Some("100"), Some(&"é".repeat(40))], 0);
    client.send(&[insert, values, execute("", 0), sync()].concat());
    let cut = format!("(7, 100, {}..., null, 200)", "é".repeat(32));
    let all = shown(&client.until_ready());
    assert!(all.contains(&cut), "{all}");
}

#[test]
fn no_row_is_changed_twice() {
    let server = server();
    let mut client = Client::new(&server);
    for (sql, wanted) in [
        ("INSERT INTO t VALUES (5, 5), (5, 6) ON CONFLICT (id) DO UPDATE SET a = 0", "21000"),
        (
            "INSERT INTO t SELECT 1, g FROM generate_series(1, 2) g ON CONFLICT (id) DO UPDATE SET a = 0",
            "21000",
        ),
        ("INSERT INTO t VALUES (1, 5), (2, 6) ON CONFLICT (id) DO UPDATE SET a = excluded.a", ""),
        ("INSERT INTO t VALUES (6, 5), (6, 6) ON CONFLICT (id) DO NOTHING", ""),
    ] {
        assert_eq!(code(&client.query(sql)), wanted, "{sql}");
    }
    assert_eq!(client.rows("SELECT id, a FROM t ORDER BY id"), "1|5\n2|6\n6|5");
    client.rows("CREATE TABLE u(id int PRIMARY KEY, a int)");
    let many = |last: u32| {
        let rows = (1000..1600).chain([last]).map(|id| format!("({id}, '{id}')"));
        let rows = rows.collect::<Vec<_>>().join(", ");
        format!("INSERT INTO u VALUES {rows} ON CONFLICT (id) DO UPDATE SET a = excluded.a")
    };
    assert_eq!(code(&client.query(&many(1599))), "21000");
    assert_eq!(code(&client.query(&many(1600))), "");
}

/// PostgreSQL counts the rows for which a trigger does something else.
#[test]
fn rows_of_views_are_counted() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE VIEW w AS SELECT id, a FROM t");
    for (event, done) in [
        ("INSERT", "INSERT INTO t(id, a) VALUES (new.id, new.a)"),
        ("UPDATE", "UPDATE t SET a = new.a WHERE id = old.id"),
        ("DELETE", "DELETE FROM t WHERE id = old.id"),
    ] {
        let body = format!("INSTEAD OF {event} ON w BEGIN {done}; END");
        client.rows(&format!("CREATE TRIGGER w_{event} {body}"));
    }
    for (sql, tag) in [
        ("INSERT INTO w VALUES (21, 1), (22, 2), (23, 3)", "INSERT 0 3"),
        ("INSERT INTO w SELECT id + 10, a FROM w WHERE id > 21", "INSERT 0 2"),
        ("INSERT INTO w VALUES (24, 4) RETURNING id", "INSERT 0 1"),
        ("UPDATE w SET a = a + 1 WHERE id > 21", "UPDATE 5"),
        ("UPDATE w SET a = 0 WHERE id = 99 -- none", "UPDATE 0"),
        ("UPDATE w SET a = 7 WHERE id > 30 RETURNING a", "UPDATE 2"),
        ("DELETE FROM w WHERE id > 31", "DELETE 2"),
        ("DELETE FROM w WHERE id > 20 RETURNING id", "DELETE 4"),
    ] {
        let all = client.query(sql);
        let found = all.iter().find(|(tag, _)| *tag == 'C').map(|(_, body)| body.clone());
        assert_eq!(found.as_deref(), Some(format!("{tag}\0").as_bytes()), "{sql}: {}", shown(&all));
        let has_rows = all.iter().any(|(tag, _)| *tag == 'D');
        assert_eq!(has_rows, sql.contains("RETURNING"), "{sql}");
    }
    let update = parse("", "UPDATE w SET a = $1 WHERE id < 3", &[]);
    client.send(&[update, bind("", "", &[Some("5")], 0), execute("", 0), sync()].concat());
    assert!(shown(&client.until_ready()).contains("UPDATE 2"));
}

#[test]
fn generated_columns_stay_within_their_types() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows(
        "CREATE TABLE g(a bigint, b text, i int GENERATED ALWAYS AS (a * 2) STORED,
         l bigint GENERATED ALWAYS AS (a * a) STORED, v varchar(3) GENERATED ALWAYS AS (b || 'x') STORED)",
    );
    client.rows("INSERT INTO g VALUES (1, 'ab'), (NULL, NULL)");
    for (values, wanted) in [
        ("2000000000, 'a'", ("22003", "integer out of range")),
        ("1, 'abc'", ("22001", "value too long for type character varying(3)")),
    ] {
        let (code, message) = client.error(&format!("INSERT INTO g VALUES ({values})"));
        assert_eq!((code.as_str(), message.as_str()), wanted);
    }
    assert_eq!(client.error("UPDATE g SET a = 2000000000").0, "22003");
    assert_eq!(client.rows("SELECT i, l, v FROM g"), "2|1|abx\nNULL|NULL|NULL");
    assert_eq!(
        client.rows("SELECT count(*) FROM pg_constraint WHERE conrelid = 'g'::regclass"),
        "0"
    );
    assert_eq!(client.error("CREATE TABLE n(a int DEFAULT 3000000000)").0, "22003");
    assert_eq!(client.error("CREATE TABLE n(a varchar(2) DEFAULT 'abc')").0, "22001");
    client.rows("CREATE TABLE n(a int, b int DEFAULT 1.6, c numeric(4, 1) DEFAULT -1.25)");
    assert_eq!(client.rows("INSERT INTO n(a) VALUES (1) RETURNING b, c"), "2|-1.3");
}

#[test]
fn a_compound_in_a_compound_is_computed_first() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE n(i int); INSERT INTO n VALUES (1), (2), (3)");
    for (sql, expected) in [
        ("SELECT i FROM n EXCEPT (SELECT i FROM n INTERSECT SELECT 2) ORDER BY 1", "1\n3"),
        ("SELECT 1 UNION SELECT 2 INTERSECT SELECT 2 ORDER BY 1", "1\n2"),
        ("SELECT i FROM n EXCEPT ((SELECT 1 UNION SELECT 2)) ORDER BY 1", "3"),
        ("(SELECT i FROM n ORDER BY i DESC FETCH FIRST 1 ROW ONLY) UNION ALL SELECT 9", "3\n9"),
        ("SELECT 7 UNION (WITH q AS (SELECT 8 AS x) SELECT x FROM q) ORDER BY 1", "7\n8"),
        ("SELECT count(*) FROM n WHERE i IN (SELECT 1 EXCEPT (SELECT 1 UNION SELECT 2))", "0"),
    ] {
        assert_eq!(client.rows(sql), expected, "{sql}");
    }
}

#[test]
fn rows_may_have_no_columns() {
    let server = server();
    let mut client = Client::new(&server);
    for (sql, count) in [
        ("SELECT FROM t", 2),
        ("SELECT FROM t WHERE id = 1", 1),
        ("SELECT WHERE false", 0),
        ("SELECT FROM t UNION ALL SELECT FROM t", 4),
        ("SELECT FROM t UNION SELECT FROM v", 1),
    ] {
        let all = client.query(sql);
        assert_eq!(tags(&all), format!("T{}CZ", "D".repeat(count)), "{sql}: {}", shown(&all));
        assert!(all.iter().filter(|(tag, _)| "TD".contains(*tag)).all(|(_, body)| body == b"\0\0"));
        assert!(shown(&all).contains(&format!("SELECT {count}")), "{}", shown(&all));
    }
    let sql = [parse("s", "SELECT FROM t WHERE id > $1", &[]), bind("p", "s", &[Some("0")], 0)];
    let described = [message('D', b"Ss\0"), message('D', b"Pp\0")].concat();
    client.send(&[sql.concat(), described, execute("p", 1), execute("p", 0), sync()].concat());
    assert_eq!(tags(&client.until_ready()), "12tTTDsDCZ");
    client.rows("PREPARE x AS SELECT FROM t WHERE id = $1");
    assert_eq!(tags(&client.query("EXECUTE x(1)")), "TDCZ");
    assert_eq!(
        client
            .rows("SELECT EXISTS (SELECT FROM t WHERE a = 2), EXISTS (SELECT FROM t WHERE a = 3)"),
        "t|f"
    );
    client.rows("DELETE FROM t WHERE NOT EXISTS (SELECT FROM v WHERE v.id = t.id)");
    assert_eq!(client.error("SELECT count(*) FROM (SELECT FROM t) q").0, "0A000");
}
