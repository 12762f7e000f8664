//! Users, their roles, and the names of databases.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, directory, error, execute, run, run_with_input};

/// A token, and its line for the file of users.
fn token() -> (String, String) {
    let (out, _, is_ok) = run(&["--new-token"]);
    assert!(is_ok);
    let (token, line) = out.trim().split_once('\n').unwrap();
    assert!(!line.contains(token));
    (token.to_owned(), line.to_owned())
}

/// The password of the reader and the writer.
pub const PASSWORD: &str = "pencil";

pub struct Tenants {
    pub server: Server,
    pub reader: String,
    pub writer: String,
    pub owner: String,
}

fn tenants() -> Tenants {
    tenants_with(&[])
}

pub fn tenants_with(arguments: &[&str]) -> Tenants {
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
    let secret = run_with_input(&["--new-password"], PASSWORD);
    let users = format!(
        "[reader]\n{first}\n{secret}databases = {{ a = \"read\" }}\n\
         [writer]\n{second}\n{secret}databases = {{ a = \"write\", b = \"read\" }}\n\
         [owner]\n{third}\ndatabases = {{ \"*\" = \"owner\" }}\n"
    );
    let file = users_file(&directory, &users);
    let root = root.to_str().unwrap().to_owned();
    let all = [&["--root", root.as_str(), "--users", file.as_str()], arguments].concat();
    let server = Server::start_in(directory, &all);
    Tenants { server, reader, writer, owner }
}

/// A file of users that only this user can read.
pub fn users_file(directory: &TempDir, text: &str) -> String {
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

    pub fn code(&self, token: &str, database: &str, sql: &str) -> String {
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
    for sql in
        ["PRAGMA journal_mode", "PRAGMA main.journal_mode;", "SELECT * FROM pragma_journal_mode"]
    {
        assert_eq!(all.code(&all.reader, "a", sql), "ok", "{sql}");
    }
    for sql in [
        "INSERT INTO t VALUES(1)",
        "CREATE TEMP TABLE u(x)",
        "DROP TABLE t",
        "BEGIN IMMEDIATE",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "EXPLAIN PRAGMA user_version = 3",
        "PRAGMA journal_mode = delete",
        "PRAGMA journal_mode(wal)",
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

/// What nobody may change: settings, the schema's text, other files.
pub fn state(all: &Tenants) -> String {
    let read = "SELECT json_array((SELECT group_concat(x) FROM t), (SELECT count(*) FROM sqlite_schema),
        (SELECT journal_mode FROM pragma_journal_mode), (SELECT locking_mode FROM pragma_locking_mode),
        (SELECT user_version FROM pragma_user_version), (SELECT query_only FROM pragma_query_only))";
    let files = std::fs::read_dir(all.server.directory.path()).unwrap().count();
    format!("{} {files}", all.run(&all.reader, "a", read).1["response"]["result"]["rows"])
}

/// Ways around the words of a statement, by each request of the protocol.
pub const DETOURS: &[&str] = &[
    "SELECT * FROM pragma_query_only(0)",
    "SELECT * FROM pragma_journal_mode('delete')",
    "SELECT * FROM pragma_user_version(7)",
    "SELECT * FROM pragma_writable_schema(1)",
    "SELECT * FROM pragma_wal_checkpoint('TRUNCATE')",
    "WITH x AS (SELECT * FROM pragma_locking_mode('exclusive')) SELECT * FROM x",
    "SELECT load_extension('/tmp/x.so')",
    "SELECT writefile('x', 'y')",
    "SELECT readfile('/etc/passwd')",
    "SELECT fts3_tokenizer('x', x'00')",
    "SELECT * FROM sqlite_dbpage",
    "SELECT * FROM \"main\".[SQLITE_DBPAGE]",
    "UPDATE sqlite_schema SET sql = ''",
    "DELETE FROM sqlite_master",
    "INSERT INTO sqlite_schema VALUES ('table', 'u', 'u', 2, 'CREATE TABLE u(x)')",
    "VACUUM INTO 'copy.db'",
    "VACUUM main INTO 'copy.db'",
    "ATTACH 'b.db' AS b",
    "CREATE VIRTUAL TABLE v USING sqlite_dbpage",
    "CREATE VIRTUAL TABLE temp.v USING fts5(x, content=sqlite_dbpage)",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN PRAGMA locking_mode = exclusive; END",
    "SELECT 1; PRAGMA locking_mode = exclusive",
    "EXPLAIN SELECT 1; PRAGMA query_only = 0; DELETE FROM t",
];

#[test]
fn nothing_goes_around_the_roles() {
    let all = tenants();
    for sql in
        ["CREATE TABLE t(x)", "INSERT INTO t VALUES(1)", "CREATE VIRTUAL TABLE f USING fts5(x)"]
    {
        assert_eq!(all.code(&all.writer, "a", sql), "ok", "{sql}");
    }
    let before = state(&all);
    for token in [&all.reader, &all.writer] {
        for sql in DETOURS {
            let requests = [
                json!({"type": "store_sql", "sql_id": 1, "sql": sql}),
                json!({"type": "execute", "stmt": {"sql_id": 1}}),
                json!({"type": "batch", "batch": {"steps": [{"stmt": {"sql": sql}}]}}),
                json!({"type": "sequence", "sql": format!("SELECT 1; {sql}")}),
                json!({"type": "describe", "sql": sql}),
                json!({"type": "sequence", "sql_id": 1}),
                json!({"type": "close"}),
            ];
            let (status, reply) =
                all.server.post_as(token, "/a/v3/pipeline", &json!({"requests": requests}));
            assert_eq!(status, 200, "{sql}: {reply}");
            assert_eq!(state(&all), before, "{sql}: {reply}");
        }
    }
    // A reader cannot even give commands to a virtual table.
    for sql in ["INSERT INTO f(f) VALUES ('rebuild')", "DELETE FROM f_data", "DROP TABLE f_data"] {
        assert_ne!(all.code(&all.reader, "a", sql), "ok", "{sql}");
    }
    // A writer who breaks the tables of one breaks only what may be deleted anyway.
    assert_eq!(all.code(&all.writer, "a", "INSERT INTO f VALUES ('word')"), "ok");
    all.code(&all.writer, "a", "UPDATE f_data SET block = randomblob(100)");
    all.code(&all.writer, "a", "SELECT * FROM f WHERE f MATCH 'word'");
    assert_eq!(all.code(&all.reader, "a", "SELECT * FROM t"), "ok");
}

#[test]
fn extensions_do_not_go_around_the_roles() {
    let all = tenants_with(&["--load", "define", "--grant", "define=sql"]);
    assert_eq!(all.code(&all.writer, "a", "CREATE TABLE t(x)"), "ok");
    assert_eq!(all.code(&all.writer, "a", "INSERT INTO t VALUES(1)"), "ok");
    let before = state(&all);
    let own = ["DELETE FROM t", "CREATE TABLE u(x)", "PRAGMA user_version = 7", "DROP TABLE t"];
    for (token, own) in [(&all.reader, &own[..]), (&all.writer, &[])] {
        for sql in own.iter().chain(DETOURS).filter(|sql| !sql.starts_with("SELECT * FROM pragma"))
        {
            let quoted = sql.replace('\'', "''");
            all.code(token, "a", &format!("SELECT eval('{quoted}')"));
            assert_eq!(state(&all), before, "{sql}");
        }
        for sql in
            ["PRAGMA query_only = 0", "PRAGMA locking_mode = exclusive", "ATTACH 'b.db' AS b"]
        {
            assert_ne!(all.code(token, "a", &format!("SELECT eval('{sql}')")), "ok", "{sql}");
        }
    }
    // In one session, too.
    let requests =
        ["SELECT eval('PRAGMA query_only = 0')", "SELECT eval('DELETE FROM t')"].map(execute);
    all.server.post_as(&all.reader, "/a/v3/pipeline", &json!({"requests": requests}));
    assert_eq!(state(&all), before);
    assert_eq!(all.code(&all.writer, "a", "SELECT eval('INSERT INTO t VALUES (2)')"), "ok");
    assert_ne!(state(&all), before);
    assert_eq!(all.code(&all.owner, "a", "VACUUM"), "ok");
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
    let directory = directory();
    let file = directory.path().join("shop.db");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap().to_owned();
    let server = Server::start_in(directory, &[&file, "--read-only"]);
    assert_eq!(server.error("CREATE TABLE t(x)").0, "SQLITE_READONLY");
    assert_eq!(server.query("SELECT 1"), [["1"]]);
}

#[test]
fn unsafe_options_are_refused() {
    let directory = directory();
    let file = users_file(&directory, "[a]\ndatabases = {}");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (database, pipe, open) = (path("x.db"), path("pipe"), path("open"));
    assert!(Command::new("mkfifo").args(["-m", "600", &pipe]).status().unwrap().success());
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
    for (arguments, why) in [
        (&[&*database, "--http", "0.0.0.0:0"][..], "only loopback"),
        (&[&*database, "--http", "0.0.0.0:0", "--users", "u"], "TLS"),
        (&[&*database, "--users", &file], "others own it or may write it"),
        (&[&*database, "--users", &pipe], "nobody writes to this pipe"),
        (&[&*database, "--pg", "127.0.0.1:0", "--unix", &open], "may write it"),
        (&[&*database, "--users", "/nonexistent"], "failed to read"),
        (&["--root", "/nonexistent"], "failed to open"),
        (&["/nonexistent/x.db"], "failed to open"),
        (&["a/x.db", "b/x.db"], "failed to open"),
        (&[], "name the databases"),
    ] {
        let (_, message, is_ok) = run(arguments);
        assert!(!is_ok && message.contains(why), "{arguments:?}: {message}");
    }
}
