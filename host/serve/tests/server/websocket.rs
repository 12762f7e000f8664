//! libSQL's protocol over WebSocket.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

use crate::support::{PATIENCE, Server};

/// Longer than a limit of 1 s.
const BEYOND_LIMIT: Duration = Duration::from_millis(1500);

pub struct Client {
    socket: WebSocket<TcpStream>,
    next: i32,
}

impl Client {
    /// A connection with this subprotocol.
    fn connect(server: &Server, protocol: &str) -> Self {
        Self::try_connect(server, protocol, None).unwrap()
    }

    fn try_connect(server: &Server, protocol: &str, origin: Option<&str>) -> Result<Self, String> {
        let mut request = format!("ws://{}/", server.address).into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("sec-websocket-protocol", HeaderValue::from_str(protocol).unwrap());
        if let Some(origin) = origin {
            headers.insert("origin", HeaderValue::from_str(origin).unwrap());
        }
        let stream = server.connect();
        let (socket, _) =
            tungstenite::client(request, stream).map_err(|error| error.to_string())?;
        Ok(Self { socket, next: 0 })
    }

    /// A connection that has said hello.
    pub fn open(server: &Server) -> Self {
        let mut client = Self::connect(server, "hrana3");
        client.send(&json!({"type": "hello", "jwt": server.token}));
        assert_eq!(client.receive(), json!({"type": "hello_ok"}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message. The socket has a time limit, so where the process was stopped meanwhile the
    /// system does not go on by itself.
    fn read(&mut self) -> tungstenite::Result<Message> {
        loop {
            match self.socket.read() {
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => (),
                other => return other,
            }
        }
    }

    pub fn receive(&mut self) -> Value {
        match self.read().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// The code with which the server closes.
    pub fn closed(&mut self) -> Option<CloseCode> {
        loop {
            match self.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
                Ok(_) => (),
                Err(_) => return None,
            }
        }
    }

    /// Send a request without waiting. Returns its id.
    pub fn begin(&mut self, request: Value) -> i32 {
        self.next += 1;
        self.send(&json!({"type": "request", "request_id": self.next, "request": request}));
        self.next
    }

    /// Make a request, and wait for its reply, the next one.
    pub fn request(&mut self, request: Value) -> Value {
        let id = self.begin(request);
        let reply = self.receive();
        assert_eq!(reply["request_id"], id, "{reply}");
        reply
    }

    pub fn open_stream(&mut self, stream: i32) {
        let reply = self.request(json!({"type": "open_stream", "stream_id": stream}));
        assert_eq!(reply["response"]["type"], "open_stream", "{reply}");
    }

    pub fn execute(&mut self, stream: i32, sql: &str) -> Value {
        self.request(execute(stream, sql))
    }
}

pub fn execute(stream: i32, sql: &str) -> Value {
    json!({"type": "execute", "stream_id": stream, "stmt": {"sql": sql}})
}

fn first(reply: &Value) -> &Value {
    &reply["response"]["result"]["rows"][0][0]["value"]
}

#[test]
fn a_token_is_needed_first() {
    let server = Server::start(&[]);
    for hello in [json!({"type": "hello", "jwt": "wrong"}), json!({"type": "hello", "jwt": null})] {
        let mut client = Client::connect(&server, "hrana2");
        client.send(&hello);
        let reply = client.receive();
        assert_eq!(
            (&reply["type"], &reply["error"]["code"]),
            (&json!("hello_error"), &json!("AUTH_FAILED"))
        );
        assert_eq!(client.closed(), Some(CloseCode::Normal));
    }
    let mut client = Client::connect(&server, "hrana3");
    client.begin(json!({"type": "open_stream", "stream_id": 1}));
    assert_eq!(client.closed(), Some(CloseCode::Protocol));
    assert!(Client::try_connect(&server, "hrana3", Some("http://evil.example")).is_err());
    let own = format!("http://{}", server.address);
    assert!(Client::try_connect(&server, "hrana3", Some(&own)).is_ok());
}

#[test]
fn streams_run_side_by_side() {
    let server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    client.open_stream(-2);
    client.execute(1, "CREATE TABLE t(x)");
    client.execute(1, "BEGIN IMMEDIATE");
    client.execute(1, "INSERT INTO t VALUES(1)");
    // The other one waits for the lock, and this one is performed meanwhile.
    let waits = client.begin(execute(-2, "INSERT INTO t VALUES(2)"));
    let commit = client.begin(execute(1, "COMMIT"));
    let mut replies = [client.receive(), client.receive()];
    replies.sort_by_key(|reply| reply["request_id"].as_i64());
    assert_eq!(
        (&replies[0]["request_id"], &replies[1]["request_id"]),
        (&json!(waits), &json!(commit))
    );
    assert!(replies.iter().all(|reply| reply["type"] == "response_ok"), "{replies:?}");
    let autocommit = client.request(json!({"type": "get_autocommit", "stream_id": 1}));
    assert_eq!(autocommit["response"]["is_autocommit"], true);
    assert_eq!(first(&client.execute(-2, "SELECT count(*) FROM t")), "2");
}

#[test]
fn a_stream_performs_all_before_it_closes() {
    let server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.begin(json!({"type": "open_stream", "stream_id": 7}));
    client.begin(execute(7, "CREATE TABLE t(x)"));
    client.begin(execute(7, "BEGIN"));
    client.begin(execute(7, "INSERT INTO t VALUES(1)"));
    client.begin(execute(7, "COMMIT"));
    client.begin(json!({"type": "close_stream", "stream_id": 7}));
    for id in 1..=6 {
        let reply = client.receive();
        assert_eq!(
            (&reply["type"], &reply["request_id"]),
            (&json!("response_ok"), &json!(id)),
            "{reply}"
        );
    }
    client.open_stream(7);
    assert_eq!(first(&client.execute(7, "SELECT count(*) FROM t")), "1");
    let wrong = client.execute(8, "SELECT 1");
    assert_eq!(
        (&wrong["type"], &wrong["error"]["code"]),
        (&json!("response_error"), &json!("BAD_ORDER"))
    );
}

#[test]
fn texts_belong_to_the_connection() {
    let server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    client.open_stream(2);
    client.request(json!({"type": "store_sql", "sql_id": 5, "sql": "SELECT 'x'"}));
    for stream in [1, 2] {
        let stmt = json!({"sql_id": 5});
        let reply = client.request(json!({"type": "execute", "stream_id": stream, "stmt": stmt}));
        assert_eq!(first(&reply), "x");
    }
    let described = client.request(json!({"type": "describe", "stream_id": 1, "sql_id": 5}));
    assert_eq!(described["response"]["result"]["cols"][0]["name"], "'x'");
    client.request(json!({"type": "close_sql", "sql_id": 5}));
    let gone = client.request(json!({"type": "sequence", "stream_id": 1, "sql_id": 5}));
    assert_eq!(gone["error"]["code"], "BAD_REQUEST");
}

#[test]
fn a_cursor_is_fetched_in_parts() {
    let server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    let sql =
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c LIMIT 1000) SELECT i FROM c";
    let batch = json!({"steps": [{"stmt": {"sql": sql}}, {"stmt": {"sql": "SELECT nope"}}]});
    let open = json!({"type": "open_cursor", "stream_id": 1, "cursor_id": 3, "batch": batch});
    assert_eq!(client.request(open)["type"], "response_ok");
    assert_eq!(client.execute(1, "SELECT 1")["error"]["code"], "BAD_ORDER");
    let mut kinds = Vec::new();
    loop {
        let fetch = json!({"type": "fetch_cursor", "cursor_id": 3, "max_count": 50});
        let reply = client.request(fetch);
        let entries = reply["response"]["entries"].as_array().unwrap_or_else(|| panic!("{reply}"));
        assert!(entries.len() <= 50);
        kinds.extend(entries.iter().map(|entry| entry["type"].as_str().unwrap().to_owned()));
        if reply["response"]["done"] == true {
            break;
        }
    }
    assert_eq!(kinds.len(), 1003);
    assert_eq!(
        (&*kinds[0], &*kinds[1001], &*kinds[1002]),
        ("step_begin", "step_end", "step_error")
    );
    client.request(json!({"type": "close_cursor", "cursor_id": 3}));
    assert_eq!(first(&client.execute(1, "SELECT 1")), "1");
}

#[test]
fn a_cursor_that_is_not_fetched_leaves_its_stream_open() {
    let server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    let long = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c LIMIT 300000) \
                SELECT hex(zeroblob(100)) FROM c";
    for sql in ["SELECT 1", long] {
        let batch = json!({"steps": [{"stmt": {"sql": sql}}]});
        for _ in 0..20 {
            // Several at a time, so that they wait for the session.
            for cursor in 1..=3 {
                client.begin(json!({"type": "open_cursor", "stream_id": 1, "cursor_id": cursor, "batch": batch}));
                client.begin(json!({"type": "close_cursor", "cursor_id": cursor}));
            }
            client.begin(execute(1, "SELECT 2"));
            let replies: Vec<_> = (0..7).map(|_| client.receive()).collect();
            assert!(replies.iter().all(|reply| reply["type"] == "response_ok"), "{replies:?}");
            assert_eq!(first(&replies[6]), "2");
        }
    }
}

#[test]
fn broken_frames_end_their_connection_alone() {
    let server = Server::start(&[]);
    let mut other = Client::open(&server);
    other.open_stream(1);
    for (message, code) in [
        (Message::text("{"), CloseCode::Protocol),
        (Message::text(r#"{"type":"request","request_id":1}"#), CloseCode::Protocol),
        (Message::text("[".repeat(100_000)), CloseCode::Protocol),
        (Message::binary(vec![1, 2, 3]), CloseCode::Unsupported),
    ] {
        let mut client = Client::open(&server);
        client.socket.send(message).unwrap();
        assert_eq!(client.closed(), Some(code));
    }
    let mut client = Client::open(&server);
    // The server closes before it has read all.
    let _ = client.socket.send(Message::text("x".repeat(3 << 20)));
    assert_ne!(client.closed(), Some(CloseCode::Normal));
    assert_eq!(first(&other.execute(1, "SELECT 1")), "1");
}

#[test]
fn who_leaves_takes_the_transaction_along() {
    let server = Server::start(&["--statement-timeout", "60s"]);
    server.query("CREATE TABLE t(x)");
    let mut client = Client::open(&server);
    client.open_stream(1);
    client.execute(1, "BEGIN IMMEDIATE");
    client.begin(execute(
        1,
        "INSERT INTO t WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c) SELECT sum(i) FROM c",
    ));
    std::thread::sleep(Duration::from_millis(200));
    drop(client);
    let start = Instant::now();
    server.query("INSERT INTO t VALUES(2)");
    assert!(start.elapsed() < Duration::from_secs(4));
    assert_eq!(server.query("SELECT x FROM t"), [["2"]]);
}

#[test]
fn streams_are_limited() {
    let server = Server::start(&["--max-clients", "2"]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    client.open_stream(2);
    let start = Instant::now();
    let full = client.request(json!({"type": "open_stream", "stream_id": 3}));
    assert_eq!(full["error"]["code"], "SERVER_FULL");
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(client.execute(3, "SELECT 1")["error"]["code"], "BAD_ORDER");
    client.request(json!({"type": "close_stream", "stream_id": 1}));
    client.request(json!({"type": "close_stream", "stream_id": 3}));
    client.open_stream(3);
    assert_eq!(first(&client.execute(3, "SELECT 1")), "1");
}

#[test]
fn an_ending_server_says_goodbye() {
    let mut server = Server::start(&[]);
    let mut client = Client::open(&server);
    client.open_stream(1);
    server.signal("-TERM");
    assert_eq!(client.closed(), Some(CloseCode::Away));
    assert!(server.wait());
}

#[test]
fn protobuf_has_the_same_requests() {
    let server = Server::start(&[]);
    let mut client = Client::connect(&server, "hrana3-protobuf");
    let token = server.token.as_bytes();
    let hello = [&[0x0a, token.len() as u8 + 2, 0x0a, token.len() as u8], token].concat();
    client.socket.send(Message::binary(hello)).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![0x0a, 0]));
    // Request 9: open stream 1; then execute there.
    client.socket.send(Message::binary(vec![0x12, 6, 0x08, 9, 0x12, 2, 0x08, 1])).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![0x1a, 4, 0x08, 9, 0x12, 0]));
    let execute = b"\x12\x12\x08\x0a\x22\x0e\x08\x01\x12\x0a\x0a\x08SELECT 5";
    client.socket.send(Message::binary(execute.to_vec())).unwrap();
    // One column "5"; one row with 5; no changes, row id 0.
    let result = b"\x0a\x03\x0a\x015\x12\x04\x0a\x02\x10\x0a\x18\x00\x20\x00";
    let expected = [&[0x1a, 21, 0x08, 10, 0x22, 17, 0x0a, 15], &result[..]].concat();
    assert_eq!(client.read().unwrap(), Message::binary(expected));
    // Request 11: changes.
    client.socket.send(Message::binary(vec![0x12, 5, 0x08, 11, 0xa2, 0x06, 0])).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![0x1a, 5, 0x08, 11, 0xa2, 0x06, 0]));
    let ready = client.read().unwrap().into_data();
    assert_eq!((&ready[..2], &ready[3..10]), (&b"\xa2\x06"[..], &b"\x0a\x05ready"[..]));
    assert!(ready.ends_with(b"\x1a\x0c{\"commit\":0}"), "{ready:?}");
    client.socket.send(Message::binary(vec![0xff; 20])).unwrap();
    assert_eq!(client.closed(), Some(CloseCode::Protocol));
}

/// A client opens another stream on the same socket; one that goes on regardless is disconnected,
/// since drivers with one stream for each connection then make a new one.
#[test]
fn a_stream_that_is_gone_leaves_the_socket_to_others() {
    let server = Server::start(&["--transaction-timeout", "1s"]);
    let mut client = Client::open(&server);
    let gone = |client: &mut Client, stream| {
        client.open_stream(stream);
        for sql in ["BEGIN IMMEDIATE", "CREATE TABLE t(x)"] {
            client.execute(stream, sql);
        }
        std::thread::sleep(BEYOND_LIMIT);
        ["SELECT 1", "COMMIT"].map(|sql| client.execute(stream, sql)["error"]["code"].clone())
    };
    assert_eq!(gone(&mut client, 1), ["TRANSACTION_TIMEOUT"; 2]);
    assert_eq!(gone(&mut client, 2), ["TRANSACTION_TIMEOUT"; 2]);
    client.open_stream(3);
    // For each request, as long as another stream is open.
    for stream in [1, 2, 1] {
        assert_eq!(client.execute(stream, "SELECT 1")["error"]["code"], "TRANSACTION_TIMEOUT");
    }
    assert_eq!(client.execute(9, "SELECT 1")["error"]["code"], "BAD_ORDER");
    let count = client.execute(3, "SELECT count(*) FROM sqlite_schema WHERE name = 't'");
    assert_eq!(first(&count), "0");
    client.request(json!({"type": "close_stream", "stream_id": 3}));
    assert_eq!(gone(&mut client, 4), ["TRANSACTION_TIMEOUT"; 2]);
    assert_eq!(client.execute(4, "SELECT 1")["error"]["code"], "TRANSACTION_TIMEOUT");
    assert_eq!(client.closed(), Some(CloseCode::Normal));
}
