//! Users, their roles, and the names of databases.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, directory, error, execute, run};

/// A token, and its line for the file of users.
fn token() -> (String, String) {
    let (out, _, is_ok) = run(&["--new-token"]);
    assert!(is_ok);
    let (token, line) = out.trim().split_once('\n').unwrap();
    assert!(!line.contains(token));
    (token.to_owned(), line.to_owned())
}

struct Tenants {
    server: Server,
    reader: String,
    writer: String,
    owner: String,
}

fn tenants() -> Tenants {
    let directory = directory();
    let root = directory.path().join("root");
    std::fs::create_dir(&root).unwrap();
    for name in ["a.db", "b.db", "other.txt"] {
        std::fs::write(root.join(name), "").unwrap();
    }
    std::fs::write(directory.path().join("outside.db"), "").unwrap();
    symlink("../outside.db", root.join("link.db")).unwrap();
    symlink("a.db", root.join("inner.db")).unwrap();
    std::fs::create_dir(root.join("dir.db")).unwrap();
    let ((reader, first), (writer, second), (owner, third)) = (token(), token(), token());
    let users = format!(
        "[reader]\n{first}\ndatabases = {{ a = \"read\" }}\n\
         [writer]\n{second}\ndatabases = {{ a = \"write\", b = \"read\" }}\n\
         [owner]\n{third}\ndatabases = {{ \"*\" = \"owner\" }}\n"
    );
    let file = users_file(&directory, &users);
    let root = root.to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &["--root", &root, "--users", &file]);
    Tenants { server, reader, writer, owner }
}

fn users_file(directory: &TempDir, text: &str) -> String {
    let file = directory.path().join("users.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    file.to_str().unwrap().to_owned()
}

impl Tenants {
    fn run(&self, token: &str, database: &str, sql: &str) -> (u16, Value) {
        let body = json!({"requests": [execute(sql), {"type": "close"}]});
        let (status, reply) =
            self.server.post_as(token, &format!("/{database}/v3/pipeline"), &body);
        (status, reply["results"][0].clone())
    }

    fn code(&self, token: &str, database: &str, sql: &str) -> String {
        let (status, result) = self.run(token, database, sql);
        match (status, result["type"].as_str()) {
            (200, Some("ok")) => "ok".to_owned(),
            (200, _) => error(&result).0,
            _ => status.to_string(),
        }
    }
}

#[test]
fn roles_limit_statements() {
    let all = tenants();
    assert!(all.server.token.is_empty());
    assert_eq!(all.code(&all.writer, "a", "CREATE TABLE t(x)"), "ok");
    assert_eq!(all.code(&all.reader, "a", "SELECT * FROM t"), "ok");
    assert_eq!(all.code(&all.reader, "a", "PRAGMA table_info(t)"), "ok");
    for sql in [
        "INSERT INTO t VALUES(1)",
        "CREATE TEMP TABLE u(x)",
        "DROP TABLE t",
        "BEGIN IMMEDIATE",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "EXPLAIN PRAGMA user_version = 3",
        "PRAGMA user_version = 3",
        "PRAGMA query_only = 0",
        "/* */ PRAGMA main.query_only(off)",
        "VACUUM",
        "ATTACH ':memory:' AS m",
    ] {
        let code = all.code(&all.reader, "a", sql);
        assert!(
            ["SQLITE_READONLY", "SQLITE_AUTH", "SQLITE_ERROR"].contains(&code.as_str()),
            "{sql}: {code}"
        );
    }
    // It would write statistics.
    assert_eq!(all.code(&all.writer, "a", "CREATE INDEX i ON t(x)"), "ok");
    assert_eq!(all.code(&all.writer, "a", "INSERT INTO t VALUES(1), (2)"), "ok");
    all.code(&all.reader, "a", "SELECT * FROM pragma_optimize(0x10002)");
    assert_eq!(all.code(&all.reader, "a", "SELECT * FROM sqlite_stat1"), "SQLITE_ERROR");
    assert_eq!(all.code(&all.writer, "a", "VACUUM"), "SQLITE_AUTH");
    assert_eq!(all.code(&all.owner, "a", "VACUUM"), "ok");
    assert_eq!(all.code(&all.writer, "b", "CREATE TABLE t(x)"), "SQLITE_READONLY");
    assert_eq!(all.code(&all.reader, "b", "SELECT 1"), "404");
    assert_eq!(all.code(&all.owner, "b", "CREATE TABLE t(x)"), "ok");
    assert_eq!(all.code("wrong", "a", "SELECT 1"), "401");
}

#[test]
fn names_are_not_paths() {
    let all = tenants();
    for name in [
        "nope",
        "link",
        "inner",
        "dir",
        "other",
        "other.txt",
        "a.db",
        "..",
        "%2e%2e",
        "..%2foutside",
        ".",
        "a%00",
        "A",
        "-wal",
        "outside",
        "%2fetc%2fpasswd",
        "a%2f",
        "..%252foutside",
        "*",
        "",
    ] {
        let (status, text) =
            all.server.post_text(&all.owner, &format!("/{name}/v3/pipeline"), r#"{"requests":[]}"#);
        assert!((400..=404).contains(&status), "{name}: {status} {text}");
    }
    let (status, _) = all.server.post_text(&all.owner, "/v3/pipeline", r#"{"requests":[]}"#);
    assert_eq!(status, 404);
    let files: Vec<_> = std::fs::read_dir(all.server.directory.path()).unwrap().collect();
    assert_eq!(files.len(), 3);
}

#[test]
fn a_baton_is_bound_to_its_user_and_database() {
    let all = tenants();
    let open = json!({"requests": [execute("SELECT 1")]});
    let (_, reply) = all.server.post_as(&all.writer, "/a/v3/pipeline", &open);
    let again = json!({"baton": reply["baton"], "requests": []});
    for (token, path) in [
        (&all.reader, "/a/v3/pipeline"),
        (&all.writer, "/b/v3/pipeline"),
        (&all.owner, "/a/v3/pipeline"),
    ] {
        assert_eq!(all.server.post_as(token, path, &again).0, 400);
    }
    // Trying it did not end the stream.
    assert_eq!(all.server.post_as(&all.writer, "/a/v3/pipeline", &again).0, 200);
}

#[test]
fn read_only_holds_for_all() {
    let server = Server::start(&["--read-only"]);
    assert_eq!(server.error("CREATE TABLE t(x)").0, "SQLITE_READONLY");
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

#[test]
fn unsafe_options_are_refused() {
    let directory = directory();
    let file = users_file(&directory, "[a]\ndatabases = {}");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
    for (arguments, why) in [
        (&["x.db", "--http", "0.0.0.0:0"][..], "only loopback"),
        (&["x.db", "--http", "0.0.0.0:0", "--users", "u"], "TLS"),
        (&["x.db", "--users", &file], "changed by others"),
        (&["x.db", "--users", "/nonexistent"], "failed to read"),
        (&["--root", "/nonexistent"], "failed to open"),
        (&["/nonexistent/x.db"], "failed to open"),
        (&["a/x.db", "b/x.db"], "failed to open"),
        (&[], "name the databases"),
    ] {
        let (_, message, is_ok) = run(arguments);
        assert!(!is_ok && message.contains(why), "{arguments:?}: {message}");
    }
}
