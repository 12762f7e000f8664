//! Extensions with several connections: what an instance keeps belongs to one,
//! where it can use SQL, and begins anew when it trapped.

use crate::support::guest::Loaded;
use crate::support::{self, Directory, End, Input};

fn querying(name: &str) -> Loaded {
    Loaded::guest("querying", name).with(&["--grant", "querying=sql"])
}

#[test]
fn each_connection_has_an_instance_of_an_extension_with_sql() {
    querying("instances").answers(
        "SELECT sql00_count(); SELECT sql00_count();
         .connection 1
         .load querying
         SELECT sql00_count(), sql00_connects();
         .connection 0
         SELECT sql00_count(), sql00_connects();",
        &["1", "2", "1|1", "3|1"],
    );
}

#[test]
fn connections_share_an_instance_of_any_other_extension() {
    Loaded::guest("conformance", "shared").answers(
        "SELECT conf_volatile();
         .connection 1
         .load conformance
         SELECT conf_volatile();
         .connection 0
         SELECT conf_volatile();",
        &["1", "2", "3"],
    );
}

#[test]
fn sql_runs_on_the_connection_that_calls() {
    querying("own").answers(
        "CREATE TEMP TABLE here AS SELECT 'first' AS a; SELECT sql00_run('SELECT a FROM here');
         .connection 1
         .load querying
         CREATE TEMP TABLE here AS SELECT 'second' AS a; SELECT sql00_run('SELECT a FROM here');
         .connection 0
         SELECT sql00_run('SELECT a FROM here');",
        &["first", "second", "first"],
    );
}

#[test]
fn functions_that_are_defined_belong_to_one_connection() {
    let directory = Directory::fresh("define");
    let script = b"SELECT define('twice', ':n * 2'); SELECT twice(4);
.connection 1
.open other.db
.load define
SELECT define('twice', ':n || :n'); SELECT twice(4);
.connection 0
SELECT twice(4);
SELECT undefine('twice');
.connection 1
SELECT twice(4);
";
    let input = Input::Bytes(script);
    let args = ["--load", "define", "first.db"];
    let run = support::run(&support::our_binary(), &args, &directory.path(), &input).keeps_quiet();
    assert_eq!(run.out().lines().collect::<Vec<_>>(), ["", "8", "", "44", "8", "", "44"], "{run}");
}

#[test]
fn loading_again_on_a_connection_keeps_its_instance() {
    querying("again").answers(
        "SELECT sql00_count();
         .load querying
         SELECT sql00_count(), sql00_connects();
         SELECT calls, starts FROM extension_stats;",
        &["1", "2|2", "5|2"],
    );
}

#[test]
fn a_connection_that_is_closed_gives_its_instance_back() {
    // More than there may be at once.
    let round = ".open test.db\n.load querying\nSELECT sql00_count();\n";
    let loaded = querying("closed");
    let script = round.repeat(300) + "SELECT count(*), calls FROM extension_stats;\n";
    let run = loaded.run(&script).keeps_quiet();
    let out = run.out();
    let (counts, statistics) = out.trim_end().rsplit_once('\n').expect("there are lines");
    assert!(counts.lines().all(|count| count == "1") && counts.lines().count() == 300, "{run}");
    // 301 connections, of which one was not used and one is still open.
    assert_eq!(statistics, "1|901", "{run}");
}

#[test]
fn an_extension_is_notified_that_its_connection_is_closed() {
    let run = querying("farewell").run("SELECT sql00_farewell('good bye');");
    assert_eq!(run.end, End::Exited(0), "{run}");
    assert!(run.err().contains("`sql00` trapped") && run.err().contains("good bye"), "{run}");
    assert!(run.err().contains("there is no SQL in this call"), "{run}");
    // Each connection shows only its own.
    let run = querying("farewell").run(
        "SELECT sql00_farewell('first');
         .connection 1
         .load querying
         SELECT sql00_farewell('second');
         .connection 0
         .connection close 1
         SELECT 'between';",
    );
    let (first, second) = (run.err().find("first"), run.err().find("second"));
    assert!(first > second && second.is_some(), "{run}");
}

#[test]
fn a_fresh_instance_is_connected_before_it_is_called() {
    let loaded = querying("fresh");
    let run = loaded.run(
        "SELECT sql00_count();
         SELECT sql00_break();
         SELECT sql00_count(), sql00_connects();
         SELECT sql00_connects();",
    );
    assert_eq!(run.out(), "1\n1|1\n1\n", "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
    assert!(run.err().contains("told to break"), "{run}");
}

#[test]
fn define_is_connected_when_it_is_loaded() {
    let directory = Directory::fresh("loaded");
    let run = |script: &[u8]| {
        let args = ["--load", "define", "loaded.db"];
        let input = Input::Bytes(script);
        support::run(&support::our_binary(), &args, &directory.path(), &input).keeps_quiet()
    };
    // Loading calls `describe`, which is not counted.
    let fresh = run(b"SELECT calls FROM extension_stats;
SELECT define('twice', ':n * 2');
SELECT calls FROM extension_stats;
");
    assert_eq!(fresh.out(), "1\n\n2\n", "{fresh}");
    let known = run(b"SELECT calls FROM extension_stats;\nSELECT twice(4);\n");
    assert_eq!(known.out(), "1\n8\n", "{known}");
}

#[test]
fn a_database_that_cannot_be_read_is_the_extensions_to_complain_of() {
    let directory = Directory::fresh("unreadable");
    std::fs::write(
        directory.path().join("no.db"),
        "no database, but long enough for one".repeat(50),
    )
    .expect("the directory is ours");
    let args = ["--load", "define", "no.db", "SELECT 1"];
    let run = support::ours(&directory.path(), &args);
    assert!(run.err().contains("file is not a database"), "{run}");
}

#[test]
fn a_call_fails_whose_fresh_instance_cannot_connect() {
    let run = querying("refused").run(
        "CREATE TABLE refuse(a);
         SELECT sql00_break();
         SELECT sql00_count();
         DROP TABLE refuse;
         SELECT sql00_count(), sql00_connects();",
    );
    assert_eq!(run.out(), "1|2\n", "{run}");
    let failures: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert!(failures.len() == 2 && failures[1].contains("told to refuse"), "{run}");
}

#[test]
fn what_was_registered_later_is_never_another_function() {
    let run = querying("late").run(
        "SELECT sql00_register('one'); SELECT sql00_register('two');
         SELECT one(), two();
         SELECT sql00_break();
         SELECT two();
         SELECT sql00_register('two');
         SELECT two();
         SELECT one();",
    );
    assert_eq!(run.out(), "\n\none 1|two 1\n\ntwo 1\n", "{run}");
    let failures: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert_eq!(failures.len(), 3, "{run}");
    for lost in [&failures[1], &failures[2]] {
        assert!(lost.contains("its state was lost when the extension `sql00` trapped"), "{run}");
    }
}

/// Also after a trap: SQLite has them all the same.
#[test]
fn ten_thousand_functions_can_be_registered_later() {
    let register = "SELECT count(sql00_register('f' || value)) FROM generate_series";
    let run = querying("many").run(&format!(
        "{register}(1, 9999);
         SELECT sql00_register('F1'), sql00_register('f10000');
         SELECT sql00_register('f10001');
         SELECT sql00_break();
         SELECT sql00_register('f10002');
         SELECT sql00_register('f9999');
         SELECT f9999();",
    ));
    assert_eq!(run.out(), "0\n|\n\nf9999 1\n", "{run}");
    let failures: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert_eq!(failures.len(), 3, "{run}");
    for (place, name) in [(0, "f10001"), (2, "f10002")] {
        let failure = format!(
            "cannot register `{name}`: an extension may register 10000 functions on a connection"
        );
        assert!(failures[place].contains(&failure), "{run}");
    }
}

#[test]
fn what_connecting_registers_is_there_again_in_the_same_statement() {
    let run = querying("named").run(
        "CREATE TABLE late AS SELECT 'one' AS name UNION SELECT 'two';
         .load querying
         SELECT two();
         SELECT sql00_break();
         INSERT INTO late VALUES ('alpha');
         SELECT two(), one() FROM (VALUES (1), (2));
         SELECT alpha();",
    );
    assert_eq!(run.out(), "two 1\ntwo 1|one 1\ntwo 1|one 1\nalpha 1\n", "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}

#[test]
fn definitions_outlive_a_breakdown() {
    let directory = Directory::fresh("outlive");
    let script = b"SELECT define('twice', ':n * 2'), define('thrice', ':n * 3');
SELECT undefine('twice');
SELECT eval('SELECT zeroblob(30000000)');
SELECT thrice(2);
SELECT twice(2);
";
    let args = ["--extension-memory", "20M", "--load", "define", "test.db"];
    let input = Input::Bytes(script);
    let run = support::run(&support::our_binary(), &args, &directory.path(), &input);
    let failures: Vec<_> = run.err().lines().map(str::to_owned).collect();
    assert!(failures.len() == 2 && failures[0].contains("`define` failed"), "{run}");
    assert_eq!(run.out(), "|\n\n6\n", "{run}");
}

#[test]
fn tables_tell_what_is_wrong_with_them_by_sql() {
    querying("integrity").answers(
        "CREATE TABLE source AS SELECT 1 AS a UNION SELECT 2; CREATE TABLE problems(text);
         CREATE VIRTUAL TABLE t USING sql00_table;
         SELECT group_concat(value) FROM t;
         PRAGMA integrity_check(t);
         INSERT INTO problems VALUES ('a row is missing');
         PRAGMA integrity_check(t);
         DROP TABLE problems;
         PRAGMA integrity_check(t);",
        &["1,2", "ok", "a row is missing", "no such table: problems"],
    );
}

#[test]
fn a_write_to_a_blob_that_is_refused_is_not_done_later() {
    querying("blob").answers(
        "CREATE TABLE t(b); INSERT INTO t VALUES (x'000000');
         SELECT sql00_blob('t', 'b', 1);
         SELECT 'a' < 'b' COLLATE sql00_order;
         SELECT sql00_written();
         SELECT sql00_run('SELECT hex(b) FROM t');",
        &["", "1", "there is no SQL in this call", "000000"],
    );
}
