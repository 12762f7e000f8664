//! What nests as deep as SQLite allows works, and what nests deeper is an error
//! of SQLite's and no trap: the stack is as large as a native one.

use crate::support::{self, Directory, Input};

/// `inner` between `count` times `open` and `close`.
fn nested(open: &str, count: usize, inner: &str, close: &str) -> String {
    [&open.repeat(count), inner, &close.repeat(count)].concat()
}

/// Runs a script with us and natively; both must print the same. What was
/// printed to both streams is returned.
fn as_natively(script: &str) -> String {
    let directory = Directory::fresh("depth");
    let [ours, native] = [support::our_binary(), support::native()].map(|program| {
        let input = Input::Bytes(script.as_bytes());
        support::run(&program, &[":memory:"], &directory.path(), &input)
    });
    assert!(
        (ours.end, &ours.stdout, &ours.stderr) == (native.end, &native.stdout, &native.stderr),
        "the two differ\n{ours}\n\n{native}"
    );
    [ours.out(), ours.err()].concat()
}

/// Fails unless the two scripts agree with the native shell, the first printing
/// something without an error, and the second telling `error`.
#[track_caller]
fn limit(deepest: &str, deeper: &str, error: &str) {
    let printed = as_natively(deepest);
    assert!(!printed.is_empty() && !printed.contains("rror"), "{printed}");
    let output = as_natively(deeper);
    assert!(output.contains(error), "{error:?} was expected: {output}");
}

#[test]
fn expressions_nest_as_deep_as_natively() {
    let sum = |count| format!("SELECT {}1;", "1+".repeat(count));
    limit(&sum(998), &sum(1001), "maximum depth 1000");
    let brackets = |count| format!("SELECT {};", nested("(", count, "1", ")"));
    limit(&brackets(900), &brackets(5000), "Recursion limit");
    let functions = |count| format!("SELECT {};", nested("abs(", count, "1", ")"));
    limit(&functions(400), &functions(5000), "Recursion limit");
}

#[test]
fn subqueries_nest_as_deep_as_natively() {
    let scalar = |count| format!("SELECT {};", nested("(SELECT ", count, "1", ")"));
    limit(&scalar(40), &scalar(300), "maximum depth 1000");
    let table =
        |count| format!("SELECT * FROM {};", nested("(SELECT * FROM ", count, "(SELECT 1)", ")"));
    limit(&table(80), &table(5000), "Recursion limit");
    as_natively(&scalar(5000));
    as_natively(&table(400));
}

#[test]
fn compound_selects_are_as_long_as_natively() {
    let union = |count| format!("SELECT 1{};", " UNION ALL SELECT 1".repeat(count));
    limit(&union(499), &union(500), "too many terms in compound SELECT");
}

#[test]
fn views_nest_as_deep_as_natively() {
    let views: String = (1..1200)
        .map(|number| format!("CREATE VIEW v{number} AS SELECT a FROM v{};\n", number - 1))
        .collect();
    let views = format!("CREATE VIEW v0 AS SELECT 1 AS a;\n{views}");
    let view = |number| format!("{views}SELECT * FROM v{number};");
    limit(&view(90), &view(1100), "nested too deep");
    as_natively(&view(500));
}

#[test]
fn triggers_nest_as_deep_as_natively() {
    let triggers = |count| {
        format!(
            "PRAGMA recursive_triggers=1; CREATE TABLE t(a);
             CREATE TRIGGER r AFTER INSERT ON t WHEN new.a < {count} BEGIN
             INSERT INTO t VALUES (new.a + 1); END;
             INSERT INTO t VALUES (1); SELECT count(*) FROM t;"
        )
    };
    limit(&triggers(1000), &triggers(2000), "triggers nested too deep");
}

#[test]
fn foreign_keys_cascade_as_deep_as_natively() {
    let cascade = |count| {
        format!(
            "PRAGMA foreign_keys=1;
             CREATE TABLE p(a PRIMARY KEY, b REFERENCES p ON DELETE CASCADE);
             WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < {count})
             INSERT INTO p SELECT i, nullif(i - 1, 0) FROM c;
             DELETE FROM p WHERE a = 1; SELECT count(*) FROM p;"
        )
    };
    limit(&cascade(900), &cascade(1900), "triggers nested too deep");
}

#[test]
fn json_nests_as_deep_as_natively() {
    let array = |count| format!("SELECT length(json('{}'));", nested("[", count, "", "]"));
    limit(&array(1000), &array(1001), "malformed JSON");
    limit(&array(1000), &array(1_000_000), "malformed JSON");
    let object = nested("{\"a\":", 1000, "1", "}");
    let uses = format!(
        "SELECT count(*) FROM json_tree('{object}');
         SELECT length(jsonb('{object}'));
         SELECT length(json(jsonb('{object}')));
         SELECT length(json_patch('{object}', '{object}'));
         SELECT length(json_pretty('{object}'));
         SELECT json_extract('{object}', '${}');",
        ".a".repeat(1000)
    );
    assert!(as_natively(&uses).starts_with("1001\n"));
}

#[test]
fn patterns_are_as_long_as_natively() {
    let like =
        |count: usize| format!("SELECT '{}' LIKE '{}b';", "a".repeat(count), "%a".repeat(count));
    limit(&like(24_990), &like(25_001), "pattern too complex");
    as_natively(&like(20_000).replace("LIKE", "GLOB").replace('%', "*"));
    let groups = nested("(", 300, "a", ")*");
    as_natively(&format!("SELECT 'aaaa' REGEXP '{groups}';"));
}

#[test]
fn full_text_queries_nest_as_deep_as_natively() {
    let search = |version: &str, query: &str| {
        format!(
            "CREATE VIRTUAL TABLE f USING {version}(a); INSERT INTO f VALUES ('x');
             SELECT count(*) FROM f WHERE f MATCH '{query}';"
        )
    };
    for version in ["fts5", "fts4"] {
        for count in [5, 50, 500, 5000] {
            as_natively(&search(version, &nested("(", count, "x", ")")));
            as_natively(&search(version, &nested("x AND ", count, "x", "")));
            as_natively(&search(version, &nested("x OR ", count, "x", "")));
            as_natively(&search(version, &nested("x NOT (y ", count, "z", ")")));
        }
    }
}

#[test]
fn with_clauses_are_as_many_as_natively() {
    let chain: String =
        (1..600).map(|number| format!(", c{number} AS (SELECT a FROM c{})", number - 1)).collect();
    let printed = as_natively(&format!("WITH c0 AS (SELECT 1 AS a){chain} SELECT a FROM c599;"));
    assert_eq!(printed, "1\n");
}

#[test]
fn recursive_tables_are_as_deep_as_natively() {
    let tree = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 200000)
        SELECT count(*), max(i) FROM c;";
    assert_eq!(as_natively(tree), "200000|200000\n");
}
