//! What an extension with `sql:ro` can do: read. `sha3_query(SQL)` runs any
//! statements with that grant.

use crate::support::{self, Directory, Outcome};

/// A database with everything that nested statements could change.
const BEFORE: &str = "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2);
    CREATE VIRTUAL TABLE f3 USING fts4(x); INSERT INTO f3 VALUES ('one'), ('two'), ('three');
    CREATE VIRTUAL TABLE f5 USING fts5(x); INSERT INTO f5 VALUES ('one'), ('two'), ('three');
    CREATE VIRTUAL TABLE r USING rtree(id, low, high); INSERT INTO r VALUES (1, 0, 1);
    CREATE TABLE other(b); CREATE INDEX i ON t(a); PRAGMA user_version = 5;";

/// Statements that change something, nested in others or not.
const WRITES: &[&str] = &[
    "rollback",
    "commit",
    "end",
    "begin",
    "savepoint s",
    "release s",
    "rollback to s",
    "attach ''mine.db'' as x",
    "attach '':memory:'' as x",
    "detach main",
    "vacuum",
    "vacuum into ''copy.db''",
    "reindex",
    "analyze",
    "delete from t",
    "delete from t returning a",
    "insert into t values (9)",
    "insert into t values (9) returning a",
    "update t set a = 9",
    "replace into t values (9)",
    "with x as (select 1) delete from t",
    "drop table t",
    "create table x(a)",
    "create temp table x(a)",
    "create view v as select 1",
    "alter table t rename to u",
    "alter table t add column z",
    "drop index i",
    "create trigger g after insert on t begin select 1; end",
    "pragma user_version = 7",
    "pragma user_version(7)",
    "pragma application_id = 7",
    "pragma journal_mode = wal",
    "pragma journal_mode = memory",
    "pragma writable_schema = on",
    "pragma foreign_keys = on",
    "pragma query_only = off",
    "pragma schema_version = 100",
    "pragma optimize",
    "pragma incremental_vacuum",
    "pragma wal_checkpoint",
    "pragma auto_vacuum = full",
    "pragma encoding = ''UTF-16''",
    "pragma locking_mode = exclusive",
    "pragma secure_delete = on",
    "pragma cache_size = 1",
    "pragma recursive_triggers = on",
    "select * from pragma_optimize(65534)",
    "select * from pragma_user_version(7)",
    "select * from pragma_journal_mode(''memory'')",
    "select * from pragma_query_only(0)",
    "select * from pragma_wal_checkpoint(''truncate'')",
    "select optimize(f3) from f3",
    "insert into f3(f3) values (''optimize'')",
    "insert into f3(f3) values (''rebuild'')",
    "insert into f3(f3) values (''merge=2,2'')",
    "insert into f5(f5) values (''optimize'')",
    "insert into f5(f5) values (''rebuild'')",
    "delete from f5",
    "delete from f3",
    "insert into r values (2, 0, 1)",
    "delete from r",
    "select eval(''delete from t'')",
    "select eval(''rollback'')",
    "select (select eval(''update t set a = 9''))",
    "select eval(''pragma user_version = 7'') from t",
    "select 1 where eval(''insert into t values (9)'') is null",
    "with x as (select eval(''drop table other'')) select * from x",
    "values (eval(''create table x(a)''))",
    "explain select eval(''delete from t'')",
    "select define(''f'', ''1'')",
    "select writefile(''written'', ''x'')",
    "select load_extension(''./nothing'')",
    "select eval(''select writefile(''''w'''', 1)'')",
    "select 1; delete from t",
    "/* */ delete from t",
    "explain delete from t",
    "select * from t; rollback; select 1",
    " ;; delete from t",
];

/// What is left of everything, as one line.
const STATE: &str = "SELECT (SELECT group_concat(a) FROM t), (SELECT count(*) FROM f3),
    (SELECT count(*) FROM f5), (SELECT count(*) FROM r), (SELECT count(*) FROM sqlite_schema),
    (SELECT count(*) FROM temp.sqlite_schema), (SELECT user_version FROM pragma_user_version),
    (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM pragma_database_list),
    (SELECT journal_mode FROM pragma_journal_mode), (SELECT query_only FROM pragma_query_only),
    (SELECT writable_schema FROM pragma_writable_schema), (SELECT foreign_keys FROM pragma_foreign_keys),
    (SELECT group_concat(hex(root)) FROM f3_segdir), (SELECT group_concat(hex(block)) FROM f5_data),
    last_insert_rowid();";

/// A script in a transaction with one uncommitted row; the state around it.
fn run(directory: &Directory, extension: &str, call: &str) -> Outcome {
    let database = directory.path().join("test.db");
    for end in ["", "-journal", "-wal", "-shm"] {
        let _ = std::fs::remove_file(directory.path().join(format!("test.db{end}")));
    }
    assert!(!database.exists());
    let script = format!(
        "{BEFORE}\nBEGIN; INSERT INTO t VALUES (3);\n.print STATE\n{STATE}\n.print CALL\n{call}\n\
         .print STATE\n{STATE}\n.print END\nCOMMIT;\nSELECT group_concat(a) FROM t;\n"
    );
    let args = ["--load", "define", "--load", extension, "test.db"];
    let input = support::Input::Bytes(script.as_bytes());
    support::run(&support::our_binary(), &args, &directory.path(), &input)
}

/// Whether the state around the call is the same, and the transaction open.
fn is_unchanged(run: &Outcome) -> bool {
    let out = run.out();
    let mut states =
        out.split("STATE\n").skip(1).map(|text| text.lines().next().unwrap_or_default());
    let (before, after) = (states.next(), states.next());
    before.is_some() && before == after && out.contains("END\n1,2,3\n")
}

/// What opens a transaction or makes a connection slower changes no state; it is
/// refused all the same.
fn is_refused(run: &Outcome) -> bool {
    let out = run.out();
    let printed = out.split("CALL\n").nth(1).and_then(|text| text.split("STATE\n").next());
    printed.is_some_and(str::is_empty) && run.err().contains("error")
}

/// Statements that write may be explained, and functions of the shell give NULL;
/// all others are refused.
fn may_be_answered(statement: &str) -> bool {
    ["explain", "load_ext", "writefile"].iter().any(|word| statement.contains(word))
}

#[test]
fn sql_that_may_only_read_changes_nothing() {
    let directory = Directory::fresh("read-only");
    let (mut changed, mut answered) = (Vec::new(), Vec::new());
    for statement in WRITES {
        let call = format!("SELECT hex(sha3_query('{statement}')) <> '';");
        let run = run(&directory, "sha3query", &call);
        let made = ["mine.db", "copy.db", "written", "w"];
        let made = made.iter().any(|name| directory.path().join(name).exists());
        if made || !is_unchanged(&run) {
            changed.push(format!("{statement}\n{run}"));
        }
        if !is_refused(&run) && !may_be_answered(statement) {
            answered.push(statement);
        }
    }
    let count = changed.len();
    assert!(changed.is_empty(), "{count} calls changed something:\n{}", changed.join("\n\n"));
    assert!(answered.is_empty(), "not refused: {answered:#?}");
}

#[test]
fn reading_works_and_writing_works_with_the_grant_for_it() {
    let directory = Directory::fresh("control");
    for sql in [
        "select * from t",
        "select count(*) from f3 where f3 match ''one''",
        "select * from f5 where x match ''two''",
        "select * from r",
        "select * from pragma_table_info(''t'')",
        "values (1)",
        "with x as (select 1) select * from x",
        "explain select 1",
    ] {
        let run = run(&directory, "sha3query", &format!("SELECT length(sha3_query('{sql}'));"));
        assert!(run.out().contains("CALL\n32\n") && is_unchanged(&run), "{sql}\n{run}");
        assert!(run.stderr.is_empty(), "{sql}\n{run}");
    }
    for sql in ["delete from t", "insert into t values (9)", "pragma user_version = 7", "rollback"]
    {
        let run = run(&directory, "sha3query", &format!("SELECT eval('{sql}');"));
        assert!(!is_unchanged(&run), "`eval` with `sql` changed nothing: {sql}\n{run}");
    }
}
