//! The contract for virtual tables: plans, scans and batches, by an extension
//! that was written for this (`tests/guests/conformance`).

use crate::support::guest::Loaded;

fn loaded(name: &str) -> Loaded {
    Loaded::guest("conformance", name)
}

/// What `conf_scan` received, by the row of `a` = 5.
#[track_caller]
fn planned(condition: &str, index_info: &str, arguments: &str) {
    let script = format!("SELECT seen FROM conf_scan WHERE {condition};");
    loaded("planned").answers(&script, &[&format!("{index_info} -> {arguments}")]);
}

#[test]
fn every_operator_is_passed_with_its_right_side() {
    planned("a = 5", "a:Equal:5 Ordered used:1001", "5");
    planned("a > 4 AND a < 6", "a:Greater:4 a:Less:6 Ordered used:1001", "4 6");
    planned("a >= 5 AND a <= 5", "a:GreaterOrEqual:5 a:LessOrEqual:5 Ordered used:1001", "5 5");
    planned("a IS 5", "a:Is:5 Ordered used:1001", "5");
    let negative = "a <> 4 AND a IS NOT 6 AND a IS NOT NULL AND a > 4 AND a < 7";
    let index_info = "a:Greater:4 a:Less:7 a:IsNotNull:? a:IsNot:6 a:NotEqual:4 Ordered used:1001";
    planned(negative, index_info, "4 7 NULL 6 4");
    planned("rowid = 50", "rowid:Equal:50 Ordered used:1000", "50");
    planned("c GLOB '*5'", "c:Glob:'*5' Ordered used:1100", "'*5'");
    planned("c LIKE '%5'", "c:Like:'%5' Ordered used:1100", "'%5'");
    let nocase = "c:Equal:?!NOCASE Ordered used:1100";
    planned("c = 'TEXT 5' COLLATE nocase", nocase, "'TEXT 5'");
}

#[test]
fn null_is_passed_and_is_never_equal() {
    let script = "SELECT count(*) FROM conf_scan WHERE a IS NULL;
                  SELECT count(*) FROM conf_scan WHERE a = NULL;
                  SELECT count(*) FROM conf_scan WHERE a > NULL;";
    loaded("null").answers(script, &["0", "0", "0"]);
}

#[test]
fn an_overloaded_function_is_an_operator() {
    loaded("overload").answers(
        "SELECT a, seen FROM conf_scan WHERE conf_near(a, 9);
         SELECT conf_near(1, 2), conf_near(1, 3);",
        &[
            "8|a:Function(150):9 Ordered used:1001 -> 9",
            "9|a:Function(150):9 Ordered used:1001 -> 9",
            "1|0",
        ],
    );
}

#[test]
fn in_lists_come_whole() {
    let index_info = "a:Equal:?!list b:Equal:2 Ordered used:1011";
    planned("a IN (5, 1, 5, 'x') AND b = 2", index_info, "(1,5,'x') 2");
    let script = "CREATE TABLE few(x); INSERT INTO few VALUES (3), (7), (NULL);
                  SELECT a, seen FROM conf_scan WHERE a IN (SELECT x FROM few);
                  SELECT count(*) FROM conf_scan WHERE a IN ();";
    let seen = "a:Equal:?!list Ordered used:1001 -> (NULL,3,7)";
    loaded("list").answers(script, &[&format!("3|{seen}"), &format!("7|{seen}"), "0"]);
}

#[test]
fn order_limit_and_offset_are_passed() {
    loaded("order").answers(
        "SELECT a, seen FROM conf_scan ORDER BY a DESC LIMIT 1 OFFSET 2;
         SELECT a FROM conf_scan ORDER BY a DESC LIMIT 2 OFFSET 3;
         SELECT a, seen FROM conf_scan ORDER BY b DESC, a LIMIT 1;
         SELECT DISTINCT b FROM conf_scan; SELECT count(*) FROM conf_scan GROUP BY b;
         SELECT DISTINCT seen FROM conf_scan;
         SELECT max(seen) FROM conf_scan GROUP BY b LIMIT 1;",
        &[
            "7|:Offset:2 :Limit:1 order:a- Ordered used:1001 -> 2 1",
            "6",
            "5",
            "2|:Limit:1 order:b- order:a+ Ordered used:1011 -> 1",
            "0",
            "1",
            "2",
            "4",
            "3",
            "3",
            "order:seen+ Distinct used:1000 -> ",
            "order:b+ Grouped used:1010 -> ",
        ],
    );
}

#[test]
fn an_order_that_is_consumed_is_not_sorted_again() {
    let run = loaded("sorter").run(
        "EXPLAIN QUERY PLAN SELECT a FROM conf_scan ORDER BY a DESC;
         EXPLAIN QUERY PLAN SELECT a FROM conf_scan ORDER BY b;",
    );
    assert_eq!(run.out().matches("USE TEMP B-TREE FOR ORDER BY").count(), 1, "{run}");
}

#[test]
fn a_join_passes_what_it_knows_and_marks_the_rest() {
    loaded("join").answers(
        "SELECT x.a, y.a, y.seen FROM conf_scan x CROSS JOIN conf_scan y
           WHERE y.a = x.a + 7;",
        &[
            "0|7|a:Equal:? Ordered used:1001 -> 7",
            "1|8|a:Equal:? Ordered used:1001 -> 8",
            "2|9|a:Equal:? Ordered used:1001 -> 9",
        ],
    );
    // The arguments of a table-valued function must be known.
    loaded("join").answers(
        "SELECT x.a, count(*) FROM conf_scan x, conf_scan y WHERE y.last = x.a AND x.last = 2
           GROUP BY x.a;",
        &["0|1", "1|2", "2|3"],
    );
}

#[test]
fn a_unique_plan_is_known_to_sqlite() {
    loaded("unique").answers(
        "SELECT a FROM conf_scan WHERE a = 3 ORDER BY b, c; SELECT conf_log();",
        &["3", "Connect(main,conf_scan,) row0 row1 row2 row3 row4 row5 row6 row7 row8 row9"],
    );
}

#[test]
fn only_the_columns_in_use_are_fetched_also_of_wide_tables() {
    loaded("columns").answers(
        "SELECT c69, c2, c63 FROM conf_wide; SELECT count(*) FROM conf_wide;
         SELECT rowid FROM conf_wide; SELECT c62 + c64 FROM conf_wide WHERE c69 = 138;",
        &["69|2|63", "138|4|126", "2", "1", "2", "252"],
    );
}

#[test]
fn a_limit_computes_few_rows_and_row_by_row_just_one() {
    loaded("limit").answers(
        "SELECT a FROM conf_scan WHERE last = 100000 LIMIT 1; SELECT conf_log();
         SELECT a FROM conf_scan_by_row WHERE last = 100000 LIMIT 1; SELECT conf_log();",
        &[
            "0",
            "Connect(main,conf_scan,) row0 row1 row2 row3",
            "0",
            "Connect(main,conf_scan_by_row,) row0",
        ],
    );
}

#[test]
fn batches_and_single_rows_give_the_same() {
    let queries = [
        "SELECT rowid, * FROM {} WHERE last = 5000",
        "SELECT sum(a), max(c), count(DISTINCT b) FROM {} WHERE last = 5000 AND a <> 17",
        "SELECT a FROM {} WHERE last = 3000 ORDER BY a DESC LIMIT 5 OFFSET 1000",
        "SELECT x.a, y.c FROM {} x JOIN {} y ON y.a = x.a * 2 WHERE x.last = 60 AND y.last = 100",
        "SELECT count(*) FROM {} WHERE last = -1",
        "SELECT a, c FROM {} WHERE a IN (3, 1, 9)",
    ];
    for query in queries {
        let script = |table| format!("{};\n", query.replace("{}", table));
        let loaded = loaded("same");
        let batches = loaded.run(&script("conf_scan")).keeps_quiet();
        let rows = loaded.run(&script("conf_scan_by_row")).keeps_quiet();
        assert_eq!(batches.out(), rows.out(), "{query}");
        assert!(!batches.out().is_empty(), "{query}");
    }
}

#[test]
fn rows_before_a_failure_are_seen_whatever_the_batch() {
    for fail_at in [0, 1, 3, 4, 5, 20, 21, 500] {
        let script =
            |table| format!("SELECT a FROM {table} WHERE last = 1000 AND fail_at = {fail_at};");
        let message = format!("conf_scan: told to fail at {fail_at}");
        let loaded = loaded("failure");
        let batches = loaded.fails(&script("conf_scan"), &message);
        assert_eq!(batches.lines().count(), fail_at, "{batches}");
        assert_eq!(batches, loaded.fails(&script("conf_scan_by_row"), &message));
    }
}

#[test]
fn a_limit_before_the_failure_does_not_meet_it() {
    let script = "SELECT a FROM conf_scan WHERE fail_at = 2 LIMIT 2;";
    loaded("unmet").answers(script, &["0", "1"]);
}

#[test]
fn eponymous_tables_need_no_creation_and_may_have_one() {
    let loaded = loaded("eponymous");
    loaded.answers(
        "CREATE VIRTUAL TABLE t USING conf_scan(one, 'two, three', 4);
         SELECT conf_log(); SELECT count(*) FROM t; DROP TABLE t; SELECT conf_log();
         SELECT conf_alive();",
        &[
            "Connect(main,t,one;'two, three';4)",
            "10",
            "row0 row1 row2 row3 row4 row5 row6 row7 row8 row9 destroy",
            "0",
        ],
    );
    let only = "CREATE VIRTUAL TABLE t USING conf_edges;";
    loaded.fails(only, "no such module: conf_edges");
    loaded.fails("SELECT * FROM conf_store;", "no such table: conf_store");
}

#[test]
fn a_direct_only_module_is_closed_to_views() {
    let loaded = loaded("direct");
    loaded.answers("SELECT c1 FROM conf_direct_table;", &["1", "2"]);
    let view = "CREATE VIEW v AS SELECT c1 FROM conf_direct_table; SELECT * FROM v;";
    loaded.fails(view, "unsafe use of virtual table \"conf_direct_table\"");
}

#[test]
fn a_cursor_that_scans_again_begins_anew() {
    loaded("again").answers(
        "SELECT (SELECT count(*) FROM conf_scan s WHERE s.last = t.column1)
           FROM (VALUES (0), (4), (2000), (-1), (9)) AS t;
         SELECT conf_alive();",
        &["1", "5", "2001", "0", "10", "1"],
    );
}
