//! What the tools return, their limits, and their errors.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Server, directory, shell};

const SHOP: &str = "
    CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born REAL);
    INSERT INTO users(name, born) VALUES ('Ada', 1815.5), ('Bob', NULL), ('é', 3);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, user INTEGER REFERENCES users, total INTEGER);
    CREATE INDEX orders_user ON orders(user);
    CREATE VIEW sums AS SELECT name, sum(total) AS total FROM users JOIN orders ON user = users.id GROUP BY name;
    CREATE VIRTUAL TABLE words USING fts5(title, body);
    INSERT INTO words VALUES ('red wine', 'from the south'), ('green tea', 'from the east'), ('red tea', '\"quoted\" NEAR x');";

fn shop(arguments: &[&str]) -> (tempfile::TempDir, Server) {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, SHOP);
    let server = Server::of(&database, arguments);
    (directory, server)
}

#[test]
fn rows_are_compact_json_with_types() {
    let (_directory, mut server) = shop(&[]);
    let found = server.query("SELECT id, name, born, x'00ff' AS b, 9007199254740993 AS big, NULL AS n, 1e999 AS i FROM users").unwrap();
    assert_eq!(found["columns"], json!(["id", "name", "born", "b", "big", "n", "i"]));
    assert_eq!(
        found["types"],
        json!(["integer", "text", "real", "blob", "integer", "null", "real"])
    );
    let big = json!({"integer": "9007199254740993"});
    assert_eq!(
        found["rows"][0],
        json!([1, "Ada", 1815.5, {"hex": "00ff"}, big, null, {"real": "inf"}])
    );
    assert_eq!(found["rows"].as_array().unwrap().len(), 3);
    assert!(found.get("cut").is_none());
    let mixed = server.query("SELECT 1 AS a UNION ALL SELECT 'x'").unwrap();
    assert_eq!(mixed["types"], json!(["mixed"]));
    let none = server.query("SELECT id FROM users WHERE 0").unwrap();
    assert_eq!((&none["rows"], &none["columns"]), (&json!([]), &json!(["id"])));
}

#[test]
fn parameters_are_bound_by_position_and_name() {
    let (_directory, mut server) = shop(&[]);
    let mut run = |sql: &str, parameters: Value| {
        server.call("query", json!({"sql": sql, "parameters": parameters}))
    };
    assert_eq!(run("SELECT ?, ?2", json!([1.5, "x"])).unwrap()["rows"], json!([[1.5, "x"]]));
    assert_eq!(
        run("SELECT :a, @b, $c, :a", json!({"a": 1, "@b": 2, "c": null})).unwrap()["rows"],
        json!([[1, 2, null, 1]])
    );
    assert_eq!(
        run("SELECT typeof(?), hex(?1)", json!([{"hex": "0aff"}])).unwrap()["rows"],
        json!([["blob", "0AFF"]])
    );
    let big = json!([{"integer": "-9223372036854775808"}]);
    assert_eq!(
        run("SELECT CAST(? AS TEXT)", big).unwrap()["rows"],
        json!([["-9223372036854775808"]])
    );
    assert_eq!(run("SELECT 1 WHERE 'x' = ?", json!(["' OR 1 --"])).unwrap()["rows"], json!([]));
    for (sql, parameters, why) in [
        ("SELECT ?", json!([]), "has 1 parameters, and `parameters` has 0 values"),
        ("SELECT ?", json!(null), "`parameters` is missing"),
        ("SELECT :a", json!({"b": 1}), "no value for `:a`"),
        ("SELECT :a", json!({"a": 1, "b": 1}), "no parameter `b`"),
        ("SELECT ?", json!([{"x": 1}]), "an object is"),
        ("SELECT ?", json!("x"), "is an array, or an object"),
    ] {
        let error = run(sql, parameters).unwrap_err();
        assert!(error.contains(why), "{sql}: {error}");
    }
}

#[test]
fn rows_and_bytes_are_cut_and_the_result_says_so() {
    let (_directory, mut server) = shop(&["--max-rows", "100", "--max-bytes", "4K"]);
    let endless =
        "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c";
    let found = server.query(endless).unwrap();
    assert_eq!(found["rows"].as_array().unwrap().len(), 100);
    assert!(found["cut"].as_str().unwrap().starts_with("cut after 100 rows"));
    let few = server.call("query", json!({"sql": endless, "limit": 7})).unwrap();
    assert_eq!(few["rows"].as_array().unwrap().len(), 7);
    let exact = server.query(&format!("SELECT * FROM ({endless} LIMIT 100)")).unwrap();
    assert!(exact.get("cut").is_none() && exact["rows"].as_array().unwrap().len() == 100);
    let wide = server.query("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT hex(zeroblob(500)) FROM c").unwrap();
    assert!(
        wide["cut"].as_str().unwrap().contains("at 4096 bytes") && wide.to_string().len() < 4400,
        "{wide}"
    );
    let one = server.query("SELECT hex(zeroblob(1000000))").unwrap();
    assert_eq!(one["rows"], json!([]));
    assert!(one["cut"].as_str().unwrap().contains("substr()"));
}

#[test]
fn time_and_memory_are_limited_for_each_call() {
    let (_directory, mut server) = shop(&["--timeout", "300ms", "--memory", "32M"]);
    let start = Instant::now();
    let endless =
        "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c";
    assert!(server.refused(endless).contains("time limit"));
    assert!(start.elapsed() < Duration::from_secs(5));
    let large = "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c LIMIT 200) SELECT group_concat(hex(zeroblob(500000))) FROM c";
    assert!(server.refused(large).contains("memory"), "{}", server.refused(large));
    // One step of SQLite that takes long.
    assert!(
        server
            .query("SELECT like(hex(zeroblob(300000)) || '%0_1', hex(zeroblob(3000000)))")
            .is_err()
            || start.elapsed() < Duration::from_secs(9)
    );
    // The next call has a sandbox of its own.
    assert_eq!(server.rows("SELECT count(*) FROM users"), json!([[3]]));
}

#[test]
fn a_call_leaves_nothing_for_the_next() {
    let (_directory, mut server) = shop(&["--write"]);
    server
        .execute(&[
            "CREATE TEMP TABLE left(a)",
            "INSERT INTO left VALUES (1)",
            "PRAGMA recursive_triggers = ON",
        ])
        .unwrap();
    assert!(server.refused("SELECT * FROM left").contains("no such table"));
    assert_eq!(server.rows("PRAGMA recursive_triggers"), json!([[0]]));
}

#[test]
fn errors_help_to_correct_a_statement() {
    let (_directory, mut server) = shop(&[]);
    for (sql, parts) in [
        (
            "SELECT nme FROM users",
            &["no such column: nme", "line 1, column 8", "perhaps: users.name"][..],
        ),
        ("SELECT *\nFROM usrs", &["no such table: usrs", "perhaps: users"]),
        (
            "SELECT * FROM users WHERE name = \"Ada\"",
            &["should this be a string literal in single-quotes?"],
        ),
        ("SELECT lenght(name) FROM users", &["no such function: lenght", "perhaps: length"]),
        ("SELECT name FROM users WEHRE id = 1", &["syntax error", "column 30"]),
        ("SELECT 1; SELECT 2", &["one statement is expected"]),
        ("", &["no statement"]),
        ("-- nothing", &["no statement"]),
        ("SELECT '", &["unrecognized token"]),
        ("SELECT 1\u{0}", &["NUL"]),
    ] {
        let error = server.refused(sql);
        for part in parts {
            assert!(error.contains(part), "{sql}: {error}");
        }
    }
    for (tool, arguments, part) in [
        ("query", json!({"sql": 1}), "`sql` is a string"),
        ("query", json!({"sql": "SELECT 1", "x": 1}), "has no argument `x`"),
        ("query", json!({"sql": "SELECT 1", "limit": -1}), "`limit` is a number"),
        (
            "query",
            json!({"sql": "SELECT 1", "database": "x"}),
            "no database `x`; the databases are: shop",
        ),
        ("sample", json!({"table": "x"}), "no table `x`"),
        ("search", json!({"table": "users", "words": "x"}), "these have one: words"),
    ] {
        let error = server.call(tool, arguments).unwrap_err();
        assert!(error.contains(part), "{tool}: {error}");
    }
}

#[test]
fn the_schema_has_tables_columns_and_searches() {
    let (_directory, mut server) = shop(&[]);
    let schema = server.call("schema", json!({})).unwrap();
    let tables = schema["tables"].as_array().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["orders", "sums", "users", "words"]);
    assert_eq!(tables[1]["kind"], "view");
    assert_eq!(tables[3]["search"], "words");
    let users = server.call("schema", json!({"table": "USERS"})).unwrap();
    assert_eq!(users["columns"][0], json!({"name": "id", "type": "INTEGER", "key": true}));
    assert_eq!(users["columns"][1], json!({"name": "name", "type": "TEXT", "not_null": true}));
    assert!(users["sql"].as_str().unwrap().starts_with("CREATE TABLE users"));
}

#[test]
fn a_plan_a_sample_and_a_search() {
    let (_directory, mut server) = shop(&[]);
    let plan = server
        .call(
            "explain",
            json!({"sql": "SELECT total FROM orders WHERE user = ?", "parameters": [1]}),
        )
        .unwrap();
    assert!(plan["plan"][0].as_str().unwrap().contains("orders_user"), "{plan}");
    assert!(server.call("explain", json!({"sql": "explain query plan SELECT 1"})).is_ok());
    let sample = server.call("sample", json!({"table": "users", "rows": 2})).unwrap();
    assert_eq!(sample["rows"], json!([[1, "Ada", 1815.5], [2, "Bob", null]]));
    let found = server.call("search", json!({"table": "words", "words": "red"})).unwrap();
    assert_eq!(found["rows"].as_array().unwrap().len(), 2);
    // Operators of the index are words.
    let near =
        server.call("search", json!({"table": "words", "words": "\"quoted\" near"})).unwrap();
    assert_eq!(near["rows"][0][0], 3);
}

#[test]
fn vectors_are_searched() {
    let directory = directory();
    let database = directory.path().join("notes.db");
    shell(
        &database,
        ".load vec0\nCREATE VIRTUAL TABLE v USING vec0(e float[2]);
        INSERT INTO v(rowid, e) VALUES (1, '[1, 0]'), (2, '[0, 1]'), (3, '[0.9, 0.1]');",
    );
    let mut server = Server::of(&database, &["--load", "vec0", "--grant", "vec0=sql:ro"]);
    let schema = server.call("schema", json!({"table": "v"})).unwrap();
    assert_eq!(schema["search"], "vector");
    let found = server.call("search", json!({"table": "v", "vector": [1, 0], "limit": 2})).unwrap();
    let ids: Vec<&Value> = found["rows"].as_array().unwrap().iter().map(|row| &row[0]).collect();
    assert_eq!(ids, [1, 3]);
    assert!(
        server
            .call("search", json!({"table": "v", "words": "x"}))
            .unwrap_err()
            .contains("`vector` is missing")
    );
}

#[test]
fn several_databases_are_named() {
    let directory = directory();
    let paths = ["a.db", "b.db"].map(|name| directory.path().join(name));
    for (number, path) in paths.iter().enumerate() {
        shell(path, &format!("CREATE TABLE t(a); INSERT INTO t VALUES ({number});"));
    }
    let mut server = Server::start(&[paths[0].to_str().unwrap(), paths[1].to_str().unwrap()]);
    for (number, name) in ["a", "b"].iter().enumerate() {
        let found =
            server.call("query", json!({"sql": "SELECT a FROM t", "database": name})).unwrap();
        assert_eq!(found["rows"], json!([[number]]));
    }
    assert!(server.refused("SELECT 1").contains("`database` is missing; the databases are: a, b"));
}

#[test]
fn a_cancelled_call_ends() {
    let (_directory, mut server) = shop(&["--timeout", "60s"]);
    let endless =
        "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c";
    let params = json!({"name": "query", "arguments": {"sql": endless}});
    server.send(&json!({"jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": params}));
    std::thread::sleep(Duration::from_millis(200));
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1000}}));
    let start = Instant::now();
    server.send(&json!({"jsonrpc": "2.0", "id": 1001, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": "SELECT 7"}}}));
    let reply = loop {
        let reply = server.receive();
        if reply["id"] == 1001 {
            break reply;
        }
    };
    assert_eq!(reply["result"]["structuredContent"]["rows"], json!([[7]]));
    assert!(server.end() && start.elapsed() < Duration::from_secs(20));
}
