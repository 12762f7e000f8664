//! SQL of an extension that calls extensions, which run SQL that calls
//! extensions: as deep as is allowed, and never into one that waits.

use std::fmt::Write;
use std::fs;

use crate::support::guest::guest;
use crate::support::{self, Directory, Input, Outcome};

/// As the engine has it: extensions that wait for each other.
const MAX_DEPTH: usize = 32;

/// A directory with `count` extensions, all the guest `querying` under other names:
/// `sql00`, `sql01`, ….
fn extensions(directory: &Directory, count: usize) -> Vec<String> {
    let content = fs::read(guest("querying")).expect("it is there");
    let mut options = vec!["--extension-dir".to_owned(), ".".to_owned()];
    for number in 0..count {
        let name = format!("sql{number:02}");
        let other = replaced(&content, b"sql00", name.as_bytes());
        fs::write(directory.path().join(format!("{name}.wasm")), other)
            .expect("the directory is ours");
        options.extend(["--grant".into(), format!("{name}=sql"), "--load".into(), name]);
    }
    options
}

fn replaced(content: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut content = content.to_vec();
    let mut found = 0;
    for place in 0..content.len() - old.len() {
        if content[place..].starts_with(old) {
            content[place..place + new.len()].copy_from_slice(new);
            found += 1;
        }
    }
    assert!(found > 0, "the guest has its name in it");
    content
}

fn run(directory: &Directory, options: &[String], script: &str) -> Outcome {
    let args: Vec<&str> = options.iter().map(String::as_str).chain(["test.db"]).collect();
    let input = Input::Bytes(script.as_bytes());
    support::run(&support::our_binary(), &args, &directory.path(), &input)
}

/// Views, each of which calls another extension that reads the next.
fn chain(length: usize) -> String {
    let mut script = String::new();
    for number in 0..length {
        let next = number + 1;
        let _ = writeln!(
            script,
            "CREATE TEMP VIEW v{number} AS SELECT sql{number:02}_run('SELECT r FROM v{next}') AS r;"
        );
    }
    let _ = writeln!(script, "CREATE TEMP VIEW v{length} AS SELECT 'the bottom' AS r;");
    script
}

#[test]
fn extensions_wait_for_each_other_up_to_a_depth() {
    let directory = Directory::fresh("depth");
    let options = extensions(&directory, MAX_DEPTH + 1);
    let script = chain(MAX_DEPTH) + "SELECT r FROM v0;\n";
    run(&directory, &options, &script).keeps_quiet().prints("the bottom\n");
    let script = "CREATE TABLE t(a); INSERT INTO t VALUES (1);\n".to_owned()
        + &chain(MAX_DEPTH + 1)
        + "BEGIN; INSERT INTO t VALUES (2);
           SELECT r FROM v0;
           SELECT count(*) FROM t; ROLLBACK; SELECT count(*) FROM t; PRAGMA integrity_check;
           SELECT r FROM v1;\n";
    let failed = run(&directory, &options, &script);
    assert!(failed.err().contains("extensions call each other more than 32 deep"), "{failed}");
    assert_eq!(failed.err().lines().count(), 1, "{failed}");
    assert_eq!(failed.out(), "2\n1\nok\nthe bottom\n", "{failed}");
}

#[test]
fn an_extension_that_waits_is_not_called() {
    let directory = Directory::fresh("self");
    let options = extensions(&directory, 2);
    for (script, waits) in [
        ("SELECT sql00_run('SELECT sql00_count()');", "sql00"),
        ("SELECT sql00_run('SELECT sql01_run(''SELECT sql00_count()'')');", "sql00"),
        ("CREATE TEMP TABLE source(a); SELECT sql00_run('SELECT * FROM sql00_table');", "sql00"),
    ] {
        let run = run(&directory, &options, &format!("{script}\nSELECT sql00_run('SELECT 1');\n"));
        let failure =
            format!("`{waits}` waits for the SQL that it asked for, and cannot be called from it");
        assert!(run.err().contains(&failure), "{run}");
        assert_eq!((&*run.out(), run.err().lines().count()), ("1\n", 1), "{run}");
    }
}

#[test]
fn a_table_of_one_extension_is_read_by_sql_of_another() {
    let directory = Directory::fresh("tables");
    let options = extensions(&directory, 2);
    let script = "CREATE TABLE source AS SELECT 1 AS a UNION SELECT 2;
        SELECT sql01_run('SELECT sum(value) FROM sql00_table');
        SELECT sql01_run('SELECT sql00_run(''SELECT count(*) FROM sql00_table'')');\n";
    let run = run(&directory, &options, script);
    assert_eq!(run.out(), "3\n", "{run}");
    assert!(run.err().contains("`sql00` waits for the SQL"), "{run}");
}

#[test]
fn a_trap_below_is_an_error_above() {
    let directory = Directory::fresh("below");
    let options = extensions(&directory, 2);
    let script = "SELECT sql00_run('SELECT sql01_break()');
        SELECT sql00_count(), sql01_count();\n";
    let run = run(&directory, &options, script);
    assert!(
        run.err().contains("`sql01` trapped in `sql01_break()`: unreachable; stderr:"),
        "{run}"
    );
    assert_eq!(run.out(), "1|1\n", "{run}");
}
