//! `--http`: tokens, foreign pages, and both revisions.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{NEW, OLD, directory, program, shell};

struct Http {
    child: Child,
    authority: String,
    token: String,
    _directory: tempfile::TempDir,
}

impl Http {
    fn start(arguments: &[&str]) -> Self {
        let directory = directory();
        let database = directory.path().join("shop.db");
        shell(&database, "CREATE TABLE t(a); INSERT INTO t VALUES (42);");
        let mut command = Command::new(program());
        command.arg(&database).args(["--http", "127.0.0.1:0"]).args(arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines: Lines<BufReader<ChildStdout>> =
            BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        let authority = line()
            .strip_prefix("listening at http://")
            .unwrap()
            .strip_suffix("/mcp")
            .unwrap()
            .to_owned();
        let token = line().strip_prefix("Authorization: Bearer ").unwrap().to_owned();
        Self { child, authority, token, _directory: directory }
    }

    /// Make a request with these headers: the status and the body.
    fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        (status, reply.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn post(&self, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![
            ("Host", self.authority.as_str()),
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        for header in headers {
            all.retain(|(name, _)| name != &header.0);
            all.push(*header);
        }
        self.raw("POST", "/mcp", &all, &body.to_string())
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(revision: &str) -> Value {
    let mut params = json!({"name": "query", "arguments": {"sql": "SELECT a FROM t"}});
    if revision == NEW {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

#[test]
fn both_revisions_are_served() {
    let http = Http::start(&[]);
    for revision in [OLD, NEW] {
        let headers = [
            ("MCP-Protocol-Version", revision),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "query"),
        ];
        let (status, body) = http.post(&headers, &call(revision));
        assert_eq!(status, 200, "{revision}: {body}");
        assert!(body.contains("[[42]]"), "{revision}: {body}");
    }
}

#[test]
fn without_a_token_nothing_is_answered() {
    let http = Http::start(&[]);
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic x",
        &format!("Basic {}", http.token),
        &http.token,
        &format!("Bearer {}x", http.token),
    ] {
        let (status, body) = http.post(&[("Authorization", value)], &call(OLD));
        assert_eq!(status, 401, "{value}");
        assert!(!body.contains("42"));
    }
    assert_eq!(http.raw("GET", "/", &[("Host", &http.authority)], "").0, 401);
}

#[test]
fn foreign_pages_and_names_are_refused() {
    let http = Http::start(&[]);
    for headers in [("Host", "evil.example"), ("Origin", "http://evil.example"), ("Origin", "null")]
    {
        let (status, body) = http.post(&[headers], &call(OLD));
        assert!(status == 403, "{headers:?}: {status} {body}");
    }
    assert!(http.post(&[("Content-Type", "text/plain")], &call(OLD)).0 >= 400);
    let bearer = format!("Bearer {}", http.token);
    assert_eq!(
        http.raw("POST", "/other", &[("Host", &http.authority), ("Authorization", &bearer)], "{}")
            .0,
        404
    );
    // The control.
    assert_eq!(http.post(&[("Origin", "http://localhost:8000")], &call(OLD)).0, 200);
    assert_eq!(http.post(&[], &call(OLD)).0, 200);
}

#[test]
fn tokens_are_hashes_in_a_file() {
    let output = Command::new(program()).arg("--new-token").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (token, line) = text.trim().split_once('\n').unwrap();
    let directory = directory();
    let file = directory.path().join("tokens");
    std::fs::write(&file, format!("# mine\n{line}\n")).unwrap();
    let mut http = Http::start(&["--tokens", file.to_str().unwrap()]);
    assert!(http.token.starts_with('('));
    http.token = token.to_owned();
    assert_eq!(http.post(&[], &call(OLD)).0, 200);
    std::fs::write(&file, token).unwrap();
    let output = Command::new(program())
        .args(["x.db", "--http", "127.0.0.1:0", "--tokens", file.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(!output.status.success());
}
