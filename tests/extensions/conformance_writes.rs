//! The contract for tables that are written: conflicts, transactions, names and
//! their end, by `tests/guests/conformance`.

use crate::support;
use crate::support::guest::Loaded;

fn loaded(name: &str) -> Loaded {
    Loaded::guest("conformance", name)
}

const TABLE: &str = "CREATE VIRTUAL TABLE t USING conf_store(k, v);
                     INSERT INTO t VALUES (1, 'one'), (2, 'two');
                     CREATE TABLE log(x); SELECT conf_log() LIKE 'never';\n";

#[test]
fn changes_are_passed_with_what_stays_the_same() {
    let script = format!(
        "{TABLE} UPDATE t SET v = 'x' WHERE k = 1; UPDATE t SET rowid = 9 WHERE k = 2;
         INSERT INTO t(rowid, k) VALUES (5, 50); DELETE FROM t WHERE k = 50;
         SELECT conf_log(); SELECT rowid, * FROM t; SELECT changes(), total_changes();"
    );
    loaded("changes").answers(
        &script,
        &[
            "0",
            "begin update-abort(1>1:same,'x') sync commit \
             begin update-abort(2>9:same,same) sync commit \
             begin insert-abort(5:50,NULL) sync commit begin delete(5) sync commit",
            "1|1|x",
            "9|2|two",
            "1|6",
        ],
    );
}

#[test]
fn an_insert_gives_the_last_row_id() {
    let script = format!("{TABLE} INSERT INTO t VALUES (7, 7); SELECT last_insert_rowid();");
    loaded("row-id").answers(&script, &["0", "3"]);
}

/// INSERT OR `mode` of three rows whose second is there already.
fn conflict(mode: &str) -> (Loaded, String) {
    let script = format!(
        "{TABLE} BEGIN; INSERT INTO t VALUES (3, 'three');
         INSERT OR {mode} INTO t VALUES (4, 'new'), (1, 'again'), (5, 'new');
         SELECT group_concat(k || v, ' ') FROM t; SELECT conf_log();"
    );
    (loaded("conflict"), script)
}

const MESSAGE: &str = "conf_store: 1 is there already (19)";

#[test]
fn ignore_leaves_the_row_out() {
    let (loaded, script) = conflict("IGNORE");
    let log = "begin insert-abort(NULL:3,'three') savepoint(0) insert-ignore(NULL:4,'new') \
               insert-ignore(NULL:1,'again') insert-ignore(NULL:5,'new') release(0)";
    loaded.answers(&script, &["0", "1one 2two 3three 4new 5new", log]);
}

#[test]
fn replace_takes_the_other_row_away() {
    let (loaded, script) = conflict("REPLACE");
    let log = "begin insert-abort(NULL:3,'three') savepoint(0) insert-replace(NULL:4,'new') \
               insert-replace(NULL:1,'again') insert-replace(NULL:5,'new') release(0)";
    loaded.answers(&script, &["0", "2two 3three 4new 1again 5new", log]);
}

#[test]
fn abort_takes_the_statement_back() {
    let (loaded, script) = conflict("ABORT");
    let printed = loaded.fails(&script, MESSAGE);
    let rows = "0\n1one 2two 3three\n";
    assert!(printed.starts_with(rows) && printed.contains("rollbackto"), "{printed}");
}

#[test]
fn fail_keeps_the_rows_before() {
    let (loaded, script) = conflict("FAIL");
    let printed = loaded.fails(&script, MESSAGE);
    assert!(printed.starts_with("0\n1one 2two 3three 4new\n"), "{printed}");
}

#[test]
fn rollback_ends_the_transaction() {
    let (loaded, script) = conflict("ROLLBACK");
    let printed = loaded.fails(&script, MESSAGE);
    assert!(printed.starts_with("0\n1one 2two\n") && printed.ends_with("rollback\n"), "{printed}");
}

#[test]
fn updates_have_conflicts_too() {
    let script = format!(
        "{TABLE} UPDATE OR IGNORE t SET k = 2 WHERE k = 1; SELECT group_concat(k, ' ') FROM t;
         UPDATE OR REPLACE t SET k = 2 WHERE k = 1; SELECT group_concat(k || v, ' ') FROM t;"
    );
    loaded("updates").answers(&script, &["0", "1 2", "2one"]);
}

#[test]
fn a_rollback_takes_all_back_and_savepoints_their_part() {
    let script = format!(
        "{TABLE} BEGIN; INSERT INTO t VALUES (3, 3); ROLLBACK; SELECT count(*) FROM t;
         BEGIN; INSERT INTO t VALUES (3, 3);
         SAVEPOINT a; INSERT INTO t VALUES (4, 4);
         SAVEPOINT b; DELETE FROM t; SELECT count(*) FROM t;
         ROLLBACK TO b; SELECT count(*) FROM t;
         ROLLBACK TO a; SELECT count(*) FROM t;
         RELEASE a; COMMIT; SELECT group_concat(k, ' ') FROM t; SELECT conf_log();"
    );
    loaded("savepoints").answers(
        &script,
        &[
            "0",
            "2",
            "0",
            "4",
            "3",
            "1 2 3",
            "begin insert-abort(NULL:3,3) rollback \
             begin insert-abort(NULL:3,3) savepoint(0) insert-abort(NULL:4,4) savepoint(1) \
             savepoint(2) delete(1) delete(2) delete(3) delete(4) release(2) \
             rollbackto(1) rollbackto(0) release(0) sync commit",
        ],
    );
}

#[test]
fn a_savepoint_from_before_the_table_took_part_is_taken_back_too() {
    let script = format!(
        "{TABLE} SAVEPOINT a; INSERT INTO log VALUES (1); SAVEPOINT b; INSERT INTO t VALUES (3, 3);
         ROLLBACK TO a; SELECT count(*) FROM t; RELEASE a; SELECT count(*) FROM t;"
    );
    loaded("before").answers(&script, &["0", "2", "2"]);
}

#[test]
fn an_error_elsewhere_takes_the_whole_statement_back() {
    let script = format!(
        "{TABLE} CREATE TABLE other(x UNIQUE); INSERT INTO other VALUES (3);
         CREATE TRIGGER two AFTER INSERT ON log BEGIN
           INSERT INTO t VALUES (new.x, 'by trigger'); INSERT INTO other VALUES (new.x);
         END;
         INSERT INTO log VALUES (8), (3);
         SELECT count(*) FROM t; SELECT count(*) FROM log; PRAGMA integrity_check;"
    );
    let printed = loaded("trigger").fails(&script, "UNIQUE constraint failed: other.x (19)");
    assert_eq!(printed, "0\n2\n0\nok\n");
}

#[test]
fn a_renamed_table_keeps_its_rows() {
    let script = format!(
        "{TABLE} ALTER TABLE t RENAME TO u; SELECT count(*) FROM u; INSERT INTO u VALUES (3, 3);
         SELECT name FROM sqlite_schema WHERE rootpage = 0; SELECT conf_log();"
    );
    loaded("rename").answers(
        &script,
        &[
            "0",
            "2",
            "u",
            "rename(u) disconnect connect(u) begin insert-abort(NULL:3,3) sync commit",
        ],
    );
}

#[test]
fn integrity_checks_ask_the_table() {
    let script = format!(
        "{TABLE} PRAGMA integrity_check; INSERT INTO t VALUES ('bad', 0);
         PRAGMA integrity_check; PRAGMA quick_check;"
    );
    let bad = "main.t: 1 bad rows, checked";
    let (fully, quickly) = (format!("{bad} fully"), format!("{bad} quickly"));
    loaded("integrity").answers(&script, &["0", "ok", &fully, &quickly]);
}

#[test]
fn shadow_names_belong_to_their_module_alone() {
    let script = ".dbconfig defensive off
         CREATE VIRTUAL TABLE s USING conf_store(k);
         CREATE VIRTUAL TABLE y USING conf_keyed;
         CREATE TABLE s_content(x); CREATE TABLE s_keys(x);
         CREATE TABLE y_content(x); CREATE TABLE y_keys(x); CREATE TABLE z_content(x);
         SELECT name FROM pragma_table_list WHERE type = 'shadow' ORDER BY name;
         .dbconfig defensive on
         INSERT INTO s_keys VALUES (1); INSERT INTO y_content VALUES (1);
         INSERT INTO z_content VALUES (1);
         INSERT INTO s_content VALUES (1);";
    let printed = loaded("shadow").fails(script, "table s_content may not be modified");
    let listed: Vec<&str> = printed.lines().filter(|line| !line.contains("defensive")).collect();
    assert_eq!(listed, ["s_content", "y_keys"]);
}

#[test]
fn tables_without_row_ids_are_known_by_their_keys() {
    loaded("keyed").answers(
        "CREATE VIRTUAL TABLE t USING conf_keyed;
         INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3);
         UPDATE t SET v = 5 WHERE k = 'a'; UPDATE t SET k = 'd' WHERE k = 'b';
         DELETE FROM t WHERE k = 'c'; SELECT * FROM t; SELECT conf_log();",
        &["a|5", "d|2", "update('a'>'a') update('b'>'d') delete('c')"],
    );
}

#[test]
fn a_dropped_table_is_destroyed_and_a_closed_one_is_not() {
    let loaded = loaded("drop");
    let script = format!("{TABLE} DROP TABLE t; SELECT conf_log(), conf_alive();");
    loaded.answers(&script, &["0", "destroy|0"]);
    let kept = "CREATE VIRTUAL TABLE kept USING conf_store(k, v);";
    loaded.answers(kept, &[]);
    loaded.answers("SELECT count(*) FROM kept; SELECT conf_log();", &["0", "connect(kept)"]);
}

#[test]
fn each_schema_has_its_own_table() {
    loaded("schemas").answers(
        "ATTACH ':memory:' AS other;
         CREATE VIRTUAL TABLE t USING conf_store(k);
         CREATE VIRTUAL TABLE other.t USING conf_store(k);
         CREATE VIRTUAL TABLE temp.u USING conf_store(k);
         INSERT INTO main.t VALUES (1); INSERT INTO other.t VALUES (2), (3);
         INSERT INTO u VALUES (4);
         SELECT (SELECT count(*) FROM main.t), (SELECT count(*) FROM other.t), k FROM u;",
        &["1|2|4"],
    );
}

#[test]
fn without_its_extension_a_table_is_refused_and_the_rest_of_the_database_works() {
    let loaded = loaded("missing");
    let script = "CREATE VIRTUAL TABLE t USING conf_store(k); CREATE TABLE plain(x);
                  INSERT INTO plain VALUES (1);";
    loaded.answers(script, &[]);
    let open = |sql: &str| support::ours(&loaded.directory(), &["test.db", sql]);
    open("SELECT * FROM t").complains("no such module: conf_store");
    open("DROP TABLE t").complains("no such module: conf_store");
    open("ALTER TABLE t RENAME TO u").complains("no such module: conf_store");
    open("INSERT INTO plain VALUES (2); SELECT sum(x) FROM plain").prints("3\n").keeps_quiet();
    open(".dump").keeps_quiet().exits_with(0);
    loaded.answers("SELECT count(*) FROM t; DROP TABLE t; PRAGMA integrity_check;", &["0", "ok"]);
}
