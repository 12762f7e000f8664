//! Roles over the Postgres wire: each forbidden statement by each way that a client has.

use super::roles::{DETOURS, PASSWORD, Tenants, state, tenants_with};
use super::wire::{
    Client, Message, bind, error, execute, message, parse, rows, shown, sync, tags, text,
};

/// What a reader may not run.
const FORBIDDEN: &[&str] = &[
    "INSERT INTO t VALUES (7)",
    "INSERT INTO t VALUES (7) RETURNING x",
    "INSERT INTO t SELECT 7 ON CONFLICT DO NOTHING",
    "REPLACE INTO t VALUES (7)",
    "UPDATE t SET x = 7",
    "DELETE FROM t",
    "DELETE FROM public.t RETURNING *",
    "WITH w AS (SELECT 1) DELETE FROM t",
    "WITH w AS (DELETE FROM t RETURNING x) SELECT * FROM w",
    "TRUNCATE t",
    "TRUNCATE TABLE t RESTART IDENTITY CASCADE",
    "MERGE INTO t USING t AS u ON t.x = u.x WHEN MATCHED THEN DELETE",
    "CREATE TABLE u(x int)",
    "CREATE TABLE u AS SELECT * FROM t",
    "SELECT * INTO u FROM t",
    "CREATE TEMP TABLE u(x int)",
    "CREATE TEMPORARY TABLE t AS SELECT 7 AS x",
    "CREATE TABLE temp.u(x)",
    "CREATE TABLE pg_catalog.u(x)",
    "INSERT INTO pg_catalog.pg_class(relname) VALUES ('u')",
    "DELETE FROM pg_class",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TEMP VIEW t AS SELECT 7 AS x",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "CREATE VIRTUAL TABLE temp.v USING fts5(x)",
    "CREATE INDEX i ON t(x)",
    "DROP TABLE t",
    "DROP TABLE IF EXISTS t CASCADE",
    "ALTER TABLE t RENAME TO u",
    "ALTER TABLE t ADD COLUMN y int",
    "ALTER TABLE t ADD COLUMN y int UNIQUE",
    "ALTER TABLE t ADD CONSTRAINT k UNIQUE (x)",
    "ALTER TABLE t ADD CONSTRAINT k CHECK (x > 0)",
    "ALTER TABLE t ALTER COLUMN x SET DEFAULT 7",
    "ALTER TABLE t ALTER COLUMN x DROP DEFAULT",
    "ALTER TABLE t ALTER COLUMN x TYPE text",
    "ALTER TABLE t ALTER COLUMN x TYPE text COLLATE \"C\"",
    "ALTER TABLE t ALTER COLUMN x DROP IDENTITY IF EXISTS",
    "ALTER TABLE t ALTER COLUMN x RESTART",
    "ALTER TABLE t ALTER COLUMN x SET NOT NULL",
    "REINDEX t",
    "ANALYZE",
    "VACUUM",
    "VACUUM FULL t",
    "VACUUM INTO 'copy.db'",
    "ATTACH ':memory:' AS m",
    "ATTACH DATABASE 'b.db' AS b",
    "PRAGMA query_only = 0",
    "PRAGMA \"query_only\"(off)",
    "PRAGMA main.locking_mode = exclusive",
    "PRAGMA writable_schema = 1",
    "PRAGMA journal_mode = delete",
    "PRAGMA user_version = 7",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA optimize",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE",
    "COPY t FROM STDIN",
    "COPY t(x) FROM STDIN WITH (FORMAT csv)",
    "COPY \"t(x) VALUES (7) --\" FROM STDIN",
    "COPY t FROM '/etc/passwd'",
    "COPY t TO '/tmp/sqlite-wasm-run.copy'",
    "COPY t FROM PROGRAM 'id'",
    "COPY t TO PROGRAM 'id'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_catalog.pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
];

/// Ways to run a statement as a part of a text.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("/* */ ; -- \n", " ;"),
    ("SELECT 1; ", ""),
    ("BEGIN; ", "; COMMIT"),
    ("BEGIN READ WRITE; SAVEPOINT s; ", "; RELEASE s; COMMIT"),
    ("SET transaction_read_only = off; SET default_transaction_read_only = off; ", ""),
    ("SET query_only = off; SET writable_schema = on; ", ""),
    ("SET SESSION AUTHORIZATION owner; ", ""),
    ("SET ROLE owner; ", ""),
    ("SELECT set_config('transaction_read_only', 'off', false); ", ""),
    ("EXPLAIN ANALYZE ", ""),
    ("COPY (", ") TO STDOUT"),
    ("BEGIN; DECLARE c CURSOR FOR ", "; FETCH ALL FROM c; COMMIT"),
    ("DECLARE c CURSOR WITH HOLD FOR ", "; FETCH ALL FROM c; CLOSE c"),
    ("PREPARE p AS ", "; EXECUTE p; DEALLOCATE p"),
    ("DO $$ BEGIN ", "; END $$"),
];

fn client(all: &Tenants, user: &str) -> Client {
    let mut client = Client::begin(all.server.postgres(), user, "a");
    client.prove(PASSWORD);
    client.receive();
    client.greeted();
    client
}

fn prepared() -> Tenants {
    let all = tenants_with(&["--pg", "127.0.0.1:0"]);
    for sql in ["CREATE TABLE t(x)", "CREATE INDEX on_x ON t(x)", "INSERT INTO t VALUES(1)"] {
        assert_eq!(all.code(&all.writer, "a", sql), "ok", "{sql}");
    }
    all
}

/// The replies to messages, up to the end.
fn replies(client: &mut Client, messages: &[u8]) -> Vec<Message> {
    client.send(messages);
    client.until_ready()
}

/// The replies by the extended protocol: a statement that stays, described, run in two portals.
fn extended(client: &mut Client, sql: &str) -> Vec<Message> {
    let prepare = [parse("p", sql, &[]), message('D', b"Sp\0"), sync()].concat();
    let mut all = replies(client, &prepare);
    for (portal, rows) in [("", 0), ("q", 1)] {
        let describe = message('D', &[b"P".to_vec(), text(portal)].concat());
        let run = [bind(portal, "p", &[], 0), describe, execute(portal, rows), sync()].concat();
        all.extend(replies(client, &run));
    }
    all.extend(replies(client, &[message('C', b"Sp\0"), sync()].concat()));
    all
}

/// Run a statement in all ways: each way, and its replies.
fn by_all_ways(client: &mut Client, sql: &str) -> Vec<(String, Vec<Message>)> {
    let mut all = Vec::new();
    for (before, after) in AROUND {
        let whole = format!("{before}{sql}{after}");
        all.push((whole.clone(), client.query(&whole)));
        client.query("ROLLBACK");
        all.push((format!("extended: {whole}"), extended(client, &whole)));
        client.query("ROLLBACK");
        client.query("RESET ALL");
    }
    all
}

#[test]
fn a_reader_writes_in_no_way() {
    let all = prepared();
    let mut reader = client(&all, "reader");
    let before = state(&all);
    for sql in FORBIDDEN {
        for (way, replies) in by_all_ways(&mut reader, sql) {
            assert!(error(&replies).is_some(), "{way}: {}", shown(&replies));
            assert!(!tags(&replies).contains('G'), "{way}: {}", shown(&replies));
        }
        assert_eq!(state(&all), before, "{sql}");
        assert_eq!(reader.rows("SELECT x FROM t"), "1", "{sql}");
    }
    reader.error("SELECT load_extension('/tmp/x.so')");
    reader.error("SELECT pg_catalog.load_extension('/tmp/x.so')");
    assert_eq!(reader.error("INSERT INTO t VALUES (7)").0, "25006");
}

#[test]
fn nothing_goes_around_the_roles_over_the_wire() {
    let all = prepared();
    let before = state(&all);
    let held = "SELECT locking_mode, query_only, writable_schema \
                FROM pragma_locking_mode, pragma_query_only, pragma_writable_schema";
    for user in ["reader", "writer"] {
        let mut client = client(&all, user);
        let settings = rows(&client.query(held));
        for sql in DETOURS {
            by_all_ways(&mut client, sql);
            assert_eq!(state(&all), before, "{user}: {sql}");
            assert_eq!(rows(&client.query(held)), settings, "{user}: {sql}");
        }
    }
}

#[test]
fn what_was_prepared_keeps_to_a_read_only_transaction() {
    let all = prepared();
    let mut writer = client(&all, "writer");
    let insert = "INSERT INTO t VALUES (7) RETURNING x";
    writer.send(&[parse("p", insert, &[]), sync()].concat());
    writer.until_ready();
    let run = |portal: &str| [bind(portal, "p", &[], 0), execute(portal, 0), sync()].concat();
    for begin in ["BEGIN READ ONLY", "BEGIN; SET TRANSACTION READ ONLY"] {
        writer.rows(begin);
        let done = replies(&mut writer, &run(""));
        assert_eq!(error(&done).unwrap().0, "25006", "{begin}");
        writer.rows("ROLLBACK");
    }
    // A portal from before, too.
    writer.rows("BEGIN");
    writer.send(&[bind("q", "p", &[], 0), sync()].concat());
    writer.until_ready();
    writer.rows("SET TRANSACTION READ ONLY");
    let done = replies(&mut writer, &[execute("q", 0), sync()].concat());
    assert_eq!(error(&done).unwrap().0, "25006");
    writer.rows("ROLLBACK");
    assert_eq!(writer.rows("SELECT x FROM t"), "1");
    assert_eq!(tags(&replies(&mut writer, &run(""))), "2DCZ");
}

#[test]
fn a_session_has_only_its_users_databases() {
    let all = prepared();
    for (user, name) in [
        ("reader", "b"),
        ("reader", "a.db"),
        ("reader", "./a"),
        ("reader", "../outside"),
        ("reader", "postgres"),
        ("reader", "a?mode=rwc"),
        ("writer", "link"),
        ("writer", "nope"),
    ] {
        let mut client = Client::begin(all.server.postgres(), user, name);
        client.prove(PASSWORD);
        let replies = [client.receive(), client.receive()];
        assert_eq!(error(&replies).unwrap().0, "3D000", "{user} {name}");
    }
    let mut writer = Client::begin(all.server.postgres(), "writer", "b");
    writer.prove(PASSWORD);
    writer.receive();
    writer.greeted();
    assert_eq!(writer.error("CREATE TABLE t(x int)").0, "25006");
}
