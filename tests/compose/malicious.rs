//! What becomes of an extension that is embedded and does what no well-behaved one
//! does: it ends the program in one clear line, or the statement, and the
//! database is whole. What it does in vain is the same as when it is loaded.

use std::sync::OnceLock;

use crate::support::composed::Composed;
use crate::support::guest::guest;
use crate::support::{self, End, Outcome};

/// Exit codes of the runner.
const TRAP: i32 = 122;
const MEMORY: i32 = 123;
const TIMEOUT: i32 = 124;

fn malicious() -> &'static Composed {
    static MALICIOUS: OnceLock<Composed> = OnceLock::new();
    let path = guest("malicious-offline");
    let conformance = guest("conformance");
    let paths = [&path, &conformance].map(|path| path.to_str().expect("a path in UTF-8"));
    MALICIOUS.get_or_init(|| Composed::with("malicious", &paths))
}

/// Fails unless the statement, in a transaction, ends the program with this
/// code and one line that says this, and what was committed before is there.
#[track_caller]
fn ends(database: &str, options: &[&str], statement: &str, code: i32, failure: &str) -> Outcome {
    let script = format!(
        "CREATE TABLE t(a); INSERT INTO t VALUES (1);
         BEGIN; INSERT INTO t VALUES (2);\n{statement};\nCOMMIT;\nSELECT 'alive';\n"
    );
    let run = malicious().run_with(options, &[database], &script);
    assert_eq!(run.end, End::Exited(code), "{run}");
    assert!(run.err().contains(failure), "`{failure}`: {run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    assert!(run.err().len() < 2000 && !run.out().contains("alive"), "{run}");
    let state = "PRAGMA integrity_check; SELECT group_concat(a) FROM t";
    malicious().run(&[database, state]).prints("ok\n1\n").keeps_quiet();
    run
}

/// The same for one that traps.
#[track_caller]
fn traps(database: &str, statement: &str, message: &str) -> Outcome {
    let run = ends(database, &[], statement, TRAP, message);
    assert!(run.err().contains("the embedded extension `malicious` trapped"), "{run}");
    run
}

#[test]
fn a_panic_ends_the_program_with_its_text() {
    traps("panic.db", "SELECT malicious('panic')", "the malicious panic");
}

#[test]
fn recursion_has_a_depth() {
    traps("recursion.db", "SELECT malicious('recursion')", "wasm trap: ");
}

#[test]
fn an_exit_is_no_exit_of_the_program() {
    traps("exit.db", "SELECT malicious('exit')", "an extension cannot end the program");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let run = traps("escape.db", "SELECT malicious('escape')", "error: not by malicious");
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    assert!(!run.stderr.iter().any(is_control), "{run}");
}

#[test]
fn time_is_the_programs_own() {
    for action in ["loop", "sleep"] {
        let database = format!("{action}.db");
        let statement = format!("SELECT malicious('{action}')");
        ends(&database, &["--timeout", "1s"], &statement, TIMEOUT, "--timeout");
    }
}

#[test]
fn a_log_is_bounded() {
    traps("log.db", "SELECT malicious('log')", "the malicious log");
}

#[test]
fn memory_is_the_programs_own() {
    let options = ["--max-memory", "200M"];
    ends("memory.db", &options, "SELECT malicious('memory')", MEMORY, "--max-memory");
}

#[test]
fn a_panic_at_any_moment_of_a_group_ends_the_program() {
    let rows = "(VALUES (1), (2), (3))";
    for moment in ["step", "finish", "abandon"] {
        let statement = format!("SELECT malicious_group('{moment}', 'panic') FROM {rows}");
        traps(&format!("{moment}.db"), &statement, "the malicious panic");
    }
    for moment in ["inverse", "value"] {
        let over = "OVER (ORDER BY column1 ROWS 1 PRECEDING)";
        let statement = format!("SELECT malicious_group('{moment}', 'panic') {over} FROM {rows}");
        traps(&format!("{moment}.db"), &statement, "the malicious panic");
    }
    let start =
        format!("SELECT malicious('start panic'); SELECT malicious_group('', '') FROM {rows}");
    traps("start.db", &start, "the malicious panic");
}

#[test]
fn a_panicking_collation_ends_the_program() {
    let statement = "SELECT 'action panic' < 'b' COLLATE malicious_order";
    traps("collation.db", statement, "the malicious panic");
}

#[test]
fn a_panic_in_a_callback_of_a_table_ends_the_program() {
    for moment in ["connect", "best-index", "open", "filter", "fetch", "update", "commit"] {
        let statement = format!(
            "COMMIT; DELETE FROM t WHERE a = 2; BEGIN;
             CREATE VIRTUAL TABLE v USING malicious_table({moment}, panic);
             INSERT INTO v VALUES (1); SELECT * FROM v WHERE a > 0;"
        );
        let database = format!("table-{moment}.db");
        traps(&database, &statement, "the malicious panic");
    }
}

#[test]
fn batches_that_no_host_can_use_end_the_statement() {
    for (action, failure) in [
        ("wide", "its rows have another width than was asked for"),
        ("narrow", "its rows have another width than was asked for"),
        ("required", "it required other values than its rows have"),
        ("nothing", "it gave no rows, and not that none follow"),
    ] {
        let script = format!(
            "CREATE VIRTUAL TABLE v USING malicious_table(fetch, {action});
             SELECT * FROM v;
             SELECT conf_echo('alive'), malicious('valid');\n"
        );
        let run = malicious().run_script(&[":memory:"], &script).exits_with(1);
        assert!(
            run.err().contains("`malicious`") && run.err().contains(failure),
            "{action}: {run}"
        );
        assert!(run.out().ends_with("alive|valid\n"), "{action}: {run}");
    }
}

#[test]
fn long_messages_and_values_do_no_harm() {
    let script = "SELECT length(malicious_value(20000000));\nSELECT malicious_error(1, 5000000);\n\
                  SELECT malicious('valid');\n";
    let run = malicious().run_script(&[":memory:"], script);
    assert_eq!(run.out(), "20000000\nvalid\n", "{}", run.err().len());
}

#[test]
fn files_the_environment_and_programs_are_closed() {
    let script = "CREATE TABLE t(a); SELECT malicious('files'); SELECT malicious('environment');\n\
                  SELECT malicious('program');\n";
    let answers = "read: refused, relative: refused, write: refused, list: refused, \
                   remove: refused\n0 variables, 0 arguments, in `/`\nrun: refused\n";
    malicious().run_script(&["test.db"], script).prints(answers).keeps_quiet();
    assert!(malicious().directory().join("test.db").is_file());
}

#[test]
fn what_imports_the_network_is_refused() {
    let directory = support::Directory::fresh("network");
    let (cli, malicious) = (support::portable_component(), guest("malicious"));
    let [cli, malicious] = [&cli, &malicious].map(|path| path.to_str().expect("a path in UTF-8"));
    let run = support::ours(&directory.path(), &["compose", "--cli", cli, "--embed", malicious]);
    let run = run.complains("it imports `wasi:sockets/");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}
