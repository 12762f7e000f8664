//! Statements whose time is over, or that are cancelled, while SQLite does not look at the clock.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{PATIENCE, Server, error, execute};
use crate::wire::{self, Client, message, packet, text};

/// One call of an extension that takes longer than its own limit, 10 seconds.
const LONG_CALL: &str =
    "SELECT fuzzy_damlev(printf('%.*c', 150000, 'a'), printf('%.*c', 150000, 'b'))";

/// One step of SQLite's program.
const LONG_STEP: &str =
    "SELECT instr(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b')";

fn cancel(server: &Server, client: &Client) {
    let request = [80_877_102_u32.to_be_bytes().to_vec(), client.key.clone()].concat();
    Client::connect(server.postgres()).send(&packet(&request));
}

/// An extension ends with its statement, and the session goes on.
#[test]
fn a_call_of_an_extension_ends_with_its_statement() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--load", "fuzzy"]);
    let mut client = Client::new(&server);
    client.rows("SET statement_timeout = 700");
    let start = Instant::now();
    let (code, message) = client.error(LONG_CALL);
    assert!(code == "57014" && message.contains("statement timeout"), "{code} {message}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    client.rows("RESET statement_timeout");
    client.send(&message_of(LONG_CALL));
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    cancel(&server, &client);
    let (code, message) = wire::error(&client.until_ready()).unwrap();
    assert!(code == "57014" && message.contains("user request"), "{code} {message}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(client.rows("SELECT fuzzy_damlev('abc', 'abd')"), "1");
}

#[test]
fn a_call_of_an_extension_ends_with_its_statement_by_hrana() {
    let server = Server::start(&["--load", "fuzzy", "--statement-timeout", "1s"]);
    let (code, message) = server.error(LONG_CALL);
    assert_eq!(code, "LIMIT_REACHED", "{message}");
    let results = server.pipeline(vec![execute("SELECT fuzzy_damlev('abc', 'abd')")]);
    assert_eq!(results[0]["type"], "ok", "{results:?}");
}

/// The sandbox is lost, and the error says why.
#[test]
fn a_step_of_sqlite_that_is_too_long_says_so() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--statement-timeout", "1s"]);
    let body = json!({"requests": [execute(LONG_STEP)]});
    let (_, reply) = server.post("/v3/pipeline", &body);
    let (code, message) = error(&reply["results"][0]);
    assert!(code == "LIMIT_REACHED" && message.contains("time limit"), "{code} {message}");
    let mut client = Client::new(&server);
    client.send(&message_of(LONG_STEP));
    let (code, message) = last_error(&mut client);
    assert!(code == "57014" && message.contains("statement timeout"), "{code} {message}");
    assert_eq!(Client::new(&server).rows("SELECT 1"), "1");
}

#[test]
fn a_step_of_sqlite_ends_when_it_is_cancelled() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--statement-timeout", "60s"]);
    let mut client = Client::new(&server);
    client.send(&message_of(LONG_STEP));
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    cancel(&server, &client);
    let (code, message) = last_error(&mut client);
    assert!(code == "57014" && message.contains("user request"), "{code} {message}");
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
}

/// Memory that SQLite wants in one step.
#[test]
fn a_step_of_sqlite_without_memory_says_so() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--client-memory", "32M"]);
    let mut client = Client::new(&server);
    let (code, message) =
        client.error("SELECT instr(zeroblob(15000000) || x'01', zeroblob(7000000) || x'02')");
    assert_eq!(code, "53200", "{message}");
    assert_eq!(client.rows("SELECT 1"), "1");
}

fn message_of(sql: &str) -> Vec<u8> {
    message('Q', &text(sql))
}

/// The error after which the server closes the connection.
fn last_error(client: &mut Client) -> (String, String) {
    let mut all = Vec::new();
    while let Ok(message) = client.try_receive() {
        all.push(message);
    }
    wire::error(&all).unwrap_or_else(|| panic!("{}", wire::shown(&all)))
}
