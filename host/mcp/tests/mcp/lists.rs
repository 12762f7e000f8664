//! `--tables` and `--hide` on the command line.

use serde_json::json;

use crate::support::{Server, directory, program, shell};

const SCHEMA: &str = "
    CREATE TABLE orders(id INTEGER PRIMARY KEY, user INT, total INT);
    CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE \"odd, name\"(a);
    INSERT INTO orders VALUES (1, 1, 5); INSERT INTO users VALUES (1, 'Ada');
    CREATE VIEW names AS SELECT name FROM users;
    CREATE VIRTUAL TABLE words USING fts5(x); INSERT INTO words VALUES ('tea');";

#[test]
fn only_listed_tables_are_seen() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, SCHEMA);
    let mut server = Server::of(
        &database,
        &["--write", "--tables", "Orders,words", "--tables", "\"odd, name\""],
    );
    assert_eq!(server.rows("SELECT total FROM orders"), json!([[5]]));
    assert_eq!(server.rows("SELECT x FROM words('tea')"), json!([["tea"]]));
    assert_eq!(server.rows("SELECT count(*) FROM \"odd, name\""), json!([[0]]));
    for (sql, name) in [
        ("SELECT name FROM users", "users"),
        ("SELECT count(*) FROM users", "users"),
        ("SELECT * FROM names", "users"),
        ("SELECT orders.id FROM orders JOIN users USING (id)", "USING (id)"),
        ("SELECT * FROM sqlite_schema", "sqlite_master"),
    ] {
        assert!(
            server.refused(sql).starts_with(&format!("not permitted: {name}")),
            "{sql}: {}",
            server.refused(sql)
        );
    }
    for sql in [
        "CREATE TABLE other(a)",
        "DELETE FROM users",
        "DROP TABLE users",
        "CREATE VIEW v AS SELECT 1",
        "ALTER TABLE users RENAME TO words2",
        "ALTER TABLE users RENAME TO orders2",
    ] {
        let refused = server.execute(&[sql]).unwrap_err();
        assert!(refused.contains("not permitted"), "{sql}: {refused}");
    }
    server
        .execute(&[
            "INSERT INTO orders VALUES (2, 1, 7)",
            "CREATE TEMP TABLE t AS SELECT total FROM orders",
            "UPDATE orders SET total = (SELECT max(total) FROM t)",
        ])
        .unwrap();
    assert_eq!(server.rows("SELECT sum(total) FROM orders"), json!([[14]]));
    let schema = server.call("schema", json!({})).unwrap();
    let names: Vec<&str> = schema["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["odd, name", "orders", "words"]);
}

/// A list with a mistake would show what should be hidden.
#[test]
fn a_name_that_no_database_has_is_an_error() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, SCHEMA);
    for (arguments, why) in [
        (&["--hide", "usres"][..], "no database has `usres`"),
        (&["--hide", "users.nmae"], "no database has `users.nmae`"),
        (&["--tables", "orders,x"], "no database has `x`"),
        (&["--tables", "users.name"], "`--tables` takes whole tables"),
        (&["--hide", "users;"], "`,` is expected"),
    ] {
        let output =
            std::process::Command::new(program()).arg(&database).args(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(why), "{arguments:?}: {error}");
    }
}
