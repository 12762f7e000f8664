//! `--write`: transactions that end with the call, and sizes.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{Server, directory, program, shell};

fn shop(arguments: &[&str]) -> (tempfile::TempDir, std::path::PathBuf, Server) {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(
        &database,
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK (b <> 'bad')); INSERT INTO t VALUES (1, 'x');",
    );
    let server = Server::of(&database, arguments);
    (directory, database, server)
}

#[test]
fn a_call_is_one_transaction() {
    let (_directory, database, mut server) = shop(&["--write"]);
    let done = server
        .execute(&[
            "INSERT INTO t VALUES (2, 'y'), (3, 'z')",
            "SELECT count(*) FROM t",
            "UPDATE t SET b = 'w' RETURNING a",
        ])
        .unwrap();
    assert_eq!(done["results"][0], json!({"changes": 2}));
    assert_eq!(done["results"][1]["rows"], json!([[3]]));
    assert_eq!(
        (&done["results"][2]["rows"], &done["results"][2]["changes"]),
        (&json!([[1], [2], [3]]), &json!(3))
    );
    let error = server
        .execute(&["DELETE FROM t", "INSERT INTO t VALUES (9, 'bad')", "SELECT 1"])
        .unwrap_err();
    assert!(
        error.starts_with("statement 2 of 3, all of which are undone: CHECK constraint failed"),
        "{error}"
    );
    assert_eq!(server.rows("SELECT count(*) FROM t"), json!([[3]]));
    for statement in ["COMMIT", "ROLLBACK", "END", "BEGIN", "SAVEPOINT x", "RELEASE x"] {
        assert!(server.execute(&["DELETE FROM t", statement]).is_err(), "{statement}");
        assert_eq!(server.rows("SELECT count(*) FROM t"), json!([[3]]), "{statement}");
    }
    // No lock is left.
    shell(&database, "INSERT INTO t VALUES (10, 'native');");
    assert_eq!(server.rows("SELECT count(*) FROM t"), json!([[4]]));
    // `query` reads even here.
    assert!(server.refused("DELETE FROM t").contains("only reads"));
}

#[test]
fn rows_that_are_cut_are_changed() {
    let (_directory, _database, mut server) = shop(&["--write", "--max-rows", "10"]);
    let done = server.execute(&[
        "WITH RECURSIVE c(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM c LIMIT 500) INSERT INTO t SELECT i, 'y' FROM c RETURNING a",
    ]).unwrap();
    let result = &done["results"][0];
    assert_eq!((result["rows"].as_array().unwrap().len(), &result["changes"]), (10, &json!(500)));
    assert!(result["cut"].is_string());
    assert_eq!(server.rows("SELECT count(*) FROM t"), json!([[501]]));
}

#[test]
fn references_are_checked() {
    let (_directory, database, mut server) = shop(&["--write"]);
    shell(&database, "CREATE TABLE c(t INT REFERENCES t DEFERRABLE INITIALLY DEFERRED);");
    let error = server.execute(&["INSERT INTO c VALUES (77)"]).unwrap_err();
    assert!(error.contains("FOREIGN KEY"), "{error}");
    assert_eq!(server.rows("SELECT count(*) FROM c"), json!([[0]]));
}

#[test]
fn a_database_has_a_largest_size() {
    let (_directory, database, mut server) = shop(&["--write", "--max-db-size", "100K"]);
    let error = server.execute(&["INSERT INTO t VALUES (5, hex(zeroblob(100000)))"]).unwrap_err();
    assert!(error.contains("largest size"), "{error}");
    assert!(server.execute(&["PRAGMA max_page_count = 100000"]).is_err());
    assert!(std::fs::metadata(&database).unwrap().len() <= 100 << 10);
    server.execute(&["INSERT INTO t VALUES (5, 'small')"]).unwrap();
}

#[test]
fn scratch_is_written_and_ends_with_the_program() {
    let (_directory, _database, mut server) = shop(&["--scratch", "1M"]);
    let mut scratch = |tool: &str, mut arguments: Value| {
        arguments["database"] = "scratch".into();
        server.call(tool, arguments)
    };
    let statements = |sql: &str| json!({"statements": [{"sql": sql}]});
    scratch("execute", statements("CREATE TABLE notes(a)")).unwrap();
    scratch("execute", statements("INSERT INTO notes VALUES ('kept between calls')")).unwrap();
    let found = scratch("query", json!({"sql": "SELECT a FROM notes"})).unwrap();
    assert_eq!(found["rows"], json!([["kept between calls"]]));
    let full =
        scratch("execute", statements("INSERT INTO notes VALUES (zeroblob(2000000))")).unwrap_err();
    assert!(full.contains("largest size"), "{full}");
    // The other database can still only be read.
    let other = server
        .call("execute", json!({"statements": [{"sql": "DELETE FROM t"}], "database": "shop"}));
    assert_eq!(other.unwrap_err(), "the database `shop` can only be read");
    let open = format!("/proc/{}/fd", server.id());
    let paths: Vec<_> = std::fs::read_dir(open)
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
        .collect();
    let file = paths
        .iter()
        .find(|path| {
            path.to_string_lossy().ends_with(".db") && path.to_string_lossy().contains("scratch")
        })
        .unwrap()
        .clone();
    assert!(file.exists() && server.end());
    assert!(!file.exists());
}

#[test]
fn writers_wait_for_each_other() {
    let (_directory, database, server) = shop(&["--write"]);
    drop(server);
    shell(&database, "PRAGMA journal_mode = WAL;");
    let database = Arc::new(database);
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let database = database.clone();
            std::thread::spawn(move || {
                let mut server = Server::of(&database, &["--write"]);
                for number in 0..10 {
                    server
                        .execute(&[&format!(
                            "INSERT INTO t VALUES ({}, 'w')",
                            100 + thread * 10 + number
                        )])
                        .unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(shell(&database, "SELECT count(*) FROM t;"), "41\n");
}

#[test]
fn a_database_of_that_name_is_refused() {
    let directory = directory();
    let database = directory.path().join("scratch.db");
    shell(&database, "CREATE TABLE t(a);");
    let output = std::process::Command::new(program())
        .arg(&database)
        .args(["--scratch", "1M"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("has the name of the database of `--scratch`")
    );
}
