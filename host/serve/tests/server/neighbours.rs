//! Hostile clients, all at once: the others work on.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::{PATIENCE, Server, error, execute, program, read_all, rows};
use crate::wire::{Client, message, text};

const ENDLESS: &str = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM c)";

/// Requests of an ordinary client, during all attacks, at least.
const MIN_REQUESTS: usize = 20;

/// How long a client that reads nothing is endured here.
const SLOW: Duration = Duration::from_secs(2);

/// Bytes that are no message of any protocol; the same each time.
fn garbage(seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..4096).map(next).collect()
}

/// A statement that never ends gets an error, over each protocol.
fn loops(server: &Server) {
    let sql = format!("{ENDLESS} SELECT sum(i) FROM c");
    assert_eq!(server.error(&sql).0, "LIMIT_REACHED");
    let mut client = Client::new(server);
    assert_eq!(
        client.error("SELECT sum(i) FROM generate_series(1, 1000000000000) s(i)").0,
        "57014"
    );
    assert_eq!(client.rows("SELECT 1"), "1");
}

fn fills_its_memory(server: &Server) {
    for _ in 0..3 {
        let (code, message) = server.error(&format!("{ENDLESS} SELECT group_concat(i) FROM c"));
        assert!(["SQLITE_NOMEM", "LIMIT_REACHED"].contains(&code.as_str()), "{code} {message}");
    }
}

/// Nonsense instead of a first message, and after a right one.
fn sends_garbage(server: &Server) {
    for seed in 0..20 {
        let bytes = garbage(seed);
        for address in [server.address, server.postgres()] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            // The server may close it before all is sent.
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Write);
            read_all(&mut stream);
        }
        let mut client = Client::new(server);
        let _ = client.stream.write_all(&bytes);
        let _ = client.stream.shutdown(Shutdown::Write);
        read_all(&mut client.stream);
    }
}

/// A client that says nothing more is taken for one that is gone: its connection ends.
fn half_closes(server: &Server) {
    let body = json!({"requests": [execute("SELECT 41 + 1"), {"type": "close"}]}).to_string();
    let head = server.head("/v3/pipeline", &format!("Content-Length: {}\r\n", body.len()));
    let mut stream = server.connect();
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    read_all(&mut stream);
    let mut client = Client::new(server);
    client.send(&message('Q', &text("SELECT 41 + 1")));
    client.stream.shutdown(Shutdown::Write).unwrap();
    read_all(&mut client.stream);
}

/// A client that stops to read its results, in the middle of a transaction.
fn reads_slowly(server: &Server) {
    let mut client = Client::new(server);
    client.rows("BEGIN");
    let sql = "SELECT i, hex(zeroblob(500)) FROM generate_series(1, 15000) s(i)";
    client.send(&message('Q', &text(sql)));
    assert_eq!([client.receive().0, client.receive().0], ['T', 'D']);
    let body = json!({"batch": {"steps": [{"stmt": {"sql": format!(
        "{ENDLESS} SELECT zeroblob(1000) FROM c LIMIT 15000"
    )}}]}})
    .to_string();
    let mut cursor = server.connect();
    let head = server.head("/v3/cursor", &format!("Content-Length: {}\r\n", body.len()));
    cursor.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut some = [0; 10_000];
    cursor.read_exact(&mut some).unwrap();
    let some = String::from_utf8_lossy(&some);
    assert!(some.starts_with("HTTP/1.1 200") && some.contains("\"type\":\"row\""), "{some}");
    std::thread::sleep(SLOW);
}

/// A trap of an extension ends its statement with an error, over each protocol.
fn traps(server: &Server) {
    const TRAPPED: &str = "the extension `malicious` trapped in `malicious()`: unreachable";
    for _ in 0..3 {
        let (code, message) = server.error("SELECT malicious('panic')");
        assert!(code == "SANDBOX_TRAPPED" && message.starts_with(TRAPPED), "{code} {message}");
        let mut client = Client::new(server);
        let (code, message) = client.error("SELECT malicious('panic')");
        assert!(code == "XX000" && message.starts_with(TRAPPED), "{code} {message}");
        assert_eq!(client.rows("SELECT malicious('nothing')"), "valid");
    }
}

/// Reads and writes until `is_over` is set. Returns how many requests it has sent.
fn works(server: &Server, is_over: &AtomicBool) -> usize {
    let mut stream = server.stream();
    let mut client = Client::new(server);
    let mut count = 0;
    while !is_over.load(Ordering::SeqCst) {
        let results = stream
            .run(&[execute("INSERT INTO t VALUES(1)"), execute("SELECT count(*) >= 1 FROM t")]);
        assert_eq!(results[0]["type"], "ok", "{results:?}");
        assert_eq!(rows(&results[1]), [["1"]]);
        assert_eq!(client.rows("SELECT 6 * 7"), "42");
        count += 1;
    }
    count
}

#[test]
fn hostile_clients_do_not_stop_the_others() {
    let guests = program().with_file_name("guests");
    let server = Server::start(&[
        "--pg",
        "127.0.0.1:0",
        "--statement-timeout",
        "2s",
        "--transaction-timeout",
        "3s",
        "--client-memory",
        "32M",
        "--fast-commits",
        "--extension-dir",
        guests.to_str().unwrap(),
        "--load",
        "malicious",
    ]);
    server.query("CREATE TABLE t(x)");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let server = &server;
        let others: Vec<_> = (0..2).map(|_| scope.spawn(|| works(server, &is_over))).collect();
        let attacks = [loops, fills_its_memory, sends_garbage, half_closes, reads_slowly, traps];
        let attacks = attacks.map(|attack: fn(&Server)| scope.spawn(move || attack(server)));
        let attacked = attacks.map(|attack| attack.join());
        is_over.store(true, Ordering::SeqCst);
        let counts: Vec<usize> = others.into_iter().map(|other| other.join().unwrap()).collect();
        println!("{counts:?} requests");
        attacked.into_iter().for_each(Result::unwrap);
        assert!(counts.iter().all(|count| *count >= MIN_REQUESTS), "{counts:?}");
    });
    assert!(server.peak_memory() < 600 << 20, "{}", server.peak_memory());
    let wrong = server.pipeline(vec![execute("SELECT nope")]);
    assert_eq!(error(&wrong[0]).0, "SQLITE_ERROR");
}
