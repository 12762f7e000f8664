//! The contract for functions and collations: every kind and every edge, by an
//! extension that was written for this (`tests/guests/conformance`).

use crate::support;
use crate::support::guest::Loaded;

fn loaded(name: &str) -> Loaded {
    Loaded::guest("conformance", name)
}

/// SQLite's own view of each edge, as SQL.
const EDGES: &[(&str, &str)] = &[
    ("null", "NULL"),
    ("zero", "0"),
    ("least", "-9223372036854775808"),
    ("greatest", "9223372036854775807"),
    ("real", "0.1"),
    ("minus zero", "-0.0"),
    ("smallest", "5e-324"),
    ("largest", "1.7976931348623157e308"),
    ("infinity", "9e999"),
    ("minus infinity", "-9e999"),
    ("nan", "NULL"),
    ("empty text", "''"),
    ("text", "'größe'"),
    ("nul text", "'a' || char(0) || 'b'"),
    ("no utf8", "CAST(x'61ffc362' AS TEXT)"),
    ("empty blob", "x''"),
    ("blob", "x'0001feff'"),
];

/// A SELECT of all edges for which a condition does not hold.
fn exceptions(condition: impl Fn(&str, &str) -> String) -> String {
    let check = |(name, sql): &(&str, &str)| {
        format!("SELECT '{name}', quote({sql}) WHERE NOT ({});\n", condition(name, sql))
    };
    EDGES.iter().map(check).collect()
}

/// Whether two expressions give the same class and bytes.
fn same(left: &str, right: &str) -> String {
    format!(
        "{left} IS {right} AND typeof({left}) = typeof({right})
         AND hex({left}) = hex({right}) AND octet_length({left}) IS octet_length({right})"
    )
}

#[test]
fn values_of_the_extension_are_those_of_sqlite() {
    let script = exceptions(|name, sql| same(&format!("conf_edge('{name}')"), sql));
    loaded("edges-out").answers(&script, &[]);
}

#[test]
fn values_come_back_as_they_were_given() {
    let script = exceptions(|_, sql| same(&format!("conf_echo({sql})"), sql));
    loaded("edges-echo").answers(&script, &[]);
}

/// Values of up to 64 bytes go another way than longer ones.
#[test]
fn texts_and_blobs_of_every_length_come_back() {
    let script = format!(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 200),
         v(i, t, b) AS MATERIALIZED (SELECT i, substr(hex(randomblob(100)), 1, i), randomblob(i) FROM n)
         SELECT i, quote(t), quote(b) FROM v WHERE NOT ({}) OR (i > 0 AND NOT ({}));",
        same("conf_echo(t)", "t"),
        same("conf_echo(b)", "b"),
    );
    loaded("lengths").answers(&script, &[]);
}

/// Up to four arguments go another way, if they have at most 64 bytes together.
#[test]
fn arguments_of_every_number_class_and_length_arrive() {
    let join = |arguments: &[&str]| {
        let each = arguments.iter().map(|argument| format!("conf_join({argument})"));
        let each = each.collect::<Vec<_>>().join(" || ',' || ");
        same(&format!("conf_join({})", arguments.join(", ")), &each)
    };
    let conditions = [
        join(&["t", "b"]),
        join(&["i", "b", "t"]),
        join(&["t", "i / 3.0", "b", "NULL"]),
        join(&["b", "b", "i", "t"]),
        join(&["NULL", "t", "-i", "i", "b"]),
        "conf_join() = ''".to_owned(),
    ];
    let script = format!(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 5000),
         v(i, t, b) AS MATERIALIZED
             (SELECT i, substr(hex(randomblob(40)), 1, i % 67), randomblob(i / 67) FROM n)
         SELECT i, quote(t), quote(b) FROM v WHERE NOT ({});",
        conditions.join(" AND ")
    );
    loaded("arguments").answers(&script, &[]);
}

#[test]
fn values_of_a_table_are_those_of_sqlite() {
    let script = exceptions(|name, sql| {
        same(&format!("(SELECT value FROM conf_edges WHERE name = '{name}')"), sql)
    });
    loaded("edges-table").answers(&script, &[]);
}

#[test]
fn the_extension_sees_the_classes_of_sqlite() {
    let script =
        exceptions(|_, sql| format!("conf_class({sql}) = replace(typeof({sql}), 'real', 'real')"));
    loaded("classes").answers(&script, &[]);
}

#[test]
fn edges_are_steps_of_an_aggregate() {
    let edges: Vec<String> = EDGES.iter().map(|(_, sql)| format!("({sql})")).collect();
    let list = "[NULL 0 -9223372036854775808 9223372036854775807 0.1 -0.0 5e-324 \
                1.7976931348623157e308 inf -inf NULL '' 'größe' 'a\0b' 'a\u{fffd}\u{fffd}b' \
                x'' x'0001feff']";
    let list: String = list.bytes().map(|byte| format!("{byte:02X}")).collect();
    let script = format!("SELECT hex(conf_list(column1)) FROM (VALUES {});", edges.join(", "));
    loaded("edges-steps").answers(&script, &[&list]);
}

#[test]
fn ten_megabytes_cross_in_both_directions() {
    loaded("blob").answers(
        "SELECT conf_digest(conf_blob(10000000)), length(conf_blob(10000000));
         CREATE TABLE t(a); INSERT INTO t VALUES (conf_blob(10000000));
         SELECT conf_digest(a) = conf_digest(conf_echo(a)) FROM t;
         SELECT length(conf_list(a)) FROM t;",
        &["10000000:2897211a50a72ae5|10000000", "1", "20000005"],
    );
}

#[test]
fn a_hundred_arguments_arrive_in_order() {
    let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
    let list = numbers.join(",");
    let script = format!("SELECT conf_join({list}); SELECT conf_list({list});");
    loaded("arguments").answers(&script, &[&list, &format!("[{list}]")]);
}

#[test]
fn one_name_may_have_several_arities() {
    loaded("arity").answers(
        "SELECT conf_arity(), conf_arity(1), conf_arity(1, 2), conf_arity(1, 2, 3);",
        &["none|one|many|many"],
    );
    loaded("arity")
        .fails("SELECT conf_echo(1, 2);", "wrong number of arguments to function conf_echo()");
}

#[test]
fn text_comes_in_the_encoding_that_the_function_requests() {
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
        let script = format!(
            "PRAGMA encoding='{encoding}'; CREATE TABLE t(a); INSERT INTO t VALUES ('aĀ€😀');
             SELECT hex(conf_bytes_le(a)), hex(conf_bytes_be(a)), conf_echo(a) FROM t;
             SELECT conf_text_le(x'6100000120ac') = conf_text_be(x'61000100ac20') FROM t;
             SELECT conf_text_le(x'61000001'), conf_text_be(x'00610100');"
        );
        let bytes = "61000001AC203DD800DE|0061010020ACD83DDE00|aĀ€😀";
        loaded("encodings").answers(&script, &[bytes, "0", "aĀ|aĀ"]);
    }
}

#[test]
fn numbers_come_as_sqlite_writes_them_where_that_is_requested() {
    // A hundred thousand reals of all sizes, and the edges.
    let reals = "WITH RECURSIVE c(n, x) AS (VALUES (1, 1)
        UNION ALL SELECT n + 1, (x * 1103515245 + 12345) % 2147483648 FROM c WHERE n < 100000)
        SELECT (x - 1073741824) / 7.0 * pow(10, n % 600 - 300) AS x FROM c";
    let script = format!(
        "SELECT count(*), sum(conf_written(x) = CAST(x AS TEXT) AND typeof(conf_written(x)) = 'text')
           FROM ({reals});
         SELECT conf_written(9e999), conf_written(-0.0), conf_written(1e15), conf_written(-12);
         SELECT conf_written(NULL) IS NULL, hex(conf_written(x'00'));
         SELECT sum(conf_kit(x) <> CAST(x AS TEXT)) < 100 FROM ({reals} LIMIT 1000);"
    );
    let lines = ["100000|100000", "Inf|0.0|1000000000000000.0|-12", "1|00", "1"];
    loaded("written").answers(&script, &lines);
}

#[test]
fn subtypes_arrive_where_they_are_declared() {
    loaded("subtypes").answers(
        "SELECT conf_subtype(1), conf_subtype(json('[]')), conf_subtype(conf_with_subtype('a', 255));
         SELECT conf_subtype(conf_echo(json('[]')));
         SELECT json_array(conf_with_subtype('[1]', 74), conf_with_subtype('[1]', 0));
         SELECT conf_undeclared_subtype('a', 74), conf_subtype(conf_undeclared_subtype('a', 74));
         SELECT conf_subtypes(iif(column1, json(column1), 'x')) FROM (VALUES (1), (0));",
        &["0|74|255", "0", r#"[[1],"[1]"]"#, "a|0", "74 0"],
    );
}

#[test]
fn every_result_code_is_reported_with_its_message() {
    let loaded = loaded("codes");
    // Only SQLITE_SCHEMA (17) is special: SQLite tries again.
    for code in (2..=28).filter(|&code| code != 17) {
        let run = loaded.run(&format!("SELECT conf_error({code}, 'why {code}');"));
        let expected = format!("Runtime error near line 1: why {code} ({code})");
        assert_eq!(run.err().trim_end(), expected, "{run}");
    }
    let schema = loaded.run("SELECT conf_error(17, 'why 17');");
    assert!(schema.err().contains("(17)"), "{schema}");
}

#[test]
fn an_error_without_a_message_has_that_of_sqlite() {
    let cases = [
        (1, "SQL logic error"),
        (7, "out of memory (7)"),
        (11, "database disk image is malformed (11)"),
        (19, "constraint failed (19)"),
        (18, "string or blob too big (18)"),
    ];
    for (code, text) in cases {
        loaded("message").fails(&format!("SELECT conf_error({code}, '');"), text);
    }
}

#[test]
fn extended_codes_keep_their_class_and_what_is_no_failure_counts_as_one() {
    let loaded = loaded("extended");
    loaded.fails("SELECT conf_error(2067, 'unique');", "unique (19)");
    loaded.fails("SELECT conf_error(1299, 'not null');", "not null (19)");
    for code in [0, 100, 101, -1, 256] {
        let script = format!("SELECT conf_error({code}, 'still a failure');");
        loaded.fails(&script, "still a failure");
    }
}

#[test]
fn stable_functions_may_stand_in_indexes_and_volatile_ones_not() {
    let loaded = loaded("stable");
    loaded.answers(
        "CREATE TABLE t(a); INSERT INTO t VALUES (3), (1); CREATE INDEX i ON t(conf_stable(a));
         SELECT conf_log();
         SELECT a FROM t INDEXED BY i WHERE conf_stable(a) = 3;
         SELECT conf_volatile(), conf_volatile(), conf_volatile();",
        &["stable stable", "3", "1|2|3"],
    );
    loaded.fails("CREATE INDEX j ON t(conf_volatile());", "non-deterministic functions prohibited");
}

#[test]
fn risk_decides_what_a_schema_may_use() {
    let loaded = loaded("risk");
    loaded.answers(
        "PRAGMA trusted_schema = ON;
         CREATE VIEW direct AS SELECT conf_direct(); CREATE VIEW ordinary AS SELECT conf_ordinary();
         CREATE VIEW innocuous AS SELECT conf_echo(1);
         SELECT conf_direct(); SELECT * FROM ordinary;
         PRAGMA trusted_schema = OFF; SELECT * FROM innocuous;",
        &["direct", "ordinary", "1"],
    );
    loaded.fails("SELECT * FROM direct;", "unsafe use of conf_direct()");
    let distrusted = "PRAGMA trusted_schema = OFF; SELECT * FROM ordinary;";
    loaded.fails(distrusted, "unsafe use of conf_ordinary()");
}

#[test]
fn aggregates_see_each_row_once_and_in_order() {
    loaded("groups").answers(
        "SELECT conf_list(), conf_count(), conf_plain(1) FROM (SELECT 1 WHERE 0);
         SELECT conf_list(column1 ORDER BY column1 DESC) FROM (VALUES (1), (3), (2)) WHERE 0;
         WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 1000)
           SELECT conf_count(), length(conf_list(x)) FROM c;
         SELECT column1 % 2, conf_list(column1 ORDER BY column1 DESC)
           FROM (VALUES (1), (2), (3), (4)) GROUP BY 1;
         SELECT conf_list(DISTINCT column1), conf_list(column1) FILTER (WHERE column1 > 1)
           FROM (VALUES (1), (2), (1));
         SELECT conf_alive();",
        &["[]|0|[]", "[]", "1000|3894", "0|[4 2]", "1|[3 1]", "[1 2]|[2]", "0"],
    );
}

#[test]
fn windows_take_the_oldest_rows_away_again() {
    loaded("windows").answers(
        "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3), (4);
         SELECT a, conf_list(a) OVER (ORDER BY a ROWS 1 PRECEDING),
           conf_count() OVER (ORDER BY a ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING),
           conf_list(a) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM t;
         SELECT conf_list(a) OVER (PARTITION BY a % 2 ORDER BY a DESC) FROM t;
         SELECT conf_list(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING
           EXCLUDE CURRENT ROW) FROM t;
         SELECT conf_alive();",
        &[
            "1|[1]|0|[2 3 4]",
            "2|[1 2]|0|[3 4]",
            "3|[2 3]|1|[4]",
            "4|[3 4]|2|[]",
            "[4]",
            "[4 2]",
            "[3]",
            "[3 1]",
            "[2]",
            "[1 3]",
            "[2 4]",
            "[3]",
            "0",
        ],
    );
    let message = "conf_plain() may not be used as a window function";
    loaded("windows").fails("SELECT conf_plain(1) OVER ();", message);
}

#[test]
fn a_failing_step_ends_the_statement_and_leaves_nothing_behind() {
    let loaded = loaded("step");
    let rows = "(VALUES (1), ('fail'), (2))";
    for over in ["", "OVER ()"] {
        let script = format!("SELECT conf_list(column1) {over} FROM {rows};\nSELECT conf_alive();");
        let printed = loaded.fails(&script, "conf_list: told to fail");
        assert_eq!(printed, "0\n");
    }
}

#[test]
fn a_statement_that_ends_early_leaves_nothing_behind() {
    loaded("early").answers(
        "SELECT a FROM (SELECT conf_list(column1) OVER (ORDER BY column1) AS a
           FROM (VALUES (1), (2), (3))) LIMIT 1;
         SELECT conf_alive();",
        &["[1]", "0"],
    );
}

#[test]
fn collations_order_and_stand_in_indexes() {
    let loaded = loaded("collations");
    loaded.answers(
        "CREATE TABLE t(a COLLATE conf_backwards PRIMARY KEY);
         INSERT INTO t VALUES ('a'), ('c'), (''), ('b');
         SELECT group_concat(a, ',') FROM (SELECT a FROM t ORDER BY a);
         SELECT group_concat(a, ',') FROM (SELECT a FROM t WHERE a < 'b' ORDER BY a);
         SELECT max(a), min(a) FROM t;
         PRAGMA integrity_check;",
        &["c,b,a,", "c", "|c", "ok"],
    );
    // By units of UTF-16 a surrogate (U+10000) sorts before U+FF01, by bytes of
    // UTF-8 behind it; with its bytes swapped U+0100 before U+00FF.
    for collation in ["conf_le", "conf_be"] {
        let script = format!(
            "SELECT group_concat(hex(a), ' ') FROM (SELECT column1 AS a
               FROM (VALUES (char(0xff01)), (char(0x10000)), (char(0x100)), (char(0xff)), (''))
               ORDER BY a COLLATE {collation});"
        );
        loaded.answers(&script, &[" C3BF C480 F0908080 EFBC81"]);
    }
    let again = support::ours(&loaded.directory(), &["test.db", "SELECT a FROM t ORDER BY a"]);
    again.complains("no such collation sequence: conf_backwards");
}

#[test]
fn what_is_registered_is_listed_and_each_connection_has_its_own() {
    loaded("listed").answers(
        "SELECT count(*) FROM pragma_function_list WHERE name LIKE 'conf!_%' ESCAPE '!';
         SELECT name, type, narg FROM pragma_function_list WHERE name IN ('conf_list', 'conf_plain');
         SELECT count(*) FROM pragma_collation_list WHERE name LIKE 'conf!_%' ESCAPE '!';
         SELECT count(*) FROM pragma_module_list WHERE name LIKE 'conf!_%' ESCAPE '!';
         .connection 1
         SELECT count(*) FROM pragma_function_list WHERE name LIKE 'conf!_%' ESCAPE '!';
         .load conformance
         SELECT conf_echo('second');
         .connection 0
         SELECT conf_echo('first');",
        &["30", "conf_plain|a|1", "conf_list|w|-1", "4", "7", "0", "second", "first"],
    );
}
