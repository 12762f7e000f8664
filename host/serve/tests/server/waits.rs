//! Clients that read nothing: what waits for them ends with the time of their transaction.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::support::Server;
use crate::tls;
use crate::wire::{Client, message, text};

/// Time of a transaction, in seconds; the servers of these tests have it.
const TRANSACTION: u64 = 2;

/// As long as that, with some more for a busy machine; an unbounded wait took 92 seconds.
const MOST: Duration = Duration::from_secs(TRANSACTION + 8);

/// Rows of a reply that fills all buffers on its way: 14 MB.
const MANY: &str = "SELECT hex(zeroblob(10000)) FROM generate_series(1, 700)";

/// What writes, and then waits for its reader. The first ones go before the last, which is not awaited.
const WRITERS: [&[&str]; 4] = [
    &["BEGIN", "INSERT INTO t VALUES ('kept')", MANY],
    &[
        "BEGIN",
        "INSERT INTO t VALUES ('kept') RETURNING x; SELECT hex(zeroblob(10000)) FROM generate_series(1, 700)",
    ],
    // Without BEGIN, one statement has the lock as long as it has rows.
    &["INSERT INTO t SELECT hex(zeroblob(10000)) FROM generate_series(1, 700) RETURNING x"],
    &[
        "BEGIN",
        "INSERT INTO t VALUES ('kept')",
        "COPY (SELECT hex(zeroblob(10000)) FROM generate_series(1, 700)) TO STDOUT",
    ],
];

fn keeps_no_lock<S: Read + Write>(server: &Server, mut client: Client<S>, script: &[&str]) {
    let (last, first) = script.split_last().unwrap();
    for sql in first {
        client.query(sql);
    }
    client.send(&message('Q', &text(last)));
    // Until it waits for its reader.
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let mut other = Client::new(server);
    while let Some((code, message)) =
        crate::wire::error(&other.query("INSERT INTO t VALUES ('other')"))
    {
        assert!(code == "55P03" && start.elapsed() < MOST, "{script:?}: {code} {message}");
    }
    assert!(start.elapsed() < MOST, "{script:?}: {:?}", start.elapsed());
    // What was not committed is undone.
    assert_eq!(other.rows("SELECT count(*) FROM t WHERE x = 'kept'"), "0", "{script:?}");
    other.query("DELETE FROM t");
}

#[test]
fn a_client_that_reads_nothing_keeps_no_lock() {
    let time = format!("{TRANSACTION}s");
    let options =
        ["--pg", "127.0.0.1:0", "--transaction-timeout", &time, "--statement-timeout", "60s"];
    let server = Server::start(&options);
    server.query("CREATE TABLE t(x TEXT)");
    for script in WRITERS {
        keeps_no_lock(&server, Client::new(&server), script);
    }
    // One that reads gets all of it.
    let mut reader = Client::new(&server);
    reader.query("BEGIN");
    assert_eq!(reader.query(MANY).iter().filter(|(tag, _)| *tag == 'D').count(), 700);
}

#[test]
fn nor_does_one_behind_tls() {
    let time = format!("{TRANSACTION}s");
    let options =
        ["--pg", "127.0.0.1:0", "--transaction-timeout", &time, "--statement-timeout", "60s"];
    let (server, client) = tls::serve(&options);
    client(&server).query("CREATE TABLE t(x TEXT)");
    for script in WRITERS {
        keeps_no_lock(&server, client(&server), script);
    }
}
