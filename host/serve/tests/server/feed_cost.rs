//! What subscribers cost a writer. `tooling/host server cost_of_subscribers -- --ignored --nocapture` prints figures;
//! they are worth as much as the machine is quiet.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::feed::Events;
use crate::support::{Server, setting};
use crate::wire::Client;

const SUBSCRIBERS: usize = 50;

/// Between two commits: 1,000 a second.
const PACE: Duration = Duration::from_millis(1);

/// Longer than the server keeps on after the last subscriber.
const LINGER: Duration = Duration::from_secs(11);

/// How long the threads of sessions have run, whatever else the machine does.
fn on_processor(server: &Server) -> Duration {
    let tasks = format!("/proc/{}/task", server.state("Pid").unwrap());
    let time = |task: std::io::Result<std::fs::DirEntry>| {
        let task = task.ok()?.path();
        let name = std::fs::read_to_string(task.join("comm")).ok()?;
        let time = std::fs::read_to_string(task.join("schedstat")).ok()?;
        let time = time.split(' ').next()?.parse().ok()?;
        (name.trim() == "session").then(|| Duration::from_nanos(time))
    };
    std::fs::read_dir(tasks).unwrap().filter_map(time).sum()
}

/// Commit so many rows: the time that the middle one took, and that of the session's thread for each.
fn commit(server: &Server, client: &mut Client, count: usize) -> [Duration; 2] {
    let before = on_processor(server);
    let start = Instant::now();
    let mut times: Vec<_> = (0..count)
        .map(|row| {
            let due = start + PACE * row as u32;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let begun = Instant::now();
            client.rows("INSERT INTO t(a) VALUES (1)");
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    [times[count / 2], (on_processor(server) - before) / count as u32]
}

#[test]
#[ignore = "it measures, for a minute"]
fn cost_of_subscribers() {
    let server = Server::start(&["--pg", "127.0.0.1:0", "--idle-timeout", "5m", "--fast-commits"]);
    server.query("CREATE TABLE t(id INTEGER PRIMARY KEY, a)");
    let count = setting("SERVE_FEED_COMMITS", 3000) as usize;
    let mut client = Client::new(&server);
    commit(&server, &mut client, count);
    for round in 1..=3 {
        let without = commit(&server, &mut client, count);
        let first: u64 = client.rows("SELECT max(id) FROM t").parse().unwrap();
        let mut all: Vec<_> = (0..SUBSCRIBERS).map(|_| Events::open(&server)).collect();
        let with = std::thread::scope(|scope| {
            // One thread for all, so that the clients take little of the processors.
            let reader = scope.spawn(|| {
                for row in first + 1..=first + count as u64 {
                    for events in &mut all {
                        let (kind, _, data) = events.next();
                        assert_eq!(
                            (kind.as_str(), &data["tables"]),
                            ("commit", &json!({"t": [row]}))
                        );
                    }
                }
            });
            let with = commit(&server, &mut client, count);
            let written = Instant::now();
            reader.join().unwrap();
            println!("round {round}: read {:?} after the last commit", written.elapsed());
            with
        });
        drop(all);
        let ratios = [0, 1].map(|at| with[at].as_secs_f64() / without[at].as_secs_f64());
        println!("round {round}: {without:?} without, {with:?} with {SUBSCRIBERS}: {ratios:.3?}");
        std::thread::sleep(LINGER);
    }
}
