//! Descriptors that the calling shell has opened, such as those of `<(…)`.

use std::fs;
use std::path::PathBuf;

use crate::support::{self, Directory, Input, Outcome};

/// Run the program by a line of bash, in which it is `$0`.
fn by_bash(program: PathBuf, line: &str) -> (Outcome, Directory) {
    let directory = Directory::fresh("descriptors-of-the-shell");
    fs::write(directory.path().join("f.csv"), "a,b\n1,2\n").unwrap();
    fs::write(directory.path().join("f.sql"), "SELECT 'read';\n").unwrap();
    fs::write(directory.path().join("secret"), "a\nsecret\n").unwrap();
    let mut bash = support::command("/bin/bash".as_ref(), &["-c", line], &directory.path());
    bash.arg(program);
    (support::finish(bash, &Input::Nothing), directory)
}

#[test]
fn what_arguments_name_is_opened_as_natively() {
    for line in [
        "\"$0\" :memory: -csv '.import /dev/fd/9 t' 'SELECT * FROM t' 9<f.csv",
        "\"$0\" :memory: -csv '.import /proc/self/fd/9 t' 'SELECT * FROM t' 9<f.csv",
        "\"$0\" :memory: -csv '.import /dev/fd/0 t' 'SELECT * FROM t' <f.csv",
        "\"$0\" :memory: -csv \".import '\"<(cat f.csv)\"' t\" 'SELECT * FROM t'",
        "\"$0\" :memory: '.read /dev/fd/9' '.read /dev/fd/9' 9<f.sql",
        "\"$0\" :memory: '.read '<(cat f.sql; echo 'SELECT 7;')",
        "\"$0\" -init <(cat f.sql) :memory: 'SELECT 1'",
        "\"$0\" :memory: \"SELECT hex(readfile('/dev/fd/9')), '/dev/fd/8', hex(readfile('/dev/fd/8'))\" 9<f.csv 8<f.sql",
        "\"$0\" :memory: \"SELECT hex(readfile('/dev/stdin'))\" <f.csv",
        "\"$0\" :memory: \"SELECT hex(readfile('/dev/fd/0'))\" <f.csv",
        "\"$0\" :memory: \"SELECT hex(readfile('/dev/stdin'))\" </dev/null",
        "\"$0\" :memory: '.output /dev/fd/9' 'SELECT 5' '.output' 'SELECT 6' 9>out; cat out",
        "\"$0\" :memory: '.import /dev/fd/9x t' 9<f.csv",
        "\"$0\" :memory: '.import /dev/fd/99999999999999999999 t'",
        "\"$0\" :memory: '.import /dev/fd/77 t'",
    ] {
        let [ours, native] =
            [support::our_binary(), support::native()].map(|program| by_bash(program, line).0);
        assert_eq!((ours.end, ours.out()), (native.end, native.out()), "{line}\n{ours}");
    }
}

/// The program itself opens descriptors later, such as that of its cache of compiled code. None of them is
/// the one that an argument names and the shell has not opened.
#[test]
fn no_descriptor_of_the_program_itself_is_read() {
    let all: Vec<_> =
        (3..40).map(|number| format!("quote(readfile('/dev/fd/{number}'))")).collect();
    let line = format!("\"$0\" :memory: \"SELECT {}\"", all.join(", "));
    for line in [line.clone(), format!("{line} 9<f.csv 12<f.sql")] {
        let [ours, native] =
            [support::our_binary(), support::native()].map(|program| by_bash(program, &line).0);
        assert_eq!((ours.end, ours.out()), (native.end, native.out()), "{line}\n{ours}");
    }
}

/// A script that strangers wrote reads no descriptor that the shell happened to have open, and
/// none is a database.
#[test]
fn what_arguments_do_not_name_is_closed() {
    for (line, printed) in [
        ("echo \"SELECT quote(readfile('/dev/fd/9'));\" | \"$0\" :memory: 9<secret", "NULL\n"),
        ("echo '.import /dev/fd/9 t' | \"$0\" :memory: '.print /dev/fd/8' 9<secret", "/dev/fd/8\n"),
        ("\"$0\" :memory: \"ATTACH '/dev/fd/9' AS s\" 'SELECT * FROM s.t' 9<secret", ""),
        ("\"$0\" :memory: \".import '/dev/fd/../fd/9' t\" 'SELECT * FROM t' 9<secret", ""),
        ("\"$0\" --load /dev/fd/9 :memory: \"SELECT quote(readfile('/dev/fd/9'))\" 9<secret", ""),
    ] {
        let (run, _directory) = by_bash(support::our_binary(), line);
        assert!(!run.out().contains("secret") && run.out() == printed, "{line}\n{run}");
    }
    let control = "\"$0\" :memory: '.import /dev/fd/9 t' 'SELECT * FROM t' 9<secret";
    by_bash(support::our_binary(), control).0.exits_with(0).prints("secret\n");
}
