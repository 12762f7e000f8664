//! What becomes of an extension that does what no honest one does
//! (`host/tests/guests/evil`): one clear line that names it, and the database,
//! the connection and all other extensions live on.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::guest::Loaded;
use crate::support::{End, Outcome};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

fn evil(name: &str) -> Loaded {
    Loaded::guest("evil", name).with(&["--load", "conformance"])
}

/// The failing statement in a transaction, and what must live on around it.
const BEFORE: &str = "CREATE TABLE t(a); INSERT INTO t VALUES (1);
    BEGIN;
    INSERT INTO t VALUES (2);\n";
const AFTER: &str = "
    SELECT count(*) FROM t;
    SELECT conf_echo('alive');
    SELECT evil('honest');
    COMMIT;
    SELECT count(*) FROM t;
    PRAGMA integrity_check;\n";

/// Fails unless a statement ends with one line that names the extension and
/// says this, and all else lives on.
#[track_caller]
fn ends(statement: &str, failure: &str) -> Outcome {
    ends_with(evil("ends"), statement, failure)
}

#[track_caller]
fn ends_with(evil: Loaded, statement: &str, failure: &str) -> Outcome {
    let run = evil.run(&format!("{BEFORE}{statement};{AFTER}"));
    assert_eq!(run.end, End::Exited(1), "{run}");
    assert!(run.err().contains("`evil`") && run.err().contains(failure), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    assert!(run.err().len() < 2000, "{run}");
    assert!(run.out().ends_with("2\nalive\nhonest\n2\nok\n"), "{run}");
    run
}

#[test]
fn a_panic_is_an_error_with_its_text() {
    let run = ends("SELECT evil('panic')", "the extension `evil` trapped");
    assert!(run.err().contains("the evil panic"), "{run}");
}

#[test]
fn an_endless_loop_ends_when_its_time_is_over() {
    let quick = evil("loop").with(&["--extension-timeout", "100ms"]);
    ends_with(quick, "SELECT evil('loop')", "used up its time for one call");
}

#[test]
fn memory_has_a_limit() {
    let run = ends("SELECT evil('memory')", "memory allocation of");
    assert!(run.err().contains("--extension-memory"), "{run}");
    let small = evil("memory").with(&["--extension-memory", "16M"]);
    ends_with(small, "SELECT evil('memory')", "16777216 bytes");
}

#[test]
fn recursion_has_a_depth() {
    ends("SELECT evil('recursion')", "trapped");
}

#[test]
fn a_value_has_a_largest_size() {
    evil("fits").answers("SELECT length(evil_value(100000000));", &["100000000"]);
    ends("SELECT length(evil_value(200000000))", "--extension-value");
    let small = evil("value").with(&["--extension-value", "1M"]);
    ends_with(small, "SELECT length(evil_value(2000000))", "more than 1048576 bytes");
}

#[test]
fn a_message_has_a_largest_size() {
    let run = evil("message").run("SELECT evil_error(1, 50000000);");
    assert!(run.err().len() < 5000, "{} bytes", run.err().len());
    assert!(run.err().contains("xxx"), "{run}");
}

#[test]
fn a_log_is_bounded() {
    let quick = evil("log").with(&["--extension-timeout", "1s"]);
    ends_with(quick, "SELECT evil('log')", "the evil log");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let run = ends("SELECT evil('escape')", "error: not by evil");
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    assert!(!run.stderr.iter().any(is_control), "{run}");
}

#[test]
fn an_exit_ends_the_call_and_not_the_program() {
    ends("SELECT evil('exit')", "trapped");
}

#[test]
fn waiting_is_refused() {
    ends("SELECT evil('sleep')", "it asked to wait, which it may not");
}

#[test]
fn files_the_network_the_environment_and_programs_are_closed() {
    let loaded = evil("closed");
    let script = "CREATE TABLE t(a); SELECT evil('files'); SELECT evil('network');
                  SELECT evil('environment'); SELECT evil('program');";
    loaded.answers(
        script,
        &[
            "read: refused, relative: refused, write: refused, list: refused, remove: refused",
            "connect: refused, lookup: refused, listen: refused, datagram: refused",
            "0 variables, 0 arguments, in `/`",
            "run: refused",
        ],
    );
    assert!(loaded.directory().join("test.db").is_file());
}

/// Nobody writes to the pipe: who opened it would wait for ever, and no limit of
/// time ends what waits in the host.
#[test]
fn pipes_and_devices_in_a_granted_directory_are_not_opened() {
    let loaded = evil("pipes").with(&["--grant", "evil=dir:data,dir:/dev"]);
    let data = loaded.directory().join("data");
    fs::create_dir(&data).expect("the directory is ours");
    mkfifo(&data.join("pipe"), Mode::S_IRWXU).expect("the directory is ours");
    symlink("pipe", data.join("link")).expect("the directory is ours");
    fs::write(data.join("file"), "1").expect("the directory is ours");
    let reads = ["data/file", "data/pipe", "data/link", "/dev/zero", "/dev/ptmx", "data/none"]
        .map(|path| format!("SELECT evil('read {path}');\n"));
    let refused = "Operation not permitted (os error 63)";
    let missing = "No such file or directory (os error 44)";
    loaded.answers(&reads.concat(), &["1 bytes", refused, refused, refused, refused, missing]);
}

#[test]
fn a_panic_at_any_moment_of_a_group_is_an_error() {
    let rows = "(VALUES (1), (2), (3))";
    for moment in ["step", "finish"] {
        ends(&format!("SELECT evil_group('{moment}', 'panic') FROM {rows}"), "the evil panic");
    }
    // With OVER nobody reads what `finish` gives.
    for moment in ["step", "inverse", "value"] {
        let over = "OVER (ORDER BY column1 ROWS 1 PRECEDING)";
        let statement = format!("SELECT evil_group('{moment}', 'panic') {over} FROM {rows}");
        ends(&statement, "the evil panic");
    }
    let start = format!("SELECT evil('start panic'); SELECT evil_group('', '') FROM {rows}");
    ends(&start, "the evil panic");
}

/// Nobody reads what a failing group gives up with, so the runner tells of it.
#[test]
fn a_panic_of_a_group_that_is_given_up_is_told() {
    let run = evil("abandon")
        .run(&format!("{BEFORE}SELECT evil_group('abandon', 'panic') FROM (VALUES (1));{AFTER}"));
    assert_eq!(run.end, End::Exited(1), "{run}");
    let lines: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].contains("the extension `evil` trapped"), "{run}");
    assert!(lines[0].contains("the evil panic") && lines[1].contains("told to fail"), "{run}");
    assert!(run.out().ends_with("2\nalive\nhonest\n2\nok\n"), "{run}");
}

#[test]
fn a_panicking_collation_is_told_and_the_order_is_that_of_bytes() {
    let run = evil("collation").run(
        "SELECT group_concat(a, ',') FROM (SELECT column1 AS a
           FROM (VALUES ('c'), ('deed panic'), ('b')) ORDER BY a COLLATE evil_order);
         SELECT 'b' < 'c' COLLATE evil_order;",
    );
    assert_eq!(run.out(), "b,c,deed panic\n1\n", "{run}");
    assert!(run.err().contains("`evil` trapped") && run.err().contains("the evil panic"), "{run}");
    assert!(run.err().lines().count() <= 3, "{run}");
}
