//! Many clients at once. `SERVE_LOAD_SECONDS=60` takes longer.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Server, Stream, execute, rows, setting};
use crate::wire::{self, Client};

const CLIENTS: usize = 200;

/// One client in this many writes; half of the clients use each protocol.
const WRITERS_SHARE: usize = 5;

const ACCOUNTS: usize = 10;
const BALANCE: usize = 1000;

/// Fewer than the clients need: the server raises the limit.
const FEW_FILES: u32 = 256;

/// Memory for each client at most, in bytes, and for all together.
const CLIENT_BYTES: u64 = 3 << 20;
const SERVER_BYTES: u64 = 100 << 20;

/// Between two queries of a reader, so that a small machine has time for writers.
const PAUSE: Duration = Duration::from_millis(20);

/// Until all clients are there, and until a writer has had its turn.
const MAX_WAIT: Duration = Duration::from_secs(90);

/// A client of either protocol.
enum Any {
    Hrana(Box<Stream>),
    Postgres(Client),
}

impl Any {
    /// The cells of the only row; `None` if it failed.
    fn row(&mut self, sql: &str) -> Option<String> {
        match self {
            Self::Postgres(client) => {
                let all = client.query(sql);
                wire::error(&all).is_none().then(|| wire::rows(&all))
            }
            Self::Hrana(stream) => {
                let results = stream.run(&[execute(sql)]);
                (results[0]["type"] == "ok").then(|| joined(&results[0]))
            }
        }
    }
}

fn joined(result: &Value) -> String {
    let rows = rows(result);
    let cells = rows.iter().flatten().map(|cell| cell.as_str().unwrap_or("NULL"));
    cells.collect::<Vec<_>>().join("|")
}

/// Move money from one account to another. Returns whether it was committed; a writer that waited
/// too long for its turn gets an error.
fn transfer(client: &mut Any, number: usize, round: usize) -> bool {
    let (from, to) = ((number + round) % ACCOUNTS, (number * 7 + round * 3 + 1) % ACCOUNTS);
    let begin = if matches!(client, Any::Hrana(_)) { "BEGIN IMMEDIATE" } else { "BEGIN" };
    let statements = [
        begin.to_owned(),
        format!("UPDATE account SET balance = balance - 1 WHERE id = {from}"),
        format!("UPDATE account SET balance = balance + 1 WHERE id = {to}"),
        "UPDATE total SET n = n + 1".to_owned(),
        format!("INSERT INTO moved VALUES ({number}, {round})"),
        "COMMIT".to_owned(),
    ];
    let is_done = statements.iter().all(|sql| client.row(sql).is_some());
    if !is_done {
        client.row("ROLLBACK");
    }
    is_done
}

fn prepare(server: &Server) {
    server.query("CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER)");
    server.query("CREATE TABLE moved(client INTEGER, n INTEGER, PRIMARY KEY(client, n))");
    server.query("CREATE TABLE total(n INTEGER)");
    server.query("INSERT INTO total VALUES(0)");
    for id in 0..ACCOUNTS {
        server.query(&format!("INSERT INTO account VALUES({id}, {BALANCE})"));
    }
}

/// What all clients share.
struct Load {
    server: Server,
    time: Duration,
    present: AtomicUsize,
    committed: AtomicU64,
    read: AtomicU64,
}

impl Load {
    fn run(&self, number: usize) {
        let mut client = match number % 2 {
            0 => Any::Postgres(Client::new(&self.server)),
            _ => Any::Hrana(Box::new(self.server.stream())),
        };
        assert_eq!(client.row("SELECT 1").as_deref(), Some("1"));
        self.wait_for_all();
        let end = Instant::now() + self.time;
        match number % WRITERS_SHARE {
            0 => self.write(&mut client, number, end),
            _ => self.read(&mut client, end),
        }
    }

    fn wait_for_all(&self) {
        self.present.fetch_add(1, Ordering::SeqCst);
        let start = Instant::now();
        while self.present.load(Ordering::SeqCst) < CLIENTS {
            assert!(start.elapsed() < MAX_WAIT, "{:?} clients", self.present);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// No writer waits for ever.
    fn write(&self, client: &mut Any, number: usize, end: Instant) {
        let mut done = 0;
        for round in 0.. {
            done += u64::from(transfer(client, number, round));
            if done > 0 && Instant::now() >= end {
                break;
            }
            assert!(end.elapsed() < MAX_WAIT, "client {number} has no turn");
        }
        self.committed.fetch_add(done, Ordering::SeqCst);
    }

    /// A reader sees all of the money each time.
    fn read(&self, client: &mut Any, end: Instant) {
        let all = (ACCOUNTS * BALANCE).to_string();
        while Instant::now() < end {
            let found = client.row("SELECT sum(balance) FROM account");
            assert_eq!(found.as_ref(), Some(&all));
            self.read.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(PAUSE);
        }
    }
}

#[test]
fn two_hundred_clients_lose_nothing() {
    let server = Server::start_with_few_files(
        FEW_FILES,
        &["--pg", "127.0.0.1:0", "--fast-commits", "--max-clients", "200"],
    );
    prepare(&server);
    let load = Load {
        server,
        time: Duration::from_secs(setting("SERVE_LOAD_SECONDS", 3)),
        present: AtomicUsize::new(0),
        committed: AtomicU64::new(0),
        read: AtomicU64::new(0),
    };
    std::thread::scope(|scope| {
        let load = &load;
        (0..CLIENTS).for_each(|number| _ = scope.spawn(move || load.run(number)));
    });
    let Load { server, committed, read, .. } = load;
    let committed = committed.into_inner().to_string();
    let all = (ACCOUNTS * BALANCE).to_string();
    let sql = "SELECT (SELECT n FROM total), (SELECT count(*) FROM moved),
                      (SELECT sum(balance) FROM account)";
    assert_eq!(server.query(sql), [[committed.as_str(), &committed, &all]]);
    let peak = server.peak_memory();
    println!("{committed} transfers, {} reads, {} MiB", read.into_inner(), peak >> 20);
    assert!(peak < SERVER_BYTES + CLIENTS as u64 * CLIENT_BYTES, "{peak}");
}
