//! Values whose size others choose, between SQLite and extensions: where SQLite has no memory for one,
//! that is an error, and the shell goes on.

use std::fmt::Write;
use std::fs;

use crate::support::{self, Directory, Input};

/// Memory of the shell, in bytes, and sizes around all that it has room for, also for several copies.
const MEMORY: usize = 32 << 20;
const MOST: usize = MEMORY + (8 << 20);
const STEP: usize = 3 << 20;

/// `N` is the size.
const WAYS: [&str; 6] = [
    "SELECT length(text_upper(printf('%.*c', N, 'x')));",
    "SELECT length(crypto_encode(zeroblob(N / 2), 'hex'));",
    "SELECT length(regexp_replace('a', 'a', printf('%.*c', N, 'x')));",
    "SELECT max(length(a)) FROM big LIMIT N;",
    "SELECT max(length(a)) FROM rows LIMIT N;",
    "SELECT eval(printf('SELECT length(''%.*c'')', N, 'x'));",
];

#[test]
fn what_does_not_fit_is_an_error_and_the_shell_goes_on() {
    let directory = Directory::fresh("sizes");
    let sizes: Vec<_> = (1..=MOST / STEP).map(|step| step * STEP).collect();
    let write = |name: &str, rows: String| {
        fs::write(directory.path().join(name), format!("a\n{rows}\n")).unwrap();
    };
    write("big.csv", "x".repeat(20 << 20));
    write("rows.csv", format!("{}\n", "x".repeat(1 << 20)).repeat(40));
    let mut totals = (0, 0);
    for way in WAYS {
        let mut script = String::new();
        for name in ["big", "rows"] {
            let from = format!("csv(filename='{name}.csv', header=yes)");
            writeln!(script, "CREATE VIRTUAL TABLE {name} USING {from};").unwrap();
        }
        for size in &sizes {
            writeln!(script, "{}", way.replace('N', &size.to_string())).unwrap();
        }
        script.push_str("SELECT 'alive';\n");
        let words = [
            "--max-memory=32M",
            "--extension-memory=256M",
            "--load",
            "text",
            "--load",
            "crypto",
            "--load",
            "regexp",
            "--load",
            "csv",
            "--load",
            "define",
            "--grant",
            "csv=dir:.:ro",
            "--grant",
            "define=sql",
            ":memory:",
        ];
        let run = support::run(
            &support::our_binary(),
            &words,
            &directory.path(),
            &Input::Bytes(script.as_bytes()),
        );
        let (out, err) = (run.out(), run.err());
        assert!(out.ends_with("alive\n"), "{way}\n{run}");
        // An extension has its own limits.
        let is_limit = |line: &str| line.contains("out of memory") || line.contains("--extension-");
        let (done, refused) =
            (out.lines().count() - 1, err.lines().filter(|line| is_limit(line)).count());
        assert_eq!(done + refused, sizes.len(), "{way}\n{run}");
        totals = (totals.0 + done, totals.1 + refused);
    }
    assert!(totals.0 > 10 && totals.1 > 10, "{totals:?}");
}
