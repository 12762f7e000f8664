//! `sql:ro`: an extension with it changes nothing, by itself or by what its SQL
//! calls. Each attempt has a control: with `sql` the same statement works.

use std::fs;

use crate::support::guest::guest;
use crate::support::{self, Directory, Input, Outcome};

/// What each database begins with.
const SETUP: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB);
INSERT INTO t VALUES (1, x'01'), (2, x'02');
CREATE INDEX i ON t(b);
CREATE VIRTUAL TABLE f4 USING fts4(x);
CREATE VIRTUAL TABLE f5 USING fts5(x);
CREATE VIRTUAL TABLE terms USING fts5vocab(f5, row);
CREATE VIRTUAL TABLE r USING rtree(id, low, high);
";

/// What nobody may have changed.
const STATE: &str = "SELECT 'state', (SELECT group_concat(a || hex(b)) FROM t),
 (SELECT count(*) FROM sqlite_schema), (SELECT count(*) FROM sqlite_temp_schema),
 (SELECT count(*) FROM f4), (SELECT count(*) FROM f5), (SELECT count(*) FROM r),
 (SELECT group_concat(name) FROM pragma_database_list), (SELECT * FROM pragma_user_version),
 (SELECT * FROM pragma_writable_schema), (SELECT * FROM pragma_foreign_keys);
";

/// A database, with an extension `peeks` that has `sql:ro` and an extension
/// `pokes` that has `sql`.
struct Both(Directory);

impl Both {
    fn new(name: &str) -> Self {
        let directory = Directory::fresh(name);
        for (from, to) in [("querying-ro", "peeks"), ("querying", "pokes")] {
            let content = fs::read(guest(from)).expect("it is there");
            let content = support::guest::renamed(&content, "sql00", to);
            fs::write(directory.path().join(format!("{to}.wasm")), content).expect("it is ours");
        }
        let both = Self(directory);
        both.run(SETUP).keeps_quiet();
        both
    }

    fn run(&self, script: &str) -> Outcome {
        let args = [
            ["--extension-dir", "."],
            ["--grant", "peeks=sql:ro"],
            ["--grant", "pokes=sql"],
            ["--load", "peeks"],
            ["--load", "pokes"],
        ];
        let args: Vec<&str> = args.as_flattened().iter().copied().chain(["test.db"]).collect();
        let input = Input::Bytes(script.as_bytes());
        support::run(&support::our_binary(), &args, &self.0.path(), &input)
    }

    /// Fails unless each of `attempts` is an error with `why`, and changes nothing.
    #[track_caller]
    fn refuses(&self, before: &str, attempts: &[String], why: &str) {
        for attempt in attempts {
            let run = self.run(&format!("{before}{STATE}{attempt};\n{STATE}"));
            let states: Vec<_> = run
                .out()
                .lines()
                .filter(|line| line.starts_with("state"))
                .map(str::to_owned)
                .collect();
            assert!(states.len() == 2 && states[0] == states[1], "{attempt}: {run}");
            assert_eq!(run.err().lines().count(), 1, "{attempt}: {run}");
            assert!(run.err().contains(why), "{attempt}: {run}");
        }
    }

    /// Fails unless all is done without an error; what is printed.
    #[track_caller]
    fn does(&self, script: &str) -> String {
        self.run(script).keeps_quiet().out().into_owned()
    }
}

fn quoted(sql: &str) -> String {
    format!("'{}'", sql.replace('\'', "''"))
}

/// SQL of the extension that may only read.
fn by_reader(sql: &str) -> String {
    format!("SELECT peeks_run({})", quoted(sql))
}

/// SQL of the other one.
fn by_writer(sql: &str) -> String {
    format!("SELECT pokes_run({})", quoted(sql))
}

/// The reader's SQL calls the writer, which executes this.
fn nested(sql: &str) -> String {
    by_reader(&by_writer(sql))
}

const OWN: &str = "it may only read; `sql` lets it write";
const LENT: &str = "may only read";

/// In this order each works for who may write.
const WRITES: &[&str] = &[
    "INSERT INTO t VALUES (9, NULL)",
    "REPLACE INTO t VALUES (9, x'09')",
    "WITH n(a) AS (SELECT 9) UPDATE t SET b = NULL WHERE a IN n",
    "INSERT INTO t VALUES (10, NULL) RETURNING a",
    "DELETE FROM t WHERE a > 8",
    "EXPLAIN DELETE FROM t",
    "CREATE TABLE u(a)",
    "ALTER TABLE u ADD COLUMN b",
    "ALTER TABLE u RENAME TO v",
    "DROP TABLE v",
    "CREATE TEMP TABLE u(a)",
    "INSERT INTO temp.u VALUES (1)",
    "CREATE INDEX j ON t(a, b)",
    "CREATE VIEW w AS SELECT 1",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "INSERT INTO f4(f4) VALUES ('optimize')",
    "INSERT INTO f5(f5) VALUES ('optimize')",
    "INSERT INTO f5 VALUES ('text')",
    "INSERT INTO r VALUES (1, 2, 3)",
    "UPDATE sqlite_dbpage SET data = data WHERE pgno = 1",
    "REINDEX",
    "REINDEX t",
    "ANALYZE",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "RELEASE s",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "ATTACH ':memory:' AS other",
    "PRAGMA user_version = 4",
    "PRAGMA main.user_version(4)",
    "PRAGMA foreign_keys = ON",
    "PRAGMA writable_schema = ON",
    "PRAGMA cache_size = 10",
    "PRAGMA optimize",
    "PRAGMA wal_checkpoint",
    "PRAGMA incremental_vacuum",
    "PRAGMA case_sensitive_like = ON",
    "SELECT * FROM pragma_optimize(0x10002)",
    "SELECT optimize(f4) FROM f4",
];

/// What is there already when a reader tries.
fn prepared_for(write: &str) -> &'static str {
    match write {
        "ALTER TABLE u ADD COLUMN b" | "ALTER TABLE u RENAME TO v" => "CREATE TABLE u(a);\n",
        "DROP TABLE v" => "CREATE TABLE v(a);\n",
        "INSERT INTO temp.u VALUES (1)" => "CREATE TEMP TABLE u(a);\n",
        "ROLLBACK TO s" | "RELEASE s" => "SAVEPOINT s; DELETE FROM t WHERE a = 2;\n",
        "COMMIT" => "BEGIN; DELETE FROM t WHERE a = 2;\n",
        "UPDATE sqlite_dbpage SET data = data WHERE pgno = 1" => ".dbconfig defensive off\n",
        "SELECT optimize(f4) FROM f4" => {
            "INSERT INTO f4 VALUES ('one'); INSERT INTO f4 VALUES ('two');\n"
        }
        _ => "",
    }
}

#[test]
fn what_writes_is_refused_and_works_with_sql() {
    let all: Vec<String> = WRITES.iter().map(|sql| by_writer(sql) + ";\n").collect();
    Both::new("control").does(&format!(".dbconfig defensive off\n{}", all.concat()));
}

#[test]
fn what_a_reader_executes_changes_nothing() {
    for write in WRITES {
        Both::new("own").refuses(prepared_for(write), &[by_reader(write)], OWN);
    }
}

#[test]
fn what_another_extension_executes_for_a_reader_changes_nothing() {
    for write in WRITES {
        Both::new("nested").refuses(prepared_for(write), &[nested(write)], LENT);
    }
}

#[test]
fn a_transaction_that_is_open_stays_open() {
    let both = Both::new("open");
    let before = "BEGIN; DELETE FROM t WHERE a = 2;\n";
    let ends = ["ROLLBACK", "COMMIT", "END", "SAVEPOINT s", "VACUUM"];
    for end in ends {
        both.refuses(before, &[by_reader(end), nested(end)], "may only read");
        // The shell's own functions, which prepare and step by themselves.
        let shells = by_reader(&format!("SELECT sha3_query({})", quoted(end)));
        both.refuses(before, &[shells], "");
    }
    let done = both.does(&format!("{before}{}; SELECT count(*) FROM t;", by_writer("ROLLBACK")));
    assert_eq!(done, "\n2\n");
}

const WRITE: u8 = wire::Opcode::Write as u8;
const PREPARE: u8 = wire::Opcode::Prepare as u8;
const STEP: u8 = wire::Opcode::Step as u8;
const SET_LAST_INSERT_ROW_ID: u8 = wire::Opcode::SetLastInsertRowId as u8;

fn work(extension: &str, operations: &[u8]) -> String {
    let hex: String = operations.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("SELECT hex({extension}_work(x'{hex}'))")
}

fn prepare(sql: &str) -> String {
    let length = (sql.len() as u32).to_le_bytes();
    work("pokes", &[&[PREPARE], &length[..], sql.as_bytes(), &[0]].concat())
}

fn step() -> String {
    work("pokes", &[&[STEP], &0u32.to_le_bytes()[..], &9u32.to_le_bytes()[..]].concat())
}

#[test]
fn what_was_prepared_before_does_not_run_for_a_reader() {
    for (sql, before) in [
        ("DELETE FROM t", ""),
        ("DELETE FROM t RETURNING a", ""),
        ("COMMIT", "BEGIN; DELETE FROM t WHERE a = 2;\n"),
        ("ROLLBACK", "BEGIN; DELETE FROM t WHERE a = 2;\n"),
        ("ATTACH ':memory:' AS other", ""),
        ("PRAGMA user_version = 4", ""),
        ("CREATE TABLE u(a)", ""),
    ] {
        let both = Both::new("before");
        let before = format!("{before}{};\n", prepare(sql));
        both.refuses(&before, &[by_reader(&step())], LENT);
        both.does(&format!("{before}{};\n", step()));
    }
}

#[test]
fn what_was_prepared_before_and_reads_runs_for_a_reader() {
    for sql in
        ["SELECT a FROM t", "/* x */ VALUES (1)", "PRAGMA user_version", "PRAGMA table_info(t)"]
    {
        let both = Both::new("reading");
        let script = format!("{};\n{};\n", prepare(sql), by_reader(&step()));
        both.does(&script);
    }
}

#[test]
fn a_blob_that_was_opened_before_is_not_written_for_a_reader() {
    let both = Both::new("blob");
    let open = "DROP INDEX IF EXISTS i; SELECT pokes_blob('t', 'b', 1);\n";
    let handle = 0u32.to_le_bytes();
    let write =
        work("pokes", &[&[WRITE], &handle[..], &handle[..], &1u32.to_le_bytes(), b"z\0"].concat());
    both.refuses(open, &[by_reader(&write)], LENT);
    let written = both.does(&format!("{open}{write}; SELECT hex(b) FROM t WHERE a = 1;"));
    assert!(written.ends_with("7A\n"), "{written}");
}

#[test]
fn the_last_row_id_is_not_set_by_a_reader() {
    let both = Both::new("rowid");
    let set = [&[SET_LAST_INSERT_ROW_ID], &77i64.to_le_bytes()[..]].concat();
    let script = |set: &str| format!("{set};\nSELECT 'id', last_insert_rowid();\n");
    for set in [work("peeks", &set), by_reader(&work("pokes", &set))] {
        let run = both.run(&script(&set));
        assert!(run.err().contains("may only read") && run.out().contains("id|0\n"), "{run}");
    }
    assert!(both.does(&script(&work("pokes", &set))).contains("id|77\n"));
}

/// FTS5 keeps its statements prepared. What it has not written yet it writes when
/// its vocabulary is read: no authorizer sees that.
#[test]
fn statements_that_a_table_keeps_do_not_write_for_a_reader() {
    let both = Both::new("kept");
    let before = "INSERT INTO f5 VALUES ('one'); SELECT count(*) FROM terms;
        BEGIN; INSERT INTO f5 VALUES ('two');\n";
    let read = "SELECT count(*) FROM terms";
    let run = both.run(&format!("{before}{};\nCOMMIT; {read};\n", by_reader(read)));
    assert!(run.err().contains("may only read"), "{run}");
    assert_eq!(run.out(), "1\n2\n", "{run}");
    both.does("INSERT INTO f5(f5) VALUES ('integrity-check');\n");
    // The control: with `sql` it is written.
    let done = both.does(&format!("BEGIN; INSERT INTO f5 VALUES ('x'); {};\n", by_writer(read)));
    assert_eq!(done, "3\n");
}

#[test]
fn a_table_that_prepares_its_writes_is_read_and_written_afterwards() {
    let both = Both::new("connected");
    let script = format!(
        "{};\nINSERT INTO r VALUES (1, 2, 3); INSERT INTO f5 VALUES ('a');\n{};\n{};\n",
        by_reader("SELECT count(*) FROM r"),
        by_reader("SELECT count(*) FROM r"),
        by_reader("SELECT count(*) FROM f5 WHERE f5 MATCH 'a'"),
    );
    assert_eq!(both.does(&script), "0\n1\n1\n");
}

#[test]
fn a_reader_reads_all_that_there_is() {
    let both = Both::new("reads");
    for (sql, value) in [
        ("SELECT count(*) FROM t", "2"),
        (
            "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 9) SELECT max(x) FROM n",
            "9",
        ),
        ("SELECT a FROM t ORDER BY random() + a * 0, hex(b) LIMIT 1 OFFSET 5", ""),
        ("PRAGMA user_version", "0"),
        ("SELECT count(*) FROM pragma_table_info('t')", "2"),
        ("SELECT integrity_check FROM pragma_integrity_check", "ok"),
        ("EXPLAIN SELECT 1", "0"),
        ("SELECT query_only FROM pragma_query_only", "1"),
    ] {
        assert_eq!(both.does(&by_reader(sql)), format!("{value}\n"), "{sql}");
    }
}

#[test]
fn afterwards_the_connection_is_as_it_was() {
    let both = Both::new("after");
    let read = by_reader("SELECT 1");
    let done = both.does(&format!(
        "{read}; PRAGMA query_only; INSERT INTO t VALUES (3, NULL);
         PRAGMA query_only = ON; {read}; PRAGMA query_only;\n"
    ));
    assert_eq!(done, "1\n0\n1\n1\n");
    // Also after an error, and where the statement that is open is older.
    let run = both.run(&format!(
        "SELECT a, pokes_run('INSERT INTO t VALUES (NULL, NULL)'), peeks_run('SELECT 1') FROM t LIMIT 2;
         {};\n INSERT INTO t VALUES (50, NULL); SELECT count(*) FROM t;\n",
        by_reader("DELETE FROM t"),
    ));
    assert_eq!((&*run.out(), run.err().lines().count()), ("1||1\n2||1\n6\n", 1), "{run}");
}

#[test]
fn functions_that_reach_out_of_sql_are_not_an_extensions() {
    let both = Both::new("out");
    for sql in
        ["SELECT writefile('new', 'x')", "SELECT load_extension('./pokes')", "SELECT edit('x')"]
    {
        for asked in [by_reader(sql), by_writer(sql), nested(sql)] {
            let run = both.run(&format!("{asked};\n"));
            assert!(!run.err().is_empty() || run.out() == "\n", "{asked}: {run}");
            assert!(!both.0.path().join("new").exists(), "{asked}: {run}");
        }
    }
    for sql in [
        "SELECT shell_putsnl('printed')",
        "SELECT writefile('/dev/stdout', 'printed')",
        "SELECT fts3_tokenizer('simple', ?1)",
    ] {
        for asked in [by_reader(sql), by_writer(sql)] {
            let run = both.run(&format!("{asked};\n"));
            // `writefile` answers NULL where it cannot open a file.
            let is_refused = !run.err().is_empty() || run.out() == "\n";
            assert!(is_refused && !run.out().contains("printed"), "{asked}: {run}");
        }
    }
    let read = "SELECT readfile('/dev/stdin') IS NULL";
    for asked in [by_reader(read), by_writer(read), nested(read)] {
        assert_eq!(both.does(&format!("{asked};\n")), "1\n", "{asked}");
    }
    let control = "SELECT writefile('new', 'x'); SELECT shell_putsnl('printed');
SELECT writefile('/dev/stdout', 'also' || char(10));
.parameter set ?1 simple
SELECT length(fts3_tokenizer(?1));\n";
    assert_eq!(both.does(control), "1\nprinted\nprinted\nalso\n5\n4\n");
}

/// The shell's authorizers stand behind ours.
#[test]
fn the_shells_own_authorizers_work_as_natively() {
    let script = b".auth on\nCREATE TABLE t(a);\nSELECT max(a) FROM t;\nPRAGMA user_version;
.auth off\nSELECT 1;\n.auth on\nSELECT 2;\n.open other.db\nSELECT 3;\n";
    let directory = Directory::fresh("auth");
    let [ours, native] = [support::our_binary(), support::native()].map(|program| {
        support::run(&program, &[":memory:"], &directory.path(), &Input::Bytes(script))
            .keeps_quiet()
    });
    assert!(ours.out().contains("authorizer: SELECT"), "{ours}");
    assert_eq!(ours.out(), native.out());
}
