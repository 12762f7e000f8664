//! The feed of changes on the WebSocket of Hrana.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::protocol::frame::coding::CloseCode;

use crate::feed::Events;
use crate::support::Server;
use crate::websocket::{Client, execute};

/// A client that receives changes.
pub struct Socket {
    pub client: Client,
}

impl Socket {
    pub fn open(server: &Server) -> Self {
        let mut socket = Self { client: Client::open(server) };
        assert_eq!(socket.subscribe(Value::Null).0, "ready");
        socket
    }

    /// Ask for what follows a position: the first event.
    fn subscribe(&mut self, place: Value) -> (String, String, Value) {
        let request = json!({"type": "subscribe_changes", "last_event_id": place});
        let reply = self.client.request(request);
        assert_eq!(reply["response"], json!({"type": "subscribe_changes"}));
        self.next()
    }

    /// The next message, an event.
    fn next(&mut self) -> (String, String, Value) {
        event(&self.client.receive())
    }

    /// The data of the next message, which is a commit.
    pub fn commit(&mut self) -> Value {
        let (kind, _, data) = self.next();
        assert_eq!(kind, "commit", "{data}");
        data
    }
}

fn event(message: &Value) -> (String, String, Value) {
    assert_eq!(message["type"], "changes", "{message}");
    let text = |name: &str| message[name].as_str().unwrap().to_owned();
    (text("event"), text("id"), message["data"].clone())
}

#[test]
fn a_socket_is_told_what_streams_of_events_are_told() {
    let server = Server::start(&[]);
    server.query("CREATE TABLE t(a)");
    let mut events = Events::open(&server);
    let mut socket = Socket::open(&server);
    server.query("INSERT INTO t VALUES (1)");
    let first = events.next();
    assert_eq!((socket.next(), &first.0[..]), (first.clone(), "commit"));
    assert_eq!(first.2["tables"], json!({"t": [1]}));
    let again = socket.client.request(json!({"type": "subscribe_changes"}));
    assert_eq!(again["error"]["code"], "BAD_ORDER");
    // Its own commits are among them, before the reply or behind it.
    socket.client.open_stream(1);
    let id = socket.client.begin(execute(1, "INSERT INTO t VALUES (2)"));
    let (one, two) = (socket.client.receive(), socket.client.receive());
    let (reply, change) = if one["type"] == "changes" { (two, one) } else { (one, two) };
    assert_eq!((&reply["request_id"], &reply["type"]), (&json!(id), &json!("response_ok")));
    assert_eq!(event(&change), events.next());
    // Behind the reply there is nothing more.
    let end = socket.client.request(json!({"type": "unsubscribe_changes"}));
    assert_eq!(end["response"], json!({"type": "unsubscribe_changes"}));
    server.query("INSERT INTO t VALUES (3)");
    let third = events.next();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(socket.client.execute(1, "SELECT 1")["type"], "response_ok");
    // What it has missed is still there.
    let (kind, id, _) = socket.subscribe(json!(first.1));
    assert_eq!((kind.as_str(), &id), ("ready", &first.1));
    assert_eq!(event(&change), socket.next());
    assert_eq!(socket.next(), third);
    socket.client.request(json!({"type": "unsubscribe_changes"}));
    assert_eq!(socket.subscribe(json!("0000000000000001-1")).0, "reset");
}

#[test]
fn who_only_listens_stays() {
    let server = Server::start(&["--idle-timeout", "500ms", "--statement-timeout", "500ms"]);
    server.query("CREATE TABLE t(a)");
    let mut socket = Socket::open(&server);
    thread::sleep(Duration::from_secs(2));
    server.query("INSERT INTO t VALUES (1)");
    assert_eq!(socket.commit()["tables"], json!({"t": [1]}));
    socket.client.request(json!({"type": "unsubscribe_changes"}));
    assert_eq!(socket.client.closed(), Some(CloseCode::Normal));
}
