//! `sql` with its typed resources, for languages that have only generated bindings.

use crate::support::guest::Loaded;

fn querying(name: &str) -> Loaded {
    Loaded::guest("querying", name).with(&["--grant", "querying=sql"])
}

#[test]
fn statements_are_prepared_bound_and_read_to_their_end() {
    querying("typed").answers(
        "SELECT sql00_typed('CREATE TABLE t(a); INSERT INTO t VALUES (1), (:x), (3) ', 'two');
         SELECT sql00_typed('SELECT a AS it, :x, ?2, NULL FROM t -- ', 0.5);
         SELECT sql00_typed('SELECT 1 WHERE 0; -- nothing', NULL);",
        &[
            ":x,3 3 3",
            ":x,?2,it,:x,?2,NULL,reads,1,0.5,0.5,NULL,two,0.5,0.5,NULL,3,0.5,0.5,NULL,3 3 3",
            "1,reads,3 3 3",
        ],
    );
}

#[test]
fn failures_are_those_of_sqlite() {
    let run = querying("typed-failures").run(
        "CREATE TABLE t(b); SELECT sql00_typed('SELECT absent', 1);
         SELECT sql00_typed('SELECT 1; SELECT abs(-9223372036854775808)', 1);
         SELECT sql00_typed_blob('t', 'b', 77, '');
         SELECT 'alive';",
    );
    assert_eq!(run.out(), "alive\n", "{run}");
    for message in ["no such column: absent", "integer overflow", "no such rowid: 77"] {
        assert!(run.err().contains(message), "{run}");
    }
}

#[test]
fn blobs_are_read_written_and_moved() {
    let run = querying("typed-blob").run(
        "CREATE TABLE t(b); INSERT INTO t VALUES (x'616263'), (x'646566');
         SELECT sql00_typed_blob('t', 'b', 1, 'xy'), (SELECT group_concat(b, ' ') FROM t);
         SELECT sql00_typed_blob('t', 'b', 1, 'long');
         SELECT count(*) FROM t WHERE CAST(b AS TEXT) = 'xyc';",
    );
    assert_eq!(run.out(), "abc,xyc,def|xyc def \n1\n", "{run}");
    assert_eq!(run.err().lines().count(), 1, "{run}");
}
