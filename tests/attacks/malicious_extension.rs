//! What becomes of an extension that does what no well-behaved one does
//! (`tests/guests/malicious`): one clear line that names it, and the database,
//! the connection and all other extensions live on.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::guest::Loaded;
use crate::support::{End, Outcome};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

fn malicious(name: &str) -> Loaded {
    Loaded::guest("malicious", name).with(&["--load", "conformance"])
}

/// The failing statement in a transaction, and what must live on around it.
const BEFORE: &str = "CREATE TABLE t(a); INSERT INTO t VALUES (1);
    BEGIN;
    INSERT INTO t VALUES (2);\n";
const AFTER: &str = "
    SELECT count(*) FROM t;
    SELECT conf_echo('alive');
    SELECT malicious('valid');
    COMMIT;
    SELECT count(*) FROM t;
    PRAGMA integrity_check;\n";

/// Fails unless a statement ends with one line that names the extension and
/// says this, and all else lives on.
#[track_caller]
fn ends(statement: &str, failure: &str) -> Outcome {
    ends_with(malicious("ends"), statement, failure)
}

#[track_caller]
fn ends_with(malicious: Loaded, statement: &str, failure: &str) -> Outcome {
    let run = malicious.run(&format!("{BEFORE}{statement};{AFTER}"));
    assert_eq!(run.end, End::Exited(1), "{run}");
    assert!(run.err().contains("`malicious`") && run.err().contains(failure), "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    assert!(run.err().len() < 2000, "{run}");
    assert!(run.out().ends_with("2\nalive\nvalid\n2\nok\n"), "{run}");
    run
}

#[test]
fn a_panic_is_an_error_with_its_text() {
    let run = ends("SELECT malicious('panic')", "the extension `malicious` trapped");
    assert!(run.err().contains("the malicious panic"), "{run}");
}

#[test]
fn an_endless_loop_ends_when_its_time_is_over() {
    let quick = malicious("loop").with(&["--extension-timeout", "100ms"]);
    ends_with(quick, "SELECT malicious('loop')", "used up its time for one call");
}

#[test]
fn memory_has_a_limit() {
    let run = ends("SELECT malicious('memory')", "out of memory");
    assert!(run.err().contains("--extension-memory"), "{run}");
    let small = malicious("memory").with(&["--extension-memory", "16M"]);
    ends_with(small, "SELECT malicious('memory')", "16777216 bytes");
}

#[test]
fn recursion_has_a_depth() {
    ends("SELECT malicious('recursion')", "trapped");
}

#[test]
fn a_value_has_a_largest_size() {
    malicious("fits").answers("SELECT length(malicious_value(100000000));", &["100000000"]);
    ends("SELECT length(malicious_value(200000000))", "--extension-value");
    let small = malicious("value").with(&["--extension-value", "1M"]);
    ends_with(small, "SELECT length(malicious_value(2000000))", "more than 1048576 bytes");
}

#[test]
fn a_message_has_a_largest_size() {
    let run = malicious("message").run("SELECT malicious_error(1, 50000000);");
    assert!(run.err().len() < 5000, "{} bytes", run.err().len());
    assert!(run.err().contains("xxx"), "{run}");
}

#[test]
fn a_log_is_bounded() {
    let quick = malicious("log").with(&["--extension-timeout", "1s"]);
    ends_with(quick, "SELECT malicious('log')", "the malicious log");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let run = ends("SELECT malicious('escape')", "error: not by malicious");
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    assert!(!run.stderr.iter().any(is_control), "{run}");
}

#[test]
fn an_exit_ends_the_call_and_not_the_program() {
    ends("SELECT malicious('exit')", "trapped");
}

#[test]
fn waiting_is_refused() {
    ends("SELECT malicious('sleep')", "an extension cannot wait");
}

#[test]
fn files_the_network_the_environment_and_programs_are_closed() {
    let loaded = malicious("closed");
    let script = "CREATE TABLE t(a); SELECT malicious('files'); SELECT malicious('network');
                  SELECT malicious('environment'); SELECT malicious('program');";
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
    let loaded = malicious("pipes").with(&["--grant", "malicious=dir:data,dir:/dev"]);
    let data = loaded.directory().join("data");
    fs::create_dir(&data).expect("the directory is ours");
    mkfifo(&data.join("pipe"), Mode::S_IRWXU).expect("the directory is ours");
    symlink("pipe", data.join("link")).expect("the directory is ours");
    fs::write(data.join("file"), "1").expect("the directory is ours");
    let reads = ["data/file", "data/pipe", "data/link", "/dev/zero", "/dev/ptmx", "data/none"]
        .map(|path| format!("SELECT malicious('read {path}');\n"));
    let refused = "Operation not permitted (os error 63)";
    let missing = "No such file or directory (os error 44)";
    loaded.answers(&reads.concat(), &["1 bytes", refused, refused, refused, refused, missing]);
}

#[test]
fn a_panic_at_any_moment_of_a_group_is_an_error() {
    let rows = "(VALUES (1), (2), (3))";
    for moment in ["step", "finish"] {
        ends(
            &format!("SELECT malicious_group('{moment}', 'panic') FROM {rows}"),
            "the malicious panic",
        );
    }
    // With OVER nobody reads what `finish` gives.
    for moment in ["step", "inverse", "value"] {
        let over = "OVER (ORDER BY column1 ROWS 1 PRECEDING)";
        let statement = format!("SELECT malicious_group('{moment}', 'panic') {over} FROM {rows}");
        ends(&statement, "the malicious panic");
    }
    let start =
        format!("SELECT malicious('start panic'); SELECT malicious_group('', '') FROM {rows}");
    ends(&start, "the malicious panic");
}

/// Nobody reads the error of a group that is abandoned, so the runner reports it.
#[test]
fn a_panic_of_a_group_that_is_abandoned_is_reported() {
    let run = malicious("abandon").run(&format!(
        "{BEFORE}SELECT malicious_group('abandon', 'panic') FROM (VALUES (1));{AFTER}"
    ));
    assert_eq!(run.end, End::Exited(1), "{run}");
    let lines: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].contains("the extension `malicious` trapped"), "{run}");
    assert!(lines[0].contains("the malicious panic") && lines[1].contains("told to fail"), "{run}");
    assert!(run.out().ends_with("2\nalive\nvalid\n2\nok\n"), "{run}");
}

#[test]
fn a_panicking_collation_is_reported_and_the_order_is_that_of_bytes() {
    let run = malicious("collation").run(
        "SELECT group_concat(a, ',') FROM (SELECT column1 AS a
           FROM (VALUES ('c'), ('action panic'), ('b')) ORDER BY a COLLATE malicious_order);
         SELECT 'b' < 'c' COLLATE malicious_order;",
    );
    assert_eq!(run.out(), "action panic,b,c\n1\n", "{run}");
    assert!(
        run.err().contains("`malicious` trapped") && run.err().contains("the malicious panic"),
        "{run}"
    );
    assert!(run.err().lines().count() <= 3, "{run}");
}
