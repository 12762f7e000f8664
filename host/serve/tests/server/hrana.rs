//! libSQL's protocol over HTTP.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{self, Server, error, execute, execute_with, rows, run, run_runner};
use crate::wire::Client;

#[test]
fn values_keep_their_types() {
    let server = Server::start(&[]);
    let args = json!([
        {"type": "null"},
        {"type": "integer", "value": "-9223372036854775808"},
        {"type": "float", "value": 0.1},
        {"type": "text", "value": "é\u{1f600}\"\\\n"},
        {"type": "blob", "base64": "AP/+"},
    ]);
    let sql = "SELECT ?, ?, ?, ?, ?, typeof(?1)||typeof(?2)||typeof(?3)||typeof(?4)||typeof(?5)";
    let results = server.pipeline(vec![execute_with(sql, args.clone())]);
    let row = results[0]["response"]["result"]["rows"][0].as_array().unwrap();
    assert_eq!(row[..5], *args.as_array().unwrap());
    assert_eq!(row[5]["value"], "nullintegerrealtextblob");
    assert_eq!(results[0]["response"]["result"]["cols"].as_array().unwrap().len(), 6);
}

#[test]
fn arguments_have_positions_and_names() {
    let server = Server::start(&[]);
    let named = |names: &[&str]| {
        let value = |name| json!({"name": name, "value": {"type": "text", "value": name}});
        let all: Vec<Value> = names.iter().map(value).collect();
        json!({"type": "execute", "stmt": {"sql": "SELECT :a, @b, $c", "named_args": all}})
    };
    let missing = execute_with("SELECT ?1, ?3", json!([{"type": "null"}]));
    let results = server.pipeline(vec![
        named(&["a", "b", "c"]),
        named(&["$c", ":a", "@b"]),
        named(&["a", "b"]),
        named(&["a", "b", "c", "d"]),
        execute("SELECT ?"),
        execute_with("SELECT 1", json!([{"type": "null"}])),
        missing,
    ]);
    assert_eq!(rows(&results[0]), [["a", "b", "c"]]);
    assert_eq!(rows(&results[1]), [[":a", "@b", "$c"]]);
    for result in &results[2..] {
        assert_eq!(error(result).0, "BAD_REQUEST", "{result}");
    }
}

#[test]
fn a_stream_keeps_a_transaction() {
    let server = Server::start(&[]);
    server.pipeline(vec![json!({"type": "sequence", "sql": "CREATE TABLE t(x); ; -- c\n"})]);
    let begin =
        json!({"baton": null, "requests": [execute("BEGIN"), execute("INSERT INTO t VALUES(1)")]});
    let (_, begun) = server.post("/v2/pipeline", &begin);
    let baton = &begun["baton"];
    assert!(baton.is_string());
    assert_eq!(server.query("SELECT count(*) FROM t"), [["0"]]);
    let more = json!({"baton": baton, "requests": [{"type": "get_autocommit"}, execute("COMMIT")]});
    let (_, committed) = server.post("/v3/pipeline", &more);
    assert_eq!(committed["results"][0]["response"]["is_autocommit"], false);
    assert_ne!(&committed["baton"], baton);
    assert_eq!(server.query("SELECT count(*) FROM t"), [["1"]]);
    let close =
        json!({"baton": committed["baton"], "requests": [{"type": "close"}, execute("SELECT 1")]});
    let (_, closed) = server.post("/v2/pipeline", &close);
    assert_eq!(closed["baton"], Value::Null);
    assert_eq!(error(&closed["results"][1]).0, "STREAM_CLOSED");
}

#[test]
fn a_baton_works_once() {
    let server = Server::start(&[]);
    let pipeline = |baton: &Value| {
        server.post("/v3/pipeline", &json!({"baton": baton, "requests": [execute("SELECT 1")]}))
    };
    let (_, first) = pipeline(&Value::Null);
    let (status, second) = pipeline(&first["baton"]);
    assert_eq!(status, 200);
    for baton in [&first["baton"], &json!(""), &json!("AAAA"), &json!("x".repeat(10_000))] {
        let (status, reply) = pipeline(baton);
        assert_eq!((status, reply["code"].as_str()), (400, Some("BAD_REQUEST")));
    }
    assert_eq!(pipeline(&second["baton"]).0, 200);
}

#[test]
fn batches_have_conditions() {
    let server = Server::start(&[]);
    let ok = |step: u32| json!({"type": "ok", "step": step});
    let step = |sql: &str, condition: Value| json!({"stmt": {"sql": sql}, "condition": condition});
    let batch = |insert: &str| {
        json!({"type": "batch", "batch": {"steps": [
            step("BEGIN", Value::Null),
            step("CREATE TABLE IF NOT EXISTS t(x INTEGER PRIMARY KEY)", ok(0)),
            step(insert, ok(1)),
            step("COMMIT", ok(2)),
            step("ROLLBACK", json!({"type": "and", "conds": [
                {"type": "not", "cond": ok(3)}, {"type": "not", "cond": {"type": "is_autocommit"}}
            ]})),
        ]}})
    };
    let results = server.pipeline(vec![
        batch("INSERT INTO t VALUES(1), (2)"),
        batch("INSERT INTO t VALUES(3), (2)"),
        json!({"type": "batch", "batch": {"steps": [step("SELECT 1", ok(0))]}}),
    ]);
    let good = &results[0]["response"]["result"];
    assert_eq!(good["step_results"][2]["affected_row_count"], 2);
    assert_eq!(good["step_results"][2]["last_insert_rowid"], "2");
    assert_eq!((&good["step_results"][4], &good["step_errors"][4]), (&Value::Null, &Value::Null));
    let bad = &results[1]["response"]["result"];
    assert_eq!(bad["step_errors"][2]["code"], "SQLITE_CONSTRAINT");
    assert_eq!(bad["step_results"][3], Value::Null);
    assert!(bad["step_results"][4].is_object(), "{bad}");
    assert_eq!(error(&results[2]).0, "BAD_REQUEST");
    assert_eq!(server.query("SELECT count(*) FROM t"), [["2"]]);
}

#[test]
fn sql_is_stored_and_described() {
    let server = Server::start(&[]);
    let results = server.pipeline(vec![
        json!({"type": "store_sql", "sql_id": -7, "sql": "SELECT :a AS x, 2"}),
        json!({"type": "store_sql", "sql_id": -7, "sql": "SELECT 3"}),
        json!({"type": "describe", "sql_id": -7}),
        json!({"type": "execute", "stmt": {"sql_id": -7, "args": [{"type": "text", "value": "y"}]}}),
        json!({"type": "close_sql", "sql_id": -7}),
        json!({"type": "describe", "sql_id": -7}),
        json!({"type": "describe", "sql": "EXPLAIN QUERY PLAN SELECT ?"}),
        json!({"type": "describe", "sql": "CREATE TABLE t(x)"}),
        json!({"type": "execute", "stmt": {"sql": "VALUES(1),(2)", "want_rows": false}}),
    ]);
    assert_eq!(error(&results[1]).0, "BAD_REQUEST");
    let described = &results[2]["response"]["result"];
    assert_eq!(described["params"], json!([{"name": ":a"}]));
    assert_eq!(described["cols"][0]["name"], "x");
    assert_eq!(
        (&described["is_explain"], &described["is_readonly"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(rows(&results[3]), [["y", "2"]]);
    assert_eq!(error(&results[5]).0, "BAD_REQUEST");
    let explain = &results[6]["response"]["result"];
    assert_eq!(
        (&explain["is_explain"], &explain["params"]),
        (&json!(true), &json!([{"name": null}]))
    );
    assert_eq!(results[7]["response"]["result"]["is_readonly"], false);
    assert_eq!(rows(&results[8]), [[0; 0]; 0]);
}

#[test]
fn columns_have_declared_types() {
    let server = Server::start(&[]);
    let sql = "SELECT a, b AS x, c, a + 1 FROM t";
    let batch = json!({"type": "batch", "batch": {"steps": [{"stmt": {"sql": sql}}]}});
    let results = server.pipeline(vec![
        execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b VARCHAR(10), c)"),
        execute(sql),
        json!({"type": "describe", "sql": sql}),
        batch,
        execute("INSERT INTO t VALUES(1, 2, 3)"),
    ]);
    let result = |index: usize| &results[index]["response"]["result"];
    let expected = json!([
        {"name": "a", "decltype": "INTEGER"},
        {"name": "x", "decltype": "VARCHAR(10)"},
        {"name": "c", "decltype": null},
        {"name": "a + 1", "decltype": null},
    ]);
    assert_eq!(result(1)["cols"], expected);
    assert_eq!(result(2)["cols"], expected);
    assert_eq!(result(3)["step_results"][0]["cols"], expected);
    assert_eq!(result(4)["cols"], json!([]));
    let cursor = json!({"batch": {"steps": [{"stmt": {"sql": sql}}]}}).to_string();
    let (_, text) = server.post_text(&server.token, "/v3/cursor", &cursor);
    let begun: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(begun["cols"], expected);
}

#[test]
fn errors_have_codes() {
    let server = Server::start(&[]);
    for (sql, code, message) in [
        ("SELEC 1", "SQLITE_ERROR", "near \"SELEC\": syntax error"),
        ("SELECT FROM", "SQLITE_ERROR", "near \"FROM\": syntax error"),
        ("SELECT * FROM nope", "SQLITE_ERROR", "no such table: nope"),
        ("SELECT 1; SELECT 2", "SQLITE_ERROR", "the text has more than one statement"),
        ("PRAGMA journal_mode = DELETE", "SQLITE_AUTH", "not available"),
    ] {
        let (found, text) = server.error(sql);
        assert!(found == code && text.contains(message), "{sql}: {found} {text}");
    }
}

#[test]
fn a_sequence_stops_at_an_error() {
    let server = Server::start(&[]);
    let sql =
        "CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES(1); INSERT INTO t VALUES(1); DROP TABLE t";
    let results = server.pipeline(vec![json!({"type": "sequence", "sql": sql})]);
    assert_eq!(error(&results[0]).0, "SQLITE_CONSTRAINT");
    assert_eq!(server.query("SELECT * FROM t"), [["1"]]);
}

#[test]
fn a_cursor_sends_lines() {
    let server = Server::start(&[]);
    let body = json!({"baton": null, "batch": {"steps": [
        {"stmt": {"sql": "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c LIMIT 5000)
                          SELECT i, 'x' FROM c"}},
        {"stmt": {"sql": "SELECT nope"}},
        {"stmt": {"sql": "CREATE TABLE t(x)"}, "condition": {"type": "error", "step": 1}},
        {"stmt": {"sql": "SELECT 1"}, "condition": {"type": "ok", "step": 1}},
    ]}});
    let (status, text) = server.post_text(&server.token, "/v3/cursor", &body.to_string());
    assert_eq!(status, 200);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[0]["baton"].is_string());
    let kinds: Vec<&str> = lines[1..].iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "step_begin");
    assert!(kinds[1..=5000].iter().all(|kind| *kind == "row"));
    assert_eq!(kinds[5001..], ["step_end", "step_error", "step_begin", "step_end"]);
    assert_eq!(lines[5001]["row"][0]["value"], "5000");
    assert_eq!(lines[5003]["step"], 1);
    let next = json!({"baton": lines[0]["baton"], "requests": [execute("SELECT * FROM t")]});
    assert_eq!(rows(&server.post("/v3/pipeline", &next).1["results"][0]), [[0; 0]; 0]);
}

#[test]
fn versions_and_health_need_no_token() {
    let server = Server::start(&[]);
    for (path, text) in
        [("/health", "OK"), ("/version", "sqlite-wasm-serve"), ("/v2", ""), ("/v3", "")]
    {
        let reply = server.raw(
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .as_bytes(),
        );
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n") && reply.contains(text), "{reply}");
        assert!(!reply.to_ascii_lowercase().contains("access-control"), "{reply}");
    }
}

#[test]
fn protobuf_has_the_same_results() {
    let server = Server::start(&[]);
    // A pipeline that executes "SELECT 5" and closes.
    let body = b"\x12\x0e\x12\x0c\x0a\x0a\x0a\x08SELECT 5\x12\x02\x0a\x00";
    let head = server.head(
        "/v3-protobuf/pipeline",
        &format!("Connection: close\r\nContent-Length: {}\r\n", body.len()),
    );
    let reply = server.raw(&[head.as_bytes(), body].concat());
    assert!(
        reply.starts_with("HTTP/1.1 200") && reply.contains("application/x-protobuf"),
        "{reply}"
    );
    let result = "\x0a\x03\x0a\x015\x12\x04\x0a\x02\x10\x0a\x18\x00\x20\x00";
    let expected = format!("\x1a\x15\x0a\x13\x12\x11\x0a\x0f{result}\x1a\x04\x0a\x02\x0a\x00");
    let (_, sent) = reply.split_once("\r\n\r\n").unwrap();
    assert_eq!(sent.as_bytes(), expected.as_bytes());
}

#[test]
fn sessions_have_extensions() {
    let server = Server::start(&["--load", "sha3"]);
    for _ in 0..2 {
        let hash = "SELECT substr(hex(sha3_224('tea')), 1, 8)";
        assert_eq!(server.query(hash), [["239592A8"]]);
    }
    let database = server.database();
    let (_, message, is_ok) = run(&[database.to_str().unwrap(), "--load", "nope"]);
    assert!(!is_ok && message.contains("nope"), "{message}");
}

/// A session finds its code in the process: none may be compiled behind the second wall, which ends
/// the process that tries.
#[test]
fn sessions_need_no_cache() {
    let usual = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let usual =
        usual.unwrap_or_else(|| Path::new(&std::env::var_os("HOME").unwrap()).join(".cache"));
    let arguments = ["--load", "sha3", "--pg", "127.0.0.1:0"];
    // Compiles what is not in the cache yet.
    drop(Server::start(&arguments));
    let caches = support::directory();
    let copy = caches.path().join("sqlite-wasm-run");
    let copied =
        Command::new("cp").arg("-al").arg(usual.join("sqlite-wasm-run")).arg(&copy).status();
    assert!(copied.unwrap().success());
    let server = Server::start_with_caches(caches.path(), &arguments);
    fs::remove_dir_all(&copy).unwrap();
    for _ in 0..2 {
        assert_eq!(server.query("SELECT length(sha3_224('tea'))"), [["28"]]);
        assert_eq!(Client::new(&server).rows("SELECT relname FROM pg_class WHERE oid = 0"), "");
    }
}

#[test]
fn the_runner_starts_the_server() {
    let (help, is_ok) = run_runner(&["serve", "--help"]);
    assert!(is_ok && help.contains("--transaction-timeout"), "{help}");
    let (token, is_ok) = run_runner(&["serve", "--new-token"]);
    assert!(is_ok && token.contains("sha256:"), "{token}");
}

#[test]
fn a_stream_that_is_gone_says_why() {
    let server = Server::start(&["--idle-timeout", "1s"]);
    let later = |sql: &[&str]| {
        let requests: Vec<_> = sql.iter().map(|sql| execute(sql)).collect();
        let (_, reply) = server.post("/v3/pipeline", &json!({"requests": requests}));
        // Longer than the limit, and the interval at which ended streams are looked for.
        std::thread::sleep(std::time::Duration::from_millis(3500));
        let again = json!({"baton": reply["baton"], "requests": [execute("SELECT 2")]});
        server.post("/v3/pipeline", &again)
    };
    let (status, expired) = later(&["SELECT 1"]);
    assert_eq!((status, expired["code"].as_str()), (400, Some("STREAM_EXPIRED")));
}

#[test]
fn a_stream_that_is_gone_says_why_again() {
    for (option, first, code) in [
        ("--transaction-timeout", "BEGIN", "TRANSACTION_TIMEOUT"),
        ("--idle-timeout", "SELECT 1", "STREAM_EXPIRED"),
    ] {
        let server = Server::start(&[option, "500ms"]);
        let (_, reply) = server.post("/v3/pipeline", &json!({"requests": [execute(first)]}));
        let again = json!({"baton": reply["baton"], "requests": [execute("SELECT 2")]});
        // At once, and when the server has looked for ended streams.
        for pause in [800, 0, 0, 1500, 0] {
            std::thread::sleep(std::time::Duration::from_millis(pause));
            let (status, gone) = server.post("/v3/pipeline", &again);
            assert_eq!((status, gone["code"].as_str()), (400, Some(code)), "{gone}");
        }
        // Another baton is only wrong.
        let (_, wrong) = server.post("/v3/pipeline", &json!({"baton": "AAAA", "requests": []}));
        assert_eq!(wrong["code"], "BAD_REQUEST");
    }
}

#[test]
fn what_is_not_sql_is_no_question_of_rights() {
    let server = Server::start(&[]);
    for sql in [
        "bad sql",
        "selec 1",
        "(",
        "'",
        "\"",
        "?",
        "pragma",
        "explain",
        "explain query",
        "SELECT 1\0",
    ] {
        let (code, message) = server.error(sql);
        assert_eq!(code, "SQLITE_ERROR", "{sql:?}: {message}");
    }
    // Controls: SQLite's own error, and a right.
    assert_eq!(server.error("SELECT FROM").0, "SQLITE_ERROR");
    assert_eq!(server.error("PRAGMA query_only = 0").0, "SQLITE_AUTH");
}

#[test]
fn a_transaction_may_only_read() {
    let server = Server::start(&[]);
    let run = |sql: &[&str]| {
        let requests: Vec<_> = sql.iter().map(|sql| execute(sql)).collect();
        server.post("/v3/pipeline", &json!({"requests": requests})).1
    };
    let reply = run(&[
        "CREATE TABLE t(a)",
        "BEGIN TRANSACTION READONLY",
        "INSERT INTO t VALUES (1)",
        "SELECT count(*) FROM t",
        "COMMIT",
        "INSERT INTO t VALUES (1)",
    ]);
    let kinds: Vec<_> = (0..6).map(|at| reply["results"][at]["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ok", "ok", "error", "ok", "ok", "ok"], "{reply}");
    assert_eq!(error(&reply["results"][2]).0, "SQLITE_READONLY");
    // SQLite takes the last word for a name, in each of its spellings.
    for begin in
        ["/**/BEGIN/**/TRANSACTION READONLY -- x", "; BEGIN DEFERRED TRANSACTION \"READONLY\""]
    {
        let reply = run(&[begin, "INSERT INTO t VALUES (2)", "COMMIT"]);
        assert_eq!(error(&reply["results"][1]).0, "SQLITE_READONLY", "{begin}: {reply}");
    }
}
