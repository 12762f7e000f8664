//! Answers of another shape than the contract has, in the memory of the
//! extension itself (`tests/guests/malformed`): cases that no value has,
//! lists beyond the memory, addresses that are none, random bytes. Each ends as
//! an error that names the extension or as some value, and all else lives on.

use std::fmt::Write;
use std::fs;

use crate::support::composed::Composed;
use crate::support::guest::{Loaded, guest};
use crate::support::{self, Directory, End, Outcome};
use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;

/// Around the use of what is malformed.
const BEFORE: &str = "CREATE TABLE t(a); INSERT INTO t VALUES (1);
    CREATE VIRTUAL TABLE v USING malformed_table;
    BEGIN; INSERT INTO t VALUES (2);\n";
const AFTER: &str = "SELECT count(*) FROM t;
    COMMIT;
    SELECT malformed('valid'), malformed_group(3);
    SELECT group_concat(a || b) FROM malformed_table;
    PRAGMA integrity_check(t);\n";
const LIVES_ON: &str = "2\nvalid|3\n0text,1text,2text\nok\n";

/// A use of each function of the extension.
const USES: &[(&str, &str)] = &[
    ("call", "SELECT malformed(1)"),
    ("inline", "SELECT malformed_inline(1)"),
    ("inline-pending-result", "SELECT malformed_inline(printf('%064d', 1))"),
    ("step", "SELECT malformed_group(1)"),
    ("finish", "SELECT malformed_group(1)"),
    (
        "value",
        "SELECT malformed_group(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))",
    ),
    (
        "inverse",
        "SELECT malformed_group(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))",
    ),
    ("table-connect", "CREATE VIRTUAL TABLE w USING malformed_table"),
    ("table-best-index", "SELECT a, b FROM v WHERE a > 0"),
    ("table-open", "SELECT a, b FROM v"),
    ("table-filter", "SELECT a, b FROM v"),
    ("table-fetch-batch", "SELECT a, b, rowid FROM v"),
    ("table-update", "INSERT INTO v VALUES (1, 2)"),
    ("table-transact", "INSERT INTO v VALUES (1, 2)"),
    ("table-rename", "ALTER TABLE v RENAME TO w"),
    ("table-integrity", "PRAGMA integrity_check(v)"),
    ("table-find-function", "SELECT like(a, b) FROM v"),
    ("table-destroy", "DROP TABLE v"),
];

fn malformed(name: &str) -> Loaded {
    Loaded::guest("malformed", name)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Memory with these words at these offsets in bytes.
fn memory(bytes: usize, fields: &[(usize, u32)]) -> Vec<u8> {
    let mut memory = vec![0; bytes];
    for (place, number) in fields {
        memory[*place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    memory
}

/// Runs the use of `function` when it answers with `answer`, an SQL literal.
fn used(function: &str, answer: &str) -> Outcome {
    let (_, statement) = USES.iter().find(|(name, _)| *name == function).expect("it has a use");
    malformed(&format!("{function}-used"))
        .run(&format!("{BEFORE}SELECT corrupt('{function}', {answer});\n{statement};\n{AFTER}"))
}

/// Fails unless all lives on.
#[track_caller]
fn lives_on(run: &Outcome) {
    assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
    assert!(run.out().ends_with(LIVES_ON), "{run}");
}

/// Fails unless that is an error which names the extension and says so.
#[track_caller]
fn breaks(function: &str, answer: &str, reason: &str) {
    let run = used(function, answer);
    lives_on(&run);
    let is_named =
        |line: &str| line.contains("the extension `malformed` trapped") && line.contains(reason);
    let (out, err) = (run.out(), run.err());
    assert!(out.lines().chain(err.lines()).any(is_named), "{function}: {run}");
}

#[track_caller]
fn breaks_with(function: &str, bytes: usize, fields: &[(usize, u32)], reason: &str) {
    breaks(function, &format!("x'{}'", hex(&memory(bytes, fields))), reason);
}

const BEYOND: u32 = 0x7fff_0000;
const CASE: &str = "unexpected discriminant";
const LIST: &str = "out of bounds";

#[test]
fn each_function_has_a_use_that_passes() {
    for (function, statement) in USES {
        let run = malformed("valid").run(&format!("{BEFORE}{statement};\n{AFTER}"));
        lives_on(&run);
        assert_eq!(run.err(), "", "{function}: {run}");
    }
}

#[test]
fn answers_that_are_nowhere_are_refused() {
    for (function, _) in USES {
        breaks(function, "1", "");
        breaks(function, "-65536", "");
        breaks(function, "2147418112", "");
    }
}

#[test]
fn cases_that_no_result_has_are_refused() {
    for (function, _) in USES {
        // All but the overload give a `result`; that is an option.
        breaks_with(function, 64, &[(0, 0x63)], "");
    }
}

#[test]
fn values_have_five_classes() {
    for function in ["call", "finish", "value"] {
        for case in [5, 6, 0x7f, 0xff] {
            breaks_with(function, 32, &[(8, case)], CASE);
        }
    }
}
/// Heads of short values that are none.
const NO_VALUES: &[(u32, &str)] = &[
    (5, "an inline value of class 5 with 0 bytes is not valid"),
    (0xff, "an inline value of class 255 with 0 bytes is not valid"),
    (0x4103, "an inline value of class 3 with 65 bytes is not valid"),
    (0xff04, "an inline value of class 4 with 255 bytes is not valid"),
];

#[test]
fn short_values_have_the_same_classes_and_64_bytes() {
    for (head, failure) in NO_VALUES {
        breaks_with("inline", 80, &[(0, 1), (8, *head)], failure);
    }
    // All that there is, and nothing behind it.
    let answer = hex(&memory(80, &[(0, 1), (8, 0x4004), (76, 0x0403_0201)]));
    let run = malformed("short").run(&format!(
        "SELECT corrupt('inline', x'{answer}');
         SELECT length(x), substr(hex(x), -8) FROM (SELECT malformed_inline(1) AS x);"
    ));
    assert_eq!(run.out(), "\n64|01020304\n", "{run}");
}

/// What is inside the program is not between it and SQLite's memory.
#[test]
fn short_values_of_what_is_embedded_are_checked() {
    let path = guest("malformed");
    let composed = Composed::with("malformed", &[path.to_str().expect("a path in UTF-8")]);
    for (head, failure) in NO_VALUES {
        let answer = hex(&memory(80, &[(0, 1), (8, *head)]));
        let script = format!(
            "SELECT corrupt('inline', x'{answer}');\nSELECT malformed_inline(1);\nSELECT 'alive';\n"
        );
        let run = composed.run_script(&[":memory:"], &script).exits_with(1);
        assert_eq!(run.out(), "\nalive\n", "{run}");
        let named = "the extension `malformed` broke the contract: ";
        assert!(run.err().contains(&format!("{named}{failure}")), "{run}");
    }
}

#[test]
fn texts_and_blobs_lie_in_memory() {
    for function in ["call", "finish", "value"] {
        for class in [3, 4] {
            for (address, length) in
                [(BEYOND, 8), (8, BEYOND), (u32::MAX, u32::MAX), (u32::MAX, 1), (0, u32::MAX)]
            {
                breaks_with(function, 32, &[(8, class), (16, address), (20, length)], LIST);
            }
        }
    }
}

#[test]
fn messages_lie_in_memory_and_are_text() {
    for (function, place) in [("call", 8), ("finish", 8), ("step", 4), ("table-open", 4)] {
        let message =
            |address, length| [(0, 1), (place, 1), (place + 4, address), (place + 8, length)];
        breaks_with(function, 32, &message(BEYOND, 8), LIST);
        breaks_with(function, 32, &message(8, BEYOND), LIST);
    }
}

#[test]
fn rows_lie_in_memory() {
    // Row ids, values, subtypes, required: each a list.
    for place in [4, 12, 20, 28] {
        for (address, length) in [(BEYOND, 8), (8, BEYOND), (!7, u32::MAX)] {
            breaks_with("table-fetch-batch", 56, &[(place, address), (place + 4, length)], LIST);
        }
    }
    // Lists of what is larger than a byte are aligned.
    for place in [4, 12] {
        breaks_with("table-fetch-batch", 56, &[(place, 1025), (place + 4, 1)], "not aligned");
    }
}

/// A word that may be an address, a length, a case, or anything.
fn number(random: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match random.int_in_range(0..=5)? {
        0 => 0,
        1 => random.int_in_range(0..=5)?,
        2 => random.int_in_range(0..=1 << 10)?,
        3 => random.int_in_range(1 << 20..=(1 << 20) + (1 << 16))? & !7,
        4 => u32::MAX - random.int_in_range(0..=16)?,
        _ => random.arbitrary()?,
    })
}

fn numbers(random: &mut Unstructured<'_>, count: usize) -> Result<Vec<u8>> {
    let numbers: Result<Vec<u32>> = (0..count).map(|_| number(random)).collect();
    Ok(numbers?.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// What was said may not have been used: the statement failed before.
const VALID: &str = "SELECT corrupt('', NULL) IS NULL;\n";

/// Uses in one run of the program.
const USES_AT_ONCE: usize = 30;

#[test]
fn random_memory_is_an_answer_or_an_error() {
    let loaded = malformed("random").with(&["--extension-value", "1M", "--extension-memory", "8M"]);
    arbtest(|random| {
        let mut script = BEFORE.replace(
            "CREATE TABLE",
            "DROP TABLE IF EXISTS v; DROP TABLE IF EXISTS w; DROP TABLE IF EXISTS t;\nCREATE TABLE",
        );
        for _ in 0..USES_AT_ONCE {
            let (function, statement) = random.choose(USES)?;
            let bytes = hex(&numbers(random, 16)?);
            // What is renamed or dropped is to be there for the next one.
            let _ = writeln!(
                script,
                "SAVEPOINT s;\nSELECT corrupt('{function}', x'{bytes}') IS NULL;\n{statement};\n\
                 ROLLBACK TO s;\nRELEASE s;\n{VALID}{VALID}"
            );
        }
        let run = loaded.run(&(script + AFTER));
        assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
        assert!(run.out().contains("valid|3\n0text,1text,2text\nok\n"), "{run}");
        Ok(())
    })
    .budget_ms(support::budget_ms());
}

/// The bytes before the manifest in the guest's file.
const MARK: &[u8] = b"malformed-manifest:";

/// Where behind the mark's beginning the flag and the record stand.
const FLAG: usize = 24;
const RECORD: usize = 32;

#[test]
fn random_manifests_are_refused_or_loaded() {
    let directory = Directory::fresh("manifest");
    let path = directory.path().join("malformed.wasm");
    let whole = fs::read(guest("malformed")).expect("it is there");
    let is_mark = |place: &usize| whole[*place..].starts_with(MARK);
    let mark = (0..whole.len()).find(is_mark).expect("the guest has the mark");
    let limits = ["--extension-value", "1M", "--extension-memory", "8M"];
    let rest = [":memory:", ".load ./malformed", "SELECT 'alive'"];
    let args = [&limits[..], &rest].concat();
    arbtest(|random| {
        let mut other = whole.clone();
        other[mark + FLAG] = 1;
        other[mark + RECORD..mark + RECORD + 64].copy_from_slice(&numbers(random, 16)?);
        fs::write(&path, other).expect("the directory is ours");
        let run = support::ours(&directory.path(), &args);
        assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
        let is_loaded = run.out() == "alive\n" && run.err().is_empty();
        let is_refused = run.err().contains("malformed") && run.err().lines().count() == 1;
        assert!(is_loaded || is_refused, "{run}");
        Ok(())
    })
    .budget_ms(support::budget_ms());
}
