//! A client of `sql-work` in another language: an extension in Python (`tests/guests/python`)
//! runs SQL as the shell does.

use std::sync::Once;

use crate::support::guest::{Loaded, guest};
use crate::support::{self, Directory};

const GRANT: &[&str] = &["--grant", "python=sql"];

fn python(name: &str) -> Loaded {
    // Compiling Python takes ten seconds, on a busy machine more than a test may take; then it is in
    // the cache.
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let directory = Directory::fresh("python-compiled");
        let file = guest("python").display().to_string();
        let args = [GRANT, &["--load", &file, ":memory:", "SELECT 1"]].concat();
        let run = support::command(&support::our_binary(), &args, &directory.path()).output();
        let run = run.expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    });
    Loaded::guest("python", &format!("python-{name}")).with(GRANT)
}

/// SQL as a literal.
fn quoted(sql: &str) -> String {
    format!("'{}'", sql.replace('\'', "''"))
}

#[test]
fn values_of_each_class_go_and_come_unchanged() {
    python("values").answers(
        "CREATE TABLE v(x);
         INSERT INTO v VALUES (NULL), (0), (-1), (9223372036854775807), (-9223372036854775808), (0.5),
             (-1e300), (5e-324), (9e999), (''), ('é'), (char(0, 97)), (CAST(x'61ff00fe' AS TEXT)), (x''),
             (x'00ff00');
         SELECT count(*), sum(y IS x AND typeof(y) = typeof(x)) FROM
             (SELECT x, python_value('SELECT ?', x) y FROM v);
         SELECT python_value('SELECT ?3 || ?1 || ?2', 'b', 'c', 'a'), python_value('SELECT 1 WHERE 0') IS NULL;",
        &["15|15", "abc|1"],
    );
}

#[test]
fn rows_are_those_of_the_shell() {
    for sql in [
        "SELECT NULL, 7, -0.5, 'it''s', x'00ff'",
        "VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')",
        "SELECT type, name, sql FROM sqlite_schema ORDER BY name",
        "SELECT a, count(*), max(b) FROM t GROUP BY a ORDER BY a",
        "SELECT 1 WHERE 0",
        "PRAGMA table_info(t)",
    ] {
        let schema = "CREATE TABLE IF NOT EXISTS t(a, b TEXT DEFAULT 'x');
                      INSERT INTO t VALUES (1, 'p'), (1, 'q'), (NULL, NULL);\n";
        let shell = python("shell").run(&format!("{schema}.mode quote\n{sql};\n")).keeps_quiet();
        let expected = match shell.out().trim_end() {
            "" => "\n".to_owned(),
            rows => format!("{rows}\n"),
        };
        let script = format!("{schema}SELECT python_rows({});\n", quoted(sql));
        let run = python("rows").run(&script).keeps_quiet();
        assert_eq!(run.out(), expected, "{sql}: {run}");
    }
}

#[test]
fn many_rows_arrive_in_blocks() {
    let count = |last| {
        format!("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT {last})")
    };
    let small = quoted(&format!("{} SELECT i FROM c", count(5000)));
    // A reply ends when it exceeds 1 MiB.
    let large = quoted(&format!("{} SELECT zeroblob(400000) FROM c", count(10)));
    python("blocks").answers(
        &format!(
            "SELECT python_blocks({small});
             SELECT length(x), x = (SELECT group_concat(value, char(10)) FROM generate_series(1, 5000)) FROM
                 (SELECT python_rows({small}) x);
             SELECT python_blocks({large});"
        ),
        &["2 8 32 128 512 1024 1024 1024 1024 222", "23892|1", "2 3 3 2"],
    );
}

#[test]
fn a_large_value_goes_and_comes() {
    python("large").answers(
        "CREATE TABLE t AS SELECT randomblob(10000000) AS b;
         SELECT length(b), python_value('SELECT ?', b) = b FROM t;
         SELECT python_value('SELECT b FROM t') = b FROM t;
         SELECT length(python_value('SELECT CAST(? AS TEXT) || ''x''', replace(hex(zeroblob(2000000)), '0', 'é')));",
        &["10000000|1", "1", "4000001"],
    );
}

#[test]
fn failures_have_their_code_and_message() {
    python("failures").answers(
        "CREATE TABLE t(a PRIMARY KEY, b CHECK (b > 0));
         INSERT INTO t VALUES (1, 1);
         SELECT python_failure('SELECT nope');
         SELECT python_failure('SELEC 1');
         SELECT python_failure('INSERT INTO t VALUES (1, 2)');
         SELECT python_failure('INSERT INTO t VALUES (2, ?)', -1);
         SELECT python_failure('SELECT abs(?)', -9223372036854775808);
         SELECT python_failure('SELECT ?1', 1, 2);
         SELECT python_failure('SELECT python_value(?)', 'SELECT 1');
         SELECT python_failure('SELECT 1') IS NULL, count(*) FROM t;",
        &[
            "1: no such column: nope",
            "1: near \"SELEC\": syntax error",
            "1555: UNIQUE constraint failed: t.a",
            "275: CHECK constraint failed: b > 0",
            "1: integer overflow",
            "25: column index out of range",
            "21: the extension `python` waits for the SQL that it asked for, and cannot be called from it",
            "1|1",
        ],
    );
    let run = python("raised").run("SELECT python_value('SELECT nope');\nSELECT 'alive';\n");
    assert!(run.err().contains("no such column: nope") && run.out() == "alive\n", "{run}");
}

#[test]
fn changes_belong_to_the_transaction_of_the_caller() {
    python("changes").answers(
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b);
         BEGIN;
         SELECT python_run('INSERT INTO t VALUES (7, ?), (8, ?)', 'x', 'y');
         SELECT python_run('UPDATE t SET b = ?', 'z'), (SELECT group_concat(b) FROM t);
         ROLLBACK;
         SELECT count(*) FROM t;
         SELECT python_execute('INSERT INTO t VALUES (1, 1); UPDATE t SET b = 2; -- end');
         SELECT * FROM t;
         SELECT python_names('SELECT a AS it, :x, ?2 FROM t; SELECT 2');",
        &["2 8", "2 8|z,z", "0", "", "1|2", "[':x', '?2'] ['it', ':x', '?2'] True ' SELECT 2'"],
    );
}

#[test]
fn blobs_are_read_written_and_moved() {
    let run = python("blobs").run(
        "CREATE TABLE t(b); INSERT INTO t VALUES (x'616263'), (zeroblob(1000)), (x'67');
         SELECT CAST(python_blob('t', 'b', 1, 'xy') AS TEXT) = 'abc xyc ' || CAST(zeroblob(1000) AS TEXT);
         SELECT python_blob('t', 'b', 3, '');
         SELECT python_blob('t', 'b', 1, 'long');
         SELECT CAST(b AS TEXT) FROM t WHERE rowid = 1;",
    );
    assert_eq!(run.out(), "1\nxyc\n", "{run}");
    assert!(run.err().contains("no such rowid: 4"), "{run}");
    // SQLite's own text for SQLITE_ERROR, as for `sqlite3_blob_write`.
    assert!(run.err().contains("SQL logic error"), "{run}");
}

#[test]
fn statements_and_readers_that_stop_early_leave_nothing_open() {
    // More than there may be handles; and a statement that reads would keep the table locked.
    python("closed").answers(
        "CREATE TABLE t AS SELECT value FROM generate_series(1, 100);
         SELECT sum(python_value('SELECT value FROM t')) FROM generate_series(1, 11000);
         DROP TABLE t;",
        &["11000"],
    );
}
