//! `ann` compared with a list of all vectors, under random changes; filters, hybrid
//! search, other connections, malformed tables, and a build that is killed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use crate::support::{self, Directory, Outcome};

/// Numbers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// Small integers, whose distances are exact in any order of sums.
    fn vector(&mut self) -> [i64; 4] {
        std::array::from_fn(|_| self.below(41) as i64 - 20)
    }
}

type Rows = BTreeMap<i64, ([i64; 4], i64)>;

/// What a table stores of a vector.
#[derive(Clone, Copy, PartialEq)]
enum Quantize {
    None,
    Int8,
    Binary,
}

impl Quantize {
    const ALL: [Self; 3] = [Self::None, Self::Int8, Self::Binary];

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Int8 => "int8",
            Self::Binary => "binary",
        }
    }

    /// The squared distance of a query and what is stored of a vector.
    fn squared(self, stored: &[i64; 4], query: &[i64; 4]) -> f64 {
        let largest = stored.iter().map(|part| part.abs()).max().unwrap_or(0);
        let scale = largest as f32 / 127.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let distance = |(stored, query): (&i64, &i64)| {
            let rounded = (*stored as f32 * inverse).round_ties_even() * scale;
            match self {
                Self::None => ((stored - query).pow(2)) as f64,
                Self::Int8 => f64::from((rounded - *query as f32).powi(2)),
                Self::Binary => f64::from((*stored > 0) != (*query > 0)),
            }
        };
        let sum: f64 = stored.iter().zip(query).map(distance).sum();
        if self == Self::Binary { sum * sum } else { sum }
    }

    /// The squared distances of the nearest rows that have a kind.
    fn nearest(self, rows: &Rows, query: &[i64; 4], k: usize, kind: Option<i64>) -> String {
        let passing = rows.values().filter(|(_, own)| kind.is_none_or(|kind| kind == *own));
        let mut distances: Vec<f64> =
            passing.map(|(vector, _)| self.squared(vector, query)).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let distances = distances.iter().take(k).map(|it| format!("{it:.2}"));
        distances.collect::<Vec<_>>().join(",")
    }
}

/// Whether two lines are equal, but for the rounding of numbers in lists.
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

/// A script of changes and searches, and what the searches must print.
struct Script {
    quantize: Quantize,
    connection: usize,
    numbers: Numbers,
    rows: Rows,
    saved: Vec<Rows>,
    sql: String,
    expected: Vec<String>,
}

impl Script {
    fn new(seed: u64, quantize: Quantize) -> Self {
        let (rows, saved, expected) = (Rows::new(), Vec::new(), Vec::new());
        let sql = format!(
            "CREATE VIRTUAL TABLE v USING ann(e float[4], kind integer, m=4, quantize={});\n",
            quantize.name()
        );
        Self { quantize, connection: 0, numbers: Numbers(seed), rows, saved, sql, expected }
    }

    /// A second connection, which some of the steps use.
    fn connect(&mut self) {
        self.sql += ".connection 1\n.open a.db\n.load ann\n.connection 0\n";
        self.connection = 0;
    }

    fn switch_connection(&mut self) {
        if self.saved.is_empty() {
            self.connection = 1 - self.connection;
            let _ = writeln!(self.sql, ".connection {}", self.connection);
        }
    }

    fn say(&mut self, sql: &str) {
        self.sql += sql;
        self.sql += ";\n";
    }

    fn step(&mut self) {
        let (id, vector) = (self.numbers.below(60) as i64, self.numbers.vector());
        let kind = self.numbers.below(3) as i64;
        let text = format!("'{vector:?}'");
        match self.numbers.below(15) {
            0..5 => {
                self.rows.insert(id, (vector, kind));
                self.say(&format!(
                    "INSERT OR REPLACE INTO v(rowid, e, kind) VALUES ({id}, {text}, {kind})"
                ));
            }
            5 => {
                self.rows.remove(&id);
                self.say(&format!("DELETE FROM v WHERE rowid = {id}"));
            }
            6 => {
                self.rows.entry(id).and_modify(|row| row.0 = vector);
                self.say(&format!("UPDATE v SET e = {text} WHERE rowid = {id}"));
            }
            7 => {
                self.rows.retain(|_, row| row.1 != kind);
                self.say(&format!("DELETE FROM v WHERE kind = {kind}"));
            }
            8 => self.transaction(),
            14 => self.switch_connection(),
            9 if self.saved.is_empty() => self.say("VACUUM"),
            9 => {
                self.say("PRAGMA integrity_check");
                self.expected.push("ok".into());
            }
            _ => self.search(&vector, kind),
        }
    }

    /// Savepoints in each other, released or taken back.
    fn transaction(&mut self) {
        let depth = self.saved.len();
        match self.numbers.below(3) {
            0 => {
                self.saved.push(self.rows.clone());
                self.say(&format!("SAVEPOINT s{depth}"));
            }
            1 if depth > 0 => {
                self.saved.pop();
                self.say(&format!("RELEASE s{}", depth - 1));
            }
            2 if depth > 0 => {
                self.rows.clone_from(&self.saved[depth - 1]);
                self.say(&format!("ROLLBACK TO s{}", depth - 1));
            }
            _ => {}
        }
    }

    fn search(&mut self, query: &[i64; 4], kind: i64) {
        let k = self.numbers.below(12) as usize;
        let kind = k.is_multiple_of(2).then_some(kind);
        let filter = kind.map_or(String::new(), |kind| format!(" AND kind = {kind}"));
        let exact = if k.is_multiple_of(3) { " AND exact = 1" } else { "" };
        self.say(&format!(
            "SELECT ifnull(group_concat(round(distance * distance, 2)), '') FROM \
             (SELECT distance FROM v WHERE e MATCH '{query:?}' AND k = {k}{filter}{exact} ORDER BY distance)"
        ));
        self.expected.push(self.quantize.nearest(&self.rows, query, k, kind));
    }

    fn end(&mut self) {
        if !self.saved.is_empty() {
            self.say("RELEASE s0");
            self.saved.clear();
        }
        self.say("PRAGMA integrity_check");
        self.expected.push("ok".into());
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

#[test]
fn random_changes_are_searched_as_a_list_is() {
    for (seed, quantize) in (1..).zip(Quantize::ALL) {
        let directory = Directory::fresh(&format!("ann-random-{seed}"));
        let mut script = Script::new(seed, quantize);
        // Each run opens the database anew.
        for _ in 0..4 {
            script.connect();
            (0..150).for_each(|_| script.step());
            script.end();
            answers(&directory, &script.sql, &script.expected);
            script.sql.clear();
            script.expected.clear();
        }
    }
}

/// `cargo test … ann::soak -- --ignored`, with `SOAK_MINUTES` for another time
#[test]
#[ignore = "fifteen minutes of random changes"]
fn soak() {
    let begin = std::time::Instant::now();
    let minutes = std::env::var("SOAK_MINUTES").map_or(15, |it| it.parse().expect("a number"));
    let mut seed = 1000;
    while begin.elapsed().as_secs() < 60 * minutes {
        seed += 1;
        let directory = Directory::fresh("ann-soak");
        let mut script = Script::new(seed, Quantize::ALL[seed as usize % 3]);
        script.connect();
        (0..1500).for_each(|_| script.step());
        script.end();
        answers(&directory, &script.sql, &script.expected);
    }
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
