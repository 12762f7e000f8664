//! Every system call on a database fails once, in every way it may, or is the
//! last one before the process is killed. Whatever comes of it, no transaction
//! is half there, and none that was reported as committed is gone.
//!
//! strace injects the faults into the program as it is handed out; what is left
//! is judged by the native shell. With `FAULT_STEP=1` in the environment all
//! points are tried, else every n-th of them, so that the tests end soon.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::support::strace;
use crate::support::{self, Directory, End, Input, Outcome};

/// SQLite's words for its result codes.
const FULL: &str = "database or disk is full";
const IO: &str = "disk I/O error";
const CANNOT_OPEN: &str = "unable to open database";
const READ_ONLY: &str = "attempt to write a readonly database";
const LOCKED: &str = "database is locked";
const NO_MEMORY: &str = "out of memory";

/// The system calls that are let fail, with the errors that they may have, and
/// what SQLite may then say.
const FAULTS: &[(&str, &[&str], &[&str])] = &[
    ("pwrite64", &["EIO", "ENOSPC"], &[IO, FULL]),
    ("pread64", &["EIO"], &[IO, CANNOT_OPEN]),
    ("fdatasync", &["EIO", "ENOSPC"], &[IO, FULL]),
    ("ftruncate", &["EIO"], &[IO]),
    ("openat2", &["EIO", "ENOSPC", "EMFILE", "EACCES"], &[CANNOT_OPEN, READ_ONLY, IO]),
    ("unlinkat", &["EIO", "EACCES"], &[IO]),
    ("fcntl", &["EIO", "EAGAIN"], &[LOCKED, IO, CANNOT_OPEN]),
    ("mmap", &["ENOMEM"], &[IO, NO_MEMORY]),
];

/// Transactions, each followed by a file that says that it is committed.
struct Script {
    name: &'static str,
    settings: &'static str,
}

const SCRIPTS: &[Script] = &[
    Script { name: "delete", settings: "PRAGMA journal_mode=delete;" },
    Script { name: "truncate", settings: "PRAGMA journal_mode=truncate;" },
    Script { name: "persist", settings: "PRAGMA journal_mode=persist;" },
    Script {
        name: "delete-spilling",
        settings: "PRAGMA journal_mode=delete; PRAGMA cache_size=3;",
    },
    Script { name: "wal", settings: "PRAGMA journal_mode=wal; PRAGMA synchronous=full;" },
    Script {
        name: "wal-checkpoints",
        settings: "PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=1; PRAGMA synchronous=full;",
    },
    Script {
        name: "wal-mapped",
        settings: "PRAGMA journal_mode=wal; PRAGMA mmap_size=1000000; PRAGMA cache_size=3;",
    },
    TWO_FILES,
];

/// The transactions. After N of them the rows are as the N-th of [`STATES`] says.
const TRANSACTIONS: &[&str] = &[
    "INSERT INTO t SELECT value, zeroblob(900) FROM generate_series(1, 12);",
    "UPDATE t SET b = zeroblob(1300) WHERE a % 2 = 0; DELETE FROM t WHERE a = 3;",
    "DELETE FROM t WHERE a > 6; INSERT INTO t VALUES (100, zeroblob(20000));",
];

/// Changes a second database in the same transaction.
const TWO_FILES: Script = Script {
    name: "two-files",
    settings: "PRAGMA journal_mode=delete; ATTACH 'other.db' AS other;",
};
const OTHER_CHANGE: &str = "UPDATE other.o SET n = (SELECT total(a) FROM t);";

/// The native shell's query about what is left. The second database agrees
/// with the first, or was never touched.
const STATE: &str = "ATTACH 'other.db' AS other; PRAGMA integrity_check;
    SELECT n IN ('untouched', (SELECT total(a) FROM t)) FROM other.o;
    SELECT count(*), total(a), total(length(b)) FROM t;";

/// What the answers to [`STATE`] are after this many transactions.
const STATES: [&str; 4] = [
    "ok\n1\n1|1000.0|5.0\n",
    "ok\n1\n13|1078.0|10805.0\n",
    "ok\n1\n12|1075.0|13600.0\n",
    "ok\n1\n6|118.0|25700.0\n",
];

impl Script {
    fn text(&self) -> String {
        let more = if self.name == TWO_FILES.name { OTHER_CHANGE } else { "" };
        let transactions = TRANSACTIONS.iter().enumerate().map(|(number, changes)| {
            let report = format!("SELECT writefile('done-{number}', '') IS NULL;");
            format!("BEGIN;\n{changes}\n{more}\nCOMMIT;\n{report}\n")
        });
        self.settings.to_owned() + "\n" + &transactions.collect::<String>()
    }

    /// Runs it on a fresh copy of the database, with strace's `options`.
    fn run(&self, directory: &Path, template: &Path, options: &[String]) -> strace::Traced {
        prepare(directory, template);
        let mut options = options.to_vec();
        options.extend(strace::only(&["test.db", "other.db"], directory));
        let text = self.text();
        let input = Input::Bytes(text.as_bytes());
        strace::run(&options, &support::our_binary(), &["-bail", "test.db"], directory, &input)
    }

    /// Runs it where no file may have more than `limit` bytes.
    fn run_with_file_limit(&self, directory: &Path, template: &Path, limit: usize) -> Outcome {
        prepare(directory, template);
        let binary = support::our_binary();
        let limit = format!("--fsize={limit}");
        let program = binary.to_str().expect("its path is UTF-8");
        // Without its signal the limit is an error like any other.
        let words = ["--ignore-signal=XFSZ", "prlimit", &limit, program, "-bail", "test.db"];
        let text = self.text();
        support::run("/usr/bin/env".as_ref(), &words, directory, &Input::Bytes(text.as_bytes()))
    }
}

fn prepare(directory: &Path, template: &Path) {
    fs::create_dir(directory).expect("the directory is ours");
    for name in ["test.db", "other.db"] {
        fs::copy(template.join(name), directory.join(name)).expect("both are ours");
    }
}

/// A point at which a fault is injected.
#[derive(Debug, Clone)]
struct Point {
    call: &'static str,
    number: usize,
    /// An error, or `KILL`.
    fault: &'static str,
    answers: &'static [&'static str],
}

impl Point {
    fn options(&self) -> Vec<String> {
        let Self { call, number, fault, .. } = self;
        let what = if *fault == "KILL" { "signal" } else { "error" };
        let inject = format!("inject={call}:{what}={fault}:when={number}");
        ["-e".into(), format!("trace={call}"), "-e".into(), inject].into()
    }
}

/// A directory with the databases that each run begins with.
fn template(directory: &Path) -> PathBuf {
    let template = directory.join("template");
    fs::create_dir(&template).expect("the directory is ours");
    let tables = "PRAGMA page_size=1024; CREATE TABLE t(a INTEGER PRIMARY KEY, b);
        INSERT INTO t VALUES (1000, 'first');
        ATTACH 'other.db' AS other; CREATE TABLE other.o(n); INSERT INTO o VALUES ('untouched');";
    support::natively(&template, &["test.db", tables]).exits_with(0);
    template
}

/// Each call of a run that is left alone, how often it comes, with all faults.
fn points(script: &Script, directory: &Path, template: &Path) -> Vec<Point> {
    let names: Vec<_> = FAULTS.iter().map(|fault| fault.0).collect();
    let options = ["-e".to_owned(), format!("trace={}", names.join(","))];
    let traced = script.run(&directory.join("untouched"), template, &options);
    traced.run.exits_with(0).keeps_quiet();
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for call in &traced.calls {
        let Some((thread, call)) = call.split_once(' ') else { continue };
        let name = call.trim_start().split('(').next().unwrap_or_default();
        *counts.entry((name, thread)).or_default() += 1;
    }
    let often = |name| counts.iter().filter(|(key, _)| key.0 == name).map(|(_, &n)| n).max();
    let mut points = Vec::new();
    for &(call, errors, answers) in FAULTS {
        for number in 1..=often(call).unwrap_or(0) {
            for &fault in errors.iter().chain(&["KILL"]) {
                points.push(Point { call, number, fault, answers });
            }
        }
    }
    points
}

/// Fails unless what a run has left in `directory` is what was there before one of
/// its transactions or after, and what it said fits.
#[track_caller]
fn judge(run: &Outcome, directory: &Path, killed: bool, answers: &[&str]) {
    let done = (0..3).take_while(|n| directory.join(format!("done-{n}")).exists()).count();
    let state = support::natively(directory, &["test.db", STATE]);
    let report = format!("{run}\n\n{state}");
    let found = STATES.iter().position(|known| state.out() == *known);
    let found = found.unwrap_or_else(|| panic!("neither before nor after\n{report}"));
    // The fault may have hit the file with the report.
    let all = run.end == End::Exited(0);
    assert!(
        all || found == done || found == done + 1,
        "{done} were reported, {found} are there\n{report}"
    );
    match run.end {
        End::Exited(0) => assert_eq!(found, 3, "a failure was not reported\n{report}"),
        End::Exited(1) => {
            let known = answers.iter().any(|answer| run.err().contains(answer));
            assert!(known, "another result code was expected\n{report}");
        }
        End::Signalled if killed => {}
        _ => panic!("the program trapped\n{report}"),
    }
}

/// Which points the tests try: every n-th.
fn step() -> usize {
    const STEP: usize = 3;
    let asked = std::env::var("FAULT_STEP").ok();
    asked.map_or(STEP, |text| text.parse().expect("FAULT_STEP is a number"))
}

/// Does something with each script, all at once, and adds up what it returns.
fn for_each_script(work: impl Fn(&Script, &Path, &Path) -> usize + Sync) -> usize {
    let one = |script: &Script| {
        let directory = Directory::fresh(script.name);
        work(script, &directory.path(), &template(&directory.path()))
    };
    thread::scope(|scope| {
        let threads: Vec<_> = SCRIPTS.iter().map(|script| scope.spawn(|| one(script))).collect();
        threads.into_iter().map(|thread| thread.join().expect("all went well")).sum()
    })
}

#[test]
fn no_fault_loses_what_was_committed_or_leaves_half_of_it() {
    let tried = for_each_script(|script, directory, template| {
        let points = points(script, directory, template);
        let chosen = points.iter().step_by(step());
        chosen
            .enumerate()
            .map(|(number, point)| {
                let directory = directory.join(format!("point-{number}"));
                let run = script.run(&directory, template, &point.options()).run;
                println!("{} at {point:?}", script.name);
                judge(&run, &directory, point.fault == "KILL", point.answers);
                fs::remove_dir_all(directory).expect("the directory is ours");
            })
            .count()
    });
    println!("{tried} points were tried");
    assert!(tried >= 2000, "only {tried} points were tried");
}

/// A file that may not grow over a limit is written up to it, so that the write
/// that crosses it is cut short; the next one fails.
#[test]
fn no_short_write_loses_what_was_committed_or_leaves_half_of_it() {
    const LIMITS: std::ops::Range<usize> = 0..40_000;
    const LIMIT_STEP: usize = 101;
    let tried = for_each_script(|script, directory, template| {
        let limits = LIMITS.step_by(LIMIT_STEP * step());
        limits
            .map(|limit| {
                let directory = directory.join(format!("limit-{limit}"));
                let run = script.run_with_file_limit(&directory, template, limit);
                println!("{} at {limit} bytes", script.name);
                judge(&run, &directory, false, &[IO, FULL]);
                fs::remove_dir_all(directory).expect("the directory is ours");
            })
            .count()
    });
    println!("{tried} limits were tried");
}
