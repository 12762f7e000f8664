//! The audit.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{OLD, Server, directory, program, shell};

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_statement_has_a_line() {
    let directory = directory();
    let (database, audit) = (directory.path().join("shop.db"), directory.path().join("audit"));
    shell(&database, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2);");
    let mut server =
        Server::of(&database, &["--write", "--hide", "t.a", "--audit", audit.to_str().unwrap()]);
    server.query("SELECT 'é\u{1b}[2J\n\u{202e}' FROM t").unwrap();
    server.refused("SELECT a FROM t");
    server.refused("SELECT nothing");
    server.execute(&["CREATE TABLE u(a)", "INSERT INTO u VALUES (7), (8), (9)"]).unwrap();
    server.execute(&["DELETE FROM u", "SELECT x"]).unwrap_err();
    server.call("schema", json!({})).unwrap();
    server.call("query", json!({"sql": "SELECT 1", "database": "x"})).unwrap_err();
    assert!(server.end());
    let found: Vec<(String, String, u64, String)> = lines(&audit)
        .iter()
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            assert!(
                line["milliseconds"].as_f64().unwrap() >= 0.0
                    && text("client") == "tests 1"
                    && text("time").ends_with('Z')
            );
            (text("tool"), text("statement"), line["rows"].as_u64().unwrap(), text("outcome"))
        })
        .collect();
    let expected = [
        ("query", "SELECT 'é\u{1b}[2J\n\u{202e}' FROM t", 2, "ok"),
        ("query", "SELECT a FROM t", 0, "NOT_PERMITTED"),
        ("query", "SELECT nothing", 0, "ERROR"),
        ("execute", "CREATE TABLE u(a)", 0, "ok"),
        ("execute", "INSERT INTO u VALUES (7), (8), (9)", 3, "ok"),
        ("execute", "DELETE FROM u", 3, "UNDONE"),
        ("execute", "SELECT x", 0, "ERROR"),
        ("schema", "{}", 0, "ok"),
        ("query", "{\"database\":\"x\",\"sql\":\"SELECT 1\"}", 0, "ARGUMENT"),
    ];
    let expected = expected.map(|(tool, sql, rows, outcome)| {
        (tool.to_owned(), sql.to_owned(), rows, outcome.to_owned())
    });
    assert_eq!(found, expected);
    assert_eq!(fs::metadata(&audit).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_full_disk_refuses_calls_and_changes_nothing() {
    let directory = directory();
    let (database, audit) = (directory.path().join("shop.db"), directory.path().join("audit"));
    shell(&database, "CREATE TABLE t(a);");
    // A limit for files is a disk that is full; without the signal a write fails. So is standard error.
    let mut limited = Command::new("bash");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 20; exec \"$0\" \"$@\" 2>/dev/full"])
        .arg(program())
        .arg(&database);
    let mut server = Server::by(limited.args(["--write", "--audit", audit.to_str().unwrap()]), OLD);
    server.execute(&["INSERT INTO t VALUES (1)"]).unwrap();
    let long = "x".repeat(30 << 10);
    let refused = server.execute(&[&format!("INSERT INTO t SELECT length('{long}')")]).unwrap_err();
    assert!(refused.contains("the audit cannot be written, so nothing was done"), "{refused}");
    assert!(
        server.refused(&format!("SELECT length('{long}')")).contains("the audit cannot be written")
    );
    // What fits is written, behind whole lines alone.
    server.execute(&["INSERT INTO t VALUES (2)"]).unwrap();
    assert_eq!(server.rows("SELECT sum(a), count(*) FROM t"), json!([[3, 2]]));
    assert_eq!(lines(&audit).len(), 3);
}

#[test]
fn a_full_file_is_kept_under_another_name_behind_the_wall() {
    let directory = directory();
    let (database, audit) = (directory.path().join("shop.db"), directory.path().join("audit"));
    shell(&database, "CREATE TABLE t(a);");
    let mut server =
        Server::of(&database, &["--audit", audit.to_str().unwrap(), "--audit-size", "1K"]);
    for number in 0..30 {
        server.query(&format!("SELECT {number}")).unwrap();
    }
    assert!(server.end());
    let (now, before) = (lines(&audit), lines(&directory.path().join("audit.1")));
    assert!(now.len() + before.len() < 30 && before.len() > 1, "{} {}", now.len(), before.len());
    assert_eq!(now.last().unwrap()["statement"], "SELECT 29");
}

#[test]
fn a_file_of_others_is_refused() {
    let directory = directory();
    let (database, audit) = (directory.path().join("shop.db"), directory.path().join("audit"));
    shell(&database, "CREATE TABLE t(a);");
    fs::write(&audit, "").unwrap();
    fs::set_permissions(&audit, fs::Permissions::from_mode(0o640)).unwrap();
    let output =
        Command::new(program()).arg(&database).arg("--audit").arg(&audit).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("chmod 600"));
}
