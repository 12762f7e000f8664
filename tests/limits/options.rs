//! `--max-memory` and `--timeout`: a clear message, a specific exit code,
//! and a database that holds what was committed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::session::Session;
use crate::support::{self, Directory, ENDLESS, ENDLESS_CALL, End, Input, Outcome};

/// A statement that needs 200 MB at once.
const LARGE: &str = "SELECT length(hex(zeroblob(100000000)));";

/// What a script has committed, and what it has not, before it goes too far.
const BEFORE: &str = "CREATE TABLE t(a); INSERT INTO t VALUES ('committed');
    PRAGMA cache_size = 5; BEGIN; INSERT INTO t VALUES ('not committed');
    INSERT INTO t SELECT zeroblob(1000) FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12]');\n";

/// A directory for one database.
struct Limited {
    directory: Directory,
}

impl Limited {
    fn fresh(name: &str) -> Self {
        Self { directory: Directory::fresh(name) }
    }

    fn path(&self) -> PathBuf {
        self.directory.path()
    }

    /// Runs a script through standard input.
    fn script(&self, options: &[&str], script: &str) -> Outcome {
        let args = [options, &["test.db"]].concat();
        support::run(&support::our_binary(), &args, &self.path(), &Input::Bytes(script.as_bytes()))
    }

    /// Fails unless what was committed before is in the database, and no more.
    #[track_caller]
    fn is_intact(&self) {
        let query = "SELECT a FROM t; PRAGMA integrity_check;";
        support::natively(&self.path(), &["test.db", query]).prints("committed\nok\n");
    }
}

/// Fails unless the last line says that the limit of `option` was reached.
#[track_caller]
fn reports_limit(run: Outcome, code: i32, option: &str) -> Outcome {
    let run = run.exits_with(code);
    let err = run.err();
    let last = err.lines().last().unwrap_or_default();
    let clear = last.starts_with("error: ") && last.contains("limit") && last.contains(option);
    assert!(clear, "no clear line about {option}\n{run}");
    drop(err);
    run
}

#[test]
fn memory_is_limited() {
    let limited = Limited::fresh("memory");
    let run = limited.script(&["--max-memory", "64M"], &format!("{BEFORE}{LARGE}"));
    reports_limit(run, 123, "--max-memory").complains("out of memory");
    limited.is_intact();
}

#[test]
fn memory_for_rows_is_limited() {
    let limited = Limited::fresh("rows");
    let sql = "CREATE TABLE m(a);
        WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c)
        INSERT INTO m SELECT zeroblob(100000) FROM c;";
    let args = ["--max-memory=64M", ":memory:", sql];
    reports_limit(support::ours(&limited.path(), &args), 123, "--max-memory");
}

#[test]
fn under_the_memory_limit_nothing_is_said() {
    let limited = Limited::fresh("enough");
    let run = limited.script(&["--max-memory", "1G"], LARGE);
    run.exits_with(0).prints("200000000\n").keeps_quiet();
}

/// The limit holds for what the process has in the end, too.
#[test]
fn the_memory_limit_is_one_of_the_process() {
    let limited = Limited::fresh("process");
    let args = ["--max-memory", "64M", ":memory:"];
    let mut session = Session::start(&support::our_binary(), &args, &limited.path());
    session.answers_with(LARGE, "out of memory");
    let peak = support::session::peak_memory_bytes(session.process());
    assert!(peak < 128 << 20, "it has used {peak} bytes");
}

#[test]
fn a_memory_limit_that_is_too_small_to_start_is_reported_as_one() {
    let limited = Limited::fresh("start");
    for limit in ["1", "64K", "1M"] {
        let run = support::ours(&limited.path(), &["--max-memory", limit, ":memory:", "SELECT 1"]);
        reports_limit(run, 123, "--max-memory");
    }
}

#[test]
fn time_is_limited() {
    let limited = Limited::fresh("time");
    let script = format!("{BEFORE}{ENDLESS}\nSELECT 'after';\n");
    let run = limited.script(&["--timeout", "300ms"], &script);
    reports_limit(run, 124, "--timeout").prints("").complains("interrupted");
    limited.is_intact();
}

#[test]
fn time_is_limited_for_a_statement_on_the_command_line() {
    let limited = Limited::fresh("argument");
    let words = ["--timeout=0.3", "test.db", BEFORE, ENDLESS, "SELECT 'after'"];
    reports_limit(support::ours(&limited.path(), &words), 124, "--timeout").prints("");
    limited.is_intact();
}

#[test]
fn under_the_time_limit_nothing_is_said() {
    let limited = Limited::fresh("in-time");
    let run = limited.script(&["--timeout", "1h"], "SELECT 1;");
    run.exits_with(0).prints("1\n").keeps_quiet();
}

/// A function call that SQLite cannot leave is ended with the program.
#[test]
fn time_is_limited_inside_of_a_function() {
    let limited = Limited::fresh("function");
    let run = limited.script(&["--timeout", "100ms"], &format!("{BEFORE}{ENDLESS_CALL}"));
    reports_limit(run, 124, "--timeout");
    limited.is_intact();
}

#[test]
fn time_is_limited_while_nothing_is_typed() {
    let limited = Limited::fresh("idle");
    let args = ["--timeout", "100ms", "test.db"];
    let mut session = Session::start(&support::our_binary(), &args, &limited.path());
    session.send(BEFORE);
    let (end, text) = session.wait();
    assert_eq!(end, End::Exited(124), "{text}");
    assert!(text.contains("--timeout"), "{text}");
    limited.is_intact();
}

/// Runs while a native shell holds the database.
fn wait_for_a_lock(directory: &Path, options: &[&str]) -> Outcome {
    let mut holder = Session::start(&support::native(), &["test.db"], directory);
    holder.answers("BEGIN EXCLUSIVE;", "");
    let args = [options, &["-cmd", ".timeout 600000", "test.db", "UPDATE t SET a = 1"]].concat();
    support::ours(directory, &args)
}

#[test]
fn time_is_limited_while_it_waits_for_a_lock() {
    let limited = Limited::fresh("lock");
    let table = "CREATE TABLE t(a); INSERT INTO t VALUES ('committed')";
    support::natively(&limited.path(), &["test.db", table]).exits_with(0);
    reports_limit(wait_for_a_lock(&limited.path(), &["--timeout", "300ms"]), 124, "--timeout");
    limited.is_intact();
}

/// The time limit bounds all that a script can do, one statement after another.
#[test]
fn time_is_limited_for_many_short_statements() {
    let limited = Limited::fresh("many");
    let started = Instant::now();
    let mut session = Session::start(
        &support::our_binary(),
        &["--timeout", "500ms", ":memory:"],
        &limited.path(),
    );
    // A minute of work, if nobody stops it.
    let step = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 30000)
        SELECT count(*) FROM c;\n";
    session.try_send(&step.repeat(10_000));
    let (end, _) = session.wait();
    assert_eq!(end, End::Exited(124));
    assert!(started.elapsed() < Duration::from_secs(30), "it went on for {:?}", started.elapsed());
}

/// Output that nobody reads must not keep a program alive for ever.
#[test]
fn time_is_limited_while_nobody_reads_the_output() {
    let limited = Limited::fresh("unread");
    let mut command = support::command(
        &support::our_binary(),
        &["--timeout", "300ms", ":memory:", &ENDLESS.replace("count(*)", "i")],
        &limited.path(),
    );
    command.stdin(std::process::Stdio::null());
    let (unread, full) = std::io::pipe().expect("a pipe can be made");
    command.stdout(full).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("our own program");
    drop(command);
    let end = support::wait(&mut child).expect("our own child can be waited for");
    drop(unread);
    assert_eq!(end, End::Exited(124));
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let limited = Limited::fresh("nonsense");
    for option in ["--max-memory", "--timeout"] {
        for value in ["0", "-1", "many", "1X", ""] {
            let word = format!("{option}={value}");
            let run = support::ours(&limited.path(), &[&word, ":memory:", "SELECT 1"]);
            run.exits_with(2).prints("").complains(option);
        }
    }
}
