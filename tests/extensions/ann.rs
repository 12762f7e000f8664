//! `ann`: filters, savepoints, other connections, malformed tables, and a build that is
//! killed.

use std::fmt::Write;
use std::fs;

use crate::support::{self, Directory, Outcome};

mod random;

/// Whether two lines are equal, except for the rounding of values in lists.
fn agree(found: &str, expected: &str) -> bool {
    let numbers =
        |line: &str| line.split(',').map(|it| it.parse().ok()).collect::<Option<Vec<f64>>>();
    match (numbers(found), numbers(expected)) {
        (Some(found), Some(expected)) => {
            let close = |(left, right): (&f64, &f64)| (left - right).abs() < 0.1;
            found.len() == expected.len() && found.iter().zip(&expected).all(close)
        }
        _ => found == expected,
    }
}

fn run(directory: &Directory, script: &str) -> Outcome {
    fs::write(directory.path().join("script.sql"), script).expect("the directory is ours");
    support::ours(&directory.path(), &["--load", "ann", "a.db", ".read script.sql"])
}

fn answers(directory: &Directory, script: &str, expected: &[impl AsRef<str>]) {
    let run = run(directory, script);
    assert_eq!(run.err(), "", "{script}");
    let out = run.out();
    for (at, (found, expected)) in out.lines().zip(expected).enumerate() {
        let expected = expected.as_ref();
        assert!(agree(found, expected), "line {at}: {found}, not {expected}, of\n{script}");
    }
    assert_eq!(out.lines().count(), expected.len(), "{out}");
}

/// Rows enough for a graph; vectors on a curve, which has neighbours at each point.
const LARGE: &str = "
CREATE VIRTUAL TABLE v USING ann(e float[8], half integer, rare integer, m=8, ef_construction=40);
INSERT INTO v(rowid, e, half, rare)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14000)
  SELECT i, printf('[%f,%f,%f,%f,%f,%f,%f,%f]', sin(i), sin(i * 1.1), sin(i * 1.3), sin(i * 1.7),
    sin(i * 1.9), sin(i * 2.3), sin(i * 2.9), sin(i * 3.1)), i % 2, i % 200 FROM n;
";

/// How many of the 10 nearest to each of 20 rows a search finds, of 200.
fn hits(condition: &str) -> String {
    let search = |options: &str| {
        format!(
            "SELECT q.rowid AS q, v.rowid AS found FROM v AS q CROSS JOIN v WHERE q.rowid % 701 = 5 \
             AND q.rowid < 14000 AND v.e MATCH q.e AND v.k = 10 {condition} {options}"
        )
    };
    format!(
        "SELECT count(*) * 100 / 200 >= 95 FROM ({} INTERSECT {});\n",
        search(""),
        search("AND v.exact = 1")
    )
}

#[test]
fn a_graph_finds_nearly_all_also_with_filters_and_after_changes() {
    let directory = Directory::fresh("ann-graph");
    let mut script = LARGE.to_owned();
    let all = ["", "AND v.half = 1", "AND v.rare = 7", "AND v.rowid IN (1, 5, 9)"];
    let searches: String = all[..3].iter().map(|condition| hits(condition)).collect();
    script += "SELECT max(linked) = max(total) FROM ann_build('v');";
    script += &searches;
    script += "PRAGMA integrity_check;";
    script += "BEGIN; DELETE FROM v WHERE rowid % 3 = 0; SELECT count(*) FROM v; ROLLBACK;";
    script += &searches;
    script += "DELETE FROM v WHERE rowid % 50 = 0; UPDATE v SET e = e WHERE rowid % 70 = 1;";
    script += "INSERT INTO v(rowid, e) SELECT rowid + 100000, e FROM v WHERE rowid < 300;";
    script += &searches;
    script += "PRAGMA integrity_check;";
    script += "INSERT INTO v(v) VALUES ('rebuild'); SELECT count(*) FROM ann_build('v') WHERE linked = total;";
    script += &searches;
    script += "PRAGMA integrity_check;";
    let expected = "1 1 1 1 ok 9334 1 1 1 1 1 1 ok 1 1 1 1 ok";
    let expected: Vec<&str> = expected.split(' ').collect();
    answers(&directory, &script, &expected);
    // What was written is what the next connection finds.
    let again: Vec<&str> = vec!["1"; 3];
    answers(&directory, &searches, &again);
    // It reads the nodes around those that change together; one by one, they were 423 requests.
    let changes = "DELETE FROM v WHERE rowid IN (61, 4001, 8001);
        INSERT INTO v(rowid, e) VALUES (200000, '[0.1, 0.9, 0.3, 0.5, 0.2, 0.4, 0.1, 0.6]');
        SELECT sql_requests < 330 FROM extension_stats WHERE name = 'ann';";
    answers(&directory, changes, &["1"]);
}

/// A graph of codes that leave something out: the nearest by these codes, in their order.
#[test]
fn quantized_graphs_find_the_nearest_codes() {
    for quantize in ["int8", "binary"] {
        let directory = Directory::fresh(&format!("ann-graph-{quantize}"));
        let search = "SELECT q.rowid AS q, v.distance AS d FROM v AS q CROSS JOIN v \
                      WHERE q.rowid % 500 = 5 AND v.e MATCH q.e AND v.k = 10";
        let one =
            "SELECT distance FROM v WHERE e MATCH (SELECT e FROM v WHERE rowid = 77) AND k = 50";
        let script = format!(
            "CREATE VIRTUAL TABLE v USING ann(e float[32], quantize={quantize}, m=8, ef_construction=40);
             INSERT INTO v(rowid, e) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500),
               parts(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM parts WHERE j < 32)
               SELECT i, json_group_array(sin(i * (1 + j * 0.01) * 0.11)) FROM n, parts GROUP BY i;
             SELECT max(linked) = total FROM ann_build('v');
             SELECT count(*) * 100 / 210 >= 95 FROM ({search}) AS found
               JOIN (SELECT q, max(d) AS worst FROM ({search} AND v.exact = 1) GROUP BY q) USING (q) WHERE d <= worst;
             SELECT (SELECT group_concat(distance) FROM ({one})) =
               (SELECT group_concat(distance) FROM ({one} ORDER BY +distance));
             PRAGMA integrity_check;"
        );
        answers(&directory, &script, &["1", "1", "1", "ok"]);
    }
}

/// A table that shrinks below the size for a graph, is linked anew, and grows again.
#[test]
fn rows_are_found_once_after_a_smaller_table_was_rebuilt() {
    let directory = Directory::fresh("ann-shrunk");
    let rows = |first: u32, last: u32| {
        format!(
            "INSERT INTO v(rowid, e) WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL \
             SELECT i + 1 FROM n WHERE i < {last}) SELECT i, printf('[%f,%f,%f,%f]', sin(i), \
             sin(i * 1.1), sin(i * 1.3), cos(i)) FROM n;"
        )
    };
    let script = [
        "CREATE VIRTUAL TABLE v USING ann(e float[4], m=8, ef_construction=40);",
        &rows(1, 11000),
        "SELECT max(linked) = max(total) FROM ann_build('v');",
        "DELETE FROM v WHERE rowid > 10000; INSERT INTO v(v) VALUES ('rebuild');",
        &rows(20001, 20400),
        "SELECT count(*), count(DISTINCT rowid) FROM v WHERE e MATCH '[0, 0, 0, 1]' AND k = 50;",
        "SELECT count(*) > 45 FROM (SELECT rowid FROM v WHERE e MATCH '[0, 0, 0, 1]' AND k = 50 \
         INTERSECT SELECT rowid FROM v WHERE e MATCH '[0, 0, 0, 1]' AND k = 50 AND exact = 1);",
    ];
    answers(&directory, &script.join("\n"), &["1", "50|50", "1"]);
}

#[test]
fn changes_of_another_connection_are_seen() {
    let directory = Directory::fresh("ann-other");
    let near = "SELECT rowid FROM v WHERE e MATCH '[1, 1]' AND k = 1;";
    let script = [
        "CREATE VIRTUAL TABLE v USING ann(e float[2]);",
        "INSERT INTO v(rowid, e) VALUES (1, '[0, 0]'), (2, '[9, 9]');",
        near,
        ".connection 1",
        ".open a.db",
        ".load ann",
        near,
        "INSERT INTO v(rowid, e) VALUES (3, '[1, 1]');",
        ".connection 0",
        near,
        "DELETE FROM v WHERE rowid = 3;",
        ".connection 1",
        near,
        "UPDATE v SET e = '[1, 1]' WHERE rowid = 2;",
        ".connection 0",
        near,
        "SELECT hex(e) FROM v WHERE rowid = 2;",
    ];
    let script = script.join("\n");
    answers(&directory, &script, &["1", "1", "3", "1", "2", "0000803F0000803F"]);
}

/// Neither the old name, after a rename, nor the new one, after its rollback, finds a table.
#[test]
fn a_table_is_found_by_the_name_that_it_has() {
    let directory = Directory::fresh("ann-renamed");
    let near = |table: &str| format!("SELECT rowid FROM {table} WHERE e MATCH '[2, 2]' AND k = 1;");
    let script = [
        "CREATE VIRTUAL TABLE v USING ann(e float[2]);",
        "INSERT INTO v(rowid, e) VALUES (1, '[1, 1]'), (2, '[3, 3]');",
        "ALTER TABLE v RENAME TO w;",
        "SELECT linked FROM ann_build('w');",
        "INSERT INTO w(rowid, e) VALUES (3, '[2, 2]');",
        "CREATE VIRTUAL TABLE v USING ann(e float[2]); INSERT INTO v(rowid, e) VALUES (7, '[2, 2]');",
        "SELECT linked FROM ann_build('v'); SELECT linked FROM ann_build('w');",
        &near("v"),
        &near("w"),
        "DROP TABLE v;",
        "SAVEPOINT a; ALTER TABLE w RENAME TO x; DELETE FROM x WHERE rowid = 3;",
        "SELECT linked FROM ann_build('x');",
        "ROLLBACK TO a;",
        &near("w"),
        "INSERT INTO w(rowid, e) VALUES (5, '[2, 2.1]'); RELEASE a;",
        "SELECT linked FROM ann_build('w'); DELETE FROM w WHERE rowid = 3;",
        &near("w"),
        "PRAGMA integrity_check;",
    ];
    let expected = ["2", "1", "3", "7", "3", "3", "3", "4", "5", "ok"];
    answers(&directory, &script.join("\n"), &expected);
    for gone in ["v", "x"] {
        let run = run(&directory, &format!("SELECT * FROM ann_build('{gone}');"));
        assert!(run.err().contains("no table"), "{run}");
    }
    let other = "CREATE VIRTUAL TABLE v USING ann(e float[2]); BEGIN;
        INSERT INTO v(e) VALUES ('[1, 1]'); SELECT * FROM ann_build('w');";
    let run = run(&directory, other);
    assert!(run.err().contains("commit it first"), "{run}");
}

/// What is read between the rollbacks of two savepoints is not kept after the second.
#[test]
fn savepoints_in_each_other_take_all_rows_back() {
    let directory = Directory::fresh("ann-savepoints");
    let search = "SELECT count(*) FROM v WHERE e MATCH '[1, 1]' AND k = 5;";
    let script = [
        "CREATE VIRTUAL TABLE v USING ann(e float[2]); SAVEPOINT a;",
        "INSERT INTO v(rowid, e) VALUES (1, '[1, 1]'); SAVEPOINT b;",
        "INSERT INTO v(rowid, e) VALUES (2, '[2, 2]'); ROLLBACK TO b;",
        search,
        "ROLLBACK TO a;",
        search,
        "INSERT INTO v(rowid, e) VALUES (3, '[3, 3]'); RELEASE a;",
        search,
        "PRAGMA integrity_check;",
    ];
    answers(&directory, &script.join("\n"), &["1", "0", "1", "ok"]);
}

/// A part of a large insertion is taken back, by a savepoint inside its transaction.
#[test]
fn a_savepoint_inside_a_build_takes_its_part_back() {
    let directory = Directory::fresh("ann-partial");
    let insert = |first: u32, last: u32| {
        format!(
            "INSERT INTO v(rowid, e) WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL \
             SELECT i + 1 FROM n WHERE i < {last}) SELECT i, printf('[%f,%f,%f]', sin(i), \
             sin(i * 1.1), cos(i)) FROM n;"
        )
    };
    let search = "SELECT q.rowid AS q, v.rowid FROM v AS q CROSS JOIN v WHERE q.rowid % 997 = 5 \
                  AND v.e MATCH q.e AND v.k = 5";
    let found = format!(
        "SELECT count(*) * 100 / 50 >= 80 FROM ({search} INTERSECT {search} AND v.exact = 1);"
    );
    let script = [
        "CREATE VIRTUAL TABLE v USING ann(e float[3], m=4, ef_construction=20); BEGIN;",
        &insert(1, 10500),
        "SAVEPOINT a;",
        &insert(10501, 12000),
        "INSERT INTO v(v) VALUES ('optimize'); ROLLBACK TO a; SELECT count(*) FROM v;",
        &insert(20001, 20500),
        "DELETE FROM v WHERE rowid < 100; SELECT max(linked) = total FROM ann_build('v');",
        "RELEASE a; COMMIT;",
        "SELECT count(*) FROM v; PRAGMA integrity_check;",
        &found,
    ];
    answers(&directory, &script.join("\n"), &["10500", "1", "10901", "ok", "1"]);
    answers(&directory, &format!("PRAGMA integrity_check; {found}"), &["ok", "1"]);
}

/// Shadow tables that somebody wrote by hand: errors, and never a trap.
#[test]
fn malformed_shadow_tables_are_errors() {
    let changes = [
        "DELETE FROM v_config WHERE key = 'state'",
        "UPDATE v_config SET value = x'00' WHERE key = 'state'",
        "UPDATE v_config SET value = zeroblob(32) WHERE key = 'state'",
        "UPDATE v_config SET value = x'0102030405060708' || x'ffffffff' || substr(value, 13) WHERE key = 'state'",
        "UPDATE v_config SET value = CAST(substr(value, 1, 12) || x'ffffffffffffffffffffffff' || substr(value, 25) AS BLOB) WHERE key = 'state'",
        "UPDATE v_nodes SET node = x''",
        "UPDATE v_nodes SET node = NULL WHERE 0; UPDATE v_nodes SET node = 'text'",
        "UPDATE v_nodes SET node = CAST(substr(node, 1, 8) || x'ffffffff' || substr(node, 13) AS BLOB)",
        "UPDATE v_nodes SET node = CAST(substr(node, 1, 8) || x'08000000ffffffffffffff7f00000080' || substr(node, 25) AS BLOB)",
        "UPDATE v_nodes SET node = CAST(substr(node, 1, length(node) - 4) || x'0000c07f' AS BLOB)",
        "UPDATE v_nodes SET slot = slot + 4000000000",
        "DELETE FROM v_nodes",
        "UPDATE v_rows SET slot = -1",
        "UPDATE v_rows SET slot = 99999999999",
        "UPDATE v_rows SET slot = 'x'",
        "DELETE FROM v_rows",
        "INSERT INTO v_upper SELECT slot, x'ffffffff' FROM v_nodes",
        "INSERT INTO v_upper SELECT slot, x'01000000ffffffff' FROM v_nodes",
        "DROP TABLE v_upper",
        "DROP TABLE v_nodes",
    ];
    let directory = Directory::fresh("ann-corrupt");
    let make = "CREATE VIRTUAL TABLE v USING ann(e float[2], m=4);
        INSERT INTO v(rowid, e) VALUES (1, '[0, 0]'), (2, '[9, 9]'), (3, '[1, 1]');
        DELETE FROM v WHERE rowid = 3;";
    let uses = "PRAGMA integrity_check; SELECT rowid, e FROM v WHERE e MATCH '[1, 1]' AND k = 2;
        SELECT rowid FROM v WHERE e MATCH '[1, 1]' AND k = 2 AND exact = 1;
        SELECT rowid, hex(e) FROM v; INSERT INTO v(e) VALUES ('[5, 5]'); UPDATE v SET e = '[4, 4]';
        INSERT INTO v(v) VALUES ('rebuild'); SELECT * FROM ann_build('v');
        DELETE FROM v; SELECT rowid FROM v WHERE e MATCH '[1, 1]' AND k = 2;";
    for change in changes {
        let _ = fs::remove_file(directory.path().join("a.db"));
        let run = run(&directory, &format!("{make}{change};\n{uses}"));
        for said in ["trap", "panick", "lost", "memory"] {
            assert!(!run.err().contains(said), "{change}: {run}");
        }
        // Found, or harmless: the last search is over the same table in any case.
        assert!(run.out().contains('\n') || !run.err().is_empty(), "{change}: {run}");
    }
}

#[test]
fn limits_are_errors_or_hold() {
    let directory = Directory::fresh("ann-limits");
    let mut script = String::from("CREATE VIRTUAL TABLE one USING ann(e float[1]);\n");
    script += "CREATE VIRTUAL TABLE most USING ann(e float[8192] distance=cosine);\n";
    let most: Vec<String> = (0..8192).map(|at| (at % 7).to_string()).collect();
    let most = most.join(",");
    let _ = write!(
        script,
        "SELECT count(*) FROM one WHERE e MATCH '[1]' AND k = 10;
         INSERT INTO one(e) VALUES ('[1]'), ('[2]');
         SELECT count(*) FROM one WHERE e MATCH '[1]' AND k = 10000;
         SELECT count(*) FROM one WHERE e MATCH '[1]' AND k = 0;
         INSERT INTO most(e) VALUES ('[{most}]');
         SELECT round(distance, 3) FROM most WHERE e MATCH '[{most}]' AND k = 1;"
    );
    answers(&directory, &script, &["0", "2", "0", "0.0"]);
    for wrong in [
        "CREATE VIRTUAL TABLE x USING ann(e float[8193])",
        "SELECT * FROM one WHERE e MATCH '[1]' AND k = 10001",
        "SELECT * FROM one WHERE e MATCH '[1, 2]' AND k = 1",
        "SELECT * FROM one WHERE e MATCH NULL AND k = 1",
        "SELECT * FROM one WHERE e MATCH x'0000c07f' AND k = 1",
        "INSERT INTO one(e) VALUES (x'010203')",
        "INSERT INTO one(rowid, e) VALUES ('x', '[1]')",
    ] {
        let run = run(&directory, wrong);
        assert!(!run.err().is_empty() && run.out().is_empty(), "{wrong}: {run}");
    }
}

/// A process that ends at any moment of an insertion or build leaves a sound table.
#[test]
fn a_build_that_is_killed_leaves_a_sound_table() {
    let directory = Directory::fresh("ann-killed");
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
        SELECT printf('[%f,%f,%f]', sin(i), sin(i * 1.1), cos(i)) FROM n";
    let make = format!(
        "CREATE VIRTUAL TABLE v USING ann(e float[3], m=8, ef_construction=40);
         INSERT INTO v(e) {rows} LIMIT 11000; INSERT INTO v(v) VALUES ('rebuild');
         SELECT count(*) FROM v;"
    );
    answers(&directory, &make, &["11000"]);
    for delay in [50, 150, 400] {
        let script = format!("SELECT * FROM ann_build('v'); INSERT INTO v(e) {rows};");
        fs::write(directory.path().join("endless.sql"), script).expect("the directory is ours");
        let args = ["--load", "ann", "a.db", ".read endless.sql"];
        let mut child = support::command(&support::our_binary(), &args, &directory.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the runner starts");
        std::thread::sleep(std::time::Duration::from_millis(delay));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        answers(&directory, "PRAGMA integrity_check; SELECT count(*) FROM v;", &["ok", "11000"]);
    }
}
