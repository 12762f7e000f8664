//! What becomes of a table that traps in one of its callbacks, or gives
//! what no host can use: `tests/guests/malicious`.

use crate::support::guest::Loaded;
use crate::support::{self, End, Outcome};

/// A use of all callbacks of a table, around rows of a plain one.
const ALL: &str = "
    BEGIN;
    INSERT INTO plain VALUES (2);
    INSERT INTO t VALUES (1);
    SAVEPOINT s;
    INSERT INTO t VALUES (2);
    ROLLBACK TO s;
    RELEASE s;
    COMMIT;
    BEGIN; INSERT INTO t VALUES (3); ROLLBACK;
    SELECT like(a, 1) FROM t WHERE a > 0 LIMIT 1;
    PRAGMA integrity_check(t);
    ALTER TABLE t RENAME TO u;
    DROP TABLE u;";

/// Runs all of it on a table that does an action at a moment, and then looks at
/// what is left, in another process, without the extension.
#[track_caller]
fn survives(moment: &str, action: &str) -> Outcome {
    let loaded = Loaded::guest("malicious", "table").with(&["--load", "conformance"]);
    let script = format!(
        "CREATE TABLE plain(a); INSERT INTO plain VALUES (1);
         CREATE VIRTUAL TABLE t USING malicious_table({moment}, {action});
         {ALL}
         SELECT conf_echo('alive');
         SELECT malicious('valid');\n"
    );
    let run = loaded.run(&script);
    assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
    assert!(run.out().ends_with("alive\nvalid\n"), "{run}");
    let left = support::ours(&loaded.directory(), &["test.db", "PRAGMA integrity_check(plain)"]);
    left.prints("ok\n");
    run
}

/// The same, where the error must name the extension.
#[track_caller]
fn tells(moment: &str, action: &str, failure: &str) {
    let run = survives(moment, action);
    let is_named = |line: &str| line.contains("`malicious`") && line.contains(failure);
    // `PRAGMA integrity_check` prints what it finds.
    let (out, err) = (run.out(), run.err());
    assert!(
        err.lines().chain(out.lines()).any(is_named),
        "{moment}, {action}: `{failure}` was expected: {run}"
    );
}

#[test]
fn a_valid_table_passes() {
    let run = survives("never", "panic");
    assert_eq!(run.err(), "", "{run}");
}

#[test]
fn a_panic_in_each_callback_is_reported() {
    let moments = [
        "connect",
        "best-index",
        "open",
        "filter",
        "fetch",
        "close",
        "update",
        "begin",
        "sync",
        "commit",
        "rollback",
        "savepoint",
        "release",
        "rollback-to",
        "rename",
        "integrity",
        "find-function",
        "destroy",
    ];
    for moment in moments {
        tells(moment, "panic", "the malicious panic");
    }
}

#[test]
fn a_panic_when_a_connection_lets_a_table_go_is_reported() {
    let loaded = Loaded::guest("malicious", "disconnect");
    let run = loaded.run(
        "CREATE TABLE plain(a); INSERT INTO plain VALUES (1);
         CREATE VIRTUAL TABLE t USING malicious_table(disconnect, panic);
         SELECT sum(a) FROM t;
         .connection 1
         .connection close 0
         SELECT 'alive';",
    );
    assert_eq!(run.out(), "3\nalive\n", "{run}");
    assert!(run.err().contains("`malicious` trapped") && run.err().contains("panic"), "{run}");
    support::ours(&loaded.directory(), &["test.db", "PRAGMA integrity_check(plain)"])
        .prints("ok\n");
}

#[test]
fn what_was_lost_says_so_and_names_the_extension() {
    tells("filter", "panic", "state was lost");
}

#[test]
fn what_no_host_can_use_is_refused() {
    tells("fetch", "wide", "its rows have another width than was asked for");
    tells("fetch", "narrow", "its rows have another width than was asked for");
    tells("fetch", "required", "it required other values than its rows have");
    tells("fetch", "nothing", "it gave no rows, and not that none follow");
    tells("fetch", "huge", "--extension-value");
    tells("best-index", "nul", "the text of a plan has a NUL");
    for action in ["nul", "huge", "nonsense", "none"] {
        tells("connect", action, "cannot declare the table");
    }
}

#[test]
fn strange_plans_and_overloads_do_no_harm() {
    for action in ["argument", "uses", "cost", "huge"] {
        survives("best-index", action);
    }
    survives("find-function", "overload");
    survives("fetch", "many");
}

#[test]
fn a_trap_inside_a_transaction_leaves_the_transaction_to_the_person() {
    let loaded = Loaded::guest("malicious", "transaction");
    let run = loaded.run(
        "CREATE TABLE plain(a UNIQUE); INSERT INTO plain VALUES (1);
         CREATE VIRTUAL TABLE t USING malicious_table(filter, panic);
         BEGIN;
         INSERT INTO plain VALUES (2);
         INSERT INTO plain SELECT a + 10 FROM t;
         SELECT count(*) FROM plain;
         ROLLBACK;
         SELECT count(*) FROM plain;
         PRAGMA integrity_check(plain);",
    );
    assert_eq!(run.out(), "2\n1\nok\n", "{run}");
    assert!(run.err().contains("the malicious panic"), "{run}");
}
