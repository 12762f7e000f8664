//! A running server, and requests to it.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a test waits for what must happen.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running server, killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    postgres: Option<SocketAddr>,
    pub token: String,
    pub directory: TempDir,
    lines: Lines<BufReader<ChildStdout>>,
}

/// The server, next to what it loads.
pub fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/sqlite-wasm-serve")
}

/// A directory on a real file system.
pub fn directory() -> TempDir {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp");
    std::fs::create_dir_all(&parent).unwrap();
    TempDir::new_in(parent).unwrap()
}

/// The runner with these arguments.
pub fn run_runner(arguments: &[&str]) -> (String, bool) {
    let runner = program().with_file_name("sqlite-wasm-run");
    let output = Command::new(runner).args(arguments).stdin(Stdio::null()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

/// The program with these arguments, without a server.
pub fn run(arguments: &[&str]) -> (String, String, bool) {
    let output = Command::new(program()).args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

/// What the program prints when it reads this.
pub fn run_with_input(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(program());
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

impl Server {
    /// One that serves `shop.db`.
    pub fn start(arguments: &[&str]) -> Self {
        let directory = directory();
        let database = directory.path().join("shop.db");
        let database = database.to_str().unwrap().to_owned();
        Self::start_in(directory, &[&[database.as_str()], arguments].concat())
    }

    /// The same where the shell allows few open files.
    pub fn start_with_few_files(files: u32, arguments: &[&str]) -> Self {
        let directory = directory();
        let database = directory.path().join("shop.db");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -Sn {files}; exec \"$0\" \"$@\"")]);
        shell.arg(program()).arg(database);
        Self::start_by(shell, directory, arguments)
    }

    /// The same with another directory of caches.
    pub fn start_with_caches(caches: &Path, arguments: &[&str]) -> Self {
        let directory = directory();
        let mut server = Command::new(program());
        server.env("XDG_CACHE_HOME", caches).arg(directory.path().join("shop.db"));
        Self::start_by(server, directory, arguments)
    }

    /// One with these arguments.
    pub fn start_in(directory: TempDir, arguments: &[&str]) -> Self {
        Self::start_by(Command::new(program()), directory, arguments)
    }

    pub fn start_by(mut command: Command, directory: TempDir, arguments: &[&str]) -> Self {
        let mut child = command
            .args(["--http", "127.0.0.1:0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = lines.next().map_or(String::new(), Result::unwrap);
        let mut postgres = None;
        while let Some(rest) = line.strip_prefix("psql -h ") {
            let mut words = rest.split(' ');
            let (host, port) = (words.next().unwrap(), words.nth(1).unwrap());
            postgres = postgres.or(format!("{host}:{port}").parse().ok());
            line = lines.next().map_or(String::new(), Result::unwrap);
        }
        let (_, url) = line.trim().split_once("://").unwrap_or_else(|| panic!("{line}"));
        let (authority, rest) = url.split_once('/').unwrap();
        let token = rest.split_once("#token=").map_or("", |(_, token)| token).to_owned();
        let address = authority.parse().unwrap();
        Self { child, address, postgres, token, directory, lines }
    }

    /// Where it serves the Postgres wire.
    pub fn postgres(&self) -> SocketAddr {
        self.postgres.unwrap()
    }

    /// What the server prints behind this.
    pub fn printed(&mut self, before: &str) -> String {
        let found = self.lines.by_ref().map(Result::unwrap).find(|line| line.starts_with(before));
        found.unwrap()[before.len()..].to_owned()
    }

    pub fn database(&self) -> PathBuf {
        self.directory.path().join("shop.db")
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Wait for its end: whether it was a success.
    pub fn wait(&mut self) -> bool {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its resident memory, in bytes.
    pub fn memory(&self) -> u64 {
        self.bytes("VmRSS")
    }

    /// The most that this was, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.bytes("VmHWM")
    }

    fn bytes(&self, name: &str) -> u64 {
        let size = self.state(name).unwrap();
        size.trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// What the kernel says of it.
    pub fn state(&self, name: &str) -> Option<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let mut lines = status.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| *found == name).map(|(_, value)| value.trim().to_owned())
    }

    /// Make a request with the token.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_as(&self.token, path, body)
    }

    /// Make a request with a token.
    pub fn post_as(&self, token: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.post_text(token, path, &body.to_string());
        (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status} {text}")))
    }

    /// Insert a row into `t`: whether the server said that it is committed.
    pub fn try_insert(&self, row: usize) -> bool {
        let insert = execute(&format!("INSERT INTO t VALUES({row})"));
        let body = json!({"requests": [insert, {"type": "close"}]}).to_string();
        let head = self.head(
            "/v3/pipeline",
            &format!("Connection: close\r\nContent-Length: {}\r\n", body.len()),
        );
        let Ok(mut stream) = TcpStream::connect(self.address) else { return false };
        let sent = stream.write_all(format!("{head}{body}").as_bytes()).is_ok();
        sent && read_all(&mut stream).contains(r#""affected_row_count":1"#)
    }

    pub fn post_text(&self, token: &str, path: &str, body: &str) -> (u16, String) {
        post(&agent(), &format!("http://{}{path}", self.address), token, body)
    }

    /// A new stream, over a separate connection.
    pub fn stream(&self) -> Stream {
        let url = format!("http://{}/v3/pipeline", self.address);
        Stream { agent: agent(), url, token: self.token.clone(), baton: Value::Null }
    }

    /// The results of a pipeline on a new stream, which is closed.
    pub fn pipeline(&self, mut requests: Vec<Value>) -> Vec<Value> {
        requests.push(json!({"type": "close"}));
        let (status, reply) = self.post("/v3/pipeline", &json!({"requests": requests}));
        assert_eq!((status, &reply["baton"]), (200, &Value::Null), "{reply}");
        let mut results = reply["results"].as_array().unwrap().clone();
        results.pop();
        results
    }

    /// The rows of a query, as JSON values.
    pub fn query(&self, sql: &str) -> Vec<Vec<Value>> {
        let results = self.pipeline(vec![execute(sql)]);
        rows(&results[0])
    }

    /// The error of a statement: its code and message.
    pub fn error(&self, sql: &str) -> (String, String) {
        error(&self.pipeline(vec![execute(sql)])[0])
    }

    /// Send bytes, and read what comes until the server closes.
    pub fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        read_all(&mut stream)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A head of a request that the server accepts.
    pub fn head(&self, path: &str, more: &str) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{more}\r\n",
            self.address, self.token
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One that keeps its connection between requests.
fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(Duration::from_secs(60))).build().into()
}

fn post(agent: &ureq::Agent, url: &str, token: &str, body: &str) -> (u16, String) {
    let mut response = agent
        .post(url)
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .send(body)
        .unwrap();
    let text = response.body_mut().with_config().limit(256 << 20).read_to_string().unwrap();
    (response.status().as_u16(), text)
}

/// A stream of libSQL's protocol.
pub struct Stream {
    agent: ureq::Agent,
    url: String,
    token: String,
    baton: Value,
}

impl Stream {
    /// The results of requests.
    pub fn run(&mut self, requests: &[Value]) -> Vec<Value> {
        let body = json!({"baton": self.baton, "requests": requests}).to_string();
        let (status, text) = post(&self.agent, &self.url, &self.token, &body);
        assert_eq!(status, 200, "{text}");
        let mut reply: Value = serde_json::from_str(&text).unwrap();
        self.baton = reply["baton"].take();
        reply["results"].as_array().unwrap().clone()
    }
}

/// A value that a longer run sets.
pub fn setting(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

pub fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn execute(sql: &str) -> Value {
    json!({"type": "execute", "stmt": {"sql": sql}})
}

pub fn execute_with(sql: &str, args: Value) -> Value {
    json!({"type": "execute", "stmt": {"sql": sql, "args": args}})
}

/// The rows of a result; integers and texts as texts.
pub fn rows(result: &Value) -> Vec<Vec<Value>> {
    let rows = result["response"]["result"]["rows"].as_array();
    let rows = rows.unwrap_or_else(|| panic!("{result}"));
    let values = |row: &Value| row.as_array().unwrap().iter().map(plain).collect();
    rows.iter().map(values).collect()
}

fn plain(value: &Value) -> Value {
    match value.get("base64") {
        Some(bytes) => bytes.clone(),
        None => value.get("value").cloned().unwrap_or(Value::Null),
    }
}

pub fn error(result: &Value) -> (String, String) {
    let text = |name: &str| match &result["error"][name] {
        Value::String(text) => text.clone(),
        _ => panic!("{result}"),
    };
    (text("code"), text("message"))
}
