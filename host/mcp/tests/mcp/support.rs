//! A running server, and calls of its tools.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The revisions that are tested.
pub const NEW: &str = "2026-07-28";
pub const OLD: &str = "2025-11-25";

/// The program, next to what it loads.
pub fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/sqlite-wasm-mcp")
}

/// A directory on a real file system.
pub fn directory() -> TempDir {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp");
    std::fs::create_dir_all(&parent).unwrap();
    TempDir::new_in(parent).unwrap()
}

/// Run SQL on a file with the shell of this build.
pub fn shell(database: &Path, sql: &str) -> String {
    let mut command = Command::new(program().with_file_name("sqlite-wasm-run"));
    let mut child =
        command.arg(database).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{sql}");
    String::from_utf8(output.stdout).unwrap()
}

/// A server at standard input and output, killed when it is dropped.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    revision: &'static str,
    requests: u64,
}

impl Server {
    /// One with these arguments, of the revision before.
    pub fn start(arguments: &[&str]) -> Self {
        Self::by(Command::new(program()).args(arguments), OLD)
    }

    /// One that offers this database.
    pub fn of(database: &Path, arguments: &[&str]) -> Self {
        Self::start(&[&[database.to_str().unwrap()], arguments].concat())
    }

    /// One by this command.
    pub fn by(command: &mut Command, revision: &'static str) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        let mut server = Self { child, input, output, revision, requests: 0 };
        if revision == OLD {
            let client = json!({"name": "tests", "version": "1"});
            let begin = json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": client});
            let begun = server.request("initialize", begin);
            assert_eq!(begun["result"]["protocolVersion"], OLD, "{begun}");
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        server
    }

    /// Send a message without a reply.
    pub fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// Send a line to a server that may end before it has read all.
    pub fn try_send(&mut self, line: &str) {
        let _ = writeln!(self.input.as_mut().unwrap(), "{line}");
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Whether the server ends without another message.
    pub fn has_ended(&mut self) -> bool {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap() == 0
    }

    /// Make a request, and wait for its reply.
    pub fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.requests += 1;
        if self.revision == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let reply = self.receive();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Call a tool: its result, or the text of its error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let reply = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &reply["result"];
        assert!(result.is_object(), "{reply}");
        let text = result["content"][0]["text"].as_str().unwrap();
        match result["isError"].as_bool() {
            Some(true) => Err(text.to_owned()),
            _ => {
                assert_eq!(
                    serde_json::from_str::<Value>(text).unwrap(),
                    result["structuredContent"]
                );
                Ok(result["structuredContent"].clone())
            }
        }
    }

    /// Run a statement by `query`.
    pub fn query(&mut self, sql: &str) -> Result<Value, String> {
        self.call("query", json!({"sql": sql}))
    }

    /// The rows of a statement.
    #[track_caller]
    pub fn rows(&mut self, sql: &str) -> Value {
        self.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))["rows"].clone()
    }

    /// The error of a statement.
    #[track_caller]
    pub fn refused(&mut self, sql: &str) -> String {
        match self.query(sql) {
            Ok(found) => panic!("{sql}: {found}"),
            Err(error) => error,
        }
    }

    /// Run statements by `execute`.
    pub fn execute(&mut self, statements: &[&str]) -> Result<Value, String> {
        let statements: Vec<Value> = statements.iter().map(|sql| json!({"sql": sql})).collect();
        self.call("execute", json!({"statements": statements}))
    }

    /// End the input, and wait: whether the program was a success.
    pub fn end(mut self) -> bool {
        drop(self.input.take());
        self.child.wait().unwrap().success()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
