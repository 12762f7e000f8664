//! A program whose memory, with that of its children, is watched while it runs.

use std::collections::HashMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{End, Input, Outcome, POLL_INTERVAL, TIME_LIMIT};

/// A program that ended, and what it used.
pub struct Watched {
    /// How it ended.
    pub outcome: Outcome,
    /// The most memory that it and its children had at a time, in bytes.
    pub peak_bytes: u64,
    /// How long it took.
    pub time: Duration,
    /// How many children were seen.
    pub children: usize,
}

/// Runs `command` to its end; `on_child` is called once for each child.
pub fn watch(mut command: Command, input: &Input, mut on_child: impl FnMut(u32)) -> Watched {
    let start = Instant::now();
    let mut child =
        super::spawn(command.stdin(input.stdio()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let process = child.id();
    let (mut peak_bytes, mut children) = (0, HashMap::new());
    let (stdout, stderr, end) = thread::scope(|scope| {
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        scope.spawn(move || {
            stdin.map(|mut pipe| std::io::Write::write_all(&mut pipe, input.bytes()))
        });
        let stdout = scope.spawn(move || super::read_all(stdout));
        let stderr = scope.spawn(move || super::read_all(stderr));
        let end = loop {
            if let Some(end) = ended(&mut child, start) {
                break end;
            }
            let mut bytes = resident_bytes(process);
            for found in children_of(process) {
                bytes += resident_bytes(found);
                children.entry(found).or_insert_with(|| on_child(found));
            }
            peak_bytes = bytes.max(peak_bytes);
            thread::sleep(POLL_INTERVAL);
        };
        (stdout.join().expect("stdout"), stderr.join().expect("stderr"), end)
    });
    let directory = command.get_current_dir().expect("it has one").into();
    let outcome = Outcome { command: format!("{command:?}"), directory, end, stdout, stderr };
    Watched { outcome, peak_bytes, time: start.elapsed(), children: children.len() }
}

fn ended(child: &mut Child, start: Instant) -> Option<End> {
    if let Some(status) = child.try_wait().expect("our own child can be waited for") {
        return Some(status.into());
    }
    if start.elapsed() < TIME_LIMIT {
        return None;
    }
    child.kill().expect("our own child can be killed");
    child.wait().expect("our own child can be waited for");
    Some(End::TimedOut)
}

/// The processes that `process` has started. Looking at the parents of all processes takes longer
/// than a short compilation.
fn children_of(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect()
}

/// What it has now; nothing when it has just ended.
fn resident_bytes(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
