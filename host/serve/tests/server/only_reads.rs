//! Transactions that only read, of users who may write: no extension writes in them either.

use serde_json::json;

use crate::support::{Server, error, execute, rows};
use crate::wire::Client;

/// What an extension with `sql` does for a user.
const WRITES: &[&str] = &[
    "insert into t values (8)",
    "pragma user_version = 99",
    "create table evil(a)",
    "create temp table evil(a)",
    "drop table t",
    "commit; insert into t values (9)",
    "rollback; insert into t values (10)",
    "savepoint s; release s; insert into t values (11)",
    "pragma query_only = off; insert into t values (12)",
    "with x(a) as (values (13)) insert into t select a from x",
];

/// All that they would have changed.
const STATE: &str = "SELECT (SELECT group_concat(a) FROM t) || ' ' || (SELECT user_version FROM pragma_user_version) \
                     || ' ' || (SELECT count(*) FROM sqlite_schema)";

fn server() -> Server {
    Server::start(&["--pg", "127.0.0.1:0", "--load", "define"])
}

fn by_extension(sql: &str) -> String {
    format!("SELECT eval('{sql}')")
}

#[test]
fn extensions_do_not_write_by_hrana() {
    let server = server();
    server.query("CREATE TABLE t(a)");
    server.query("INSERT INTO t VALUES (1)");
    let before = server.query(STATE);
    for sql in WRITES {
        let own = by_extension(sql);
        let mut stream = server.stream();
        let results = stream.run(&[
            execute("BEGIN TRANSACTION READONLY"),
            execute(&own),
            execute("INSERT INTO t VALUES (2)"),
            json!({"type": "get_autocommit"}),
            execute("SELECT eval('select a from t')"),
            execute("COMMIT"),
        ]);
        assert_eq!(results[1]["type"], "error", "{sql}: {results:?}");
        assert_eq!(error(&results[2]).0, "SQLITE_READONLY", "{sql}");
        // The transaction goes on, and extensions read in it.
        assert_eq!(results[3]["response"]["is_autocommit"], false, "{sql}");
        assert_eq!(rows(&results[4]), [["1"]], "{sql}");
        assert_eq!(results[5]["type"], "ok", "{sql}: {results:?}");
        assert_eq!(server.query(STATE), before, "{sql}");
        // Later ones write.
        let after = stream.run(&[
            execute("BEGIN"),
            execute("SELECT eval('insert into t values (3)')"),
            execute("ROLLBACK"),
        ]);
        assert!(after.iter().all(|result| result["type"] == "ok"), "{sql}: {after:?}");
    }
}

#[test]
fn extensions_do_not_write_by_postgres() {
    let server = server();
    let mut client = Client::new(&server);
    client.rows("CREATE TABLE t(a int); INSERT INTO t VALUES (1)");
    let before = server.query(STATE);
    for begin in [
        "BEGIN READ ONLY",
        "BEGIN; SET TRANSACTION READ ONLY",
        "SET default_transaction_read_only = on; BEGIN",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SELECT 1; BEGIN",
    ] {
        for sql in WRITES {
            client.rows(begin);
            client.error(&by_extension(sql));
            client.rows("ROLLBACK");
            assert_eq!(server.query(STATE), before, "{begin}: {sql}");
        }
        client.rows("RESET default_transaction_read_only");
    }
    // Without a transaction of the client.
    client.rows("SET default_transaction_read_only = on");
    for sql in WRITES {
        client.error(&by_extension(sql));
        assert_eq!(server.query(STATE), before, "{sql}");
    }
    assert_eq!(client.error("INSERT INTO t VALUES (2)").0, "25006");
    client.rows("SELECT eval('select a from t')");
    client.rows("RESET default_transaction_read_only; BEGIN READ ONLY; SELECT 1; COMMIT");
    client.rows("SELECT eval('insert into t values (3)')");
    assert_eq!(client.rows("SELECT count(*) FROM t"), "2");
}

#[test]
fn their_begin_is_one_statement() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    for begin in ["BEGIN TRANSACTION READONLY", "BEGIN"] {
        let (_, message) = server.error(&format!("{begin}; INSERT INTO t VALUES (77)"));
        assert_eq!(message, "the text has more than one statement");
    }
    assert_eq!(server.query("SELECT count(*) FROM t"), [["0"]]);
    for begin in ["begin readonly", "BEGIN DEFERRED READONLY", "BEGIN TRANSACTION READONLY; -- c"] {
        let results = server.pipeline(vec![
            json!({"type": "describe", "sql": begin}),
            execute(begin),
            execute("INSERT INTO t VALUES (1)"),
        ]);
        assert_eq!(results[0]["response"]["result"]["is_readonly"], true, "{results:?}");
        assert_eq!(results[1]["type"], "ok", "{results:?}");
        assert_eq!(error(&results[2]).0, "SQLITE_READONLY");
    }
    let described = json!({"type": "describe", "sql": "BEGIN READONLY; SELECT 1"});
    assert_eq!(
        error(&server.pipeline(vec![described])[0]).1,
        "the text has more than one statement"
    );
}
