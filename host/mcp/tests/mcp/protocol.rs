//! Both revisions of the protocol, and messages that are none.

use std::process::Command;

use serde_json::json;

use crate::support::{NEW, OLD, Server, directory, program, shell};

#[test]
fn both_revisions_list_and_call_tools() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, "CREATE TABLE t(a); INSERT INTO t VALUES (42);");
    for revision in [OLD, NEW] {
        let mut server = Server::by(Command::new(program()).arg(&database), revision);
        let tools = server.request("tools/list", json!({}));
        let tools = tools["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["query", "schema", "explain", "sample", "search"], "{revision}");
        assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
        assert_eq!(server.rows("SELECT a FROM t"), json!([[42]]), "{revision}");
        let resources = server.request("resources/list", json!({}));
        assert_eq!(resources["result"]["resources"][0]["uri"], "sqlite://schema/shop");
        let read = server.request("resources/read", json!({"uri": "sqlite://schema/shop"}));
        assert!(
            read["result"]["contents"][0]["text"].as_str().unwrap().contains("\"t\""),
            "{read}"
        );
        assert!(
            server.request("resources/read", json!({"uri": "sqlite://schema/x"}))["error"]
                .is_object()
        );
        let unknown = server.request("tools/call", json!({"name": "execute", "arguments": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        assert!(server.end());
    }
}

#[test]
fn the_revision_without_sessions_discovers() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, "CREATE TABLE t(a);");
    let mut server = Server::by(Command::new(program()).arg(&database), NEW);
    let found = server.request("server/discover", json!({}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(NEW)) && versions.contains(&json!(OLD)), "{found}");
}

#[test]
fn saved_queries_are_resources_and_run() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (5);");
    let queries = directory.path().join("queries.toml");
    let text = "[largest]\ndescription = 'The largest'\nsql = 'SELECT max(a) FROM t WHERE a < :most'\n[bad]\nsql = 'DELETE FROM t'";
    std::fs::write(&queries, text).unwrap();
    let mut server = Server::of(&database, &["--queries", queries.to_str().unwrap()]);
    let read = server.request("resources/read", json!({"uri": "sqlite://query/largest"}));
    assert!(
        read["result"]["contents"][0]["text"].as_str().unwrap().starts_with("SELECT max"),
        "{read}"
    );
    let found =
        server.call("query", json!({"saved": "largest", "parameters": {"most": 4}})).unwrap();
    assert_eq!(found["rows"], json!([[1]]));
    assert!(server.call("query", json!({"saved": "bad"})).unwrap_err().contains("only reads"));
    let missing = server.call("query", json!({"saved": "x"})).unwrap_err();
    assert_eq!(missing, "no saved query `x`; there are: bad, largest");
    assert!(server.call("query", json!({"saved": "largest", "sql": "SELECT 1"})).is_err());
}

#[test]
fn a_message_has_a_largest_size() {
    let directory = directory();
    let database = directory.path().join("shop.db");
    shell(&database, "CREATE TABLE t(a);");
    let mut server = Server::of(&database, &[]);
    let text = "x".repeat(1 << 20);
    assert_eq!(server.rows(&format!("SELECT length('{text}')")), json!([[1 << 20]]));
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "x".repeat(5 << 20)}).to_string();
    // The server may end before it has read all.
    server.try_send(&message);
    assert!(server.has_ended());
}
