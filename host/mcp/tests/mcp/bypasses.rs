//! What has bypassed servers that let agents "only read": no file changes, none appears, and nothing
//! is read from others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::{OLD, Server, directory, program, shell};

/// Statements that servers have taken for reads.
const STATEMENTS: &[&str] = &[
    "ATTACH DATABASE 'new.db' AS x",
    "ATTACH 'other.db' AS x",
    "VACUUM INTO 'copy.db'",
    "VACUUM main INTO 'copy.db'",
    "VACUUM",
    "WITH x AS (SELECT 1) INSERT INTO t SELECT 7 FROM x",
    "WITH x(a) AS (VALUES (1)) UPDATE t SET a = 9",
    "WITH x AS (SELECT 1) DELETE FROM t",
    "INSERT INTO t VALUES (7) RETURNING a",
    "REPLACE INTO t VALUES (7)",
    "SELECT 1; DELETE FROM t",
    "SELECT 1; ATTACH 'new.db' AS x; CREATE TABLE x.y(a)",
    "BEGIN; DELETE FROM t; COMMIT",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT x",
    "BEGIN IMMEDIATE",
    "/* SELECT */ DELETE FROM t",
    "-- SELECT\nDELETE FROM t",
    "EXPLAIN SELECT 1; DELETE FROM t",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 5",
    "PRAGMA application_id = 5",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = ON",
    "PRAGMA trusted_schema = ON",
    "PRAGMA main.wal_checkpoint(TRUNCATE)",
    "PRAGMA optimize",
    "PRAGMA incremental_vacuum(10)",
    "PRAGMA auto_vacuum = FULL",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA data_store_directory = '/'",
    "PRAGMA database_list",
    "SELECT file FROM pragma_database_list",
    "SELECT * FROM pragma_user_version(5)",
    "SELECT load_extension('x')",
    "SELECT writefile('new.db', 'x')",
    "SELECT readfile('other.db')",
    "SELECT edit('x', 'sh')",
    "SELECT data FROM sqlite_dbpage",
    "UPDATE sqlite_dbpage SET data = zeroblob(4096)",
    "UPDATE sqlite_schema SET sql = ''",
    "CREATE TABLE x(a)",
    "CREATE TEMP TABLE x(a)",
    "CREATE TEMP VIEW x AS SELECT 1",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "DROP TABLE t",
    "ALTER TABLE t RENAME TO u",
    "REINDEX",
    "ANALYZE",
    "DETACH main",
    "INSERT INTO words(words) VALUES ('optimize')",
];

/// Names that a tool could put into SQL without quotes.
const TABLES: &[&str] = &[
    "t; DELETE FROM t",
    "t); DELETE FROM t; --",
    "'t'); DROP TABLE t; --",
    "t\" WHERE 0 UNION SELECT data FROM sqlite_dbpage --",
    "sqlite_dbpage",
    "pragma_database_list",
    "other.t",
    "temp.t",
    "",
];

fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn no_statement_that_reads_changes_a_file() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(
        &directory.path().join("other.db"),
        "CREATE TABLE t(a); INSERT INTO t VALUES ('secret of others');",
    );
    shell(
        &database,
        "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); CREATE VIRTUAL TABLE words USING fts5(x);",
    );
    let before = contents(directory.path());
    let mut server = Server::by(
        std::process::Command::new(program()).arg(&database).current_dir(directory.path()),
        OLD,
    );
    for sql in STATEMENTS {
        let error = server.refused(sql);
        assert!(
            !error.contains("secret of others")
                && !error.contains(directory.path().to_str().unwrap()),
            "{sql}: {error}"
        );
    }
    for table in TABLES {
        for tool in ["schema", "sample", "search"] {
            let done = server.call(tool, json!({"table": table, "words": "x"}));
            assert!(done.is_err(), "{tool} {table}: {done:?}");
        }
    }
    for sql in STATEMENTS.iter().filter(|sql| sql.contains(';')) {
        assert!(server.call("explain", json!({"sql": sql})).is_err(), "{sql}");
    }
    // The control: what reads runs, and the same statements change a file where they may.
    assert_eq!(server.rows("WITH x AS (SELECT a FROM t) SELECT sum(a) FROM x"), json!([[3]]));
    let execute =
        json!({"name": "execute", "arguments": {"statements": [{"sql": "DELETE FROM t"}]}});
    assert!(server.request("tools/call", execute)["error"].is_object());
    assert!(server.end());
    assert_eq!(contents(directory.path()), before);
    let mut writer = Server::of(&database, &["--write"]);
    writer.execute(&["WITH x AS (SELECT 1) INSERT INTO t SELECT 7 FROM x"]).unwrap();
    assert_eq!(writer.rows("SELECT sum(a) FROM t"), json!([[10]]));
}

#[test]
fn a_log_that_others_write_is_read_and_not_written() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1);");
    let before = fs::read(&database).unwrap();
    let mut server = Server::of(&database, &[]);
    assert_eq!(server.rows("SELECT a FROM t"), json!([[1]]));
    assert!(server.refused("INSERT INTO t VALUES (2)").contains("only reads"));
    shell(&database, "INSERT INTO t VALUES (5);");
    assert_eq!(server.rows("SELECT sum(a) FROM t"), json!([[6]]));
    shell(&database, "CREATE TABLE later(b); INSERT INTO later VALUES (2);");
    assert_eq!(server.rows("SELECT b FROM later"), json!([[2]]));
    assert!(server.end());
    assert!(fs::read(&database).unwrap().starts_with(&before[..16]));
}
