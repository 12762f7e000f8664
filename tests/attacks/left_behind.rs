//! What SQL of an extension leaves behind in a schema has no more rights than the extension,
//! whoever sets it off.

use crate::support::{self, Directory, Outcome};

/// Statements of an extension, and the user's that would set off what they leave.
const LEFT: &[(&str, &str)] = &[
    (
        "CREATE TEMP TRIGGER q AFTER INSERT ON main.ta BEGIN SELECT writefile('got.txt', 'x'); END",
        "INSERT INTO ta VALUES (1)",
    ),
    (
        "CREATE TRIGGER q AFTER INSERT ON ta BEGIN SELECT writefile('got.txt', 'x'); END",
        "INSERT INTO ta VALUES (1)",
    ),
    ("CREATE TEMP VIEW v AS SELECT writefile('got.txt', 'x') AS w", "SELECT w FROM v"),
    ("CREATE VIEW v AS SELECT writefile('got.txt', 'x') AS w", "SELECT w FROM v"),
    (
        "CREATE TEMP TABLE tt(a, b DEFAULT (writefile('got.txt', 'x')))",
        "INSERT INTO tt(a) VALUES (1)",
    ),
    (
        "CREATE TEMP TABLE tt(a, CHECK (writefile('got.txt', 'x') IS NOT NULL))",
        "INSERT INTO tt VALUES (1)",
    ),
    (
        "CREATE TEMP TABLE tt(a); ALTER TABLE tt ADD COLUMN b DEFAULT (writefile('got.txt', 'x'))",
        "INSERT INTO tt(a) VALUES (1)",
    ),
    (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE ta(a)'",
        "SELECT writefile('ta.txt', (SELECT sql FROM sqlite_schema))",
    ),
    (
        "PRAGMA trusted_schema = ON; CREATE VIEW v AS SELECT writefile('got.txt', 'x') AS w",
        "SELECT w FROM v",
    ),
];

fn run(directory: &Directory, by: &str, left: &str, used: &str) -> Outcome {
    let statement = match by {
        "extension" => format!("SELECT eval('{}');", left.replace('\'', "''")),
        _ => format!("{left};"),
    };
    let script = format!("CREATE TABLE ta(a);\n{statement}\n{used};\n");
    let args = ["--load", "define", ":memory:"];
    let input = support::Input::Bytes(script.as_bytes());
    support::run(&support::our_binary(), &args, &directory.path(), &input)
}

#[test]
fn what_an_extension_leaves_behind_writes_no_file() {
    for (left, used) in LEFT {
        let directory = Directory::fresh("left-behind");
        let run = run(&directory, "extension", left, used);
        assert!(!directory.path().join("got.txt").exists(), "{left}\n{run}");
        assert!(run.err().contains("error"), "{left}\n{run}");
    }
}

#[test]
fn what_the_user_leaves_in_temp_still_works() {
    for (left, used) in LEFT.iter().filter(|(left, _)| left.contains("TEMP T")) {
        let directory = Directory::fresh("left-behind-control");
        let run = run(&directory, "user", left, used);
        assert!(directory.path().join("got.txt").exists(), "{left}\n{run}");
    }
}
