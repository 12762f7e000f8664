//! What PostgreSQL can do and this server cannot is 0A000, and what neither can is what PostgreSQL says.

use super::support::Server;
use super::wire::Client;

#[test]
fn what_postgres_has_and_nothing_here_is_refused_by_its_name() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int PRIMARY KEY, b text, d date)");
    for (sql, name) in [
        ("SELECT 1 BETWEEN SYMMETRIC 2 AND 0", "BETWEEN SYMMETRIC"),
        ("SELECT b::text COLLATE \"C\" FROM t", "COLLATE after ::"),
        ("SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING EXCLUDE TIES) FROM t", "EXCLUDE TIES"),
        ("SELECT count(*) OVER (ORDER BY d RANGE interval '1 day' PRECEDING) FROM t", "RANGE"),
        ("SELECT t FROM t", "the row t as a value"),
        ("SELECT q FROM (SELECT a FROM t) AS q", "the row q as a value"),
        ("SELECT (t).* FROM t", "a field of a row"),
        ("SELECT ROW(1, 2)", "a row as a value"),
        ("SELECT max(interval '1 day') OVER ()", "this aggregate over a window"),
        ("SELECT regexp_split_to_table('a b', ' ')", "the function regexp_split_to_table"),
        ("DO $$ BEGIN NULL; END $$", "DO"),
        ("CREATE AGGREGATE s(int) (sfunc = f, stype = int)", "CREATE AGGREGATE"),
        ("DROP OWNED BY local", "DROP OWNED"),
        ("CREATE TABLE u(a int UNIQUE NULLS NOT DISTINCT)", "NULLS NOT DISTINCT"),
        ("CREATE VIEW v AS SELECT 1 AS a WITH CHECK OPTION", "CHECK OPTION"),
        ("CREATE TABLE u()", "TABLE … ( )"),
        ("SELECT 1 FOR UPDATE", "FOR UPDATE"),
        ("COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE *)", "FORCE_QUOTE *"),
    ] {
        let (code, message) = client.error(sql);
        assert_eq!(code, "0A000", "{sql}: {message}");
        assert!(message.starts_with(name), "{sql}: {message}");
    }
    for (sql, code) in [
        ("SELECT nosuch FROM t", "42703"),
        ("SELECT nosuch(1)", "42883"),
        ("SELECT 1 2", "42601"),
        ("CREATE AGGREGATE", "0A000"),
        ("SELECT 'BETWEEN SYMMETRIC' 2", "42601"),
    ] {
        assert_eq!(client.error(sql).0, code, "{sql}");
    }
}

/// Views and generated columns keep the types of what they compute as they were when they were made.
#[test]
fn what_is_computed_of_a_column_keeps_its_type() {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(x int, y int, z int GENERATED ALWAYS AS (y * 2) STORED, free int)");
    client.rows("CREATE VIEW direct AS SELECT x + 1 AS a FROM t");
    client.rows("CREATE TABLE far(x int); CREATE VIEW near AS SELECT x AS q FROM far");
    client.rows("CREATE VIEW behind AS SELECT q + 1 AS a FROM near");
    for (sql, what) in [
        ("ALTER TABLE t ALTER COLUMN x TYPE text", "used by the view \"direct\""),
        ("ALTER TABLE t ALTER COLUMN y TYPE text", "used by a generated column"),
        ("ALTER TABLE far ALTER COLUMN x TYPE text", "used by the view \"behind\""),
    ] {
        let (code, message) = client.error(sql);
        assert_eq!(code, "0A000", "{sql}: {message}");
        assert!(message.contains(what), "{sql}: {message}");
    }
    client.rows("ALTER TABLE t ALTER COLUMN free TYPE text");
    client.rows("DROP VIEW behind; ALTER TABLE far ALTER COLUMN x TYPE text");
}
